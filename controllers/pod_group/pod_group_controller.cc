#include "controllers/pod_group/pod_group_controller.h"

#include <algorithm>
#include <utility>

#include "api/types/fragment.h"
#include "base/log.h"
#include "base/strings.h"
#include "client/patch.h"
#include "client/typed_client.h"
#include "controllers/core/keys.h"
#include "controllers/core/pods.h"
#include "controllers/core/status_patch.h"
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

bool IsAlive(const Pod& pod) {
  return !pod.meta.deletion_time.has_value() && !IsFinished(pod);
}

// May have pods.
bool IsInUse(const types::Workload& set, const std::string& uid) {
  return set.meta.uid == uid && set.replicas != 0 && !set.meta.deletion_time.has_value();
}

// The server says so too: the watch may have yet to tell that the set goes.
template <typename T>
net::Awaitable<absl::StatusOr<bool>> IsInUseNow(client::ApiClient& api, std::string ns,
                                                types::OwnerReference owner) {
  absl::StatusOr<T> set = co_await client::GetObject<T>(api, std::move(ns), owner.name);
  if (absl::IsNotFound(set.status())) co_return false;
  BTH_CO_RETURN_IF_ERROR(set);
  co_return IsInUse(*set, owner.uid);
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
      remakes_(context.executor()),
      lanes_(context.executor(), DefaultLanes(context.options.worker_threads_for_podgroup),
             {.work = [this](std::string key) { return Work(std::move(key)); }, .give_up = {}}) {
  pods_.Subscribe(*this);
  if (!context.options.gates.workload_support) return;
  groups_.Subscribe(*this);
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
  return std::find(names.begin(), names.end(), pod.spec.scheduler_name) != names.end();
}

bool PodGroupController::IsUnbound(const Pod& pod) const {
  return IsOurs(pod) && pod.meta.Annotation(kGroupNameKey).empty();
}

PodGroupController::SetPtr PodGroupController::FindSet(std::string_view kind,
                                                       const std::string& key) const {
  if (kind == "ReplicaSet" && replica_sets_ != nullptr) return replica_sets_->FindKey(key);
  if (kind == "StatefulSet" && stateful_sets_ != nullptr) return stateful_sets_->FindKey(key);
  return nullptr;
}

void PodGroupController::OnAdd(const Pod& pod) {
  if (IsUnbound(pod)) lanes_.Add(LaneKey(pod));
}

void PodGroupController::OnDelete(const PodGroup& group) {
  const types::OwnerReference* owner = group.meta.Controller();
  if (owner == nullptr) return;
  const std::string key = StoreKey(group.meta.ns, owner->name);
  const SetPtr set = FindSet(owner->kind, key);
  if (set != nullptr && IsInUse(*set, owner->uid)) lanes_.Add(StrCat(owner->kind, "/", key));
}

net::Awaitable<LaneHooks::Outcome> PodGroupController::Work(std::string key) {
  LaneHooks::Outcome outcome;
  const size_t slash = key.find('/');
  const std::string kind = key.substr(0, slash);
  const std::string object = key.substr(slash + 1);
  if (kind == "Pod") {
    outcome.status = co_await WorkOnPod(object);
  } else if (const SetPtr set = FindSet(kind, object); set != nullptr) {
    outcome.status = co_await WorkOnWorkload(*set);
  }
  co_return std::move(outcome);
}

net::Awaitable<absl::Status> PodGroupController::WorkOnPod(std::string key) {
  const PodPtr pod = pods_.FindKey(key);
  if (pod == nullptr || !IsUnbound(*pod)) co_return absl::OkStatus();
  const absl::Status made = co_await EnsureGroup(pod, false);
  if (!made.ok()) co_return made;
  co_return co_await BindPod(pod);
}

net::Awaitable<absl::Status> PodGroupController::WorkOnWorkload(types::Workload workload) {
  const std::string& uid = workload.meta.uid;
  if (workload.replicas == 0) co_return co_await RemoveGroup(workload.meta.ns, uid);
  if (const PodPtr pod = FindBereft(uid); pod != nullptr) co_return co_await RemakeGroup(pod);
  for (const PodPtr& pod : pods_.ControlledBy(uid)) {
    if (!workload.update_revision.empty() &&
        pod->meta.Label(kRevisionLabel) != workload.update_revision) {
      continue;
    }
    if (!IsUnbound(*pod)) co_return absl::OkStatus();
    const absl::Status made = co_await EnsureGroup(pod, true);
    if (!made.ok()) co_return made;
    co_return co_await BindPod(pod);
  }
  co_return absl::OkStatus();
}

PodGroupController::PodPtr PodGroupController::FindBereft(const std::string& owner_uid) const {
  for (const PodPtr& pod : pods_.ControlledBy(owner_uid)) {
    if (!IsOurs(*pod) || !IsAlive(*pod)) continue;
    const std::string group = GroupNameOf(*pod);
    if (pod->meta.Annotation(kGroupNameKey) != group) continue;
    return groups_.Find(pod->meta.ns, group) == nullptr ? pod : nullptr;
  }
  return nullptr;
}

net::Awaitable<absl::Status> PodGroupController::RemakeGroup(PodPtr pod) {
  const types::OwnerReference owner = *pod->meta.Controller();
  const std::string child = ChildKey<PodGroup>(owner.uid, GroupNameOf(*pod));
  if (const absl::Duration left = remakes_.Left(child); left > absl::ZeroDuration()) {
    lanes_.queue().AddAfter(StrCat(owner.kind, "/", StoreKey(pod->meta.ns, owner.name)), left);
    co_return absl::OkStatus();
  }
  absl::StatusOr<bool> is_in_use = false;
  if (owner.kind == "ReplicaSet") {
    is_in_use = co_await IsInUseNow<types::ReplicaSet>(context_.api, pod->meta.ns, owner);
  } else {
    is_in_use = co_await IsInUseNow<types::StatefulSet>(context_.api, pod->meta.ns, owner);
  }
  if (!is_in_use.ok()) co_return is_in_use.status();
  if (!*is_in_use) co_return absl::OkStatus();
  const absl::Status made = co_await EnsureGroup(pod, false);
  if (made.ok()) remakes_.NoteMade(child);
  co_return made;
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
  const types::PodGroupSpec wanted = UpdatedSpec(existing.spec, built.spec);
  patch.Set({"spec"},
            MergeDiff(types::FragmentToJson(existing.spec), types::FragmentToJson(wanted)));
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

net::Awaitable<absl::Status> PodGroupController::RemoveGroup(std::string ns,
                                                             std::string owner_uid) {
  const auto existing = groups_.Find(ns, GroupNameOf(owner_uid));
  if (existing == nullptr) co_return absl::OkStatus();
  absl::Status deleted = co_await DeleteObject(context_.api, *existing);
  if (deleted.ok()) remakes_.Forget(ChildKey<PodGroup>(owner_uid, existing->meta.name));
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
  const SetPtr known = FindSet(owner.kind, StoreKey(ns, owner.name));
  if (known != nullptr) co_return known->meta.annotations;
  if (owner.kind == "ReplicaSet") {
    co_return co_await ReadAnnotations<types::ReplicaSet>(context_.api, ns, owner.name);
  }
  if (owner.kind == "StatefulSet") {
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
