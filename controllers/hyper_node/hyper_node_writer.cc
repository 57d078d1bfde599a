#include "controllers/hyper_node/hyper_node_writer.h"

#include <string_view>
#include <utility>
#include <vector>

#include "api/types/codec.h"
#include "base/log.h"
#include "base/strings.h"
#include "client/api_error.h"
#include "client/patch.h"
#include "controllers/core/in_flight.h"
#include "controllers/core/status_patch.h"
#include "controllers/core/writes.h"

namespace bth::controllers {
namespace {

using types::HyperNode;
using types::Json;

// What turns `before` into `after`, status aside.
absl::StatusOr<client::Patch> PatchOf(const HyperNode& before, const HyperNode& after) {
  const absl::StatusOr<Json> old = Json::Parse(types::Encode(before));
  BTH_RETURN_IF_ERROR(old);
  const absl::StatusOr<Json> now = Json::Parse(types::Encode(after));
  BTH_RETURN_IF_ERROR(now);
  Json diff = MergeDiff(*old, *now);
  client::MergePatch patch;
  if (Json* spec = diff.Find("spec")) patch.Set({"spec"}, std::move(*spec));
  for (const std::string_view part : {"labels", "annotations"}) {
    const Json& changed = diff.At({"metadata", part});
    if (!changed.is_null()) patch.Set({"metadata", part}, changed);
  }
  patch.RequireResourceVersion(before.meta.resource_version);
  return patch.Build();
}

absl::Status Named(const absl::Status& status, std::string_view what, const std::string& name) {
  if (status.ok()) return status;
  absl::Status named = client::WithContext(status, StrCat(what, " HyperNode ", name));
  Log(LogLevel::kWarning, "hyper_node.write_failed", {{"status", named}});
  return named;
}

}  // namespace

net::Awaitable<absl::Status> HyperNodeWriter::Apply(DiscoveryPlan plan) {
  const size_t creates = plan.create.size();
  const size_t updates = plan.update.size();
  const Work work = [this, &plan, creates, updates](size_t i) -> net::Awaitable<absl::Status> {
    if (i < creates) return Create(plan.create[i]);
    if (i < creates + updates) return Update(plan.update[i - creates]);
    return Remove(plan.remove[i - creates - updates]);
  };
  const size_t count = creates + updates + plan.remove.size();
  const size_t limit = static_cast<size_t>(context_.options.requests_in_flight);
  const std::vector<absl::Status> results =
      co_await RunInFlight(context_.executor(), count, limit, work);
  for (const absl::Status& status : results) {
    if (!status.ok()) co_return status;
  }
  co_return absl::OkStatus();
}

net::Awaitable<absl::Status> HyperNodeWriter::Create(HyperNode object) {
  const std::string name = object.meta.name;
  std::string body = types::Encode(object);
  const Known<HyperNode> made = co_await CreateAndLearn(context_.api, store_, "", std::move(body));
  co_return Named(made.status(), "create", name);
}

net::Awaitable<absl::Status> HyperNodeWriter::Update(DiscoveryPlan::Change change) {
  absl::StatusOr<client::Patch> patch = PatchOf(*change.before, change.after);
  BTH_CO_RETURN_IF_ERROR(patch);
  const Known<HyperNode> now =
      co_await PatchAndLearn(context_.api, store_, *change.before, *std::move(patch));
  co_return Named(now.status(), "update", change.before->meta.name);
}

net::Awaitable<absl::Status> HyperNodeWriter::Remove(HyperNodePtr object) {
  const absl::Status deleted = co_await DeleteObject(context_.api, *object);
  co_return Named(deleted, "delete", object->meta.name);
}

net::Awaitable<absl::Status> HyperNodeWriter::SetNodeCount(HyperNodePtr hyper_node, int64_t count) {
  client::MergePatch patch;
  patch.Set({"status", "nodeCount"}, Json(count));
  patch.RequireResourceVersion(hyper_node->meta.resource_version);
  client::Patch built = patch.Build();
  const Known<HyperNode> now =
      co_await PatchAndLearn(context_.api, store_, *hyper_node, std::move(built), "status");
  if (absl::IsNotFound(now.status())) co_return absl::OkStatus();
  co_return now.status();
}

}  // namespace bth::controllers
