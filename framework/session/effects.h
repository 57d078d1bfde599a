// What a cycle wants done to the outside world.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "api/model/device_claims.h"
#include "api/model/ids.h"
#include "api/model/job.h"
#include "api/model/snapshot.h"

namespace bth::framework {

struct BindEffect {
  model::TaskId task;
  model::NodeId node;
  std::shared_ptr<const model::VolumePlan> volumes;  // Null: the pod's volumes need nothing.
  std::shared_ptr<const model::ClaimPlan> claims;    // Null: its device claims need nothing.
  std::shared_ptr<const model::CpuSet> cpus;         // Null: it is given none for itself.
  std::shared_ptr<const model::DevicePlan> devices;  // Null: the pod asks for none that are shared.

  // Its claims cannot be had there: nothing of its batch is carried out.
  bool lacks_devices() const { return claims != nullptr && !claims->why_not.empty(); }
};

struct EvictEffect {
  model::TaskId victim;
  model::TaskId beneficiary;  // For whom the room is made; placed by the same batch.
  std::string action;         // preempt, reclaim …
};

// Room that the evictions of the same batch make, or that the rest of their gang has beside it. The
// sink keeps it for the task from now on; the task's PodReport tells the world.
struct PipelineEffect {
  model::TaskId task;
  model::NodeId node;
};

// The net changes of one committed statement; accepted whole or refused whole. Ids are of
// `snapshot`.
struct EffectBatch {
  std::shared_ptr<const model::Snapshot> snapshot;
  std::string action;
  std::vector<BindEffect> binds;
  std::vector<EvictEffect> evictions;
  std::vector<PipelineEffect> pipelines;  // Only beside evictions.
};

struct ConditionReport {
  std::string type;    // Unschedulable, Scheduled.
  std::string status;  // True.
  std::string reason;
  std::string message;
};

struct EventReport {
  bool warning = false;
  std::string reason;
  std::string message;
};

// What a job's PodGroup should show after this cycle. The writer sends it only if it differs from
// what the object shows, transition ids and times apart.
struct PodGroupReport {
  model::JobId job;
  model::PodGroupPhase phase = model::PodGroupPhase::kNone;
  int32_t running = 0;
  int32_t succeeded = 0;
  int32_t failed = 0;
  std::vector<ConditionReport> conditions;  // Set by this session; others stay as they are.
  std::vector<EventReport> events;
  // The lowest HyperNode that all its placed pods are in, of a job that asks for a network
  // topology; empty: none is placed. Nothing: it does not ask, and what it shows stays.
  std::optional<std::string> allocated_hyper_node;
};

// All that there is to tell of a job that is kept out of the cycle.
struct PodGroupCounts {
  model::JobId job;
  int32_t running = 0;
  int32_t succeeded = 0;
  int32_t failed = 0;
};

// Reasons of a PodScheduled condition with status False: nothing can take the pod; or something
// could, and it waits for others of its gang.
inline constexpr std::string_view kReasonUnschedulable = "Unschedulable";
inline constexpr std::string_view kReasonSchedulable = "Schedulable";

// What a pending pod's PodScheduled condition (status False) should show. Messages are shared by
// the pods of a shape.
struct PodReport {
  model::TaskId task;
  std::string_view reason;  // A constant.
  std::shared_ptr<const std::string> message;
  model::NodeId nominated_node;  // Valid only when victims were evicted for it.
};

struct QueueReport {
  model::QueueId queue;
  model::ResourceVec allocated;  // Children included.
  // Of devices, in thousandths, by names that take the place of those above.
  std::vector<std::pair<std::string, int64_t>> devices;
};

// What is wrong with a queue object. Reported in each cycle as long as it is so, told once.
struct QueueNotice {
  model::QueueId queue;
  std::string reason;   // Of the event, and the notice's name among those of its queue.
  std::string message;  // With the remedy.
};

struct CycleReport {
  std::shared_ptr<const model::Snapshot> snapshot;
  std::string session_uid;
  std::vector<PodGroupReport> pod_groups;
  std::vector<PodGroupCounts> backoff_pod_groups;
  std::vector<PodReport> pods;
  std::vector<QueueReport> queues;
  std::vector<QueueNotice> queue_notices;
  std::vector<model::TaskId> lifted_gates;  // Pods whose scheduling gate shall go.
};

// Takes effects from the scheduling thread. Submit assumes them in the cache before the next
// snapshot is published. API failures come back later, as events of the cache.
class EffectSink {
 public:
  virtual ~EffectSink() = default;
  // Accepts the batch whole, or refuses it whole (kResourceExhausted: too much is under way;
  // kFailedPrecondition: writes of that node or queue are stopped).
  virtual absl::Status Submit(EffectBatch batch) = 0;
  virtual void Report(CycleReport report) = 0;
};

}  // namespace bth::framework
