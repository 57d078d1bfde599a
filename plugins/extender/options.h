// The arguments of plugin extender.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "conf/arguments.h"

namespace bth::plugins::extender {

// An empty verb: that question is not asked.
struct Verbs {
  std::string session_open;
  std::string session_close;
  std::string predicate;
  std::string prioritize;
  std::string preemptable;
  std::string reclaimable;
  std::string queue_overused;
  std::string job_enqueueable;
  std::string job_enqueued;
  std::string job_ready;
  std::string allocate;
  std::string deallocate;

  bool none() const;
};

struct Options {
  std::string url;  // Without slashes at the end.
  absl::Duration timeout = absl::Seconds(1);
  Verbs verbs;
  bool ignorable = false;
  std::vector<std::string> managed_resources;  // Sorted; empty: every pod is of interest.
};

// kInvalidArgument: verbs without a URL, or resources that are no list.
absl::StatusOr<Options> ReadOptions(const conf::Arguments& args);

}  // namespace bth::plugins::extender
