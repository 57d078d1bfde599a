// Gives every pod of our schedulers a PodGroup that has none.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "api/types/pod.h"
#include "api/types/pod_group.h"
#include "api/types/workload.h"
#include "controllers/core/controller.h"
#include "controllers/core/lanes.h"
#include "controllers/core/remake_pauses.h"

namespace bth::controllers {

// Pods of one owner share a PodGroup, which belongs to that owner too and goes with it.
class PodGroupController final : public Controller,
                                 private StoreListener<types::Pod>,
                                 private StoreListener<types::PodGroup> {
 public:
  explicit PodGroupController(const ControllerContext& context);
  ~PodGroupController() override;

  std::string_view name() const override { return "pg-controller"; }
  void Start() override { lanes_.Start(); }
  bool idle() const override { return lanes_.idle(); }

 private:
  template <typename T>
  class WorkloadListener;
  using PodPtr = ObjectStore<types::Pod>::Pointer;
  using SetPtr = std::shared_ptr<const types::Workload>;

  void OnAdd(const types::Pod& pod) override;
  // Pods of its set may have been bound to it while it went.
  void OnDelete(const types::PodGroup& group) override;
  bool IsOurs(const types::Pod& pod) const;
  bool IsUnbound(const types::Pod& pod) const;  // One of ours, that is.
  // Null when there is none, or we do not follow that kind.
  SetPtr FindSet(std::string_view kind, const std::string& key) const;

  net::Awaitable<LaneHooks::Outcome> Work(std::string key);
  net::Awaitable<absl::Status> WorkOnPod(std::string key);
  net::Awaitable<absl::Status> WorkOnWorkload(types::Workload workload);
  // A pod that lives and whose group is gone; null: there is none.
  PodPtr FindBereft(const std::string& owner_uid) const;
  // `pod` is one of a set that we follow.
  net::Awaitable<absl::Status> RemakeGroup(PodPtr pod);
  net::Awaitable<absl::Status> EnsureGroup(PodPtr pod, bool update);
  net::Awaitable<absl::Status> UpdateGroup(types::PodGroup existing, types::PodGroup built);
  net::Awaitable<absl::Status> RemoveGroup(std::string ns, std::string owner_uid);
  net::Awaitable<absl::Status> BindPod(PodPtr pod);
  // Annotations of the pod's owners, the first owner's first.
  net::Awaitable<absl::StatusOr<types::LabelMap>> Inherited(PodPtr pod);
  net::Awaitable<absl::StatusOr<types::LabelMap>> AnnotationsOf(std::string ns,
                                                                types::OwnerReference owner);

  const ControllerContext context_;
  ObjectStore<types::Pod>& pods_;
  ObjectStore<types::PodGroup>& groups_;
  ObjectStore<types::ReplicaSet>* replica_sets_ = nullptr;    // Null with WorkLoadSupport off.
  ObjectStore<types::StatefulSet>* stateful_sets_ = nullptr;  // Likewise.
  RemakePauses remakes_;                                      // Of the groups of sets.
  Lanes lanes_;                                               // Of "KIND/NAMESPACE/NAME".
  std::unique_ptr<WorkloadListener<types::ReplicaSet>> replica_set_listener_;
  std::unique_ptr<WorkloadListener<types::StatefulSet>> stateful_set_listener_;
};

}  // namespace bth::controllers
