#include "cache/writes/status_writer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "api/types/json.h"
#include "api/types/pod.h"
#include "api/types/pod_group.h"
#include "api/types/queue.h"
#include "api/types/resource.h"
#include "api/types/time.h"
#include "base/strings.h"
#include "cache/intake/compile.h"
#include "cache/writes/standing.h"
#include "cache/writes/status_patches.h"
#include "framework/report/figures.h"

namespace bth::cache {

namespace {

bool Waits(model::PodGroupPhase phase) {
  return phase == model::PodGroupPhase::kNone || phase == model::PodGroupPhase::kPending ||
         phase == model::PodGroupPhase::kInqueue;
}

// The cycle admitted it, or found it placed.
bool IsStepAhead(model::PodGroupPhase from, model::PodGroupPhase to) {
  if (to == model::PodGroupPhase::kRunning) return Waits(from);
  return to == model::PodGroupPhase::kInqueue && from != to && Waits(from);
}

}  // namespace

StatusWriter::StatusWriter(client::ApiClient& api, Mirror& mirror, client::EventRecorder& events,
                           metrics::SchedulerMetrics* metrics, std::function<void()> wake)
    : api_(api),
      mirror_(mirror),
      events_(events),
      metrics_(metrics),
      wake_(std::move(wake)),
      sent_groups_([&mirror](const std::string& key) {
        const CompiledPodGroup* group = mirror.Group(key);
        if (group == nullptr) return SentStatuses<ShownPodGroup>::Seen{};
        return SentStatuses<ShownPodGroup>::Seen{group->facts->uid, &group->shown};
      }),
      sent_queues_([&mirror](const std::string& name) {
        const CompiledQueue* queue = mirror.Queue(name);
        if (queue == nullptr) return SentStatuses<ShownQueue>::Seen{};
        return SentStatuses<ShownQueue>::Seen{queue->row.uid, &queue->shown};
      }) {}

StatusWriter::~StatusWriter() {
  if (timer_ != 0) api_.executor().CancelTimer(timer_);
}

void StatusWriter::Take(framework::CycleReport report) {
  last_session_ = report.session_uid;
  for (const framework::PodGroupReport& group : report.pod_groups) TakeGroup(report, group);
  for (const framework::PodGroupCounts& counts : report.backoff_pod_groups) {
    TakeCounts(report, counts);
  }
  for (const framework::PodReport& pod : report.pods) TakePod(report, pod);
  for (const framework::QueueReport& queue : report.queues) TakeQueue(report, queue);
}

void StatusWriter::TakeGroup(const framework::CycleReport& report,
                             const framework::PodGroupReport& group) {
  const model::JobFacts& facts = *report.snapshot->jobs[group.job].facts;
  const std::string key = facts.Key();
  NoteGathering(key);
  const ShownPodGroup* known = KnownOfOurs(key, facts.uid);
  if (known == nullptr) return;
  DesiredGroup desired{.uid = facts.uid, .session = report.session_uid, .events = group.events};
  desired.status = *known;
  desired.status.phase = group.phase;
  desired.status.running = group.running;
  desired.status.succeeded = group.succeeded;
  desired.status.failed = group.failed;
  if (group.allocated_hyper_node) {
    desired.status.allocated_hyper_node = *group.allocated_hyper_node;
  }
  const auto standing = [&] { return StandingText(*known, mirror_.TimesOfPlaced(key)); };
  desired.is_placing = MergeReported(group, standing, &desired.status.conditions);
  if (auto own = group_conditions_.find(key); own != group_conditions_.end()) {
    Merge(own->second, &desired.status.conditions);
  } else {
    EndPartiallyBound(mirror_.Gang(key), &desired.status.conditions);
  }
  // A step ahead may be taken back before it was written: then no news of it will come.
  if (IsStepAhead(known->phase, group.phase) || group.phase == known->phase) {
    mirror_.AssumePhase(key, group.phase);
  }
  DesiredGroup& last = groups_[key];
  if (last.uid == desired.uid) KeepUntold(last, &desired);
  last = std::move(desired);
  Schedule({Kind::kPodGroup, key});
}

void StatusWriter::WantGroupCondition(const std::string& key, ShownCondition condition) {
  const CompiledPodGroup* group = mirror_.Group(key);
  DesiredGroup* const desired = group == nullptr ? nullptr : Wanted(key, group->facts->uid);
  if (desired == nullptr) return;
  Merge(condition, &desired->status.conditions);
  group_conditions_[key] = std::move(condition);
  Schedule({Kind::kPodGroup, key});
}

void StatusWriter::TakeCounts(const framework::CycleReport& report,
                              const framework::PodGroupCounts& counts) {
  const model::JobFacts& facts = *report.snapshot->jobs[counts.job].facts;
  const std::string key = facts.Key();
  DesiredGroup* const desired = Wanted(key, facts.uid);
  if (desired == nullptr) return;
  desired->status.running = counts.running;
  desired->status.succeeded = counts.succeeded;
  desired->status.failed = counts.failed;
  Schedule({Kind::kPodGroup, key});
}

const ShownPodGroup* StatusWriter::KnownOfOurs(const std::string& key, std::string_view uid) const {
  return mirror_.OwnsGroup(key) ? sent_groups_.Known(key, uid) : nullptr;
}

StatusWriter::DesiredGroup* StatusWriter::Wanted(const std::string& key, const std::string& uid) {
  const ShownPodGroup* known = KnownOfOurs(key, uid);
  if (known == nullptr) return nullptr;
  DesiredGroup& desired = groups_[key];
  if (desired.uid != uid) {
    desired = {.uid = uid, .session = last_session_, .status = *known};
  }
  return &desired;
}

void StatusWriter::NoteGathering(const std::string& key) {
  const std::optional<GangView> gang = mirror_.Gang(key);
  const int32_t pods = gang ? gang->ready + gang->pending : 0;
  if (!gang || pods >= gang->min_available) {
    gathering_.erase(key);
    return;
  }
  auto [it, fresh] = gathering_.try_emplace(key);
  if (fresh || it->second.pods != pods) it->second = {pods, api_.executor().Monotonic()};
}

absl::Duration StatusWriter::GathersUntil(const Target& target) const {
  const auto desired = pods_.find(target.second);
  if (target.first != Kind::kPod || desired == pods_.end()) return -absl::InfiniteDuration();
  const auto gang = gathering_.find(desired->second.gathering);
  return gang == gathering_.end() ? -absl::InfiniteDuration() : gang->second.since + delays_.gather;
}

void StatusWriter::TakePod(const framework::CycleReport& report, const framework::PodReport& pod) {
  const model::TaskNames& names = *report.snapshot->tasks[pod.task].names;
  const std::string key = names.Key();
  // Most pods that wait show it already, and nothing else was to be told of them.
  const bool is_new = busy_.empty() && !pods_.contains(key);
  if (is_new && !pod.nominated_node.valid()) {
    const std::optional<ShownPod> shown = ShownBy(key, names.uid, model::TaskStatus::kPending);
    if (!shown || ReasonUrgency(*shown, pod.reason, *pod.message) == Urgency::kNone) return;
  }
  DesiredPod desired{.uid = names.uid, .reason = std::string(pod.reason), .message = *pod.message};
  if (pod.nominated_node.valid()) {
    desired.nominated_node = report.snapshot->node_facts(pod.nominated_node).name;
    // A nomination whose batch came too late was dropped with it.
    const std::optional<PodView> view = mirror_.Pod(key);
    const bool holds = view && (view->assumed_nomination == desired.nominated_node ||
                                view->nominated_node == desired.nominated_node);
    if (!holds) desired.nominated_node.clear();
  }
  if (!gathering_.empty()) {
    const model::JobId job = report.snapshot->tasks[pod.task].job;
    std::string group = report.snapshot->jobs[job].facts->Key();
    if (gathering_.contains(group)) desired.gathering = std::move(group);
  }
  pods_[key] = std::move(desired);
  Schedule({Kind::kPod, key});
}

void StatusWriter::TakeQueue(const framework::CycleReport& report,
                             const framework::QueueReport& queue) {
  const model::QueueRow& row = report.snapshot->queues[queue.queue];
  const DesiredQueue& told =
      queues_[*row.name] = {row.uid, AllocatedAmounts(queue, *report.snapshot->dims)};
  mirror_.NoteTold(*row.name, told.allocated);
  Schedule({Kind::kQueue, *row.name});
}

void StatusWriter::WantPodCondition(const std::string& key, const std::string& uid,
                                    std::string reason, std::string message, bool at_once) {
  pods_[key] = {.uid = uid, .reason = std::move(reason), .message = std::move(message)};
  if (at_once) {
    MakeReady({Kind::kPod, key});
  } else {
    Schedule({Kind::kPod, key});
  }
}

void StatusWriter::WantBindingCondition(const std::string& key, const std::string& uid,
                                        std::string reason, std::string message) {
  pods_[key] = {
      .uid = uid, .reason = std::move(reason), .message = std::move(message), .is_binding = true};
  MakeReady({Kind::kPod, key});
}

// Its pods have their room, and nobody waits for its admission; they start a moment later.
bool StatusWriter::IsPlacing(const std::string& key, model::PodGroupPhase from,
                             model::PodGroupPhase to) const {
  if (!IsStepAhead(from, to)) return false;
  if (to == model::PodGroupPhase::kRunning) return true;
  const std::optional<GangView> gang = mirror_.Gang(key);
  return gang && gang->pending == 0 && gang->ready > 0 && gang->ready >= gang->min_available;
}

StatusWriter::Urgency StatusWriter::GroupUrgency(const std::string& key) const {
  const auto desired = groups_.find(key);
  if (desired == groups_.end()) return Urgency::kNone;
  const ShownPodGroup* shown = KnownOfOurs(key, desired->second.uid);
  if (shown == nullptr) return Urgency::kNone;
  const ShownPodGroup& known = *shown;
  // As it would be sent.
  std::optional<ShownPodGroup> rebased;
  if (desired->second.status.resource_version != known.resource_version) {
    Rebase(known, &rebased.emplace(desired->second.status));
  }
  const ShownPodGroup& wanted = rebased ? *rebased : desired->second.status;
  if (wanted.phase != known.phase) {
    return IsPlacing(key, known.phase, wanted.phase) ? Urgency::kTally : Urgency::kNow;
  }
  const bool counts = wanted.running != known.running || wanted.succeeded != known.succeeded ||
                      wanted.failed != known.failed ||
                      wanted.allocated_hyper_node != known.allocated_hyper_node;
  if (wanted.conditions == known.conditions) return counts ? Urgency::kTally : Urgency::kNone;
  const auto same_but_words = [](const ShownCondition& a, const ShownCondition& b) {
    return a.type == b.type && a.status == b.status && a.reason == b.reason;
  };
  const bool only_words =
      std::equal(wanted.conditions.begin(), wanted.conditions.end(), known.conditions.begin(),
                 known.conditions.end(), same_but_words);
  if (!only_words) return Urgency::kSettle;
  return counts ? Urgency::kTally : Urgency::kReword;
}

StatusWriter::Urgency StatusWriter::PodUrgency(const std::string& key) const {
  const auto known = pods_.find(key);
  return known == pods_.end() ? Urgency::kNone : PodUrgency(key, known->second);
}

std::optional<StatusWriter::ShownPod> StatusWriter::ShownBy(const std::string& key,
                                                            std::string_view uid,
                                                            model::TaskStatus status) const {
  const std::optional<PodView> view = mirror_.Pod(key, uid);
  if (!view || view->status != status) return std::nullopt;
  ShownPod shown{view->reason, view->message, view->nominated_node};
  if (const auto sent = sent_pods_.find(key); sent != sent_pods_.end() && sent->second.uid == uid) {
    shown.reason = sent->second.reason;
    shown.message = sent->second.message;
    if (!sent->second.nominated_node.empty()) shown.nominated_node = sent->second.nominated_node;
  }
  return shown;
}

StatusWriter::Urgency StatusWriter::ReasonUrgency(const ShownPod& shown, std::string_view reason,
                                                  std::string_view message) {
  if (reason == shown.reason) {
    const bool same = framework::SameButFigures(message, shown.message);
    return same ? Urgency::kNone : Urgency::kReword;
  }
  // Which pods of a waiting gang would have a place changes whenever others come or end.
  const auto waits = [](std::string_view why) {
    return why == framework::kReasonSchedulable || why == framework::kReasonUnschedulable;
  };
  return waits(reason) && waits(shown.reason) ? Urgency::kReword : Urgency::kSettle;
}

StatusWriter::Urgency StatusWriter::PodUrgency(const std::string& key,
                                               const DesiredPod& desired) const {
  using model::TaskStatus;
  const TaskStatus status = desired.is_binding ? TaskStatus::kBinding : TaskStatus::kPending;
  const std::optional<ShownPod> shown = ShownBy(key, desired.uid, status);
  if (!shown) return Urgency::kNone;
  const std::string_view nominated = desired.nominated_node;
  if (!nominated.empty() && nominated != shown->nominated_node) return Urgency::kNow;
  return ReasonUrgency(*shown, desired.reason, desired.message);
}

StatusWriter::Urgency StatusWriter::QueueUrgency(const std::string& key) const {
  const auto desired = queues_.find(key);
  if (desired == queues_.end()) return Urgency::kNone;
  const ShownQueue* known = sent_queues_.Known(key, desired->second.uid);
  const bool same = known == nullptr || SameAmounts(desired->second.allocated, known->allocated);
  return same ? Urgency::kNone : Urgency::kTally;
}

StatusWriter::Urgency StatusWriter::UrgencyOf(const Target& target) const {
  switch (target.first) {
    case Kind::kPodGroup:
      return GroupUrgency(target.second);
    case Kind::kPod:
      return PodUrgency(target.second);
    case Kind::kQueue:
      return QueueUrgency(target.second);
  }
  return Urgency::kNone;
}

const std::string& StatusWriter::UidOf(const Target& target) const {
  switch (target.first) {
    case Kind::kPodGroup:
      return groups_.at(target.second).uid;
    case Kind::kPod:
      return pods_.at(target.second).uid;
    case Kind::kQueue:
      break;
  }
  return queues_.at(target.second).uid;
}

void StatusWriter::Schedule(const Target& target) {
  if (busy_.contains(target)) return;  // Looked at again when the write is through.
  const Urgency urgency = UrgencyOf(target);
  if (urgency != Urgency::kNone && IsHeldOff(target)) {
    if (target.first == Kind::kPod) ForgetNomination(target.second);
    return;
  }
  switch (urgency) {
    case Urgency::kNone:
      Drop(target);
      return;
    case Urgency::kNow:
      MakeReady(target);
      return;
    case Urgency::kTally:
      DueBy(target, Urgency::kTally, delays_.tally);
      return;
    case Urgency::kSettle:
      DueBy(target, Urgency::kSettle, delays_.settle);
      return;
    case Urgency::kReword:
      DueBy(target, Urgency::kReword, delays_.reword);
      return;
  }
}

void StatusWriter::DueBy(const Target& target, Urgency urgency, absl::Duration delay) {
  const absl::Duration now = api_.executor().Monotonic();
  absl::Duration at = now + delay;
  absl::Duration since = now;
  const auto* const known = due_.Find(target);
  // What merely ends a pause, or the memory of it, is no earlier wish.
  if (known != nullptr && known->note.urgency != Urgency::kNone) {
    since = known->note.since;
    // What was to be told may not be so any more, and its time does not count. But a desired that
    // is a different one each time must be told as well.
    const bool same = known->note.urgency == urgency;
    at = std::min(at, same ? known->at : since + delays_.reword);
    if (same && at == known->at) return ArmTimer(at);
  }
  due_.Set(target, at, {since, urgency});
  ArmTimer(at);
}

void StatusWriter::Drop(const Target& target) {
  if (!KeepsPause(target)) {
    due_.Erase(target);  // A desired that is gone must not come due.
    failures_.erase(target);
  }
  switch (target.first) {
    case Kind::kPodGroup:
      DropGroup(target.second);
      return;
    case Kind::kPod:
      pods_.erase(target.second);
      return;
    case Kind::kQueue:
      queues_.erase(target.second);
      return;
  }
}

void StatusWriter::DropGroup(const std::string& key) {
  const auto dropped = groups_.extract(key);
  const bool tells = dropped && dropped.mapped().is_placing;
  if (tells && KnownOfOurs(key, dropped.mapped().uid) != nullptr) TellGroup(key, dropped.mapped());
}

void StatusWriter::MakeReady(const Target& target) {
  due_.Erase(target);  // Or its time would come while it is in flight.
  if (busy_.contains(target)) return;
  busy_[target] = false;
  ready_.push_back(target);
  wake_();
}

void StatusWriter::ArmTimer(absl::Duration at) {
  if (at >= timer_at_) return;
  if (timer_ != 0) api_.executor().CancelTimer(timer_);
  timer_at_ = at;
  timer_ = api_.executor().RunAfter(at - api_.executor().Monotonic(), [this] { FireDue(); });
}

// What the watch shows by now need not be remembered as sent.
void StatusWriter::ForgetShown() {
  std::erase_if(gathering_, [this](const auto& entry) { return !mirror_.Gang(entry.first); });
  sent_groups_.ForgetShown();
  sent_queues_.ForgetShown();
  std::erase_if(group_conditions_, [this](const auto& entry) {
    const ShownPodGroup* shown = mirror_.ShownOf(entry.first);
    if (shown == nullptr) return true;
    return entry.second.status != "True" &&
           std::find(shown->conditions.begin(), shown->conditions.end(), entry.second) !=
               shown->conditions.end();
  });
  absl::erase_if(sent_pods_, [this](const auto& entry) {
    const std::optional<PodView> view = mirror_.Pod(entry.first, entry.second.uid);
    return !view || (view->reason == entry.second.reason && view->message == entry.second.message);
  });
}

void StatusWriter::FireDue() {
  timer_ = 0;
  timer_at_ = absl::InfiniteDuration();
  const absl::Duration now = api_.executor().Monotonic();
  for (const Target& target : due_.Take(now)) {
    if (UrgencyOf(target) == Urgency::kNone) {
      Drop(target);
    } else if (const absl::Duration until = GathersUntil(target); until > now) {
      due_.Set(target, until, {until, UrgencyOf(target)});
    } else {
      MakeReady(target);
    }
  }
  if (!due_.empty()) ArmTimer(due_.next());
  ForgetShown();
}

net::Awaitable<absl::Status> StatusWriter::SendOne(std::string* object) {
  if (ready_.empty()) co_return absl::OkStatus();
  const Target target = ready_.front();
  ready_.pop_front();
  // Things may have moved since the desired became ready.
  if (UrgencyOf(target) == Urgency::kNone) {
    busy_.erase(target);
    Drop(target);
    co_return absl::OkStatus();
  }
  busy_[target] = true;
  const std::string uid = UidOf(target);
  const absl::Status status = co_await Send(target);
  if (object != nullptr) *object = target.second;
  Settled(target, uid, status);
  co_return status;
}

net::Awaitable<absl::Status> StatusWriter::Send(Target target) {
  try {
    switch (target.first) {
      case Kind::kPodGroup:
        co_return co_await SendGroup(target.second);
      case Kind::kPod:
        co_return co_await SendPod(target.second);
      case Kind::kQueue:
        co_return co_await SendQueue(target.second);
    }
  } catch (...) {
    api_.executor().barrier().Caught("statuses.write", net::Consequence::kFailed);
  }
  co_return absl::InternalError("the write ended with an exception");
}

}  // namespace bth::cache
