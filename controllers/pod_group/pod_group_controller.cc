#include "controllers/pod_group/pod_group_controller.h"

#include <algorithm>
#include <utility>

#include "api/types/fragment.h"
#include "base/log.h"
#include "base/strings.h"
#include "client/patch.h"
#include "client/typed_client.h"
#include "controllers/core/keys.h"
#include "controllers/core/writes.h"
#include "controllers/pod_group/build.h"

namespace bth::controllers {
namespace {

using types::LabelMap;
using types::Pod;
using types::PodGroup;

constexpr std::string_view kRevisionLabel = "controller-revision-hash";

template <typename T>
std::string LaneKey(const T& object) {
  return StrCat(types::ResourceTraits<T>::type().kind, "/",
                StoreKey(object.meta.ns, object.meta.name));
}

template <typename T>
net::Awaitable<absl::StatusOr<LabelMap>> ReadAnnotations(client::ApiClient& api, std::string ns,
                                                         std::string name) {
  absl::StatusOr<T> owner = co_await client::GetObject<T>(api, std::move(ns), std::move(name));
  BTH_CO_RETURN_IF_ERROR(owner);
  LabelMap annotations = std::move(owner->meta.annotations);
  co_return std::move(annotations);
}

}  // namespace

template <typename T>
class PodGroupController::WorkloadListener final : public StoreListener<T> {
 public:
  explicit WorkloadListener(Lanes& lanes) : lanes_(lanes) {}
  void OnAdd(const T& object) override { lanes_.Add(LaneKey(object)); }
  void OnUpdate(const T& before, const T& after) override {
    // Most updates count pods; those that matter change the size or the revision.
    if (before.replicas == after.replicas && before.update_revision == after.update_revision &&
        before.meta.annotations == after.meta.annotations) {
      return;
    }
    lanes_.Add(LaneKey(after));
  }

