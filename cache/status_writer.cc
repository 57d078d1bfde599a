#include "cache/status_writer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "api/types/json.h"
#include "api/types/pod.h"
#include "api/types/pod_group.h"
#include "api/types/queue.h"
#include "api/types/resource.h"
#include "api/types/time.h"
#include "base/log.h"
#include "base/strings.h"
#include "cache/compile.h"
#include "cache/status_patches.h"
#include "client/api_error.h"

namespace bth::cache {

using metrics::EffectKind;
using metrics::EffectOutcome;

ShownCondition NoLongerPartiallyBound(const GangView& gang) {
  const bool released = gang.ready == 0;
  return {.type = kPartiallyBound,
          .status = "False",
          .reason = released ? "Released" : "Completed",
          .message = released ? "none of its pods is bound any more"
                              : "all pods that the gang needs are bound"};
}

StatusWriter::StatusWriter(client::ApiClient& api, Mirror& mirror, client::EventRecorder& events,
                           metrics::SchedulerMetrics* metrics, std::function<void()> wake)
    : api_(api), mirror_(mirror), events_(events), metrics_(metrics), wake_(std::move(wake)) {}

StatusWriter::~StatusWriter() {
  if (timer_ != 0) api_.executor().CancelTimer(timer_);
}

void StatusWriter::Take(framework::CycleReport report) {
  last_session_ = report.session_uid;
  for (const framework::PodGroupReport& group : report.pod_groups) TakeGroup(report, group);
  for (const framework::PodReport& pod : report.pods) TakePod(report, pod);
  for (const framework::QueueReport& queue : report.queues) TakeQueue(report, queue);
}

void StatusWriter::TakeGroup(const framework::CycleReport& report,
                             const framework::PodGroupReport& group) {
  const model::JobFacts& facts = *report.snapshot->jobs[group.job].facts;
  const std::string key = facts.Key();
  NoteGathering(key);
  const ShownPodGroup* shown = mirror_.ShownOf(key);
  if (shown == nullptr || !mirror_.OwnsGroup(key)) return;
  GroupWish wish{.uid = facts.uid, .session = report.session_uid, .events = group.events};
  wish.status = *shown;
  wish.status.phase = group.phase;
  wish.status.running = group.running;
  wish.status.succeeded = group.succeeded;
  wish.status.failed = group.failed;
  for (const framework::ConditionReport& condition : group.conditions) {
    Merge({condition.type, condition.status, condition.reason, condition.message},
          &wish.status.conditions);
  }
  if (auto own = group_conditions_.find(key); own != group_conditions_.end()) {
    Merge(own->second, &wish.status.conditions);
  } else {
    EndPartiallyBound(key, &wish.status.conditions);
  }
  groups_[key] = std::move(wish);
  Schedule({Kind::kPodGroup, key});
}

// What an earlier life of this program said and is not so any more.
void StatusWriter::EndPartiallyBound(const std::string& key,
                                     std::vector<ShownCondition>* conditions) const {
  for (ShownCondition& condition : *conditions) {
    if (condition.type != kPartiallyBound || condition.status != "True") continue;
    const std::optional<GangView> gang = mirror_.Gang(key);
    if (gang && !gang->half_bound()) condition = NoLongerPartiallyBound(*gang);
  }
}

void StatusWriter::WantGroupCondition(const std::string& key, ShownCondition condition) {
  const ShownPodGroup* shown = mirror_.ShownOf(key);
  if (shown == nullptr || !mirror_.OwnsGroup(key)) return;
  auto [it, fresh] = groups_.try_emplace(key);
  GroupWish& wish = it->second;
  if (fresh) {
    wish.uid = std::string(mirror_.Gang(key)->uid);
    wish.session = last_session_;
    wish.status = KnownOf(key, *shown);
  }
  Merge(condition, &wish.status.conditions);
  group_conditions_[key] = std::move(condition);
  Schedule({Kind::kPodGroup, key});
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
  const auto wish = pods_.find(target.second);
  if (target.first != Kind::kPod || wish == pods_.end()) return -absl::InfiniteDuration();
  const auto gang = gathering_.find(wish->second.gathering);
  return gang == gathering_.end() ? -absl::InfiniteDuration() : gang->second.since + delays_.gather;
}

void StatusWriter::TakePod(const framework::CycleReport& report, const framework::PodReport& pod) {
  const model::TaskNames& names = *report.snapshot->tasks[pod.task].names;
  const std::string key = names.Key();
  PodWish wish{.uid = names.uid, .reason = std::string(pod.reason), .message = *pod.message};
  if (pod.nominated_node.valid()) {
    wish.nominated_node = report.snapshot->node_facts(pod.nominated_node).name;
    // A promise whose batch came too late was dropped with it.
    const std::optional<PodView> view = mirror_.Pod(key);
    const bool holds = view && (view->promised_node == wish.nominated_node ||
                                view->nominated_node == wish.nominated_node);
    if (!holds) wish.nominated_node.clear();
  }
  if (!gathering_.empty()) {
    const model::JobId job = report.snapshot->tasks[pod.task].job;
    std::string group = report.snapshot->jobs[job].facts->Key();
    if (gathering_.contains(group)) wish.gathering = std::move(group);
  }
  pods_[key] = std::move(wish);
  Schedule({Kind::kPod, key});
}

void StatusWriter::TakeQueue(const framework::CycleReport& report,
                             const framework::QueueReport& queue) {
  const std::string& name = *report.snapshot->queues[queue.queue].name;
  NamedAmounts allocated;
  const model::DimensionTable& dims = *report.snapshot->dims;
  for (int d = 0; d < dims.size(); ++d) {
    if (queue.allocated[d] != 0 || d < model::kPods) {
      allocated.emplace_back(dims.name(d), queue.allocated[d]);
    }
  }
  queues_[name] = std::move(allocated);
  Schedule({Kind::kQueue, name});
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

const ShownPodGroup& StatusWriter::KnownOf(const std::string& key,
                                           const ShownPodGroup& shown) const {
  const auto sent = sent_groups_.find(key);
  if (sent == sent_groups_.end()) return shown;
  const std::optional<GangView> gang = mirror_.Gang(key);
  return gang && gang->uid == sent->second.uid ? sent->second.status : shown;
}

StatusWriter::Urgency StatusWriter::GroupUrgency(const std::string& key) const {
  const ShownPodGroup* shown = mirror_.ShownOf(key);
  // Another scheduler's pods may have made it theirs meanwhile.
  if (shown == nullptr || !mirror_.OwnsGroup(key)) return Urgency::kNone;
  const ShownPodGroup& known = KnownOf(key, *shown);
  const ShownPodGroup& wanted = groups_.at(key).status;
  if (wanted.phase != known.phase || wanted.running != known.running ||
      wanted.succeeded != known.succeeded || wanted.failed != known.failed) {
    return Urgency::kNow;
  }
  if (wanted.conditions == known.conditions) return Urgency::kNone;
  const auto same_but_words = [](const ShownCondition& a, const ShownCondition& b) {
    return a.type == b.type && a.status == b.status && a.reason == b.reason;
  };
  const bool only_words =
      std::equal(wanted.conditions.begin(), wanted.conditions.end(), known.conditions.begin(),
                 known.conditions.end(), same_but_words);
  return only_words ? Urgency::kReword : Urgency::kSettle;
}

StatusWriter::Urgency StatusWriter::PodUrgency(const std::string& key) const {
  const PodWish& wish = pods_.at(key);
  const std::optional<PodView> view = mirror_.Pod(key);
  if (!view || view->uid != wish.uid || view->status != model::TaskStatus::kPending) {
    return Urgency::kNone;
  }
  std::string_view reason = view->reason;
  std::string_view message = view->message;
  std::string_view nominated = view->nominated_node;
  if (auto sent = sent_pods_.find(key); sent != sent_pods_.end() && sent->second.uid == wish.uid) {
    reason = sent->second.reason;
    message = sent->second.message;
    if (!sent->second.nominated_node.empty()) nominated = sent->second.nominated_node;
  }
  if (!wish.nominated_node.empty() && wish.nominated_node != nominated) return Urgency::kNow;
  if (wish.reason != reason) return Urgency::kSettle;
  return wish.message != message ? Urgency::kReword : Urgency::kNone;
}

StatusWriter::Urgency StatusWriter::QueueUrgency(const std::string& key) const {
  const NamedAmounts* shown = mirror_.ShownAllocatedOf(key);
  if (shown == nullptr) return Urgency::kNone;
  auto sent = sent_queues_.find(key);
  const NamedAmounts& known = sent != sent_queues_.end() ? sent->second : *shown;
  return SameAmounts(queues_.at(key), known) ? Urgency::kNone : Urgency::kSettle;
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

void StatusWriter::Schedule(const Target& target) {
  if (busy_.contains(target)) return;  // Looked at again when the write is through.
  const absl::Duration now = api_.executor().Monotonic();
  switch (UrgencyOf(target)) {
    case Urgency::kNone:
      Drop(target);
      return;
    case Urgency::kNow:
      due_.erase(target);
      MakeReady(target);
      return;
    case Urgency::kSettle:
      DueAt(target, now + delays_.settle);
      return;
    case Urgency::kReword:
      DueAt(target, now + delays_.reword);
      return;
  }
}

void StatusWriter::DueAt(const Target& target, absl::Duration at) {
  auto [it, fresh] = due_.try_emplace(target, at);
  it->second = std::min(it->second, at);
  ArmTimer(it->second);
}

void StatusWriter::Drop(const Target& target) {
  due_.erase(target);  // A wish that is gone must not come due.
  failures_.erase(target);
  switch (target.first) {
    case Kind::kPodGroup:
      groups_.erase(target.second);
      return;
    case Kind::kPod:
      pods_.erase(target.second);
      return;
    case Kind::kQueue:
      queues_.erase(target.second);
      return;
  }
}

void StatusWriter::MakeReady(const Target& target) {
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
  absl::erase_if(sent_groups_, [this](const auto& entry) {
    const ShownPodGroup* shown = mirror_.ShownOf(entry.first);
    const std::optional<GangView> gang = mirror_.Gang(entry.first);
    const ShownPodGroup& sent = entry.second.status;
    return shown == nullptr || !gang || gang->uid != entry.second.uid ||
           (shown->phase == sent.phase && shown->running == sent.running &&
            shown->succeeded == sent.succeeded && shown->failed == sent.failed &&
            shown->conditions == sent.conditions);
  });
  std::erase_if(group_conditions_, [this](const auto& entry) {
    const ShownPodGroup* shown = mirror_.ShownOf(entry.first);
    if (shown == nullptr) return true;
    return entry.second.status != "True" &&
           std::find(shown->conditions.begin(), shown->conditions.end(), entry.second) !=
               shown->conditions.end();
  });
  absl::erase_if(sent_pods_, [this](const auto& entry) {
    const std::optional<PodView> view = mirror_.Pod(entry.first);
    return !view || view->uid != entry.second.uid ||
           (view->reason == entry.second.reason && view->message == entry.second.message);
  });
  absl::erase_if(sent_queues_, [this](const auto& entry) {
    const NamedAmounts* shown = mirror_.ShownAllocatedOf(entry.first);
    return shown == nullptr || SameAmounts(*shown, entry.second);
  });
}

void StatusWriter::FireDue() {
  timer_ = 0;
  timer_at_ = absl::InfiniteDuration();
  const absl::Duration now = api_.executor().Monotonic();
  std::vector<Target> fired;
  for (const auto& [target, at] : due_) {
    if (at <= now) fired.push_back(target);
  }
  std::sort(fired.begin(), fired.end());  // The same order in every run.
  for (const Target& target : fired) {
    due_.erase(target);
    if (UrgencyOf(target) == Urgency::kNone) {
      Drop(target);
    } else if (const absl::Duration until = GathersUntil(target); until > now) {
      due_[target] = until;
    } else {
      MakeReady(target);
    }
  }
  absl::Duration next = absl::InfiniteDuration();
  for (const auto& [target, at] : due_) next = std::min(next, at);
  if (!due_.empty()) ArmTimer(next);
  ForgetShown();
}

net::Awaitable<void> StatusWriter::SendOne() {
  if (ready_.empty()) co_return;
  const Target target = ready_.front();
  ready_.pop_front();
  // Things may have moved since the wish became ready.
  if (UrgencyOf(target) == Urgency::kNone) {
    busy_.erase(target);
    Drop(target);
    co_return;
  }
  busy_[target] = true;
  absl::Status status;
  switch (target.first) {
    case Kind::kPodGroup:
      status = co_await SendGroup(target.second);
      break;
    case Kind::kPod:
      status = co_await SendPod(target.second);
      break;
    case Kind::kQueue:
      status = co_await SendQueue(target.second);
      break;
  }
  Settled(target, status);
}

// What the server will not write is no promise. Failures that may pass leave it standing: the
// write is tried again.
void StatusWriter::ForgetRefusedNomination(const std::string& key, const absl::Status& status) {
  const bool refused = absl::IsInvalidArgument(status) || absl::IsPermissionDenied(status) ||
                       absl::IsFailedPrecondition(status);
  auto wish = pods_.find(key);
  if (!refused || wish == pods_.end() || wish->second.nominated_node.empty()) return;
  wish->second.nominated_node.clear();
  mirror_.ForgetNomination(key, wish->second.uid);
}

void StatusWriter::Settled(const Target& target, const absl::Status& status) {
  constexpr EffectKind kKinds[] = {EffectKind::kPodGroupStatus, EffectKind::kPodCondition,
                                   EffectKind::kQueueStatus};
  if (metrics_ != nullptr) {
    metrics_->Effect(kKinds[static_cast<int>(target.first)],
                     status.ok() ? EffectOutcome::kOk : EffectOutcome::kFailed);
  }
  busy_.erase(target);
  if (status.ok()) {
    failures_.erase(target);
    // A newer wish may have come meanwhile.
    Schedule(target);
    return;
  }
  if (absl::IsNotFound(status)) {
    Drop(target);
    return;
  }
  Log(LogLevel::kInfo, "status.write_failed", {{"object", target.second}, {"status", status}});
  sent_groups_.erase(target.second);
  sent_pods_.erase(target.second);
  if (target.first == Kind::kPod) ForgetRefusedNomination(target.second, status);
  sent_queues_.erase(target.second);
  // A conflict means that somebody else writes: the watch brings their version, and what is left
  // of the wish is tried on it. Two that never agree must not fill the server with their quarrel.
  constexpr int kDoublingsMax = 20;
  const int64_t factor = int64_t{2} << std::min(failures_[target]++, kDoublingsMax);
  const absl::Duration delay =
      client::RetryAfter(status).value_or(std::min(delays_.settle * factor, delays_.retry_max));
  DueAt(target, api_.executor().Monotonic() + delay);
}

net::Awaitable<absl::Status> StatusWriter::SendGroup(std::string key) {
  GroupWish wish = groups_.at(key);
  const ShownPodGroup* const shown = mirror_.ShownOf(key);
  if (failures_.contains({Kind::kPodGroup, key}) && shown != nullptr) {
    // Somebody wrote since the wish was made, maybe ourselves. It is tried on what is there now.
    ShownPodGroup status = *shown;
    for (const ShownCondition& condition : wish.status.conditions) {
      Merge(condition, &status.conditions);
    }
    wish.status.resource_version = shown->resource_version;
    wish.status.conditions = std::move(status.conditions);
  }
  const size_t slash = key.find('/');
  const std::string ns = key.substr(0, slash);
  const std::string name = key.substr(slash + 1);
  const client::ApiPath path{"podgroups",
                             types::ResourceTraits<types::PodGroup>::type().Path(ns, name)};
  client::Patch patch = PodGroupStatusPatch(wish.status, wish.session, api_.executor().Now());
  const absl::StatusOr<std::string> answer = co_await api_.Patch(path, std::move(patch));
  if (!answer.ok()) co_return answer.status();
  sent_groups_[key] = {wish.uid, wish.status};
  client::EventObject object;
  object.api_version = types::ResourceTraits<types::PodGroup>::type().ApiVersion();
  object.kind = "PodGroup";
  object.namespace_name = ns;
  object.name = name;
  object.uid = wish.uid;
  for (const framework::EventReport& event : wish.events) {
    events_.Record(object, {event.warning ? "Warning" : "Normal", event.reason, event.message});
  }
  co_return absl::OkStatus();
}

net::Awaitable<absl::Status> StatusWriter::SendPod(std::string key) {
  const PodWish wish = pods_.at(key);
  const size_t slash = key.find('/');
  const std::string ns = key.substr(0, slash);
  const std::string name = key.substr(slash + 1);
  const client::ApiPath path{"pods",
                             types::ResourceTraits<types::Pod>::type().Path(ns, name, "status")};
  client::Patch patch = PodScheduledPatch(wish.uid, wish.reason, wish.message, wish.nominated_node,
                                          api_.executor().Now());
  const absl::StatusOr<std::string> answer = co_await api_.Patch(path, std::move(patch));
  if (!answer.ok()) co_return answer.status();
  sent_pods_[key] = wish;
  if (metrics_ != nullptr && wish.reason == "Unschedulable") {
    metrics_->ScheduleAttempt("unschedulable");
  }
  client::EventObject object;
  object.kind = "Pod";
  object.namespace_name = ns;
  object.name = name;
  object.uid = wish.uid;
  events_.Record(object, {"Warning", "FailedScheduling", wish.message});
  co_return absl::OkStatus();
}

net::Awaitable<absl::Status> StatusWriter::SendQueue(std::string key) {
  const NamedAmounts wish = queues_.at(key);
  const NamedAmounts shown = *mirror_.ShownAllocatedOf(key);
  const client::ApiPath path{"queues",
                             types::ResourceTraits<types::Queue>::type().Path("", key, "status")};
  client::Patch patch = QueueAllocatedPatch(wish, shown);
  const absl::StatusOr<std::string> answer = co_await api_.Patch(path, std::move(patch));
  if (!answer.ok()) co_return answer.status();
  sent_queues_[key] = wish;
  co_return absl::OkStatus();
}

}  // namespace bth::cache
