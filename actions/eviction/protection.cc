#include "actions/eviction/protection.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "framework/session/victim_votes.h"

namespace bth::actions::eviction {

void CountProtected(const framework::Session& session, const Ask& ask,
                    absl::Span<const model::TaskId> asked, Tally* tally) {
  const auto count = static_cast<int64_t>(asked.size());
  tally->candidates += count;
  ++tally->candidate_nodes;
  bool any_answer = false;
  size_t voter = 0;
  const auto hear = [&](std::string_view plugin, const framework::Verdict& verdict) {
    if (voter == tally->protected_by.size()) tally->protected_by.emplace_back(plugin, 0);
    int64_t& kept = tally->protected_by[voter++].second;
    if (verdict.vote == framework::Vote::kAbstain) return;
    any_answer = true;
    kept += std::max<int64_t>(count - static_cast<int64_t>(verdict.victims.size()), 0);
  };
  framework::AskEachVoter(session, AskerOf(ask), asked, hear);
  if (!any_answer) tally->spared.Add(SparedBy::kNoConsent, count);
}

framework::VictimSearch Rendered(const framework::Session& session, std::string_view action,
                                 const Ask& ask, const Tally& tally) {
  framework::VictimSearch out;
  out.action = std::string(action);
  out.task = ask.task;
  out.candidates = tally.candidates;
  out.candidate_nodes = tally.candidate_nodes;
  for (const auto& [plugin, pods] : tally.protected_by) {
    if (pods > 0) out.by_plugin[std::string(plugin)] += pods;
  }
  tally.rivals.Render(session, ask.reach == Reach::kOtherQueues, &out.lost_again);
  tally.spared.Render(&out.passed_over);
  out.nodes_too_small = tally.nodes_too_small;
  out.nodes_refusing = tally.nodes_refusing;
  tally.refusals.Render(session, &out.refusals);
  if (tally.nodes_refused_by_queue > 0) {
    const model::QueueId queue = session.job(session.task(ask.task).job).queue;
    out.refusals[StrCat("queue ", *session.queue(queue).name,
                        " may not allocate what the pod requests")] += tally.nodes_refused_by_queue;
  }
  tally.beyond_help.Render(session, &out.nodes_beyond_help);
  out.preset = std::string(tally.preset);
  return out;
}

framework::VictimSeeker SeekerOf(const framework::Session& session, const Ask& ask) {
  const model::JobId job = session.task(ask.task).job;
  return {.kind = ask.reach == Reach::kOtherQueues ? framework::VictimKind::kReclaim
                                                   : framework::VictimKind::kPreempt,
          .queue = session.job(job).queue,
          .priority = session.job(job).priority,
          .job = job};
}

bool MayBeGranted(const framework::Session& session, const Ask& ask) {
  const model::TaskRow& task = session.task(ask.task);
  // Whoever asks for nothing but a place may take it only from those who hold no more.
  if (session.shape(task.shape).best_effort) return true;
  if (ask.reach == Reach::kOwnJob) {
    return session.prospects().AnyOfOwn(session, task.job, task.priority);
  }
  return session.prospects().Any(session, SeekerOf(session, ask));
}

void CountAllProtected(const framework::Protection& protection, framework::VictimSearch* counts) {
  counts->candidates = protection.candidates;
  for (const auto& [plugin, pods] : protection.by_plugin) {
    counts->by_plugin[std::string(plugin)] += pods;
  }
  SparedCounts spared;
  spared.Add(SparedBy::kMarked, protection.marked);
  spared.Add(SparedBy::kOwnJob, protection.own_job);
  spared.Add(SparedBy::kOwnQueue, protection.own_queue);
  spared.Add(SparedBy::kOtherQueue, protection.other_queues);
  spared.Add(SparedBy::kUnreclaimable, protection.not_reclaimable);
  spared.Add(SparedBy::kNotLower, protection.not_lower);
  spared.Add(SparedBy::kOptsOut, protection.opting_out);
  spared.Add(SparedBy::kNotRunning, protection.not_running);
  if (!protection.any_vote) spared.Add(SparedBy::kNoConsent, protection.candidates);
  spared.Render(&counts->passed_over);
}

std::string WhyNoDemand(const framework::Session& session, model::QueueId queue,
                        absl::Span<const model::TaskId> tasks) {
  const std::string_view plugin = framework::ForbidsDemand(session, queue, tasks);
  if (plugin.empty()) return "";
  return StrCat("by ", plugin, " the queue ", *session.queue(queue).name,
                " may not demand so much from others");
}

}  // namespace bth::actions::eviction
