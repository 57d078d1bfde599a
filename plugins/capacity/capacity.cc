#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algo/gang_rules.h"
#include "algo/resource_algebra.h"
#include "base/status.h"
#include "base/strings.h"
#include "framework/session/session.h"
#include "plugins/admission_shortage.h"
#include "plugins/capacity/device_ledger.h"
#include "plugins/capacity/queue_ledger.h"
#include "plugins/capacity/queue_order.h"
#include "plugins/capacity/reclaim_rules.h"
#include "plugins/factories.h"
#include "plugins/job_queue.h"
#include "plugins/queue_gauges.h"
#include "plugins/queue_refusals.h"

namespace bth::plugins {
namespace {

using capacity::ReclaimRules;
using framework::Gate;
using framework::HookRegistrar;
using framework::Session;
using framework::TaskMove;
using framework::Verdict;
using framework::Vote;
using model::DimMask;
using model::JobId;
using model::QueueId;
using model::ResourceVec;
using model::TaskId;

constexpr std::string_view kCapacity = "capacity";
constexpr std::string_view kDeviceQuota = "capacity.DynamicResourceAllocationEnable";
constexpr std::string_view kDeviceParts = "capacity.DRAConsumableCapacityEnable";

// Its accounts follow the session's events; sums over jobs live from session to session.
// Thread: scheduling.
class Capacity final : public framework::Plugin {
 public:
  struct Options {
    int64_t ancestor_levels = 0;
    bool devices = true;       // Amounts per device class count.
    bool device_parts = true;  // And what claims ask for of the devices' own capacities.
  };
  explicit Capacity(const Options& options) : options_(options) {}

  std::string_view name() const override { return kCapacity; }
  framework::AnswerSources answers_follow() const override {
    return framework::Bit(framework::AnswerSource::kQueueRoom);
  }

  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    // Volcano asks the first entry of that name, wherever this one stands.
    const conf::PluginOption* first = session.context().policy->FirstPlugin(kCapacity);
    ledger_.Open(session.base(), first->flags[conf::HookFlag::kHierarchy]);
    auto& rules = session.Keep<ReclaimRules>(session, ledger_, options_.ancestor_levels);
    for (const algo::QueueFinding& finding : ledger_.findings()) {
      session.notes().NoteQueue({finding.queue, finding.reason, finding.message});
    }
    devices_ = nullptr;
    if (options_.devices) {
      devices_ = &session.Keep<capacity::DeviceLedger>(session, ledger_, options_.device_parts);
    }
    AddOrders(session, hooks);
    AddAdmission(session, hooks);
    AddReclaim(session, rules, hooks);
    AddEvents(session, hooks);
    hooks.OnClose([this, &session] { PublishQueues(session); });
    return absl::OkStatus();
  }

 private:
  void AddOrders(const Session& session, HookRegistrar& hooks) {
    hooks.QueueOrder([this, &session](QueueId left, QueueId right) {
      return capacity::CompareQueues(session, ledger_, left, right);
    });
    if (!ledger_.hierarchy()) return;
    hooks.VictimQueueOrder([this](QueueId left, QueueId right, QueueId preemptor) {
      return capacity::CompareVictimQueues(ledger_, left, right, preemptor);
    });
  }

  void AddAdmission(Session& session, HookRegistrar& hooks) {
    hooks.Allocatable(
        [this, &session](QueueId queue, TaskId task) { return MayAllocate(session, queue, task); });
    hooks.QueueRoom([this](QueueId queue) { return RoomOf(queue); });
    hooks.QueueDeserved([this](QueueId queue) { return ledger_.quota(queue).deserved.v; });
    hooks.JobEnqueueable([this, &session](JobId job) { return VoteOn(session, job); });
    hooks.JobEnqueued([this, &session](JobId job) {
      const model::JobRow& row = session.job(job);
      if (devices_ != nullptr) devices_->Enqueue(job);
      if (!row.has_min_resources) return;
      ledger_.Enqueue(row.queue, algo::WithoutGated(AskedForAdmission(session, job),
                                                    session.counts(job).gated));
    });
  }

