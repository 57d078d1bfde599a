#include "controllers/job/plugin_objects.h"

#include <algorithm>
#include <string>
#include <utility>

#include "api/types/fragment.h"
#include "base/strings.h"
#include "client/api_error.h"
#include "client/patch.h"
#include "client/typed_client.h"
#include "controllers/core/ownership.h"
#include "controllers/core/status_patch.h"

namespace bth::controllers {
namespace {

using types::BatchJob;
using types::Json;

constexpr std::string_view kPluginRecord = "plugin-";

bool IsPluginRecord(const types::LabelMap::Entry& entry) {
  return std::string_view(entry.first).starts_with(kPluginRecord);
}

bool BelongsTo(const Json& object, const BatchJob& job) {
  for (const Json& owner : object.At({"metadata", "ownerReferences"}).items()) {
    if (owner["controller"].AsBool() && owner["uid"].AsString() == job.meta.uid) return true;
  }
  return false;
}

absl::Status Foreign(const types::ResourceType& type, const Json& object) {
  return absl::AlreadyExistsError(StrCat(
      type.FullName(), " \"", object.At({"metadata", "name"}).AsString(),
      "\" exists and does not belong to the job: delete it to let the job run, or create the "
      "job with another name"));
}

const Json& PartOf(const Json& object, const std::vector<std::string>& path) {
  const Json* part = &object;
  for (const std::string& key : path) part = &(*part)[std::string_view(key)];
  return *part;
}

// The first member of the compared path is replaced as a whole; beside what was costly to make the
// compared part alone is: pods that run have those keys.
client::Patch Replacement(const WantedObject& wanted, const Json& existing) {
  const std::string& member = wanted.compared.front();
  const Json& before = existing[std::string_view(member)];
  const Json& after = std::as_const(wanted.object)[std::string_view(member)];
  client::MergePatch patch;
  if (wanted.complete) {
    Json change = Json::MakeObject();
    Json* part = &change;
    for (const std::string& key : wanted.compared) part = &(*part)[std::string_view(key)];
    *part = PartOf(wanted.object, wanted.compared);
    patch.Set({member}, std::move(change[std::string_view(member)]));
  } else {
    patch.Set({member}, before.is_object() && after.is_object() ? MergeDiff(before, after) : after);
  }
  patch.RequireResourceVersion(existing.At({"metadata", "resourceVersion"}).AsString());
  return patch.Build();
}

net::Awaitable<absl::StatusOr<Json>> GetJson(client::ApiClient& api, client::ApiPath path) {
  client::ApiClient::Text text = co_await api.Get(std::move(path));
  BTH_CO_RETURN_IF_ERROR(text);
  co_return Json::Parse(*text);
}

net::Awaitable<absl::Status> CreateJson(client::ApiClient& api, client::ApiPath path,
                                        const Json& object) {
  client::ApiClient::Text text = co_await api.Create(std::move(path), object.Dump());
  co_return text.status();
}

}  // namespace

net::Awaitable<absl::Status> EnsureObject(JobDesk& desk, JobPointer job, WantedObject wanted,
                                          bool is_likely_there) {
  client::ApiClient& api = desk.context.api;
  Json& meta = wanted.object["metadata"];
  meta.Set("namespace", job->meta.ns);
  meta.Set("ownerReferences",
           Json::MakeArray({types::FragmentToJson(ControllerReferenceTo(*job))}));
  const std::string name(std::as_const(meta)["name"].AsString());
  const client::ApiPath collection = client::PathOf(wanted.type, job->meta.ns);
  // What is costly to make, or likely there, is asked for first.
  absl::Status refused;
  if (!wanted.complete && !is_likely_there) {
    client::ApiPath path = collection;
    absl::Status created = co_await CreateJson(api, std::move(path), wanted.object);
    if (!client::IsRefusal(created)) co_return std::move(created);
    // Where a quota is used up, what is there already is refused before its name is looked at.
    if (!absl::IsAlreadyExists(created)) refused = std::move(created);
  }
  client::ApiPath item = client::PathOf(wanted.type, job->meta.ns, name);
  client::ApiPath get_path = item;
  absl::StatusOr<Json> existing = co_await GetJson(api, std::move(get_path));
  if (absl::IsNotFound(existing.status())) {
    BTH_CO_RETURN_IF_ERROR(refused);
    if (wanted.complete) BTH_CO_RETURN_IF_ERROR(wanted.complete(wanted.object));
    client::ApiPath path = collection;
    absl::Status created = co_await CreateJson(api, std::move(path), wanted.object);
    co_return std::move(created);
  }
  BTH_CO_RETURN_IF_ERROR(existing);
  if (!BelongsTo(*existing, *job)) co_return Foreign(wanted.type, *existing);
  const bool is_same = wanted.compared.empty() ||
                       PartOf(*existing, wanted.compared) == PartOf(wanted.object, wanted.compared);
  if (is_same) co_return absl::OkStatus();
  client::Patch patch = Replacement(wanted, *existing);
  client::ApiClient::Text text = co_await api.Patch(std::move(item), std::move(patch));
  co_return text.status();
}

std::string PluginRecord(const JobPlugin& plugin) {
  return StrCat(kPluginRecord, plugin.name());
}

bool HasPluginRecords(const types::BatchJobStatus& status) {
  const types::LabelMap& records = status.controlled_resources;
  return std::any_of(records.begin(), records.end(), IsPluginRecord);
}

void DropPluginRecords(types::BatchJobStatus* status) {
  types::LabelMap kept;
  for (const auto& entry : status->controlled_resources) {
    if (!IsPluginRecord(entry)) kept.Set(entry.first, entry.second);
  }
  status->controlled_resources = std::move(kept);
}

net::Awaitable<absl::Status> RemoveObject(JobDesk& desk, JobPointer job, ObjectName name) {
  client::ApiPath item = client::PathOf(name.type, job->meta.ns, name.name);
  client::ApiPath get_path = item;
  absl::StatusOr<Json> existing = co_await GetJson(desk.context.api, std::move(get_path));
  if (absl::IsNotFound(existing.status())) co_return absl::OkStatus();
  BTH_CO_RETURN_IF_ERROR(existing);
  if (!BelongsTo(*existing, *job)) co_return absl::OkStatus();
  client::DeleteOptions options;
  options.uid = std::string(existing->At({"metadata", "uid"}).AsString());
  client::ApiClient::Text text =
      co_await desk.context.api.Delete(std::move(item), std::move(options));
  // Aborted: another one has its name by now, which we know nothing of.
  if (absl::IsNotFound(text.status()) || absl::IsAborted(text.status())) {
    co_return absl::OkStatus();
  }
  co_return text.status();
}

}  // namespace bth::controllers
