#include "framework/report/eviction_advice.h"

#include <algorithm>
#include <array>

#include "algo/queue_claims.h"
#include "algo/resource_algebra.h"
#include "api/model/quantity_text.h"
#include "base/strings.h"
#include "framework/report/report.h"

namespace bth::framework {
namespace {

using model::JobId;
using model::QueueId;
using model::ResourceVec;

// The action, and the one that takes whole gangs.
constexpr std::array<std::string_view, 2> kInQueue = {"preempt", "gangpreempt"};
constexpr std::array<std::string_view, 2> kBetweenQueues = {"reclaim", "gangreclaim"};

bool HasOneOf(const Session& session, const std::array<std::string_view, 2>& actions) {
  return session.HasAction(actions[0]) || session.HasAction(actions[1]);
}

ResourceVec AskedBy(const Session& session, JobId job) {
  const ResourceVec& pending = session.counts(job).pending;
  return algo::Max(pending, algo::LacksOfMinimum({session.base(), session.usage(), job}));
}

// For want of room, which others might make.
bool WaitsForRoom(const JobFit& fit) {
  switch (fit.gate) {
    case Gate::kFilters:
    case Gate::kGangMinimum:
      return true;
    case Gate::kNotEnqueued:
      return fit.plugin == "overcommit";
    default:
      return false;
  }
}

// What the jobs of the queue hold, and the other jobs.
struct Holdings {
  ResourceVec queue;
  ResourceVec others;
};
Holdings HeldIn(const Session& session, QueueId queue) {
  Holdings held;
  for (JobId job : *session.base().all_jobs) {
    (session.job(job).queue == queue ? held.queue : held.others) += session.counts(job).allocated;
  }
  return held;
}

}  // namespace

std::string EvictionsWaitForAdmission(const Session& session, std::string_view remedy,
                                      bool in_queue) {
  std::string actions;
  for (const std::string& action : session.context().policy->actions) {
    const auto is_it = [&action](std::string_view name) { return name == action; };
    const bool helps =
        std::any_of(kInQueue.begin(), kInQueue.end(), is_it) ||
        (!in_queue && std::any_of(kBetweenQueues.begin(), kBetweenQueues.end(), is_it));
    if (!helps) continue;
    StrAppend(&actions, actions.empty() ? "" : ", ", action);
  }
  if (actions.empty()) return "";
  return StrCat("; evictions (", actions, ") are only for admitted jobs: ", remedy,
                "take enqueue out of the policy's actions");
}

std::string MissingEvictions(const Session& session, JobId job) {
  const model::JobRow& row = session.job(job);
  if (!row.queue.valid() || HasOneOf(session, kBetweenQueues)) return "";
  const JobFit fit = ExplainJob(session, job);
  if (!WaitsForRoom(fit)) return "";
  const Holdings held = HeldIn(session, row.queue);
  if (held.others.IsEmpty()) return "";
  constexpr std::string_view kRemedy =
      "the policy has no action reclaim, so nothing that other queues hold beyond their share is "
      "taken back";
  if (const auto deserved = session.hooks().queue_deserved(row.queue)) {
    // Of what is asked for, where the queue holds less than it deserves.
    const model::DimMask dims =
        algo::DimsOver(*deserved, held.queue, algo::AskedDims(AskedBy(session, job)));
    const std::string left = model::UseText(dims, held.queue, *deserved, session.dims());
    if (!left.empty()) {
      return StrCat("queue ", *session.queue(row.queue).name, " holds ", left,
                    " that it deserves; ", kRemedy);
    }
  }
  // A job without pods is no claim of its queue yet.
  if (fit.gate != Gate::kNotEnqueued) return "";
  return StrCat("other queues hold what the cluster lacks for the job; ", kRemedy);
}

}  // namespace bth::framework
