#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actions/eviction/plan.h"
#include "actions/eviction/search.h"
#include "actions/eviction/starving_jobs.h"
#include "actions/factories.h"
#include "actions/ignored_arguments.h"
#include "actions/queue_jobs.h"
#include "base/status.h"

namespace bth::actions {
namespace {

using eviction::Plan;
using eviction::Reach;
using framework::Session;
using model::JobId;
using model::QueueId;
using model::TaskId;

constexpr std::string_view kPreempt = "preempt";

// One run of the action.
class PreemptRun {
 public:
  PreemptRun(Session& session, std::optional<eviction::Comparison> comparison)
      : session_(session), queues_(session), search_(session, kPreempt, comparison) {}

  void Execute() {
    Collect();
    while (!queues_.empty()) {
      const QueueId queue = queues_.PopQueue();
      QueueJobs::JobHeap& jobs = queues_.JobsOf(queue);
      std::vector<JobId> seen;
      while (!jobs.empty()) {
        const JobId job = jobs.Pop();
        seen.push_back(job);
        session_.WorkOn(
            job, [&] { search_.PlaceJob(job, Reach::kOtherJobs, [](TaskId) { return ""; }); });
      }
      for (JobId job : seen) session_.WorkOn(job, [&] { PreemptOwnTasks(job); });
    }
  }

 private:
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

  // Tasks of the job that are still pending may take the room of its lower ones, one by one. A gang
  // below its minimum would not be bound for that.
  void PreemptOwnTasks(JobId job) {
    TaskHeap tasks = eviction::PendingTasks(session_, job);
    while (!tasks.empty()) {
      Plan plan(session_, kPreempt);
      if (!search_.Place({.task = tasks.Pop(), .reach = Reach::kOwnJob}, plan)) return;
      if (!session_.votes().JobPipelined(job) || !search_.Commit(job, plan)) return;
    }
  }

  Session& session_;
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
  explicit Preempt(std::optional<eviction::Comparison> comparison) : comparison_(comparison) {}
  std::string_view name() const override { return "preempt"; }
  absl::Status Execute(framework::Session& session) override;
  bool evicts() const override { return true; }
  std::optional<framework::VictimKind> victim_kind() const override {
    return framework::VictimKind::kPreempt;
  }

 private:
  const std::optional<eviction::Comparison> comparison_;
};

absl::Status Preempt::Execute(Session& session) {
  PreemptRun(session, comparison_).Execute();
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
  return std::make_unique<Preempt>(aware ? std::optional(comparison) : std::nullopt);
}

}  // namespace bth::actions
