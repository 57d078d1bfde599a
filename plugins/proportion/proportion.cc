#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "algo/gang_rules.h"
#include "algo/resource_algebra.h"
#include "base/strings.h"
#include "framework/session/session.h"
#include "plugins/admission_shortage.h"
#include "plugins/factories.h"
#include "plugins/job_queue.h"
#include "plugins/proportion/queue_ledger.h"
#include "plugins/queue_gauges.h"
#include "plugins/queue_refusals.h"

namespace bth::plugins {
namespace {

using framework::Gate;
using framework::HookRegistrar;
using framework::QueueHolding;
using framework::Session;
using framework::TaskMove;
using framework::Verdict;
using framework::VictimKind;
using framework::Vote;
using model::DimMask;
using model::JobId;
using model::QueueId;
using model::ResourceVec;
using model::TaskId;

constexpr std::string_view kProportion = "proportion";

// Its accounts follow the session's events; sums over jobs live from session to session.
// Thread: scheduling.
class Proportion final : public framework::Plugin {
 public:
  std::string_view name() const override { return kProportion; }
  framework::AnswerSources answers_follow() const override {
    return framework::Bit(framework::AnswerSource::kQueueRoom);
  }

  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    ledger_.Open(session.base());
    hooks.QueueOrder([this, &session](QueueId left, QueueId right) {
      return CompareQueues(session, left, right);
    });
    hooks.Overused([this](QueueId queue) { return Overused(ledger_[queue]); });
    AddVictimHooks(session, hooks);
    AddAdmissionHooks(session, hooks);
    AddEventHooks(session, hooks);
    hooks.OnClose([this, &session] { PublishQueues(session); });
    return absl::OkStatus();
  }

 private:
  void AddVictimHooks(const Session& session, HookRegistrar& hooks) {
    const framework::GrantBounds bounds{
        .queue = [this, &session](VictimKind kind, const QueueHolding& holding) {
          return kind == VictimKind::kGangPreempt || MayBeBeyondDeserved(session, holding);
        }};
    const auto reclaimable = [this, &session](TaskId, absl::Span<const TaskId> candidates) {
      return BeyondDeserved(session, candidates);
    };
    hooks.Reclaimable({reclaimable, bounds});
    const auto for_gangs = [this, &session](const framework::EvictionContext& context,
                                            absl::Span<const TaskId> candidates) {
      const bool reclaims = context.kind == framework::EvictionContext::Kind::kGangReclaim;
      return reclaims ? BeyondDeserved(session, candidates) : Verdict();
    };
    hooks.UnifiedEvictable({for_gangs, bounds});
  }

  // It holds more than it deserves, or will when all of `more` is placed. What Allocatable keeps
  // within the deserved amount stays there: all that is asked for, but not the number of pods.
  bool MayBeBeyondDeserved(const Session& session, const QueueHolding& holding) const {
    const proportion::Account& account = ledger_[holding.queue];
    const auto& limits = session.hooks().allocatable;
    const bool limited = std::any_of(limits.begin(), limits.end(), [](const auto& entry) {
      return entry.origin.plugin == kProportion;
    });
    const DimMask kept = limited ? algo::AskedDims(holding.more) : 0;
    ResourceVec held = account.allocated;
    for (int d = 0; d < model::kDims; ++d) {
      if ((kept >> d & 1u) == 0) held[d] += holding.more[d];
    }
    return !held.AllAtMost(account.deserved);
  }

  void AddAdmissionHooks(Session& session, HookRegistrar& hooks) {
    hooks.Allocatable(
        [this, &session](QueueId queue, TaskId task) { return MayAllocate(session, queue, task); });
    hooks.Preemptive([this, &session](QueueId queue, absl::Span<const TaskId> tasks) {
      ResourceVec asked;
      for (TaskId task : tasks) asked += session.request(task);
      return IsOpen(session, queue) && ShortDims(queue, asked) == 0;
    });
    hooks.QueueRoom([this](QueueId queue) {
      const proportion::Account& account = ledger_[queue];
      return framework::QueueRoom{.share = account.deserved - account.allocated,
                                  .admission = account.real_capability.v - account.allocated -
                                               account.inqueue + account.elastic};
    });
    hooks.QueueDeserved([this](QueueId queue) {
      const proportion::Account& account = ledger_[queue];
      return account.has_jobs ? std::optional(account.deserved) : std::nullopt;
    });
    hooks.JobEnqueueable([this, &session](JobId job) { return VoteOn(session, job); });
    hooks.JobEnqueued([this, &session](JobId job) {
      const model::JobRow& row = session.job(job);
      if (!row.has_min_resources) return;
      ledger_.Enqueue(row.queue, algo::WithoutGated(AskedForAdmission(session, job),
                                                    session.counts(job).gated));
    });
  }

