#include "controllers/hyper_node/hyper_node_writer.h"

#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "api/types/codec.h"
#include "base/log.h"
#include "base/strings.h"
#include "client/api_error.h"
#include "client/patch.h"
#include "client/typed_client.h"
#include "controllers/core/in_flight.h"
#include "controllers/core/status_patch.h"

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
  const absl::Status named =
      client::WithContext(status, absl::StrCat(ToAbsl(what), " HyperNode ", name));
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
  absl::StatusOr<HyperNode> made = co_await client::CreateObject(context_.api, std::move(object));
  if (!made.ok()) co_return Named(made.status(), "create", name);
  store_.Observe(*std::move(made));
  co_return absl::OkStatus();
}

net::Awaitable<absl::Status> HyperNodeWriter::Update(DiscoveryPlan::Change change) {
  const std::string name = change.before->meta.name;
  absl::StatusOr<client::Patch> patch = PatchOf(*change.before, change.after);
  BTH_CO_RETURN_IF_ERROR(patch);
  client::ApiPath path = client::PathOf<HyperNode>("", name);
  const client::ApiClient::Text text =
      co_await context_.api.Patch(std::move(path), *std::move(patch));
  co_return Named(Learn(text), "update", name);
}

net::Awaitable<absl::Status> HyperNodeWriter::Remove(HyperNodePtr object) {
  client::ApiPath path = client::PathOf<HyperNode>("", object->meta.name);
  client::DeleteOptions options;
  options.uid = object->meta.uid;
  const client::ApiClient::Text text =
      co_await context_.api.Delete(std::move(path), std::move(options));
  if (absl::IsNotFound(text.status())) co_return absl::OkStatus();
  co_return Named(text.status(), "delete", object->meta.name);
}

net::Awaitable<absl::Status> HyperNodeWriter::SetNodeCount(HyperNodePtr hyper_node, int64_t count) {
  client::MergePatch patch;
  patch.Set({"status", "nodeCount"}, Json(count));
  patch.RequireResourceVersion(hyper_node->meta.resource_version);
  client::Patch built = patch.Build();
  client::ApiPath path = client::PathOf<HyperNode>("", hyper_node->meta.name);
  const client::ApiClient::Text text =
      co_await context_.api.PatchStatus(std::move(path), std::move(built));
  if (absl::IsNotFound(text.status())) co_return absl::OkStatus();
  co_return Learn(text);
}

absl::Status HyperNodeWriter::Learn(const client::ApiClient::Text& text) {
  BTH_RETURN_IF_ERROR(text);
  absl::StatusOr<HyperNode> now = types::Decode<HyperNode>(std::string_view(*text));
  BTH_RETURN_IF_ERROR(now);
  store_.Observe(*std::move(now));
  return absl::OkStatus();
}

}  // namespace bth::controllers
