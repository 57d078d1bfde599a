// Something that happened to a batch job, or that is asked of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/types/bus.h"

namespace bth::controllers {

// A plain value: of equal requests that wait only one is kept.
struct JobRequest {
  std::string ns;
  std::string job;
  std::string job_uid;  // Of the owner of the pod; empty: not about a pod.
  std::string task;     // Empty: not about a task.
  std::string pod;      // Name of the pod; empty: not about a pod.
  std::string pod_uid;
  std::string partition;  // Label volcano.sh/partition-id of the pod.
  types::BusEvent event = types::BusEvent::kNone;
  int32_t exit_code = 0;                 // Of the first container; 0: none.
  types::Word<types::BusAction> action;  // Empty: the policies decide.
  std::string command;                   // Uid of the Command that asks; empty: none does.
  int32_t job_version = 0;               // Incarnation of the job that the pod belongs to.
  // A delayed action whose time has come.
  bool is_due = false;
  // Why a policy acts (BecauseText), once that was told. No part of the identity.
  std::string because;
  // Retries of the job when it was begun, once an attempt failed. No part of the identity.
  std::optional<int32_t> begun_at;
  // Message of the failure because of which the job is given up; nothing: it is not. No part of the
  // identity.
  std::optional<std::string> given_up_after;

  bool operator==(const JobRequest&) const = default;
};

// "namespace/name" of the job.
std::string JobKey(const JobRequest& request);
// Equal for equal requests, different for different ones.
std::string IdentityOf(const JobRequest& request);

}  // namespace bth::controllers
