// Which pods services and workloads select, for the default spread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "api/model/ids.h"
#include "api/model/pod_peers.h"
#include "base/interner.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

// Kube-scheduler's system defaults: a pod without spread constraints prefers hosts, and zones, with
// few pods that its services and the workload that manages it select. Costs: of a pod, its labels
// and the services that may select it; of a changed object, a look at the waiting pods of its
// namespace, and more for those that it selects or selected. Thread: I/O.
class SelectorBook {
 public:
  void Put(CompiledService service);
  void RemoveService(const std::string& ns, const std::string& name);
  void Put(CompiledWorkload workload);
  void RemoveWorkload(const std::string& key);

  // Null: nothing selects the pod. Pods that are selected alike share one object.
  std::shared_ptr<const model::PodPeerTerms> SpreadOf(const PodIdentity& pod, Interner& symbols);

  // The pod waits, or does so no more. One that nothing can ever select is not kept.
  void Enter(model::TaskId id, const PodIdentity& pod);
  void Leave(model::TaskId id, const std::string& ns);
  // Waiting pods that objects put or removed since the last call select or selected.
  std::vector<model::TaskId> TakeAffected(absl::FunctionRef<PodIdentity(model::TaskId)> pod_of);

 private:
  using LabelText = std::pair<std::string, std::string>;
  struct Service {
    Labels selector;
    size_t anchor = 0;  // Under which of its pairs it is found.
  };
  struct Namespace {
    absl::flat_hash_map<std::string, Service> services;  // By name.
    absl::flat_hash_map<LabelText, std::vector<std::string>> anchored;
    // What those who wait have, or whose they are, that may be selected otherwise than before.
    absl::flat_hash_set<LabelText> changed_pairs;
    absl::flat_hash_set<std::string> changed_workloads;
    absl::flat_hash_set<model::TaskId> waiting;

    bool empty() const { return services.empty() && waiting.empty(); }
  };

  void NotePair(const std::string& ns, Namespace& place, const LabelText& pair);
  void NoteWorkload(const CompiledWorkload& workload);
  void RemoveFrom(const std::string& ns, Namespace& place, const std::string& name);
  Labels PairsOf(const PodIdentity& pod, const CompiledWorkload* workload) const;
  std::shared_ptr<const model::PodPeerTerms> Shared(std::shared_ptr<model::PodPeerTerms> terms);

  absl::flat_hash_map<std::string, Namespace> namespaces_;
  absl::flat_hash_map<std::string, CompiledWorkload> workloads_;  // By key.
  absl::flat_hash_set<std::string> changed_;  // Namespaces in which something waits.

  absl::flat_hash_map<std::string, std::weak_ptr<const model::PodPeerTerms>> shared_;
  size_t sweep_at_ = 64;  // Size of `shared_` at which those nobody has are dropped.
};

}  // namespace bth::cache
