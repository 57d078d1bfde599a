// flow.volcano.sh/v1alpha1 JobFlow and JobTemplate: batch jobs that start in the order of their
// dependencies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "api/types/batch_job.h"
#include "api/types/meta.h"

namespace bth::types {

enum class FlowPhase : uint8_t {
  kNone,
  kPending,
  kRunning,
  kSucceed,
  kFailed,
  kTerminating,
  kOther,
};

template <>
struct WordTable<FlowPhase> {
  static constexpr std::string_view kTexts[] = {"",        "Pending", "Running",
                                                "Succeed", "Failed",  "Terminating"};
};

enum class JobRetainPolicy : uint8_t { kNone, kRetain, kDelete, kOther };

template <>
struct WordTable<JobRetainPolicy> {
  static constexpr std::string_view kTexts[] = {"", "retain", "delete"};
};

// Conditions on a target that Volcano declares and does not look at.
struct FlowHttpProbe {
  std::string task_name;
  std::string path;
  int32_t port = 0;
  std::string header_name;   // httpHeader.name
  std::string header_value;  // httpHeader.value
  bool operator==(const FlowHttpProbe&) const = default;
};

struct FlowTcpProbe {
  std::string task_name;
  int32_t port = 0;
  bool operator==(const FlowTcpProbe&) const = default;
};

struct FlowTaskProbe {
  std::string task_name;
  std::string phase;
  bool operator==(const FlowTaskProbe&) const = default;
};

struct FlowProbe {
  std::vector<FlowHttpProbe> http_get;       // httpGetList
  std::vector<FlowTcpProbe> tcp_socket;      // tcpSocketList
  std::vector<FlowTaskProbe> task_statuses;  // taskStatusList
  bool operator==(const FlowProbe&) const = default;
};

struct FlowDependency {
  // Absent and empty both mean: nothing to wait for.
  std::optional<std::vector<std::string>> targets;
  std::optional<FlowProbe> probe;
  bool operator==(const FlowDependency&) const = default;
};

struct Flow {
  std::string name;  // of a JobTemplate in the same namespace
  std::optional<FlowDependency> depends_on;
  RawView<BatchJobSpec> patch;  // patch.jobSpec; declared and not applied by Volcano
  bool operator==(const Flow&) const = default;
};

struct JobFlowSpec {
  std::vector<Flow> flows;
  Word<JobRetainPolicy> job_retain_policy;  // kNone is retain
  bool operator==(const JobFlowSpec&) const = default;
};

struct FlowRunningHistory {
  std::optional<absl::Time> start_time;  // startTimestamp
  std::optional<absl::Time> end_time;    // endTimestamp
  Word<JobPhase> state;
  bool operator==(const FlowRunningHistory&) const = default;
};

struct FlowJobStatus {
  std::string name;
  Word<JobPhase> state;
  std::optional<absl::Time> start_time;  // startTimestamp
  std::optional<absl::Time> end_time;    // endTimestamp
  int32_t restart_count = 0;
  std::vector<FlowRunningHistory> running_histories;
  bool operator==(const FlowJobStatus&) const = default;
};

struct FlowCondition {
  Word<JobPhase> phase;
  std::optional<absl::Time> create_time;
  std::optional<absl::Duration> running_duration;
  SortedMap<TaskPodCounts> task_status_count;
  bool operator==(const FlowCondition&) const = default;
};

struct JobFlowStatus {
  std::vector<std::string> pending_jobs;
  std::vector<std::string> running_jobs;
  std::vector<std::string> failed_jobs;
  std::vector<std::string> completed_jobs;
  std::vector<std::string> terminated_jobs;
  std::vector<std::string> unknown_jobs;  // written unKnowJobs
  std::vector<FlowJobStatus> job_status_list;
  SortedMap<FlowCondition> conditions;  // by job
  Word<FlowPhase> phase;                // state.phase
  bool operator==(const JobFlowStatus&) const = default;
};

struct JobFlow {
  ObjectMeta meta;
  JobFlowSpec spec;
  JobFlowStatus status;
  bool operator==(const JobFlow&) const = default;
};

struct JobTemplate {
  ObjectMeta meta;
  RawView<BatchJobSpec> spec;
  std::vector<std::string> job_depends_on;  // status.jobDependsOnList: jobs made from it
  bool operator==(const JobTemplate&) const = default;
};

}  // namespace bth::types