  void AddReclaim(const Session& session, ReclaimRules& rules, HookRegistrar& hooks) {
    hooks.Preemptive([this, &session, &rules](QueueId queue, absl::Span<const TaskId> tasks) {
      if (!ledger_.TakesJobs(queue) || !IsOpen(session, queue)) return false;
      ResourceVec asked;
      for (TaskId task : tasks) asked += session.request(task);
      return rules.MayDemand(queue, asked);
    });
    const framework::GrantBounds bounds{
        .queue = [&rules](framework::VictimKind kind, const framework::QueueHolding& holding) {
          return kind == framework::VictimKind::kGangPreempt || rules.MayGive(holding);
        }};
    const auto reclaimable = [this, &session, &rules](TaskId reclaimer,
                                                      absl::Span<const TaskId> candidates) {
      const QueueId queue = QueueOf(session, reclaimer);
      if (!queue.valid() || !ledger_.TakesJobs(queue)) return Verdict{.vote = Vote::kReject};
      return Verdict{.vote = Vote::kPermit, .victims = rules.Victims(reclaimer, candidates)};
    };
    hooks.Reclaimable({reclaimable, bounds});
    const auto for_gangs = [&rules](const framework::EvictionContext& context,
                                    absl::Span<const TaskId> candidates) {
      Verdict verdict{.vote = Vote::kPermit};
      if (context.kind == framework::EvictionContext::Kind::kGangPreempt) {
        verdict.victims.assign(candidates.begin(), candidates.end());
      } else {
        verdict.victims = rules.VictimsForAnybody(candidates);
      }
      return verdict;
    };
    hooks.UnifiedEvictable({for_gangs, bounds});
  }

  void AddEvents(const Session& session, HookRegistrar& hooks) {
    const bool reserves = session.context().lifts_queue_gates;
    hooks.OnPlace([this, &session, reserves](const TaskMove& move) {
      const TaskId task = move.task;
      const QueueId queue = QueueOf(session, task);
      if (!queue.valid()) return;
      ledger_.Place(queue, session.request(task));
      if (devices_ != nullptr) devices_->Place(queue, task);
      if (reserves) ledger_.Release(queue, task, session.request(task));
    });
    hooks.OnRemove([this, &session, reserves](const TaskMove& move) {
      const TaskId task = move.task;
      const QueueId queue = QueueOf(session, task);
      if (!queue.valid()) return;
      ledger_.Remove(queue, session.request(task));
      if (devices_ != nullptr) devices_->Remove(queue, task);
      if (reserves && KeepsRoom(session, task)) {
        ledger_.Reserve(queue, task, session.request(task));
      }
    });
    if (!reserves) return;
    hooks.OnGateLifted([this, &session](TaskId task) {
      const QueueId queue = QueueOf(session, task);
      if (queue.valid()) ledger_.Reserve(queue, task, session.request(task));
    });
    ReserveFor(session, *session.base().active_jobs);
    ReserveFor(session, *session.base().backing_off_jobs);
  }

  // Cost: the tasks of those that wait.
  void ReserveFor(const Session& session, const std::vector<JobId>& jobs) {
    for (JobId job : jobs) {
      if (session.counts(job).count(model::TaskStatus::kPending) == 0) continue;
      for (TaskId task : *session.job(job).tasks) {
        if (KeepsRoom(session, task)) {
          ledger_.Reserve(session.job(job).queue, task, session.request(task));
        }
      }
    }
  }

  // Pods whose gate is gone, or going, and that have no place yet.
  static bool KeepsRoom(const Session& session, TaskId task) {
    const model::TaskRow& row = session.task(task);
    return row.keeps_room && (!row.gated || row.gate_lifted) &&
           session.state(task).status == model::TaskStatus::kPending;
  }

  // Why the queue takes no job at all; empty when it does.
  std::string Closed(const Session& session, QueueId queue) const {
    if (!IsOpen(session, queue)) return NotOpenText(session, queue);
    if (ledger_.TakesJobs(queue)) return "";
    const std::string& name = *session.queue(queue).name;
    const algo::QueuePlace& place = ledger_.tree()[queue];
    switch (place.fault) {
      case algo::QueueFault::kNone:
        return StrCat("queue ", name, " has queues below it; only queues without any take jobs");
      case algo::QueueFault::kParentMissing:
        return StrCat("the parent of queue ", name, " does not exist");
      case algo::QueueFault::kCycle:
        return StrCat("queue ", name, " is its own ancestor");
      case algo::QueueFault::kBelowFault:
        return StrCat("queue ", name, " hangs below queue ", *session.queue(place.culprit).name,
                      ", which has no way to the root");
    }
    return "";
  }

