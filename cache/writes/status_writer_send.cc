// The requests of StatusWriter, and what follows from their answers.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/types/codec.h"
#include "api/types/pod.h"
#include "api/types/pod_group.h"
#include "api/types/queue.h"
#include "api/types/resource.h"
#include "base/doubled.h"
#include "base/log.h"
#include "cache/intake/object_key.h"
#include "cache/writes/object_names.h"
#include "cache/writes/status_patches.h"
#include "cache/writes/status_writer.h"
#include "client/api_error.h"
#include "framework/report/figures.h"

namespace bth::cache {

using metrics::EffectKind;
using metrics::EffectOutcome;

namespace {

// Of the object in the server's answer.
template <typename T>
std::string VersionIn(const std::string& answer, const std::string& if_unreadable) {
  const absl::StatusOr<T> now = types::Decode<T>(answer);
  return now.ok() ? now->meta.resource_version : if_unreadable;
}

// Other failures may pass: the write is tried again as soon as there is news.
bool WillNotWrite(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsPermissionDenied(status) ||
         absl::IsFailedPrecondition(status);
}

}  // namespace

// Somebody wrote since the desired was made, maybe ourselves.
void StatusWriter::Rebase(const ShownPodGroup& known, ShownPodGroup* wanted) const {
  if (wanted->resource_version == known.resource_version) return;
  std::vector<ShownCondition> conditions = known.conditions;
  MergeAll(std::move(wanted->conditions), &conditions);
  wanted->conditions = std::move(conditions);
  wanted->resource_version = known.resource_version;
}

void StatusWriter::KeepUntold(const DesiredGroup& untold, DesiredGroup* desired) {
  desired->is_placing |= untold.is_placing;
  for (const framework::EventReport& event : untold.events) {
    const auto is_same = [&event](const framework::EventReport& known) {
      return known.reason == event.reason &&
             framework::SameButFigures(known.message, event.message);
    };
    // Why a job waits is told anew by every report on it.
    const bool is_outdated = event.warning && event.reason == "Unschedulable";
    if (!is_outdated && std::none_of(desired->events.begin(), desired->events.end(), is_same)) {
      desired->events.push_back(event);
    }
  }
}

void StatusWriter::TellGroup(const std::string& key, const DesiredGroup& desired) {
  const client::EventObject object = PodGroupObject(key, desired.uid);
  for (const framework::EventReport& event : desired.events) {
    events_.Record(object, {event.warning ? "Warning" : "Normal", event.reason, event.message});
  }
}

net::Awaitable<absl::Status> StatusWriter::SendGroup(std::string key) {
  DesiredGroup desired = groups_.at(key);
  groups_.at(key).events.clear();
  groups_.at(key).is_placing = false;
  const ShownPodGroup& known = *sent_groups_.Known(key, desired.uid);
  Rebase(known, &desired.status);
  const std::string shown_hyper_node = known.allocated_hyper_node;
  const auto [ns, name] = SplitKey(key);
  const client::ApiPath path{"podgroups",
                             types::ResourceTraits<types::PodGroup>::type().Path(ns, name)};
  Stamp(api_.executor().Now(), desired.session, &desired.status.conditions);
  client::Patch patch = PodGroupStatusPatch(desired.status, shown_hyper_node);
  const absl::StatusOr<std::string> answer = co_await api_.Patch(path, std::move(patch));
  if (!answer.ok()) {
    const auto left = groups_.find(key);
    if (left != groups_.end() && left->second.uid == desired.uid) {
      KeepUntold(desired, &left->second);
    }
    co_return answer.status();
  }
  std::string base = desired.status.resource_version;
  desired.status.resource_version = VersionIn<types::PodGroup>(*answer, base);
  sent_groups_.Note(key, desired.uid, std::move(base), desired.status);
  TellGroup(key, desired);
  co_return absl::OkStatus();
}

net::Awaitable<absl::Status> StatusWriter::SendPod(std::string key) {
  const DesiredPod desired = pods_.at(key);
  const auto [ns, name] = SplitKey(key);
  const client::ApiPath path{"pods",
                             types::ResourceTraits<types::Pod>::type().Path(ns, name, "status")};
  client::Patch patch = PodScheduledPatch(desired.uid, desired.reason, desired.message,
                                          desired.nominated_node, api_.executor().Now());
  const absl::StatusOr<std::string> answer = co_await api_.Patch(path, std::move(patch));
  if (!answer.ok()) co_return answer.status();
  sent_pods_[key] = desired;
  if (metrics_ != nullptr && desired.reason == framework::kReasonUnschedulable) {
    metrics_->ScheduleAttempt("unschedulable");
  }
  if (desired.is_binding) {
    events_.Record(PodObject(key, desired.uid), {"Normal", desired.reason, desired.message});
  } else {
    events_.Record(PodObject(key, desired.uid), {"Warning", "FailedScheduling", desired.message});
  }
  co_return absl::OkStatus();
}

net::Awaitable<absl::Status> StatusWriter::SendQueue(std::string key) {
  const DesiredQueue desired = queues_.at(key);
  const ShownQueue known = *sent_queues_.Known(key, desired.uid);
  const client::ApiPath path{"queues",
                             types::ResourceTraits<types::Queue>::type().Path("", key, "status")};
  client::Patch patch = QueueAllocatedPatch(desired.allocated, known);
  const absl::StatusOr<std::string> answer = co_await api_.Patch(path, std::move(patch));
  if (!answer.ok()) co_return answer.status();
  const std::string& base = known.resource_version;
  sent_queues_.Note(key, desired.uid, base,
                    {VersionIn<types::Queue>(*answer, base), desired.allocated});
  co_return absl::OkStatus();
}

void StatusWriter::ForgetNomination(const std::string& key) {
  const auto desired = pods_.find(key);
  if (desired == pods_.end() || desired->second.nominated_node.empty()) return;
  desired->second.nominated_node.clear();
  mirror_.ForgetNomination(key, desired->second.uid);
}

void StatusWriter::Settled(const Target& target, const std::string& uid,
                           const absl::Status& status) {
  constexpr EffectKind kKinds[] = {EffectKind::kPodGroupStatus, EffectKind::kPodCondition,
                                   EffectKind::kQueueStatus};
  if (metrics_ != nullptr) {
    metrics_->Effect(kKinds[static_cast<int>(target.first)],
                     status.ok() ? EffectOutcome::kOk : EffectOutcome::kFailed);
  }
  busy_.erase(target);
  if (status.ok()) {
    failures_.erase(target);
    // A newer desired may have come meanwhile.
    Schedule(target);
    return;
  }
  // Of one that is gone nothing is left to be told once the watch has said so, unless another one
  // has its name by then.
  if (!absl::IsNotFound(status)) {
    Log(LogLevel::kInfo, "status.write_failed", {{"object", target.second}, {"status", status}});
  }
  sent_groups_.Forget(target.second);
  sent_queues_.Forget(target.second);
  sent_pods_.erase(target.second);
  const bool is_refused = WillNotWrite(status);
  if (is_refused && target.first == Kind::kPod) ForgetNomination(target.second);
  // A conflict means that somebody else writes: the watch brings their version, and what is left
  // of the desired is tried on it. Two that never agree must not fill the server with their
  // quarrel.
  Failures& failures = failures_[target];
  // One that was made anew begins anew.
  if (failures.refused && *failures.refused != uid) failures.in_a_row = 0;
  failures.refused = is_refused ? std::optional(uid) : std::nullopt;
  const absl::Duration pause = Doubled(delays_.settle, ++failures.in_a_row, delays_.retry_max);
  const absl::Duration at =
      api_.executor().Monotonic() + client::RetryAfter(status).value_or(pause);
  failures.paused_until = at;
  due_.Set(target, at, {at, Urgency::kNone});
  ArmTimer(at);
}

bool StatusWriter::IsThere(const Target& target, const std::string& uid) const {
  switch (target.first) {
    case Kind::kPodGroup:
      return sent_groups_.Known(target.second, uid) != nullptr;
    case Kind::kPod:
      return mirror_.Pod(target.second, uid).has_value();
    case Kind::kQueue:
      break;
  }
  return sent_queues_.Known(target.second, uid) != nullptr;
}

bool StatusWriter::IsHeldOff(const Target& target) const {
  const auto failed = failures_.find(target);
  return failed != failures_.end() && failed->second.refused == UidOf(target) &&
         api_.executor().Monotonic() < failed->second.paused_until;
}

// A desired that comes and goes would else be refused as often as it comes. What is remembered goes
// `retry_max` after the pause; an object that is gone is noticed when the pause ends, or then.
bool StatusWriter::KeepsPause(const Target& target) {
  const auto failed = failures_.find(target);
  if (failed == failures_.end() || !failed->second.refused) return false;
  if (!IsThere(target, *failed->second.refused)) return false;
  const absl::Duration now = api_.executor().Monotonic();
  absl::Duration at = failed->second.paused_until;
  if (at <= now) at += delays_.retry_max;
  if (at <= now) return false;
  due_.Set(target, at, {at, Urgency::kNone});
  ArmTimer(at);
  return true;
}

}  // namespace bth::cache
