#include "scheduler/outside.h"

#include <utility>

#include "base/log.h"
#include "net/client.h"

namespace bth::scheduler {
namespace {

client::TransportFactory Factory(client::TransportFactory given, net::Executor& executor) {
  if (given != nullptr) return given;
  return [&executor](net::ClientOptions options) {
    return net::MakeHttpClient(executor, std::move(options));
  };
}

}  // namespace

Outside::Outside(Context context, Hooks hooks)
    : context_(std::move(context)),
      transports_(Factory(context_.transports, context_.executor)),
      http_(context_.executor, transports_, context_.metrics),
      extender_(http_),
      poller_({context_.executor, context_.api, transports_}, context_.metrics,
              {.nodes = [this] { return context_.mirror.ReadyNodes(); },
               .publish =
                   [this, told = std::move(hooks.loads)](auto loads) {
                     context_.mirror.PutLoads(std::move(loads));
                     told();
                   },
               .error = std::move(hooks.load_error)}) {}

void Outside::Adopt(const conf::Policy& policy, const framework::PluginNeeds& needs) {
  if (const auto uncounted = context_.mirror.CountResources(needs.resources)) {
    if (context_.metrics != nullptr) context_.metrics->LimitReached("resource_dimensions");
    Log(LogLevel::kWarning, "policy.resource_not_counted",
        {{"resource", *uncounted},
         {"effect", "plugins see no node that has it"},
         {"remedy", "build with a larger BTH_DIMS"}});
  }
  poller_.Configure(policy.metrics);
}

}  // namespace bth::scheduler
