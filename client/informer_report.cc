#include "client/informer_report.h"

#include <utility>

#include "base/log.h"
#include "base/strings.h"

namespace bth::client {

InformerReport::InformerReport(net::Executor& executor, std::string role,
                               metrics::ClientMetrics& metrics)
    : notices_(executor, std::move(role)), metrics_(metrics) {}

InformerOptions InformerReport::OptionsOf(const types::ResourceType& type) {
  InformerOptions options;
  options.reflector.absent_is_empty = StrContains(type.group, "volcano.sh");
  options.reflector.on_presence = [this, name = type.FullName()](bool is_there) {
    notices_.Presence(name, is_there);
  };
  options.reflector.on_error = [this, plural = type.plural](const absl::Status& status) {
    notices_.Failed(plural, status);
  };
  options.reflector.on_relist = [this, plural = type.plural] { metrics_.InformerRelisted(plural); };
  options.reflector.on_rewatch = [this, plural = type.plural] { metrics_.WatchRestarted(plural); };
  options.on_malformed = [this, plural = type.plural](const ObjectKey& key,
                                                      const absl::Status& status) {
    metrics_.MalformedObject(plural);
    const std::string_view ns = key.namespace_name;
    Log(LogLevel::kError, "object.malformed",
        {{"resource", plural},
         {"object", StrCat(ns, ns.empty() ? "" : "/", key.name)},
         {"status", status}});
  };
  metrics_.Publish(type.plural);
  return options;
}

}  // namespace bth::client
