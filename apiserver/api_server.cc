#include "apiserver/api_server.h"

#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "apiserver/admission/builtin.h"
#include "apiserver/collector/collector.h"
#include "apiserver/quota/quota_book.h"
#include "apiserver/rest/core.h"
#include "apiserver/rest/definitions.h"
#include "apiserver/rest/event_expiry.h"
#include "apiserver/rest/handler.h"
#include "apiserver/rest/namespaces.h"
#include "base/status.h"

namespace bth::apiserver {
namespace {

uint64_t Entropy() {
  std::random_device device;
  return (uint64_t{device()} << 32) | device();
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
  core->bookmark_period = options.bookmark_period;
  core->watch_timeout = options.watch_timeout;
  for (const ResourceTypePtr& type : core->registry.All()) {
    if (!type->virtual_only) core->Declare(*type);
  }
  AddBuiltinStages(core);
  CreateSystemObjects(*core);
  BTH_RETURN_IF_ERROR(Annotate(ServeDefinitions(core, options.crds), "install definitions"));
  CollectNamespaces(core);
  CollectGarbage(core);
  EnforceQuotas(core);
  ExpireEvents(core, {options.event_age_max, options.events_max});
  return std::unique_ptr<ApiServer>(new ApiServer(std::move(core)));
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