  // Dimensions of `asked` in which `queue` itself would hold more than it can ever have.
  DimMask ShortDims(QueueId queue, const ResourceVec& held, const ResourceVec& asked) const {
    return algo::DimsOver(algo::SaturatingSum(held, asked), ledger_.quota(queue).real_capability.v,
                          algo::AskedDims(asked));
  }

  // For people: an ancestor that refuses is named.
  static std::string Named(const Session& session, QueueId queue, QueueId refusing,
                           std::string text) {
    if (refusing == queue) return text;
    return StrCat(text, " (in queue ", *session.queue(refusing).name, ", above ",
                  *session.queue(queue).name, ")");
  }

  // Whatever refuses, here or above, refuses for want of this.
  framework::QueueRoom RoomOf(QueueId queue) const {
    framework::QueueRoom room{.share = framework::EndlessRoom(),
                              .admission = framework::EndlessRoom()};
    for (QueueId at = queue; at.valid(); at = ledger_.ParentOf(at)) {
      const capacity::Account& account = ledger_[at];
      const ResourceVec& most = ledger_.quota(at).real_capability.v;
      const ResourceVec held = account.allocated + account.reserved;
      const ResourceVec admitted =
          algo::SaturatingSum(account.allocated, account.inqueue) - account.elastic;
      room.share = algo::Min(room.share, most - held);
      room.admission = algo::Min(room.admission, most - admitted);
    }
    if (devices_ != nullptr) room.other = devices_->DigestOf(queue);
    return room;
  }

  bool MayAllocate(Session& session, QueueId queue, TaskId task) const {
    const JobId job = session.task(task).job;
    if (std::string closed = Closed(session, queue); !closed.empty()) {
      session.notes().HoldAt(job, Gate::kQueueClosed, kCapacity, std::move(closed));
      return false;
    }
    const ResourceVec& asked = session.request(task);
    const bool own_room = ledger_.Reserves(task);
    for (QueueId at = queue; at.valid(); at = ledger_.ParentOf(at)) {
      const capacity::Account& account = ledger_[at];
      ResourceVec held = account.allocated + account.reserved;
      if (own_room) held -= asked;
      const DimMask short_dims = ShortDims(at, held, asked);
      if (short_dims == 0) continue;
      if (QuotaMayHold(session, job)) {
        session.notes().HoldAt(job, Gate::kQuota, kCapacity,
                               Named(session, queue, at, QuotaText(session, short_dims)));
      }
      return false;
    }
    return MayHoldDevices(session, queue, task);
  }

  bool MayHoldDevices(Session& session, QueueId queue, TaskId task) const {
    if (devices_ == nullptr) return true;
    const auto shortage = devices_->ShortOf(queue, task);
    if (!shortage) return true;
    const JobId job = session.task(task).job;
    if (QuotaMayHold(session, job)) {
      session.notes().HoldAt(
          job, Gate::kQuota, kCapacity,
          Named(session, queue, shortage->queue,
                StrCat("queue resource quota insufficient: insufficient ", shortage->name)));
    }
    return false;
  }

  std::string AdmissionText(const Session& session, QueueId queue, QueueId refusing,
                            const ResourceVec& held, const ResourceVec& asked) const {
    const ResourceVec& most = ledger_.quota(refusing).real_capability.v;
    const DimMask short_dims = ShortDims(refusing, held, asked);
    const std::string above =
        refusing == queue ? "" : StrCat(", above ", *session.queue(queue).name, ",");
    const AdmissionShortage shortage{
        .refusal = QuotaText(session, short_dims),
        .holder = StrCat("queue ", *session.queue(refusing).name, above),
        .short_dims = short_dims,
        .asked = asked,
        .held = held,
        .most = most,
        .by_capability = ByCapability(session, refusing, most),
        .growth = ledger_.hierarchy() ? "a limit above it is raised" : "the cluster grows",
        .in_queue = refusing == queue};
    return shortage.Text(session);
  }

