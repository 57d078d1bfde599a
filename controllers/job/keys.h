// Labels and annotations of what belongs to a batch job.
#pragma once

#include <string_view>

#include "controllers/core/keys.h"

namespace bth::controllers {

inline constexpr std::string_view kTaskSpecKey = "volcano.sh/task-spec";
inline constexpr std::string_view kTaskIndexKey = "volcano.sh/task-index";
inline constexpr std::string_view kJobNameKey = "volcano.sh/job-name";
inline constexpr std::string_view kJobNamespaceKey = "volcano.sh/job-namespace";
inline constexpr std::string_view kQueueNameKey = "volcano.sh/queue-name";
inline constexpr std::string_view kPartitionIdKey = "volcano.sh/partition-id";
inline constexpr std::string_view kJobVersionKey = "volcano.sh/job-version";
inline constexpr std::string_view kJobRetryCountKey = "volcano.sh/job-retry-count";
inline constexpr std::string_view kTemplateUidKey = "volcano.sh/template-uid";
inline constexpr std::string_view kJobForwardingKey = "volcano.sh/job-forwarding";
// "true": the controller itself deletes this pod; its end triggers no policy.
inline constexpr std::string_view kOutOfSyncKey = "volcano.sh/controller-out-of-sync";
// On a pod group: the queue that its job named when it was made. A webhook may choose another one.
inline constexpr std::string_view kJobQueueKey = "volcano.sh/job-queue";
inline constexpr std::string_view kNumaPolicyKey = "volcano.sh/numa-topology-policy";

// status.state.reason of a job that cannot be carried out as it is written, or not even read.
inline constexpr const char* kInvalidJob = "InvalidJob";
inline constexpr std::string_view kDefaultTask = "default";
inline constexpr std::string_view kDefaultQueue = "default";

}  // namespace bth::controllers
