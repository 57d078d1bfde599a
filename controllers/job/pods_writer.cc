#include "controllers/job/pods_writer.h"

#include <utility>

#include "base/strings.h"
#include "client/api_error.h"
#include "client/patch.h"
#include "controllers/core/in_flight.h"
#include "controllers/core/ownership.h"
#include "controllers/core/writes.h"
#include "controllers/job/keys.h"
#include "controllers/job/names.h"
#include "controllers/job/pod_builder.h"

namespace bth::controllers {
namespace {

using types::Pod;

struct Creation {
  JobDesk& desk;
  const PodOrder& order;
  CreatedPods result;
  bool stop = false;
};

// The name is taken: by the job's own pod, which the watch tells of, or by somebody else's.
void NoteTaken(Creation& creation, const std::string& name) {
  const types::BatchJob& job = *creation.order.job;
  const std::string key = StoreKey(job.meta.ns, name);
  creation.desk.waits.Wait(JobKey(job), AwaitedPod(key));
  const PodPointer known = creation.desk.pods.FindKey(key);
  if (known != nullptr && !IsControlledBy(known->meta, job.meta.uid)) {
    creation.result.occupied.push_back(name);
  }
}

net::Awaitable<absl::Status> CreatePod(Creation& creation, size_t number) {
  const PodOrder& order = creation.order;
  if (creation.stop || !creation.desk.IsAlive(*order.job)) co_return absl::OkStatus();
  const PodToCreate& wanted = (*order.pods)[number];
  const types::BatchTask& task = order.job->spec.tasks[wanted.task];
  const std::string name = PodName(order.job->meta.name, task.name, wanted.index);
  const std::string child = ChildKey<Pod>(order.job->meta.uid, name);
  if (creation.desk.IsToWait(*order.job, child)) co_return absl::OkStatus();
  PodDraft draft = BuildPod(*order.job, task, wanted.index, order.is_forwarded);
  for (const auto& plugin : order.plugins->plugins) {
    creation.result.plugin_error = plugin->OnPodCreate(*order.job, draft);
    if (creation.result.plugin_error.ok()) continue;
    creation.stop = true;
    co_return creation.result.plugin_error;
  }
  JobDesk& desk = creation.desk;
  std::string body = draft.object().Dump();
  const Known<Pod> made =
      co_await CreateAndLearn(desk.context.api, desk.pods, order.job->meta.ns, std::move(body));
  if (absl::IsAlreadyExists(made.status())) {
    NoteTaken(creation, name);
    co_return absl::OkStatus();
  }
  if (!made.ok()) {
    creation.stop = creation.stop || client::IsRefusal(made.status());
    co_return client::WithContext(made.status(), StrCat("task ", task.name));
  }
  desk.remakes.NoteMade(child);
  creation.result.counts.Add(task.name, **made);
  desk.context.metrics.PodCreated((*made)->meta.creation_time - order.job->meta.creation_time);
  co_return absl::OkStatus();
}

net::Awaitable<absl::Status> MarkPod(JobDesk& desk, const Pod& pod) {
  if (IsMarkedOutOfSync(pod)) co_return absl::OkStatus();
  client::JsonPatch patch;
  patch.RequireUid(pod.meta.uid);
  patch.Add({"metadata", "annotations", kOutOfSyncKey}, "true");
  client::ApiPath path = client::PathOf<Pod>(pod.meta.ns, pod.meta.name);
  client::Patch body = patch.Build();
  client::ApiClient::Text text = co_await desk.context.api.Patch(std::move(path), std::move(body));
  if (text.ok()) {
    absl::StatusOr<Pod> marked = types::Decode<Pod>(std::string_view(*text));
    if (marked.ok()) desk.pods.Observe(*std::move(marked));
    co_return absl::OkStatus();
  }
  if (absl::IsNotFound(text.status())) co_return absl::OkStatus();
  co_return text.status();
}

net::Awaitable<absl::Status> DeletePod(JobDesk& desk, const Pod& pod) {
  client::DeleteOptions options;
  options.uid = pod.meta.uid;
  client::ApiPath path = client::PathOf<Pod>(pod.meta.ns, pod.meta.name);
  client::ApiClient::Text text =
      co_await desk.context.api.Delete(std::move(path), std::move(options));
  // Aborted: another pod has its name by now.
  const bool gone = absl::IsNotFound(text.status()) || absl::IsAborted(text.status());
  if (!text.ok() && !gone) co_return text.status();
  desk.book.NoteDeleted(pod);
  const types::OwnerReference* owner = BatchJobOwner(pod.meta);
  if (owner != nullptr) desk.remakes.Forget(ChildKey<Pod>(owner->uid, pod.meta.name));
  if (text.ok()) {
    absl::StatusOr<Pod> left = types::Decode<Pod>(std::string_view(*text));
    if (left.ok() && left->meta.uid == pod.meta.uid && left->meta.deletion_time.has_value() &&
        desk.pods.Find(pod.meta.ns, pod.meta.name) != nullptr) {
      desk.pods.Observe(*std::move(left));
    }
  }
  co_return absl::OkStatus();
}

using PodWrite = net::Awaitable<absl::Status> (*)(JobDesk& desk, const Pod& pod);

// In flight together; `pods` lives until this ends.
net::Awaitable<std::vector<absl::Status>> ForEach(JobDesk& desk,
                                                  const std::vector<PodPointer>& pods,
                                                  PodWrite write) {
  const auto limit = static_cast<size_t>(desk.context.options.requests_in_flight);
  const Work work = [&](size_t i) { return write(desk, *pods[i]); };
  std::vector<absl::Status> results =
      co_await RunInFlight(desk.context.executor(), pods.size(), limit, work);
  co_return std::move(results);
}

// Moves the pods whose status is not OK from `pods` to the failures.
void SortOut(const std::vector<absl::Status>& results, std::vector<PodPointer>* pods,
             DeletedPods* outcome) {
  std::vector<PodPointer> passed;
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].ok()) {
      passed.push_back((*pods)[i]);
    } else {
      outcome->errors.push_back(results[i]);
      outcome->left.push_back((*pods)[i]);
    }
  }
  *pods = std::move(passed);
}

}  // namespace

