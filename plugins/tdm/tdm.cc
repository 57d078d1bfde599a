#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "algo/gang_rules.h"
#include "base/status.h"
#include "base/strings.h"
#include "framework/session/session.h"
#include "plugins/factories.h"
#include "plugins/node_text_column.h"
#include "plugins/tdm/eviction_quota.h"
#include "plugins/tdm/window.h"

namespace bth::plugins {
namespace {

using framework::FitCode;
using framework::HookRegistrar;
using framework::ReasonId;
using framework::Session;
using framework::Verdict;
using framework::Vote;
using model::JobId;
using model::NodeId;
using model::NodeRange;
using model::ShapeId;
using model::TaskId;
using model::TaskStatus;

constexpr std::string_view kZonePrefix = "tdm.revocable-zone.";
constexpr std::string_view kEvictPeriod = "tdm.evict.period";
constexpr double kScore = 100;

// One configured zone.
struct Zone {
  std::string raw;                    // Its window as written.
  std::optional<tdm::Window> window;  // Nothing: cannot be read.
};
using Zones = std::map<std::string, Zone, std::less<>>;

// What the zones of nodes mean at the time at which a session opened.
struct ZoneVerdicts {
  absl::Time now;
  std::vector<ReasonId> closed;  // By number of the zone; kFits where its window is open.
  ReasonId not_allowed = framework::kFits;

  bool is_open(uint32_t zone) const { return closed[zone] == framework::kFits; }
};

// Remembers when it last named victims; that is forgotten when the policy is loaded anew.
// Thread: scheduling.
class Tdm final : public framework::Plugin {
 public:
  Tdm(Zones zones, absl::Duration evict_period)
      : configured_(std::move(zones)), evict_period_(evict_period) {}
  std::string_view name() const override { return "tdm"; }
  bool follows_clock() const override { return true; }

  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    zones_.Advance(session.base());
    const auto& verdicts = session.Keep<ZoneVerdicts>(JudgeZones(session));
    AddNodeHooks(session, verdicts, hooks);
    AddJobHooks(session, hooks);
    hooks.Preemptable([this, &session](TaskId evictor, absl::Span<const TaskId> candidates) {
      return Preemptable(session, evictor, candidates);
    });
    hooks.VictimTasks([this, &session, &verdicts](absl::Span<const TaskId>) {
      return OverdueTasks(session, verdicts);
    });
    return absl::OkStatus();
  }

 private:
  ZoneVerdicts JudgeZones(Session& session) {
    constexpr size_t kReasonsMax = 1024;  // Reasons stay registered while the policy lives.
    ZoneVerdicts verdicts{.now = session.context().clock->Now(), .closed = {framework::kFits}};
    verdicts.not_allowed = session.reasons().Register(FitCode::kUnresolvable,
                                                      "not allow to dispatch to revocable node");
    const ReasonId nameless =
        session.reasons().Register(FitCode::kUnresolvable, "revocable zone not support");
    for (size_t i = 1; i < zones_.texts().size(); ++i) {
      const std::string why = WhyClosed(zones_.texts()[i], verdicts.now);
      if (why.empty()) {
        verdicts.closed.push_back(framework::kFits);
      } else if (registered_.size() < kReasonsMax || registered_.contains(why)) {
        const ReasonId reason = session.reasons().Register(FitCode::kUnresolvable, why);
        registered_.emplace(why, reason);
        verdicts.closed.push_back(reason);
      } else {
        verdicts.closed.push_back(nameless);
      }
    }
    return verdicts;
  }

  // Empty: its window is open.
  std::string WhyClosed(const std::string& zone, absl::Time now) const {
    const auto known = configured_.find(zone);
    if (known == configured_.end()) return StrCat("revocable zone ", zone, " not support");
    const Zone& configured = known->second;
    if (!configured.window) {
      return StrCat("revocable zone ", configured.raw, " format error");
    }
    if (configured.window->Contains(now, absl::LocalTimeZone())) return "";
    return StrCat("current time beyond revocable zone ", zone, ":", configured.raw);
  }

  void AddNodeHooks(const Session& session, const ZoneVerdicts& verdicts, HookRegistrar& hooks) {
    hooks.FilterUsage(
        [this, &session, &verdicts](ShapeId shape, NodeRange block, absl::Span<ReasonId> out) {
          const bool revocable = session.base().constraints_of(shape).revocable;
          for (NodeId node : block) {
            const uint32_t zone = zones_[node];
            if (zone == 0 || out[block.Offset(node)] != framework::kFits) continue;
            if (!verdicts.is_open(zone)) {
              out[block.Offset(node)] = verdicts.closed[zone];
            } else if (!revocable) {
              out[block.Offset(node)] = verdicts.not_allowed;
            }
          }
        });
    hooks.ScoreUsage(
        [this, &session, &verdicts](ShapeId shape, NodeRange block, absl::Span<double> sum) {
          if (!session.base().constraints_of(shape).revocable) return;
          for (NodeId node : block) {
            const uint32_t zone = zones_[node];
            if (zone != 0 && verdicts.is_open(zone)) sum[block.Offset(node)] += kScore;
          }
        });
  }

