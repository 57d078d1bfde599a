#include "controllers/job/unreadable_jobs.h"

#include <utility>

#include "base/status.h"
#include "client/event_object.h"
#include "client/patch.h"
#include "client/typed_client.h"
#include "controllers/core/events.h"
#include "controllers/job/keys.h"

namespace bth::controllers {
namespace {

const types::ResourceType& JobType() {
  return types::ResourceTraits<types::BatchJob>::type();
}

}  // namespace

bool UnreadableJobs::Add(const Unreadable<types::BatchJob>& job) {
  if (job.key.name.empty() || job.key.uid.empty()) return false;
  waiting_[StoreKey(job.key.namespace_name, job.key.name)] = {job.key, UnreadableText(job), false};
  return true;
}

void UnreadableJobs::Drop(const types::ObjectMeta& job) {
  if (!waiting_.empty()) waiting_.erase(StoreKey(job.ns, job.name));
}

net::Awaitable<absl::Status> UnreadableJobs::Tell(std::string job) {
  const auto found = waiting_.find(job);
  if (found == waiting_.end()) co_return absl::OkStatus();
  Waiting what = found->second;
  const std::string message = what.message;
  absl::Status written = co_await WriteState(std::move(what));
  const bool is_gone = absl::IsNotFound(written);
  if (!written.ok() && !is_gone) co_return std::move(written);
  const auto now = waiting_.find(job);
  if (now != waiting_.end() && now->second.message == message) waiting_.erase(now);
  co_return absl::OkStatus();
}

void UnreadableJobs::TellOnce(const Waiting& what) {
  const auto found = waiting_.find(StoreKey(what.key.namespace_name, what.key.name));
  if (found == waiting_.end() || std::exchange(found->second.is_told, true)) return;
  context_.events.Record(client::EventObjectOf(JobType(), what.key),
                         {"Warning", kInvalidJob, what.message});
}

net::Awaitable<absl::Status> UnreadableJobs::WriteState(Waiting what) {
  const client::ApiPath item = client::PathOf(JobType(), what.key.namespace_name, what.key.name);
  client::ApiPath get_path = item;
  const client::ApiClient::Text text = co_await context_.api.Get(std::move(get_path));
  BTH_CO_RETURN_IF_ERROR(text);
  const absl::StatusOr<types::Json> object = types::Json::Parse(*text);
  BTH_CO_RETURN_IF_ERROR(object);
  if (object->At({"metadata", "uid"}).AsString() != what.key.uid) co_return absl::OkStatus();
  const types::Json& state = object->At({"status", "state"});
  if (state["reason"].AsString() == kInvalidJob && state["message"].AsString() == what.message) {
    co_return absl::OkStatus();
  }
  TellOnce(what);
  client::MergePatch patch;
  if (state["phase"].AsString().empty()) patch.Set({"status", "state", "phase"}, "Pending");
  patch.Set({"status", "state", "reason"}, kInvalidJob);
  patch.Set({"status", "state", "message"}, what.message);
  patch.RequireResourceVersion(object->At({"metadata", "resourceVersion"}).AsString());
  client::Patch body = patch.Build();
  client::ApiPath path =
      client::PathOf(JobType(), what.key.namespace_name, what.key.name, "status");
  const client::ApiClient::Text answer =
      co_await context_.api.Patch(std::move(path), std::move(body));
  co_return answer.status();
}

}  // namespace bth::controllers