  // Admitted when the queue, and each above it, can ever hold what the job lacks of its minimum
  // beside what it must keep already.
  Vote VoteOn(Session& session, JobId job) const {
    const model::JobRow& row = session.job(job);
    if (std::string closed = Closed(session, row.queue); !closed.empty()) {
      session.notes().HoldAt(job, Gate::kQueueClosed, kCapacity, std::move(closed));
      return Vote::kReject;
    }
    if (!row.has_min_resources) return VoteOnDevices(session, job);
    const ResourceVec asked = AskedForAdmission(session, job);
    for (QueueId at = row.queue; at.valid(); at = ledger_.ParentOf(at)) {
      const capacity::Account& account = ledger_[at];
      const ResourceVec held =
          algo::SaturatingSum(account.allocated, account.inqueue) - account.elastic;
      if (ShortDims(at, held, asked) == 0) continue;
      std::string text = AdmissionText(session, row.queue, at, held, asked);
      session.notes().AddEvent(job, {.warning = false, .reason = "Unschedulable", .message = text});
      session.notes().HoldAt(job, Gate::kNotEnqueued, kCapacity, std::move(text));
      return Vote::kReject;
    }
    return VoteOnDevices(session, job);
  }

  // Volcano names no class.
  Vote VoteOnDevices(Session& session, JobId job) const {
    if (devices_ == nullptr) return Vote::kPermit;
    const auto shortage = devices_->ShortForAdmission(job);
    if (!shortage) return Vote::kPermit;
    std::string text = Named(
        session, session.job(job).queue, shortage->queue,
        StrCat("queue resource quota insufficient: insufficient dra-resource-exceeded: the job's "
               "claims ask for more of ",
               shortage->name, " than the queue may admit"));
    session.notes().AddEvent(job, {.warning = false, .reason = "Unschedulable", .message = text});
    session.notes().HoldAt(job, Gate::kNotEnqueued, kCapacity, std::move(text));
    return Vote::kReject;
  }

  void PublishQueues(const Session& session) {
    metrics::SchedulerMetrics* metrics = session.context().metrics;
    if (metrics == nullptr) return;
    for (QueueId id : *session.base().queues_by_name) {
      const capacity::Account& account = ledger_[id];
      const algo::QueueQuota& quota = ledger_.quota(id);
      QueueGauge gauge{.allocated = account.allocated,
                       .request = account.request,
                       .inqueue = account.inqueue_at_open,
                       .deserved = quota.deserved.v,
                       .real_capacity = quota.real_capability.v};
      if (quota.has_capability || ledger_.hierarchy()) gauge.capacity = quota.capability.v;
      if (account.jobs > 0 || ledger_.hierarchy()) {
        gauge.share = account.share;
        gauge.overused = account.share > 1;
      }
      if (devices_ != nullptr) AddDevices(id, &gauge);
      gauges_.Publish(session.dims(), id, session.queue(id), gauge, *metrics);
    }
  }

  // Of queues that limit devices; as things stand when the session closes.
  void AddDevices(QueueId queue, QueueGauge* gauge) const {
    const capacity::DeviceLedger::Account* account = devices_->Find(queue);
    if (account == nullptr) return;
    constexpr double kMilli = 1000;
    const auto add = [](const model::ClassAmounts& row, NamedGauges* out) {
      out->emplace_back(algo::AmountName(row.device_class), static_cast<double>(row.count));
      for (const auto& [dimension, milli] : row.amounts) {
        out->emplace_back(algo::AmountName(row.device_class, dimension),
                          static_cast<double>(milli) / kMilli);
      }
    };
    for (const auto& [name, row] : account->held) add(row, &gauge->allocated_devices);
    for (const auto& [name, row] : account->inqueue) add(row, &gauge->inqueue_devices);
    for (const model::ClassAmounts& row : account->quota->classes) {
      add(row, &gauge->capacity_devices);
    }
    if (!gauge->capacity) gauge->capacity = ResourceVec();
  }

  const Options options_;
  capacity::QueueLedger ledger_;
  capacity::DeviceLedger* devices_ = nullptr;  // Of the session; null: they do not count.
  QueueGauges gauges_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateCapacity(const conf::Arguments& args) {
  Capacity::Options options;
  BTH_ASSIGN_OR_RETURN(options.ancestor_levels, args.Int("ancestorReclaimLevel", 0));
  if (options.ancestor_levels < 0) {
    args.Report("ancestorReclaimLevel", "must not be negative; 0 is used");
    options.ancestor_levels = 0;
  }
  BTH_ASSIGN_OR_RETURN(options.devices, args.Bool(kDeviceQuota, true));
  BTH_ASSIGN_OR_RETURN(options.device_parts, args.Bool(kDeviceParts, true));
  return std::make_unique<Capacity>(options);
}

}  // namespace bth::plugins
