// What follows from the answers to EffectWriter's requests: ends, further attempts, pauses.
#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/doubled.h"
#include "base/log.h"
#include "cache/writes/effect_writer.h"
#include "cache/writes/object_names.h"

namespace bth::cache {

using metrics::EffectKind;
using metrics::EffectOutcome;

void EffectWriter::BindingDone(Urgent& bind, absl::Duration took) {
  Count(EffectKind::kBind, EffectOutcome::kOk);
  if (metrics_ != nullptr) {
    metrics_->ScheduleAttempt("scheduled");
    metrics_->StageDone(metrics::Stage::kBind, took);
    metrics_->TaskReached(metrics::TaskMoment::kBound,
                          api_.executor().Now() - absl::FromUnixMicros(bind.created_us));
  }
  events_.Record(PodObject(bind.key(), bind.uid),
                 {"Normal", "Scheduled",
                  absl::StrCat("Successfully assigned ", bind.key(), " to ", bind.node)});
  Finish(bind);
}

// The watch tells the rest.
void EffectWriter::PlacedByOthers(Urgent& bind) {
  Count(EffectKind::kBind, EffectOutcome::kSkipped);
  mirror_.ForgetAssumption(bind.key(), bind.uid);
  Finish(bind);
  if (on_failure_) on_failure_();
}

void EffectWriter::BindingFailed(Urgent& bind, BindFailure why, const absl::Status& status) {
  Count(EffectKind::kBind, EffectOutcome::kFailed);
  if (metrics_ != nullptr) metrics_->ScheduleAttempt("error");
  Log(LogLevel::kWarning, "pod.bind_failed",
      {{"pod", bind.key()}, {"node", bind.node}, {"status", status}});
  mirror_.ForgetAssumption(bind.key(), bind.uid);
  gangs_.BindingFailed(bind.job, why,
                       why == BindFailure::kGone
                           ? absl::StrCat("pod ", bind.key(), " was deleted before it was bound")
                           : absl::StrCat("pod ", bind.key(), " could not be bound to node ",
                                          bind.node, ": ", std::string(status.message())),
                       api_.executor().Now(),
                       client::RetryAfter(status).value_or(absl::ZeroDuration()));
  if (why != BindFailure::kGone) {
    statuses_.WantPodCondition(
        bind.key(), bind.uid, "SchedulerError",
        absl::StrCat("failed to bind to node ", bind.node, ": ", std::string(status.message())),
        true);
  }
  Finish(bind);
  if (on_failure_) on_failure_();
}

void EffectWriter::Finish(Urgent& urgent) {
  if (std::exchange(urgent.settled, true) || urgent.node.empty()) return;
  AddUnderWay(-1);
  mirror_.storage().Forget(urgent.uid);
  gangs_.BindingEnds(urgent.job, api_.executor().Now());
}

void EffectWriter::Abandon(Urgent& urgent) {
  if (urgent.settled) return;
  mirror_.ForgetAssumption(urgent.key(), urgent.uid);
  Finish(urgent);
}

// The next cycle decides anew, about others than this one for a while.
void EffectWriter::EvictionFailed(Urgent& eviction, const absl::Status& status) {
  Count(EffectKind::kEvict, EffectOutcome::kFailed);
  mirror_.ForgetAssumption(eviction.key(), eviction.uid);
  const absl::Duration pause = mirror_.SparePod(eviction.key(), eviction.uid);
  if (absl::IsUnavailable(status) || client::OutcomeUnknown(status)) {
    // The pod stays, or the watch tells that it went.
    Log(LogLevel::kWarning, "pod.eviction_failed",
        {{"pod", eviction.key()}, {"status", status}, {"pause", pause}});
  } else {
    EvictionRefused(eviction, status, pause);
  }
  if (on_failure_) on_failure_();
}

void EffectWriter::EvictionRefused(Urgent& eviction, const absl::Status& status,
                                   absl::Duration pause) {
  Log(LogLevel::kWarning, "pod.eviction_refused",
      {{"pod", eviction.key()}, {"status", status}, {"pause", pause}});
  const auto tell = [&](const std::string& pod, std::string text) {
    const std::optional<PodView> view = mirror_.Pod(pod);
    if (!view) return;
    events_.Record(PodObject(pod, view->uid), {"Warning", "EvictionRefused", std::move(text)});
  };
  const std::string why = absl::StrCat(std::string(status.message()),
                                       "; it is not tried again for ", absl::FormatDuration(pause));
  tell(eviction.key(), absl::StrCat("the pod may not be evicted (", eviction.action, "): ", why));
  if (eviction.beneficiary.empty()) return;
  tell(eviction.beneficiary,
       absl::StrCat("pod ", eviction.key(), " may not be evicted for this one: ", why));
}

// --- Further attempts --------------------------------------------------------------------------

absl::Duration EffectWriter::Pause(int failures, const absl::Status& status) const {
  const absl::Duration own = Doubled(options_.retry.first, failures - 1, options_.retry.second);
  const absl::Duration asked = client::RetryAfter(status).value_or(absl::ZeroDuration());
  return std::min(asked > absl::ZeroDuration() ? asked : own, options_.retry.second);
}

// Nothing happened that the next attempt would not find; most often the server wants us to slow
// down.
void EffectWriter::Busy(Urgent& urgent, const absl::Status& status) {
  const absl::Duration asked = client::RetryAfter(status).value_or(absl::ZeroDuration());
  if (absl::IsResourceExhausted(status)) {
    NoteBusy(urgent.key(), std::max(asked, options_.retry.first));
  }
  if (++urgent.attempts < options_.attempts_max && asked <= options_.parked_max) {
    Count(urgent.node.empty() ? EffectKind::kEvict : EffectKind::kBind, EffectOutcome::kRetried);
    Park(urgent, Pause(urgent.attempts, status));
    return;
  }
  if (metrics_ != nullptr) metrics_->LimitReached("effect_attempts");
  if (urgent.node.empty()) {
    EvictionFailed(urgent, status);
  } else {
    BindingFailed(urgent, BindFailure::kUnreachable, status);
  }
}

void EffectWriter::Park(Urgent& urgent, absl::Duration delay) {
  in_doubt_ += urgent.doubt.ok() ? 0 : 1;
  parked_.Park(std::move(urgent), delay);
  urgent.settled = true;  // Unpark goes on.
  if (metrics_ != nullptr) metrics_->SetEffectsParked(static_cast<int64_t>(parked_.size()));
}

void EffectWriter::Unpark(Urgent urgent) {
  in_doubt_ -= urgent.doubt.ok() ? 0 : 1;
  if (metrics_ != nullptr) metrics_->SetEffectsParked(static_cast<int64_t>(parked_.size()));
  if (!urgent.doubt.ok() && ToldByWatch(urgent)) return;
  if (!StillWanted(urgent)) {
    Count(urgent.node.empty() ? EffectKind::kEvict : EffectKind::kBind, EffectOutcome::kSkipped);
    Abandon(urgent);
    return;
  }
  urgent_.push_back(std::move(urgent));
  Wake();
}

// The cluster may have been read anew meanwhile, and what was decided on the old state with it.
bool EffectWriter::StillWanted(const Urgent& urgent) const {
  const std::optional<PodView> view = mirror_.Pod(urgent.key());
  if (!view || view->uid != urgent.uid) return false;
  return urgent.node.empty() ? view->assumed : view->assumed_node == urgent.node;
}

bool EffectWriter::ToldByWatch(Urgent& bind) {
  const std::optional<PodView> view = mirror_.Pod(bind.key());
  if (!view) return false;  // Gone, or not listed yet: a read tells.
  if (view->uid != bind.uid) {
    BindingFailed(bind, BindFailure::kGone, bind.doubt);
  } else if (view->node == bind.node) {
    BindingDone(bind, absl::ZeroDuration());
  } else if (!view->node.empty()) {
    PlacedByOthers(bind);
  } else {
    return false;
  }
  return true;
}

void EffectWriter::Review() {
  if (volumes_.waiting() > 0) volumes_.Review();
  if (in_doubt_ == 0) return;
  const auto told = [this](const Urgent& urgent) {
    if (urgent.doubt.ok()) return false;
    const std::optional<PodView> view = mirror_.Pod(urgent.key());
    return view && (view->uid != urgent.uid || !view->node.empty());
  };
  for (Urgent& urgent : parked_.TakeIf(told)) Unpark(std::move(urgent));
}

// One object that is turned away may have itself to blame. Two in a row, and nothing succeeded
// between them: the server means everybody, and sending on would only be turned away as well.
void EffectWriter::NoteBusy(const std::string& object, absl::Duration delay) {
  const bool everybody = !busy_object_.empty() && busy_object_ != object;
  busy_object_ = object;
  if (!everybody || pause_ != 0) return;
  if (metrics_ != nullptr) metrics_->LimitReached("server_busy");
  pause_ = api_.executor().RunAfter(std::min(delay, options_.busy_pause_max), [this] {
    pause_ = 0;
    EndPause();
  });
}

void EffectWriter::EndPause() {
  busy_object_.clear();
  for (const net::Promised<bool>& lane : std::exchange(sleeping_, {})) lane.Set(true);
}

}  // namespace bth::cache
