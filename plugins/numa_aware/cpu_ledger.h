// Which CPUs the tasks placed in a session get, and what that leaves to others.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "algo/numa_fit.h"
#include "api/model/ids.h"
#include "api/model/numa.h"
#include "api/model/pod_extras.h"
#include "base/ids.h"
#include "framework/session/session.h"

namespace bth::plugins::numa_aware {

// What a node says to a pod with CPUs of its own.
enum class CpuVerdict : uint8_t {
  kPasses,       // Nothing is given out there.
  kFits,         // And the kubelet would admit it.
  kNoReport,     // The pod has a policy, and nothing is known of the node,
  kNotStatic,    // CPUs are given to nobody alone there,
  kOtherPolicy,  // its policy is another one,
  kNoLayout,     // nobody knows how its CPUs lie,
  kNoCpus,       // or none is free.
  kRefused,      // A container would not be admitted.
};

struct CpuAnswer {
  CpuVerdict verdict = CpuVerdict::kPasses;
  algo::NumaFit fit;  // With kFits and kRefused.
};

// `node` may be null. `free` are its CPUs as things stand.
CpuAnswer Ask(const model::PodNuma& pod, const model::NodeNuma* node, const model::CpuSet& free);

// Follows whatever is placed or pipelined, and its undoing. Lives for one session. Thread:
// scheduling.
class CpuLedger {
 public:
  explicit CpuLedger(const framework::Session& session) : session_(session) {}

  // Null: nothing about the pod goes by CPUs.
  const model::PodNuma* PodOf(model::TaskId task) const {
    return PodOf(session_.shape(session_.task(task).shape).constraints);
  }
  const model::PodNuma* PodOf(model::ConstraintsId constraints) const {
    const model::PodExtras* extras = session_.base().constraints[constraints]->extras.get();
    return extras == nullptr ? nullptr : extras->numa.get();
  }
  CpuAnswer AnswerOf(const model::PodNuma& pod, model::NodeId node) const {
    return Ask(pod, session_.base().nodes[node].numa.get(), FreeOf(node));
  }

  // Of a task whose eviction is undone: nothing, it has its CPUs.
  void Place(model::TaskId task, model::NodeId node);
  void Remove(model::TaskId task, model::NodeId node);
  // What a task placed in this session was given; null: nothing.
  std::shared_ptr<const model::CpuSet> PlanOf(model::TaskId task) const;

  // Of the node, as things stand.
  model::CpuSet FreeOf(model::NodeId node) const;
  // Changes with them, and is never 0.
  uint32_t VersionOf(model::NodeId node) const {
    return versions_.Contains(node) ? versions_[node] : 1;
  }

 private:
  void Change(model::NodeId node);

  const framework::Session& session_;
  absl::flat_hash_map<model::NodeId, model::CpuSet> taken_;  // Of nodes; none is empty.
  absl::flat_hash_map<model::TaskId, model::CpuSet> given_;  // Likewise.
  IdVector<model::NodeId, uint32_t> versions_;
};

}  // namespace bth::plugins::numa_aware
