// What follows from the answers to bindings: ends, further attempts, pauses.
#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "cache/writes/binding_writer.h"
#include "cache/writes/object_names.h"

namespace bth::cache {

using metrics::EffectKind;
using metrics::EffectOutcome;

void BindingWriter::Count(EffectOutcome outcome) {
  if (metrics_ != nullptr) metrics_->Effect(EffectKind::kBind, outcome);
}

void BindingWriter::Done(Binding& bind, absl::Duration took) {
  Count(EffectOutcome::kOk);
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
void BindingWriter::PlacedByOthers(Binding& bind) {
  Count(EffectOutcome::kSkipped);
  mirror_.ForgetAssumption(bind.key(), bind.uid);
  Finish(bind);
  on_failure_();
}

void BindingWriter::Failed(Binding& bind, BindFailure why, const absl::Status& status) {
  Count(EffectOutcome::kFailed);
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
  on_failure_();
}

void BindingWriter::Finish(Binding& bind) {
  if (std::exchange(bind.settled, true)) return;
  AddUnderWay(-1);
  mirror_.storage().Forget(bind.uid);
  gangs_.BindingEnds(bind.job, api_.executor().Now());
}

void BindingWriter::Abandon(Binding& bind) {
  if (bind.settled) return;
  mirror_.ForgetAssumption(bind.key(), bind.uid);
  Finish(bind);
}

// Nothing happened that the next attempt would not find; most often the server wants us to slow
// down.
void BindingWriter::Busy(Binding& bind, const absl::Status& status) {
  if (absl::IsResourceExhausted(status)) {
    lanes_.NoteBusy(bind.key(), std::max(client::RetryAfter(status).value_or(absl::Duration()),
                                         options_.retry.first));
  }
  if (const auto pause = options_.NextAttempt(++bind.attempts, status); pause) {
    Count(EffectOutcome::kRetried);
    Park(bind, *pause);
    return;
  }
  if (metrics_ != nullptr) metrics_->LimitReached("effect_attempts");
  Failed(bind, BindFailure::kUnreachable, status);
}

void BindingWriter::Park(Binding& bind, absl::Duration delay) {
  in_doubt_ += bind.doubt.ok() ? 0 : 1;
  parked_.Park(std::move(bind), delay);
  bind.settled = true;  // Unpark goes on.
  counts_.Parked(+1);
}

void BindingWriter::Unpark(Binding bind) {
  in_doubt_ -= bind.doubt.ok() ? 0 : 1;
  counts_.Parked(-1);
  if (!bind.doubt.ok() && ToldByWatch(bind)) return;
  if (!StillWanted(bind)) {
    Count(EffectOutcome::kSkipped);
    Abandon(bind);
    return;
  }
  Add(std::move(bind));
}

bool BindingWriter::StillWanted(const Binding& bind) const {
  const std::optional<PodView> view = mirror_.Pod(bind.key());
  return view && view->uid == bind.uid && view->assumed_node == bind.node;
}

bool BindingWriter::ToldByWatch(Binding& bind) {
  const std::optional<PodView> view = mirror_.Pod(bind.key());
  if (!view) return false;  // Gone, or not listed yet: a read tells.
  if (view->uid != bind.uid) {
    Failed(bind, BindFailure::kGone, bind.doubt);
  } else if (view->node == bind.node) {
    Done(bind, absl::ZeroDuration());
  } else if (!view->node.empty()) {
    PlacedByOthers(bind);
  } else {
    return false;
  }
  return true;
}

void BindingWriter::Review() {
  if (volumes_.waiting() > 0) volumes_.Review();
  if (in_doubt_ == 0) return;
  const auto told = [this](const Binding& bind) {
    if (bind.doubt.ok()) return false;
    const std::optional<PodView> view = mirror_.Pod(bind.key());
    return view && (view->uid != bind.uid || !view->node.empty());
  };
  for (Binding& bind : parked_.TakeIf(told)) Unpark(std::move(bind));
}

}  // namespace bth::cache
