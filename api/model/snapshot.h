// The immutable picture of the cluster that one cycle works on.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/time/time.h"
#include "api/model/budget.h"
#include "api/model/hyper_nodes.h"
#include "api/model/ids.h"
#include "api/model/job.h"
#include "api/model/node.h"
#include "api/model/node_load.h"
#include "api/model/pod_peers.h"
#include "api/model/queue.h"
#include "api/model/resource_vec.h"
#include "api/model/storage.h"
#include "api/model/usage.h"
#include "base/cow_vector.h"

namespace bth::model {

struct DeviceClaimsView;  // api/model/device_claims.h

// How many nodes hold an image, for the image score.
struct ImageSpread {
  Symbol image;
  int32_t nodes = 0;
};

// Rows live in slots that keep their id from snapshot to snapshot while the object lives; free
// slots are marked in the row. Unchanged chunks are shared with the snapshot before.
// Thread: built on the I/O thread, read anywhere.
struct Snapshot {
  uint64_t generation = 0;
  absl::Time taken_at;
  std::shared_ptr<const DimensionTable> dims;

  CowVector<NodeId, NodeRow> nodes;
  NodeAmounts allocatable;                                   // Oversubscription included.
  std::shared_ptr<const std::vector<NodeId>> nodes_by_name;  // Ready ones.
  std::shared_ptr<const std::vector<ImageSpread>> images;    // By symbol.
  size_t numa_reports = 0;                                   // Rows with `numa`.
  ResourceVec total;                                         // Sum of allocatable.
  ShardMode shard_mode = ShardMode::kNone;

  CowVector<ShapeId, ShapeRow, kShapeChunkRows> shapes;
  CowVector<ConstraintsId, std::shared_ptr<const PodConstraints>, kPointerChunkRows> constraints;

  CowVector<LabelsId, std::shared_ptr<const PodLabels>, kPointerChunkRows> labels;
  CowVector<NodeId, PodsOnNode, kPointerChunkRows> pods_on_nodes;  // By labels and terms.
  int64_t pods_with_anti_affinity = 0;                             // On nodes, with required terms.
  int64_t pods_with_preferred_terms = 0;                  // On nodes, with any affinity terms.
  std::shared_ptr<const NamespaceTable> namespaces;       // Null: none known.
  std::shared_ptr<const StorageView> storage;             // Null: nothing is known of volumes.
  std::shared_ptr<const DeviceClaimsView> device_claims;  // Null: there are none.
  std::shared_ptr<const NodeLoads> loads;                 // Null: no source is configured.
  std::shared_ptr<const HyperNodeTree> hyper_nodes;       // Null: there are none.
  std::shared_ptr<const DeviceSettings> devices;          // By which objects were read; null: none.

  CowVector<TaskId, TaskRow, kPointerChunkRows> tasks;
  CowVector<JobId, JobRow, kJobChunkRows> jobs;
  CowVector<SubJobId, SubJobRow, kPointerChunkRows> sub_jobs;
  CowVector<RoleId, RoleRow, kPointerChunkRows> roles;

  CowVector<QueueId, QueueRow> queues;

  CowVector<BudgetId, BudgetRow, kPointerChunkRows> budgets;
  std::shared_ptr<const QuotaTable> quotas;  // Null: none.

  Usage usage;  // What a session copies and changes.

  // Jobs with a PodGroup and a queue whose work is not done: some task is pending, or the phase
  // is not yet what the counts say. By (creation, UID).
  std::shared_ptr<const std::vector<JobId>> active_jobs;
  // Every job with a PodGroup and a queue, by (creation, UID).
  std::shared_ptr<const std::vector<JobId>> all_jobs;
  // Jobs with a PodGroup that names a queue which does not exist, by (creation, UID).
  std::shared_ptr<const std::vector<JobId>> jobs_without_queue =
      std::make_shared<const std::vector<JobId>>();
  // Jobs that would be active but are kept out of cycles for a while, by (creation, UID).
  std::shared_ptr<const std::vector<JobId>> backing_off_jobs =
      std::make_shared<const std::vector<JobId>>();
  // Of these, the ones whose PodGroup shows other counts of pods than theirs.
  std::shared_ptr<const std::vector<JobId>> untold_backoff_jobs =
      std::make_shared<const std::vector<JobId>>();
  // Jobs of which a row, a task or what it counts may differ from the snapshot one generation
  // before, jobs that are gone included; by id. Null: any may.
  std::shared_ptr<const std::vector<JobId>> changed_jobs;
  // Queues by name.
  std::shared_ptr<const std::vector<QueueId>> queues_by_name;

  const NodeFacts& node_facts(NodeId node) const { return *nodes[node].facts; }
  const PodConstraints& constraints_of(ShapeId shape) const {
    return *constraints[shapes[shape].constraints];
  }
};

}  // namespace bth::model
