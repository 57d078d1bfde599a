// batch.volcano.sh/v1alpha1 Job, here called a batch job: groups of equal pods that a controller
// expands into a pod group and pods.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "api/types/bus.h"
#include "api/types/meta.h"
#include "api/types/pod.h"
#include "api/types/pod_group.h"
#include "api/types/raw_view.h"
#include "api/types/volume.h"

namespace bth::types {

enum class JobPhase : uint8_t {
  kNone,  // not yet seen by the controller
  kPending,
  kRunning,
  kRestarting,
  kCompleting,
  kTerminating,
  kAborting,
  kAborted,
  kCompleted,
  kTerminated,
  kFailed,
  kOther,
};

template <>
struct WordTable<JobPhase> {
  static constexpr std::string_view kTexts[] = {
      "",         "Pending", "Running",   "Restarting", "Completing", "Terminating",
      "Aborting", "Aborted", "Completed", "Terminated", "Failed"};
};

// Nothing follows these phases. (Aborted is not one of them: it can be resumed.)
constexpr bool IsFinished(JobPhase phase) {
  return phase == JobPhase::kCompleted || phase == JobPhase::kTerminated ||
         phase == JobPhase::kFailed;
}

// What to do when something happens: one trigger or several, or an exit code.
struct LifecyclePolicy {
  Word<BusAction> action;
  Word<BusEvent> event;
  std::vector<Word<BusEvent>> events;  // besides `event`
  std::optional<int32_t> exit_code;
  std::optional<absl::Duration> timeout;  // how long the action waits
  bool operator==(const LifecyclePolicy&) const = default;
};

// A claim that is mounted into every container of every task. Both members are set once the
// controller has created the claim and written down its name.
struct BatchVolume {
  std::string mount_path;
  std::string claim_name;                    // volumeClaimName
  RawView<PersistentVolumeClaimSpec> claim;  // volumeClaim
  bool operator==(const BatchVolume&) const = default;
};

struct TaskDependency {
  std::vector<std::string> names;  // "name": tasks
  std::string iteration;           // any; everything else means all
  bool operator==(const TaskDependency&) const = default;
};

struct PartitionPolicy {
  int32_t total_partitions = 0;
  int32_t partition_size = 0;
  int32_t min_partitions = 0;
  std::optional<NetworkTopology> network_topology;
  bool operator==(const PartitionPolicy&) const = default;
};

struct BatchTask {
  std::string name;
  int32_t replicas = 0;
  std::optional<int32_t> min_available;  // absent: no minimum of its own
  RawView<PodTemplate> pod_template;     // "template"
  std::vector<LifecyclePolicy> policies;
  std::string topology_policy;  // none, best-effort, restricted, single-numa-node
  int32_t max_retry = 0;        // 0 stands for 3, -1 for no limit
  std::optional<TaskDependency> depends_on;
  std::optional<PartitionPolicy> partition_policy;
  bool operator==(const BatchTask&) const = default;
};

struct BatchJobSpec {
  std::string scheduler_name;
  int32_t min_available = 0;
  std::vector<BatchVolume> volumes;
  std::vector<BatchTask> tasks;
  std::vector<LifecyclePolicy> policies;
  SortedMap<std::vector<std::string>> plugins;  // arguments by name
  std::optional<absl::Duration> running_estimate;
  std::string queue;
  std::optional<int32_t> max_retry;                   // The schema's default is 3.
  std::optional<int32_t> ttl_seconds_after_finished;  // absent: kept
  std::string priority_class_name;
  std::optional<int32_t> min_success;  // absent: not a way to complete
  std::optional<NetworkTopology> network_topology;
  bool operator==(const BatchJobSpec&) const = default;
};

struct JobState {
  Word<JobPhase> phase;
  std::string reason;
  std::string message;
  std::optional<absl::Time> last_transition_time;
  bool operator==(const JobState&) const = default;
};

// Pods of one task by their phase: Pending, Running, Succeeded, Failed, Unknown.
struct TaskPodCounts {
  SortedMap<int32_t> phase;
  bool operator==(const TaskPodCounts&) const = default;
};

// One entry per phase the job has been in, the newest last.
struct BatchJobCondition {
  Word<JobPhase> status;
  std::optional<absl::Time> last_transition_time;
  bool operator==(const BatchJobCondition&) const = default;
};

struct BatchJobStatus {
  JobState state;
  int32_t min_available = 0;  // spec.minAvailable at the last sync
  SortedMap<TaskPodCounts> task_status_count;
  int32_t pending = 0;
  int32_t running = 0;
  int32_t succeeded = 0;
  int32_t failed = 0;
  int32_t terminating = 0;
  int32_t unknown = 0;
  int32_t version = 0;      // grows when all pods are killed; stamped on pods
  int32_t retry_count = 0;  // grows with restarts and resumes
  std::optional<absl::Duration> running_duration;
  // "plugin-<name>": name, "volume-pvc-<claim>": claim, "command": uid of the latest Command that
  // began a retry
  LabelMap controlled_resources;
  std::vector<BatchJobCondition> conditions;
  bool operator==(const BatchJobStatus&) const = default;
};

struct BatchJob {
  ObjectMeta meta;
  BatchJobSpec spec;
  BatchJobStatus status;
  bool operator==(const BatchJob&) const = default;
};

}  // namespace bth::types
