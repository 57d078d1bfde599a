#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "algo/gang_rules.h"
#include "algo/job_changes.h"
#include "algo/resource_algebra.h"
#include "framework/session/session.h"
#include "plugins/drf/job_shares.h"
#include "plugins/drf/queue_tree.h"
#include "plugins/factories.h"
#include "plugins/job_queue.h"

namespace bth::plugins {
namespace {

using framework::HookRegistrar;
using framework::Session;
using framework::TaskMove;
using framework::Verdict;
using framework::Vote;
using model::JobId;
using model::QueueId;
using model::ResourceVec;
using model::TaskId;

constexpr std::string_view kDrf = "drf";

// Counts what jobs hold by the session's events. Between sessions it keeps the jobs of the last
// snapshot, to publish only shares that changed, and the tree of queues. Thread: scheduling.
class Drf final : public framework::Plugin {
 public:
  std::string_view name() const override { return kDrf; }
  framework::AnswerSources answers_follow() const override { return 0; }

  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    shares_.Open(session.base());
    // Volcano asks the first entry of that name, wherever this one stands.
    if (session.context().policy->FirstPlugin(kDrf)->flags[conf::HookFlag::kHierarchy]) {
      if (!tree_) tree_.emplace();
      tree_->Open(session.base());
    }
    hooks.JobOrder([this](JobId left, JobId right) {
      const double left_share = shares_.ShareOf(left);
      const double right_share = shares_.ShareOf(right);
      return static_cast<int>(left_share > right_share) -
             static_cast<int>(left_share < right_share);
    });
    hooks.Preemptable([this, &session](TaskId evictor, absl::Span<const TaskId> candidates) {
      return RicherJobs(session, evictor, candidates);
    });
    if (tree_) AddHierarchyHooks(session, hooks);
    AddEventHooks(session, hooks);
    hooks.OnClose([this, &session] { PublishShares(session); });
    return absl::OkStatus();
  }

 private:
  void AddHierarchyHooks(const Session& session, HookRegistrar& hooks) {
    hooks.QueueOrder([this](QueueId left, QueueId right) { return tree_->Order(left, right); });
    // A job that has all it asks for counts in full in its queue, one that asks for more is scaled
    // down to its poorest sibling.
    hooks.Reclaimable({[this, &session](TaskId evictor, absl::Span<const TaskId> candidates) {
                         return LaterQueues(session, evictor, candidates);
                       },
                       {.weighs_jobs = true}});
  }

  void AddEventHooks(const Session& session, HookRegistrar& hooks) {
    hooks.OnPlace([this, &session](const TaskMove& move) {
      const JobId job = session.task(move.task).job;
      if (!TakesPart(session, job)) return;
      shares_.Add(job, session.request(move.task));
      if (tree_) tree_->Add(job, session.request(move.task));
    });
    hooks.OnRemove([this, &session](const TaskMove& move) {
      const JobId job = session.task(move.task).job;
      if (!TakesPart(session, job)) return;
      shares_.Remove(job, session.request(move.task));
      if (tree_) tree_->Remove(job, session.request(move.task));
    });
  }

  // Candidates whose job, without them and the candidates before them, still has no smaller share
  // than the evictor's job would have with it.
  Verdict RicherJobs(const Session& session, TaskId evictor,
                     absl::Span<const TaskId> candidates) const {
    constexpr double kShareDelta = 1e-6;
    Verdict verdict{.vote = Vote::kPermit};
    const JobId own = session.task(evictor).job;
    if (!TakesPart(session, own)) return verdict;
    const ResourceVec& total = session.base().total;
    const double own_share =
        algo::DominantShare(shares_.AllocatedOf(own) + session.request(evictor), total);
    absl::flat_hash_map<JobId, ResourceVec> left;
    for (TaskId candidate : candidates) {
      const JobId job = session.task(candidate).job;
      if (!TakesPart(session, job)) continue;
      auto [it, first] = left.try_emplace(job);
      if (first) it->second = shares_.AllocatedOf(job);
      it->second -= session.request(candidate);
      const double share = algo::DominantShare(it->second, total);
      if (own_share < share || std::abs(own_share - share) <= kShareDelta) {
        verdict.victims.push_back(candidate);
      }
    }
    return verdict;
  }

  // Candidates whose queue would still come after the evictor's, were they alone to leave and the
  // evictor placed. The tree is changed and put back.
  Verdict LaterQueues(const Session& session, TaskId evictor, absl::Span<const TaskId> candidates) {
    Verdict verdict{.vote = Vote::kPermit};
    const JobId own = session.task(evictor).job;
    if (!TakesPart(session, own)) return verdict;
    tree_->Add(own, session.request(evictor));
    for (TaskId candidate : candidates) {
      const JobId job = session.task(candidate).job;
      if (!TakesPart(session, job)) continue;
      tree_->Remove(job, session.request(candidate));
      if (tree_->Compare(session.job(own).queue, session.job(job).queue) < 0) {
        verdict.victims.push_back(candidate);
      }
      tree_->Add(job, session.request(candidate));
    }
    tree_->Remove(own, session.request(evictor));
    return verdict;
  }

  // Shares of jobs that this session, the one before or the snapshot changed (what was pipelined
  // then is held no more); of all when the cluster's total changed.
  void PublishShares(const Session& session) {
    metrics::SchedulerMetrics* metrics = session.context().metrics;
    if (metrics == nullptr) return;
    if (session.base().total != published_total_) published_ = {};
    published_total_ = session.base().total;
    std::vector<JobId> jobs = std::exchange(changed_before_, shares_.changed());
    std::erase_if(jobs, [&session](JobId id) {
      return !session.base().jobs.Contains(id) || !TakesPart(session, id);
    });
    jobs.insert(jobs.end(), changed_before_.begin(), changed_before_.end());
    using Job = algo::JobChanges::Job;
    published_.Advance(
        session.base(), [] {},
        [&jobs](JobId id, const Job* before, const Job* now) {
          if (now == nullptr) return;
          const bool same = before != nullptr && before->row.facts == now->row.facts &&
                            before->row.queue == now->row.queue &&
                            before->counts.allocated == now->counts.allocated;
          if (!same) jobs.push_back(id);
        });
    for (JobId id : jobs) {
      const model::JobFacts& facts = *session.job(id).facts;
      metrics
          ->Job({.job_namespace = facts.ns,
                 .name = facts.name,
                 .queue = *session.queue(session.job(id).queue).name})
          ->SetShare(shares_.ShareOf(id));
    }
  }

  drf::JobShares shares_;
  std::optional<drf::QueueTree> tree_;  // Only with hierarchy.
  algo::JobChanges published_;
  std::vector<JobId> changed_before_;  // By the last session that was published.
  ResourceVec published_total_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateDrf(const conf::Arguments&) {
  return std::make_unique<Drf>();
}

}  // namespace bth::plugins
