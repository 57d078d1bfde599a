// Which CPUs of which node are free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "api/model/cpu_set.h"
#include "api/model/numa.h"
#include "base/ids.h"
#include "cache/cluster/draft.h"
#include "cache/cluster/node_table.h"
#include "cache/intake/compile_numa.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

// What Numatopologies report, less the CPUs of pods that we bound and that no report shows yet.
// Each such pod counts until a report on its node lists it, by UID or by name, or it ends; the
// others go on to count. One that an earlier life of the scheduler bound is found by what its
// object says: so many CPUs of each NUMA node; which ones is worked out once there is a report. A
// report mentions its node's row. Thread: I/O. Cost of each call: the object's own size, and the
// pods that wait for a report on its node.
class NumaBook {
 public:
  // Both outlive the book.
  NumaBook(Draft& draft, NodeTable& nodes) : draft_(draft), nodes_(nodes) {}

  void Put(CompiledNuma report);
  void Remove(const std::string& name);
  // The UID of the report on a node; empty: there is none.
  std::string_view UidOf(std::string_view node) const;

  // `cpus` of the node are those of the pod, which is bound to it.
  void Assume(std::string_view uid, std::string_view pod_key, std::string_view node,
              const model::CpuSet& cpus);
  // The pod is gone, or its binding failed.
  void Forget(std::string_view uid);
  // The pod shows this: it may have ended, or stand elsewhere, or have CPUs that nobody reported.
  void Follow(const CompiledPod& pod);
  // What the pod's object is to say of them; empty: there is no report on that node.
  std::string DecisionFor(const std::string& node, const model::CpuSet& cpus) const;
  // Pods that no report shows yet.
  size_t waiting() const { return assumed_.size(); }

  // For tests: adds what reports mention, and says what does not hold. Cost: all reports.
  absl::Status Check(IdVector<model::NodeId, int32_t>* mentions) const;

 private:
  struct Report {
    model::NodeId node;  // Its row, which it mentions.
    std::string uid;
    std::shared_ptr<const model::NumaFacts> facts;
    model::CpuSet reserved;
    std::set<std::string, std::less<>> pods;  // UIDs and keys of those that it lists.
  };
  struct Assumed {
    std::string pod_key;
    std::string node;
    model::CpuSet cpus;
    NumaDecision decided;  // Not empty: which ones is still to be worked out.
  };
  using Uids = std::set<std::string, std::less<>>;

  model::CpuSet FreeOf(const std::string& name, const Report& report) const;
  void Confirm(const CompiledNuma& report);
  void Recall(const CompiledPod& pod);
  void WorkOut(const std::string& name, const Report& report);
  // True: the row says something else now.
  bool WriteRow(const std::string& name);

  Draft& draft_;
  NodeTable& nodes_;
  absl::flat_hash_map<std::string, Report> reports_;   // By node.
  absl::flat_hash_map<std::string, Assumed> assumed_;  // By UID of the pod.
  absl::flat_hash_map<std::string, Uids> assumed_on_;  // By node; none is empty.
};

}  // namespace bth::cache