net::Awaitable<CreatedPods> CreatePods(JobDesk& desk, PodOrder order) {
  Creation creation{desk, order, {}, false};
  const Work work = [&creation](size_t number) { return CreatePod(creation, number); };
  const auto limit = static_cast<size_t>(desk.context.options.requests_in_flight);
  const std::vector<absl::Status> results =
      co_await RunInFlight(desk.context.executor(), order.pods->size(), limit, work);
  for (const absl::Status& status : results) {
    if (!status.ok()) creation.result.errors.push_back(status);
  }
  CreatedPods result = std::move(creation.result);
  co_return std::move(result);
}

net::Awaitable<absl::Status> MarkPods(JobDesk& desk, std::vector<PodPointer> pods) {
  const std::vector<absl::Status> marked = co_await ForEach(desk, pods, &MarkPod);
  for (const absl::Status& status : marked) BTH_CO_RETURN_IF_ERROR(status);
  co_return absl::OkStatus();
}

net::Awaitable<DeletedPods> DeletePods(JobDesk& desk, std::vector<PodPointer> pods) {
  DeletedPods outcome;
  const std::vector<absl::Status> marked = co_await ForEach(desk, pods, &MarkPod);
  SortOut(marked, &pods, &outcome);
  const std::vector<absl::Status> removed = co_await ForEach(desk, pods, &DeletePod);
  SortOut(removed, &pods, &outcome);
  outcome.deleted = static_cast<int32_t>(pods.size());
  co_return std::move(outcome);
}

}  // namespace bth::controllers
