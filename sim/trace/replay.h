// A trace replayed on a cluster under one policy.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "apiserver/api_server.h"
#include "framework/hooks/plugin.h"
#include "sim/trace/cluster_parts.h"
#include "sim/trace/job_follower.h"
#include "sim/trace/job_trace.h"
#include "sim/trace/use_over_time.h"

namespace bth::trace {

struct ReplayOptions {
  std::string policy_path;  // Empty: the built-in policy.
  std::string policy_name;  // For people.
  uint64_t seed = 1;
  JobForm form;
  // Of virtual time; zero: until all jobs have ended, or none can start any more.
  absl::Duration until;
  const framework::Registry* registry = nullptr;
  std::function<void(apiserver::ApiServer&)> extend;
  // Told now and then how far it is. May be empty.
  std::function<void(absl::Duration now, size_t submitted, size_t open)> on_progress;
};

// Jobs that did not start, or did not end, for one reason.
struct Waiting {
  int64_t jobs = 0;
  std::string example;  // Name of the first one.
  std::string message;  // Of that one, in full.
};

struct Replay {
  std::string policy;
  std::vector<JobCourse> courses;  // By Trace::jobs.
  UseOverTime use;
  std::map<std::string, Waiting> never_started;  // By the reason, without its numbers.
  std::map<std::string, int64_t> failures;
  // What it took.
  uint64_t cycles = 0;
  uint64_t requests = 0;
  uint64_t writes = 0;
  double seconds = 0;  // Of the machine's time, which is in no report.
};

// Errors: kInvalidArgument: something of the cluster or the policy cannot be used; kInternal: the
// engine broke one of its own rules.
absl::StatusOr<Replay> ReplayTrace(const Trace& trace, const ClusterParts& parts,
                                   const ReplayOptions& options);

}  // namespace bth::trace
