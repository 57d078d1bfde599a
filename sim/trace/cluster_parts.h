// The cluster that a trace is replayed on: nodes, queues and priority classes, from manifests,
// flags and the trace itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "algo/fair_share.h"
#include "api/types/json.h"
#include "nodesim/node_maker.h"
#include "sim/trace/job_trace.h"

namespace bth::trace {

struct ClusterFlags {
  int64_t nodes = 0;
  std::string node;                 // "cpu=64,memory=256Gi,nvidia.com/gpu=8"
  std::vector<std::string> queues;  // "NAME=WEIGHT"
  std::vector<std::string> files;   // Manifests.
};

// An object and where it goes.
struct ClusterObject {
  std::string path;  // Of the collection.
  types::Json object;
  std::string origin;  // For messages.
};

struct ClusterParts {
  std::vector<ClusterObject> objects;  // In the order in which they are made.
  int64_t nodes = 0;
  model::ResourceVec capacity;              // Of all nodes, by Trace::dims.
  std::vector<algo::QueueClaim> claims;     // By Trace::queues.
  std::vector<std::string> priority_names;  // Class by Trace::priorities; empty: none.
};

// Errors (kInvalidArgument) name the flag, or file and document. Resources of nodes that no task
// asks for do not matter and are not in `trace->dims`.
absl::StatusOr<ClusterParts> MakeClusterParts(const ClusterFlags& flags, const Trace& trace);

// The batch job of one job of the trace.
struct JobForm {
  bool restart_task_alone = false;  // An evicted task is made anew, not all of its job.
};
std::string JobManifest(const Trace& trace, const ClusterParts& parts, size_t number,
                        const JobForm& form);

}  // namespace bth::trace