  void AddEventHooks(const Session& session, HookRegistrar& hooks) {
    hooks.OnPlace([this, &session](const TaskMove& move) {
      const QueueId queue = QueueOf(session, move.task);
      if (queue.valid()) ledger_.Place(queue, session.request(move.task));
    });
    hooks.OnRemove([this, &session](const TaskMove& move) {
      const QueueId queue = QueueOf(session, move.task);
      if (queue.valid()) ledger_.Remove(queue, session.request(move.task));
    });
  }

  int CompareQueues(const Session& session, QueueId left, QueueId right) const {
    const int32_t left_priority = session.queue(left).priority;
    const int32_t right_priority = session.queue(right).priority;
    if (left_priority != right_priority) return left_priority > right_priority ? -1 : 1;
    const double left_share = ledger_[left].share;
    const double right_share = ledger_[right].share;
    return static_cast<int>(left_share > right_share) - static_cast<int>(left_share < right_share);
  }

  // All that the queue deserves is in use.
  static bool Overused(const proportion::Account& account) {
    return account.has_jobs && account.deserved.AllAtMost(account.allocated);
  }

  // Dimensions of `asked` in which the queue would hold more than it deserves.
  DimMask ShortDims(QueueId queue, const ResourceVec& asked) const {
    const proportion::Account& account = ledger_[queue];
    return algo::DimsOver(account.allocated + asked, account.deserved, algo::AskedDims(asked));
  }

  bool MayAllocate(Session& session, QueueId queue, TaskId task) const {
    const JobId job = session.task(task).job;
    if (!IsOpen(session, queue)) {
      session.notes().HoldAt(job, Gate::kQueueClosed, kProportion, NotOpenText(session, queue));
      return false;
    }
    const DimMask short_dims = ShortDims(queue, session.request(task));
    if (short_dims == 0) return true;
    if (QuotaMayHold(session, job)) {
      session.notes().HoldAt(job, Gate::kQuota, kProportion, QuotaText(session, short_dims));
    }
    return false;
  }

  // Admitted when the queue can ever hold what the job lacks of its minimum beside what it must
  // keep already.
  Vote VoteOn(Session& session, JobId job) const {
    const model::JobRow& row = session.job(job);
    if (!IsOpen(session, row.queue)) {
      session.notes().HoldAt(job, Gate::kQueueClosed, kProportion, NotOpenText(session, row.queue));
      return Vote::kReject;
    }
    if (!row.has_min_resources) return Vote::kPermit;
    const proportion::Account& account = ledger_[row.queue];
    const ResourceVec asked = AskedForAdmission(session, job);
    const ResourceVec& most = account.real_capability.v;
    const ResourceVec held = account.allocated + account.inqueue - account.elastic;
    const DimMask short_dims = algo::DimsOver(asked + held, most, algo::AskedDims(asked));
    if (short_dims == 0) return Vote::kPermit;
    const AdmissionShortage shortage{.refusal = QuotaText(session, short_dims),
                                     .holder = StrCat("queue ", *session.queue(row.queue).name),
                                     .short_dims = short_dims,
                                     .asked = asked,
                                     .held = held,
                                     .most = most,
                                     .by_capability = ByCapability(session, row.queue, most),
                                     .growth = "the cluster grows"};
    std::string text = shortage.Text(session);
    session.notes().AddEvent(job, {.warning = false, .reason = "Unschedulable", .message = text});
    session.notes().HoldAt(job, Gate::kNotEnqueued, kProportion, std::move(text));
    return Vote::kReject;
  }

  // Each queue gives until it holds no more than it deserves, in the order of the candidates.
  Verdict BeyondDeserved(const Session& session, absl::Span<const TaskId> candidates) const {
    Verdict verdict{.vote = Vote::kPermit};
    absl::flat_hash_map<QueueId, ResourceVec> held;
    for (TaskId candidate : candidates) {
      const QueueId queue = QueueOf(session, candidate);
      if (!queue.valid()) continue;
      auto [it, first] = held.try_emplace(queue);
      if (first) it->second = ledger_[queue].allocated;
      if (it->second.AllAtMost(ledger_[queue].deserved)) continue;
      it->second -= session.request(candidate);
      verdict.victims.push_back(candidate);
    }
    return verdict;
  }

  void PublishQueues(const Session& session) {
    metrics::SchedulerMetrics* metrics = session.context().metrics;
    if (metrics == nullptr) return;
    for (QueueId id : *session.base().queues_by_name) {
      const proportion::Account& account = ledger_[id];
      const model::QueueRow& queue = session.queue(id);
      QueueGauge gauge{.allocated = account.allocated,
                       .request = account.request,
                       .inqueue = ledger_.InqueueAtOpen(id)};
      if (account.has_jobs) {
        gauge.deserved = account.deserved;
        gauge.weight = queue.weight;
        gauge.share = account.share;
        gauge.overused = Overused(account);
      }
      gauges_.Publish(session.dims(), id, queue, gauge, *metrics);
    }
  }

  proportion::QueueLedger ledger_;
  QueueGauges gauges_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateProportion(const conf::Arguments&) {
  return std::make_unique<Proportion>();
}

}  // namespace bth::plugins
