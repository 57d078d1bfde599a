#include "actions/gang_eviction/bundles.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "algo/gang_surplus.h"
#include "framework/session/victim_votes.h"

namespace bth::actions::gang_eviction {

using framework::EvictionContext;
using framework::Session;
using model::JobId;
using model::QueueId;
using model::ResourceVec;
using model::TaskId;

namespace {

const std::string& UidOf(const Session& session, TaskId task) {
  return session.task(task).names->uid;
}

void Add(const Session& session, TaskId task, Bundle& bundle) {
  bundle.tasks.push_back(task);
  bundle.local += session.request(task);
}

// Sum of shares of what is needed; at most one for each dimension when `capped`.
double Score(const ResourceVec& amount, const ResourceVec& need, bool capped) {
  double score = 0;
  for (int d = 0; d < model::kDims; ++d) {
    if (need[d] <= 0) continue;
    const int64_t value = capped ? std::min(amount[d], need[d]) : amount[d];
    score += static_cast<double>(value) / static_cast<double>(need[d]);
  }
  return score;
}

// Negative when the left job's bundle goes first; 0 when the rank of jobs and queues does not say.
int CompareVictims(const Session& session, const Claim& claim, JobId left, JobId right) {
  if (left == right) return 0;
  if (claim.kind == EvictionContext::Kind::kGangPreempt)
    return session.votes().CompareJobs(right, left);
  const QueueId left_queue = session.job(left).queue;
  const QueueId right_queue = session.job(right).queue;
  if (left_queue == right_queue) return 0;
  const int order =
      framework::RankVictimQueues(session, left_queue, right_queue, session.job(claim.job).queue);
  return order != 0 ? order : session.votes().CompareQueues(right_queue, left_queue);
}

}  // namespace

std::vector<Bundle> BundlesOf(const Session& session, JobId job, std::vector<TaskId> tasks) {
  std::sort(tasks.begin(), tasks.end(), [&session](TaskId a, TaskId b) {
    const int32_t left = session.task(a).priority;
    const int32_t right = session.task(b).priority;
    return left != right ? left < right : UidOf(session, a) < UidOf(session, b);
  });
  algo::GangSurplus surplus({.base = session.base(), .usage = session.usage(), .id = job});
  Bundle safe{.whole = false, .job = job};
  Bundle whole{.whole = true, .job = job, .global = session.counts(job).request};
  for (TaskId task : tasks) {
    const bool spare = surplus.below_minimum() || surplus.Take(task);
    Add(session, task, spare ? safe : whole);
  }
  std::vector<Bundle> bundles;
  if (!safe.tasks.empty()) bundles.push_back(std::move(safe));
  if (!whole.tasks.empty()) bundles.push_back(std::move(whole));
  return bundles;
}

double ReturnOf(const Bundle& bundle, const ResourceVec& need) {
  const double lost = Score(bundle.global, need, false);
  if (lost <= 0) return std::numeric_limits<double>::infinity();
  return Score(bundle.local, need, true) / lost;
}

void SortBundles(const Session& session, const Claim& claim, std::vector<Bundle>& bundles) {
  std::vector<std::pair<double, Bundle>> rated;
  for (Bundle& bundle : bundles) {
    const double rate = ReturnOf(bundle, claim.need);
    rated.emplace_back(rate, std::move(bundle));
  }
  const auto first = [&](const auto& a, const auto& b) {
    const Bundle& left = a.second;
    const Bundle& right = b.second;
    if (left.whole != right.whole) return right.whole;
    const int order = CompareVictims(session, claim, left.job, right.job);
    if (order != 0) return order < 0;
    if (a.first != b.first) return a.first > b.first;
    if (left.job != right.job) {
      const int age = session.job(left.job).facts->uid.compare(session.job(right.job).facts->uid);
      if (age != 0) return age < 0;
    }
    const int task =
        UidOf(session, left.tasks.front()).compare(UidOf(session, right.tasks.front()));
    return task != 0 ? task < 0 : left.tasks.size() < right.tasks.size();
  };
  std::stable_sort(rated.begin(), rated.end(), first);
  for (size_t i = 0; i < rated.size(); ++i) bundles[i] = std::move(rated[i].second);
}

void KeepApproved(const Session& session, absl::Span<const TaskId> approved,
                  std::vector<Bundle>& bundles) {
  const absl::flat_hash_set<TaskId> kept(approved.begin(), approved.end());
  for (Bundle& bundle : bundles) {
    const size_t before = bundle.tasks.size();
    std::vector<TaskId> tasks = std::exchange(bundle.tasks, {});
    bundle.local = {};
    for (TaskId task : tasks) {
      if (kept.contains(task)) Add(session, task, bundle);
    }
    if (bundle.whole && bundle.tasks.size() < before) bundle.tasks.clear();
  }
  std::erase_if(bundles, [](const Bundle& bundle) { return bundle.tasks.empty(); });
}

void DropHalfGangs(const Session& session, std::vector<Bundle>& bundles) {
  absl::flat_hash_map<JobId, int32_t> tasks;
  for (const Bundle& bundle : bundles) {
    tasks[bundle.job] += static_cast<int32_t>(bundle.tasks.size());
  }
  std::erase_if(bundles, [&](const Bundle& bundle) {
    return bundle.whole &&
           tasks[bundle.job] < session.counts(bundle.job).Count(model::kAllocatedGroup);
  });
}

}  // namespace bth::actions::gang_eviction