  static void AddJobHooks(const Session& session, HookRegistrar& hooks) {
    hooks.JobOrder([&session](JobId left, JobId right) {
      return static_cast<int>(session.job(left).preemptable) -
             static_cast<int>(session.job(right).preemptable);
    });
    hooks.JobPipelined([&session](JobId job) {
      return algo::IsPipelined(session.job(job).min_available, session.counts(job)) ? Vote::kPermit
                                                                                    : Vote::kReject;
    });
    hooks.JobStarving([&session](JobId job) {
      return !session.job(job).preemptable && session.counts(job).count(TaskStatus::kPending) > 0;
    });
  }

  static bool MayLeave(const Session& session, TaskId task) {
    return session.task(task).preemptable && session.task(task).job.valid() &&
           session.state(task).status == TaskStatus::kRunning;
  }

  // Only a task that is not preemptable itself takes room, from preemptable tasks on ordinary
  // nodes, as many of each job as its budget allows.
  Verdict Preemptable(const Session& session, TaskId evictor,
                      absl::Span<const TaskId> candidates) const {
    if (session.task(evictor).preemptable ||
        session.base().constraints_of(session.task(evictor).shape).revocable) {
      return {.vote = Vote::kReject, .victims = {}};
    }
    Verdict verdict{.vote = Vote::kPermit, .victims = {}};
    absl::flat_hash_map<JobId, int32_t> left;
    for (TaskId candidate : candidates) {
      const NodeId node = session.state(candidate).node;
      if (!MayLeave(session, candidate) || !IsReady(session, node) || zones_[node] != 0) continue;
      if (TakeOne(session, candidate, &left)) verdict.victims.push_back(candidate);
    }
    return verdict;
  }

  // Preemptable tasks on nodes whose window has closed, once in a period. The order is that of
  // zones by name, of jobs and tasks by age; a job's budget counts over all zones.
  std::vector<TaskId> OverdueTasks(const Session& session, const ZoneVerdicts& verdicts) {
    std::vector<TaskId> victims;
    if (last_evict_at_ + evict_period_ > verdicts.now) return victims;
    last_evict_at_ = verdicts.now;
    absl::flat_hash_map<JobId, int32_t> left;
    for (const auto& [zone, tasks] : OverdueByZone(session, verdicts)) {
      for (TaskId task : tasks) {
        if (TakeOne(session, task, &left)) victims.push_back(task);
      }
    }
    return victims;
  }

  // Only zones of the configuration are cleared. Cost: linear in the tasks of all jobs.
  std::map<std::string_view, std::vector<TaskId>> OverdueByZone(
      const Session& session, const ZoneVerdicts& verdicts) const {
    std::map<std::string_view, std::vector<TaskId>> overdue;
    for (JobId job : *session.base().all_jobs) {
      for (TaskId task : *session.job(job).tasks) {
        const NodeId node = session.state(task).node;
        if (!MayLeave(session, task) || !IsReady(session, node)) continue;
        const uint32_t zone = zones_[node];
        if (zone == 0 || verdicts.is_open(zone)) continue;
        const std::string& text = zones_.texts()[zone];
        if (configured_.contains(text)) overdue[text].push_back(task);
      }
    }
    return overdue;
  }

  // False when the job has given what it may.
  static bool TakeOne(const Session& session, TaskId task,
                      absl::flat_hash_map<JobId, int32_t>* left) {
    const JobId job = session.task(task).job;
    auto [it, fresh] = left->try_emplace(job, 0);
    if (fresh) it->second = tdm::EvictionQuota(*session.job(job).facts, session.counts(job));
    return it->second-- > 0;
  }

  static bool IsReady(const Session& session, NodeId node) {
    return node.valid() && session.base().nodes[node].has_object();
  }

  const Zones configured_;
  const absl::Duration evict_period_;
  absl::Time last_evict_at_ = absl::InfinitePast();

  NodeTextColumn zones_{
      [](const model::NodeFacts& facts) -> const std::string& { return facts.revocable_zone; }};
  std::map<std::string, ReasonId> registered_;  // Texts of reasons said so far.
};

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateTdm(const conf::Arguments& args) {
  constexpr absl::Duration kDefaultPeriod = absl::Minutes(1);
  BTH_ASSIGN_OR_RETURN(absl::Duration period, args.Duration(kEvictPeriod, kDefaultPeriod));
  if (period < absl::ZeroDuration()) {
    args.Report(kEvictPeriod, "is negative; 1m is used instead");
    period = kDefaultPeriod;
  }
  Zones zones;
  for (std::string_view key : args.Keys()) {
    const size_t at = key.find(kZonePrefix);
    if (at == std::string_view::npos) continue;
    BTH_ASSIGN_OR_RETURN(std::string raw, args.String(key, ""));
    if (!args.Find(key)->is_string()) continue;  // Which is reported.
    const std::string zone = StrCat(key.substr(0, at), key.substr(at + kZonePrefix.size()));
    const std::optional<tdm::Window> window = tdm::Window::Parse(raw);
    if (!window) {
      args.Report(key, "is no window such as 22:00-6:00; nodes of this zone take no pods");
    }
    zones.insert_or_assign(zone, Zone{.raw = std::move(raw), .window = window});
  }
  return std::make_unique<Tdm>(std::move(zones), period);
}

}  // namespace bth::plugins
