#include "apiserver/api_server.h"

#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "apiserver/admission/builtin.h"
#include "apiserver/collector/collector.h"
#include "apiserver/matching/outside.h"
#include "apiserver/policies/policy_book.h"
#include "apiserver/quota/quota_book.h"
#include "apiserver/rest/core.h"
#include "apiserver/rest/definitions.h"
#include "apiserver/rest/event_expiry.h"
#include "apiserver/rest/handler.h"
#include "apiserver/rest/namespaces.h"
#include "apiserver/services/proxy.h"
#include "apiserver/webhooks/clients.h"
#include "apiserver/webhooks/webhook_book.h"
#include "base/status.h"

namespace bth::apiserver {
namespace {

uint64_t Entropy() {
  std::random_device device;
  return (uint64_t{device()} << 32) | device();
}

// Policies and webhooks, in the order of the real server: policies mutate before webhooks and
// validate before them.
std::shared_ptr<Outside> AskOutside(const std::shared_ptr<Core>& core, ConnectTo connect) {
  auto outside = std::make_shared<Outside>(*core);
  std::vector<std::unique_ptr<Mutator>> mutators;
  mutators.push_back(ServePolicies(core, outside));
  mutators.push_back(ServeWebhooks(core, outside, std::move(connect)));
  core->stages.Add(StagePoint::kMutate, MakeMutationStage(*core, std::move(mutators)));
  core->metric_sections.push_back([outside](std::string* out) { outside->metrics.AppendTo(out); });
  return outside;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ApiServer>> ApiServer::Create(net::Executor& executor,
                                                             Options options) {
  BTH_ASSIGN_OR_RETURN(std::unique_ptr<Store> store,
                       Store::Create(executor, std::move(options.store)));
  auto core = std::make_shared<Core>(executor, std::move(store),
                                     options.seed.has_value() ? *options.seed : Entropy());
  core->tokens = std::move(options.tokens);
  core->extra_metrics = std::move(options.extra_metrics);
  core->log_source = std::move(options.log_source);
  core->bookmark_period = options.bookmark_period;
  core->watch_timeout = options.watch_timeout;
  core->request_timeout = options.request_timeout;
  for (const ResourceTypePtr& type : core->registry.All()) {
    if (!type->virtual_only) core->Declare(*type);
  }
  AddBuiltinStages(core);
  CreateSystemObjects(*core);
  BTH_RETURN_IF_ERROR(Annotate(ServeDefinitions(core, options.crds), "install definitions"));
  CollectNamespaces(core);
  CollectGarbage(core);
  ConnectTo connect = std::move(options.connect_outside);
  if (!connect) connect = ConnectBySockets(executor);
  core->proxy = std::make_shared<ServiceProxy>(connect);
  std::shared_ptr<Outside> outside = AskOutside(core, std::move(connect));
  EnforceQuotas(core);
  ExpireEvents(core, {options.event_age_max, options.events_max});
  return std::unique_ptr<ApiServer>(new ApiServer(std::move(core), std::move(outside)));
}

ApiServer::~ApiServer() {
  core_->store->CloseWatches();
}

net::Handler ApiServer::handler() const {
  return [core = core_](net::Request request) { return Handle(core, std::move(request)); };
}

void ApiServer::AddStage(StagePoint point, std::unique_ptr<Stage> stage) {
  core_->stages.Add(point, std::move(stage));
}

Store& ApiServer::store() {
  return *core_->store;
}

}  // namespace bth::apiserver