 private:
  Lanes& lanes_;
};

PodGroupController::PodGroupController(const ControllerContext& context)
    : context_(context),
      pods_(context.watches.Of<Pod>()),
      groups_(context.watches.Of<PodGroup>()),
      lanes_(context.executor(), DefaultLanes(context.options.worker_threads_for_podgroup),
             {.work = [this](std::string key) { return Work(std::move(key)); }, .give_up = {}}) {
  pods_.Subscribe(*this);
  if (!context.options.gates.workload_support) return;
  replica_sets_ = &context.watches.Of<types::ReplicaSet>();
  stateful_sets_ = &context.watches.Of<types::StatefulSet>();
  replica_set_listener_ = std::make_unique<WorkloadListener<types::ReplicaSet>>(lanes_);
  stateful_set_listener_ = std::make_unique<WorkloadListener<types::StatefulSet>>(lanes_);
  replica_sets_->Subscribe(*replica_set_listener_);
  stateful_sets_->Subscribe(*stateful_set_listener_);
}

PodGroupController::~PodGroupController() = default;

bool PodGroupController::IsOurs(const Pod& pod) const {
  const std::vector<std::string>& names = context_.options.scheduler_names;
  return std::find(names.begin(), names.end(), pod.spec.scheduler_name) != names.end() &&
         pod.meta.Annotation(kGroupNameKey).empty();
}

void PodGroupController::OnAdd(const Pod& pod) {
  if (IsOurs(pod)) lanes_.Add(LaneKey(pod));
}

net::Awaitable<LaneHooks::Outcome> PodGroupController::Work(std::string key) {
  LaneHooks::Outcome outcome;
  const size_t slash = key.find('/');
  const std::string kind = key.substr(0, slash);
  const std::string object = key.substr(slash + 1);
  if (kind == "Pod") {
    outcome.status = co_await WorkOnPod(object);
  } else if (kind == "ReplicaSet") {
    const auto set = replica_sets_->FindKey(object);
    if (set != nullptr) outcome.status = co_await WorkOnWorkload(*set);
  } else {
    const auto set = stateful_sets_->FindKey(object);
    if (set != nullptr) outcome.status = co_await WorkOnWorkload(*set);
  }
  co_return std::move(outcome);
}

net::Awaitable<absl::Status> PodGroupController::WorkOnPod(std::string key) {
  const PodPtr pod = pods_.FindKey(key);
  if (pod == nullptr || !IsOurs(*pod)) co_return absl::OkStatus();
  const absl::Status made = co_await EnsureGroup(pod, false);
  if (!made.ok()) co_return made;
  co_return co_await BindPod(pod);
}

net::Awaitable<absl::Status> PodGroupController::WorkOnWorkload(types::Workload workload) {
  if (workload.replicas == 0) {
    co_return co_await RemoveGroup(workload.meta.ns, StrCat("podgroup-", workload.meta.uid));
  }
  for (const PodPtr& pod : pods_.ControlledBy(workload.meta.uid)) {
    if (!workload.update_revision.empty() &&
        pod->meta.Label(kRevisionLabel) != workload.update_revision) {
      continue;
    }
    if (!IsOurs(*pod)) co_return absl::OkStatus();
    const absl::Status made = co_await EnsureGroup(pod, true);
    if (!made.ok()) co_return made;
    co_return co_await BindPod(pod);
  }
  co_return absl::OkStatus();
}

net::Awaitable<absl::Status> PodGroupController::EnsureGroup(PodPtr pod, bool update) {
  const auto existing = groups_.Find(pod->meta.ns, GroupNameOf(*pod));
  if (existing != nullptr && !update) co_return absl::OkStatus();
  absl::StatusOr<LabelMap> inherited = LabelMap();
  if (context_.options.inherit_owner_annotations) inherited = co_await Inherited(pod);
  if (!inherited.ok()) co_return inherited.status();
  absl::StatusOr<PodGroup> built = BuildPodGroup(*pod, *inherited);
  if (!built.ok()) co_return built.status();
  if (existing != nullptr) co_return co_await UpdateGroup(*existing, *std::move(built));
  std::string body = types::Encode(*built);
  const Known<PodGroup> made =
      co_await CreateAndLearn(context_.api, groups_, pod->meta.ns, std::move(body));
  if (absl::IsAlreadyExists(made.status())) co_return absl::OkStatus();
  co_return made.status();
}

net::Awaitable<absl::Status> PodGroupController::UpdateGroup(PodGroup existing, PodGroup built) {
  if (!NeedsUpdate(existing, built)) co_return absl::OkStatus();
  client::MergePatch patch;
  const types::Json spec = types::FragmentToJson(built.spec);
  for (const types::Json::Member& field : spec.members()) {
    patch.Set({"spec", field.first}, field.second);
  }
  patch.Set({"spec", "minMember"}, built.spec.min_member);
  for (const auto& [key, value] : built.meta.labels) patch.Set({"metadata", "labels", key}, value);
  for (const auto& [key, value] : built.meta.annotations) {
    patch.Set({"metadata", "annotations", key}, value);
  }
  patch.RequireResourceVersion(existing.meta.resource_version);
  client::Patch body = patch.Build();
  const Known<PodGroup> now =
      co_await PatchAndLearn(context_.api, groups_, existing, std::move(body));
  co_return now.status();
}

net::Awaitable<absl::Status> PodGroupController::RemoveGroup(std::string ns, std::string group) {
  const auto existing = groups_.Find(ns, group);
  if (existing == nullptr) co_return absl::OkStatus();
  absl::Status deleted = co_await DeleteObject(context_.api, *existing);
  co_return std::move(deleted);
}

net::Awaitable<absl::Status> PodGroupController::BindPod(PodPtr pod) {
  client::MergePatch patch;
  patch.Set({"metadata", "annotations", kGroupNameKey}, types::Json(GroupNameOf(*pod)));
  patch.RequireUid(pod->meta.uid);
  client::Patch body = patch.Build();
  const Known<Pod> now = co_await PatchAndLearn(context_.api, pods_, *pod, std::move(body));
  if (absl::IsNotFound(now.status())) co_return absl::OkStatus();
  co_return now.status();
}

net::Awaitable<absl::StatusOr<LabelMap>> PodGroupController::Inherited(PodPtr pod) {
  LabelMap merged;
  for (const types::OwnerReference& owner : pod->meta.owner_references) {
    absl::StatusOr<LabelMap> annotations = co_await AnnotationsOf(pod->meta.ns, owner);
    if (!annotations.ok()) {
      // One that is gone, or that we may not read, has nothing to pass on; others are asked again.
      const absl::Status& why = annotations.status();
      if (!absl::IsNotFound(why) && !absl::IsPermissionDenied(why)) co_return why;
      Log(LogLevel::kWarning, "pod_group.owner_unread",
          {{"pod", pod->meta.Key()}, {"owner", owner.kind + "/" + owner.name}, {"status", why}});
      continue;
    }
    for (const auto& [key, value] : *annotations) {
      if (!merged.Contains(key)) merged.Set(key, value);
    }
  }
  co_return std::move(merged);
}

net::Awaitable<absl::StatusOr<LabelMap>> PodGroupController::AnnotationsOf(
    std::string ns, types::OwnerReference owner) {
  if (owner.kind == "ReplicaSet") {
    const auto known = replica_sets_ == nullptr ? nullptr : replica_sets_->Find(ns, owner.name);
    if (known != nullptr) co_return known->meta.annotations;
    co_return co_await ReadAnnotations<types::ReplicaSet>(context_.api, ns, owner.name);
  }
  if (owner.kind == "StatefulSet") {
    const auto known = stateful_sets_ == nullptr ? nullptr : stateful_sets_->Find(ns, owner.name);
    if (known != nullptr) co_return known->meta.annotations;
    co_return co_await ReadAnnotations<types::StatefulSet>(context_.api, ns, owner.name);
  }
  if (owner.kind == "DaemonSet") {
    co_return co_await ReadAnnotations<types::DaemonSet>(context_.api, ns, owner.name);
  }
  if (owner.kind == "Job" && owner.api_version == "batch/v1") {
    co_return co_await ReadAnnotations<types::KubeJob>(context_.api, ns, owner.name);
  }
  co_return LabelMap();
}

}  // namespace bth::controllers
