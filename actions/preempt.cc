#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actions/eviction/search.h"
#include "actions/eviction/starving_jobs.h"
#include "actions/eviction/turns.h"
#include "actions/factories.h"
#include "actions/ignored_arguments.h"
#include "actions/queue_jobs.h"
#include "base/status.h"

namespace bth::actions {
namespace {

using eviction::Reach;
using framework::Session;
using model::JobId;
using model::QueueId;
using model::TaskId;

constexpr std::string_view kPreempt = "preempt";

// One run of the action.
class PreemptRun {
 public:
  PreemptRun(Session& session, std::optional<eviction::Comparison> comparison,
             eviction::Turns& turns)
      : session_(session),
        turns_(turns),
        queues_(session),
        search_(session, kPreempt, turns, comparison) {}

  void Execute() {
    Collect();
    turns_.Run(session_, queues_, std::bind_front(&PreemptRun::Walk, this));
  }

 private:
  // All jobs but those that `passes_over`.
  void Walk(QueueJobs& queues, eviction::Turns::PassesOver passes_over) {
    while (!queues.empty()) {
      const QueueId queue = queues.PopQueue();
      QueueJobs::JobHeap& jobs = queues.JobsOf(queue);
      std::vector<JobId> seen;
      while (!jobs.empty()) {
        const JobId job = jobs.Pop();
        if (passes_over(job)) continue;
        seen.push_back(job);
        session_.WorkOn(
            job, [&] { search_.PlaceJob(job, Reach::kOtherJobs, [](TaskId) { return ""; }); });
      }
      for (JobId job : seen) session_.WorkOn(job, [&] { search_.PlaceOwnTasks(job); });
    }
  }

  void Collect() {
    for (JobId job : session_.active_jobs()) {
      if (!eviction::IsCandidate(session_, job)) continue;
      if (session_.job(job).has_network_topology) {
        session_.WorkOn(job, [&] { search_.PlaceJob(job, Reach::kOtherJobs, LeftAlone); });
      } else {
        queues_.Add(job);
      }
    }
  }

  // Victims node by node do not make a place in the network.
  static std::string LeftAlone(TaskId) {
    return "jobs with a network topology are left alone; gangpreempt makes room for them";
  }

  Session& session_;
  eviction::Turns& turns_;
  QueueJobs queues_;
  eviction::Search search_;
};

// A value out of its range is reported, and its default is used.
absl::StatusOr<int64_t> InRange(const conf::Arguments& args, std::string_view key, int64_t fallback,
                                int64_t most) {
  BTH_ASSIGN_OR_RETURN(const int64_t value, args.Int(key, fallback));
  if (value >= 0 && value <= most) return value;
  args.Report(key, "out of range; the default is used");
  return fallback;
}

// Thread: scheduling.
class Preempt final : public framework::Action {
 public:
  // With `comparison` nodes are chosen by what is evicted there (topology-aware preemption).
  Preempt(std::optional<eviction::Comparison> comparison, eviction::Turns turns)
      : comparison_(comparison), turns_(std::move(turns)) {}
  std::string_view name() const override { return "preempt"; }
  absl::Status Execute(framework::Session& session) override;
  bool evicts() const override { return true; }
  std::optional<framework::VictimKind> victim_kind() const override {
    return framework::VictimKind::kPreempt;
  }

 private:
  const std::optional<eviction::Comparison> comparison_;
  eviction::Turns turns_;
};

absl::Status Preempt::Execute(Session& session) {
  PreemptRun(session, comparison_, turns_).Execute();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Action>> CreatePreempt(const conf::Arguments& args) {
  constexpr int64_t kNodesMax = std::numeric_limits<int32_t>::max();
  const eviction::Comparison defaults;
  BTH_RETURN_IF_ERROR(NoteErrorCache(args));
  constexpr int64_t kWorkers = 16;
  BTH_ASSIGN_OR_RETURN(const int64_t workers, args.Int("topologyAwarePreemptWorkerNum", kWorkers));
  if (workers != kWorkers) {
    args.Report("topologyAwarePreemptWorkerNum", "has no effect: one thread searches; remove it");
  }
  BTH_ASSIGN_OR_RETURN(const bool aware, args.Bool("enableTopologyAwarePreemption", false));
  eviction::Comparison comparison;
  BTH_ASSIGN_OR_RETURN(comparison.percentage,
                       InRange(args, "minCandidateNodesPercentage", defaults.percentage, 100));
  BTH_ASSIGN_OR_RETURN(comparison.least,
                       InRange(args, "minCandidateNodesAbsolute", defaults.least, kNodesMax));
  BTH_ASSIGN_OR_RETURN(comparison.most,
                       InRange(args, "maxCandidateNodesAbsolute", defaults.most, kNodesMax));
  return MakePreempt(aware ? std::optional(comparison) : std::nullopt, eviction::Turns());
}

std::unique_ptr<framework::Action> MakePreempt(std::optional<eviction::Comparison> comparison,
                                               eviction::Turns turns) {
  return std::make_unique<Preempt>(comparison, std::move(turns));
}

}  // namespace bth::actions
