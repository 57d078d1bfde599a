// What a replay amounts to, in numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/trace/job_trace.h"
#include "sim/trace/replay.h"

namespace bth::trace {

// Of a set of numbers; zeros when there are none. Percentiles are by nearest rank: the least number
// that at least so many percent of them do not exceed.
struct Spread {
  int64_t count = 0;
  double mean = 0;
  double median = 0;
  double p90 = 0;
  double p99 = 0;
  double max = 0;
};
Spread SpreadOf(std::vector<double> numbers);

// (wait + run) / max(run, 10 s), at least 1: bounded slowdown, after D. Feitelson, "Metrics for
// parallel job scheduling and their convergence" (2001). `response_s` is wait and run together.
double BoundedSlowdown(double response_s, double run_s);

// (sum of x)^2 / (n * sum of x^2), after R. Jain, D. Chiu and W. Hawe, "A quantitative measure of
// fairness and discrimination" (1984): 1 when all are equal, 1/n when one has everything. 1 for
// none, or zeros only.
double JainIndex(const std::vector<double>& x);

// Jobs of a queue, a user, a priority, or all of them.
struct GroupFigures {
  std::string name;
  int64_t jobs = 0;  // Submitted.
  int64_t done = 0;
  int64_t failed = 0;
  int64_t never_started = 0;  // Refused ones as well.
  int64_t unended = 0;        // Started, and not ended.
  int64_t evictions = 0;      // Of tasks.
  AmountTime lost{};          // What tasks had used that did not end well.
  Spread wait_s;              // Of jobs that started.
  Spread slowdown;            // Bounded; of jobs that are done.
};

struct QueueFigures {
  GroupFigures group;
  int64_t weight = 1;
  // Mean share of the cluster, in the resource that it used the largest share of; of the same
  // resource, what its weight gave it as long as it asked for that much; and one by the other.
  double share = 0;
  double deserved = 0;
  double ratio = 0;
};

struct Figures {
  double makespan_s = 0;    // From the first submission to the last end; to now, if jobs run on.
  std::vector<double> use;  // Mean share of each resource in use meanwhile; by dimension.
  double jain = 1;          // Of the ratios of queues that deserved something.
  GroupFigures all;
  std::vector<QueueFigures> queues;      // By name.
  std::vector<GroupFigures> users;       // By jobs, the most first; the first kUsersMax.
  std::vector<GroupFigures> priorities;  // The most first.
};
inline constexpr size_t kUsersMax = 1000;

Figures FiguresOf(const Trace& trace, const ClusterParts& parts, const Replay& replay);

}  // namespace bth::trace
