// The vocabulary of bus.volcano.sh: what may be asked of jobs and queues, and what happened to
// them. Used by the policies of batch jobs and by Command.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "api/types/word.h"

namespace bth::types {

enum class BusAction : uint8_t {
  kNone,
  kAbortJob,          // job: release its pods; can be resumed
  kRestartJob,        // job: delete its pods and start again
  kRestartTask,       // task: the same for its pods
  kRestartPod,        // pod
  kRestartPartition,  // the pods of one partition of a task
  kTerminateJob,      // job: stop for good
  kCompleteJob,       // job: stop what remains and count as completed
  kResumeJob,         // job: leaves Aborting and Aborted
  kSyncJob,
  kEnqueueJob,  // not in use any more
  kSyncQueue,
  kOpenQueue,
  kCloseQueue,
  kOther,
};

template <>
struct WordTable<BusAction> {
  static constexpr std::string_view kTexts[] = {
      "",           "AbortJob",         "RestartJob",   "RestartTask",
      "RestartPod", "RestartPartition", "TerminateJob", "CompleteJob",
      "ResumeJob",  "SyncJob",          "EnqueueJob",   "SyncQueue",
      "OpenQueue",  "CloseQueue"};
};

// What policies of jobs may do; the first of the table's texts after the empty one.
constexpr std::span<const std::string_view> PolicyActions() {
  return KnownWords<BusAction>().first(static_cast<size_t>(BusAction::kResumeJob));
}

// Internal actions come from the controllers themselves or from commands on queues; policies may
// not name them.
constexpr bool IsInternal(BusAction action) {
  return action == BusAction::kSyncJob || action == BusAction::kEnqueueJob ||
         action == BusAction::kSyncQueue || action == BusAction::kOpenQueue ||
         action == BusAction::kCloseQueue;
}

enum class BusEvent : uint8_t {
  kNone,
  kAny,            // matches every event but the internal ones
  kPodPending,     // acts after a timeout only
  kPodRunning,     // internal: cancels delayed actions
  kPodFailed,      // with the exit code of the first container
  kPodEvicted,     // deleted, and not by the controller
  kJobUnknown,     // the pod group's phase became Unknown; written "Unknown"
  kTaskCompleted,  // the last pod of a task succeeded
  kTaskFailed,     // the containers of a task restarted too often
  kOutOfSync,      // internal: any other change
  kCommandIssued,  // internal: a Command was taken
  kJobUpdated,     // accepted in policies, never raised
  kOther,
};

template <>
struct WordTable<BusEvent> {
  static constexpr std::string_view kTexts[] = {
      "",           "*",          "PodPending",    "PodRunning",
      "PodFailed",  "PodEvicted", "Unknown",       "TaskCompleted",
      "TaskFailed", "OutOfSync",  "CommandIssued", "JobUpdated"};
};

// Policies may not wait for these.
constexpr bool IsInternal(BusEvent event) {
  return event == BusEvent::kOutOfSync || event == BusEvent::kCommandIssued ||
         event == BusEvent::kPodRunning;
}

}  // namespace bth::types
