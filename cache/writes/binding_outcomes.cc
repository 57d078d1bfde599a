// What follows from the answers to bindings: ends, further attempts, pauses.
#include <string>
#include <utility>

#include "base/log.h"
#include "base/strings.h"
#include "cache/writes/binding_writer.h"
#include "cache/writes/object_names.h"

namespace bth::cache {

using metrics::EffectKind;
using metrics::EffectOutcome;

namespace {

constexpr absl::Duration kNewsPause = absl::Milliseconds(500);

std::string DeletedBeforeBound(const Binding& bind) {
  return StrCat("pod ", bind.key(), " was deleted before it was bound");
}

}  // namespace

void BindingWriter::Count(EffectOutcome outcome) {
  if (parts_.metrics != nullptr) parts_.metrics->Effect(EffectKind::kBind, outcome);
}

void BindingWriter::Done(Binding& bind, absl::Duration took) {
  Count(EffectOutcome::kOk);
  if (parts_.metrics != nullptr) {
    parts_.metrics->ScheduleAttempt("scheduled");
    parts_.metrics->StageDone(metrics::Stage::kBind, took);
    parts_.metrics->TaskReached(
        metrics::TaskMoment::kBound,
        parts_.api.executor().Now() - absl::FromUnixMicros(bind.created_us));
  }
  parts_.events.Record(
      PodObject(bind.key(), bind.uid),
      {"Normal", "Scheduled", StrCat("Successfully assigned ", bind.key(), " to ", bind.node)});
  Finish(bind, true);
}

// The watch tells the rest.
void BindingWriter::PlacedByOthers(Binding& bind) {
  Count(EffectOutcome::kSkipped);
  parts_.mirror.ForgetAssumption(bind.key(), bind.uid);
  GiveLocksBack(bind);
  Finish(bind);  // What it runs with is not taken back, wherever that is.
  AwaitNews(bind);
  on_failure_();
}

void BindingWriter::Failed(Binding& bind, BindFailure why, const absl::Status& status) {
  Count(EffectOutcome::kFailed);
  if (parts_.metrics != nullptr) parts_.metrics->ScheduleAttempt("error");
  Log(LogLevel::kWarning, "pod.bind_failed",
      {{"pod", bind.key()}, {"node", bind.node}, {"status", status}});
  parts_.mirror.ForgetAssumption(bind.key(), bind.uid);
  GiveLocksBack(bind);
  gangs_.BindingFailed(
      bind.job, why,
      why == BindFailure::kGone ? DeletedBeforeBound(bind)
                                : StrCat("pod ", bind.key(), " could not be bound to node ",
                                         bind.node, ": ", std::string(status.message())),
      parts_.api.executor().Monotonic(), client::RetryAfter(status).value_or(absl::ZeroDuration()));
  if (why != BindFailure::kGone) {
    statuses_.WantPodCondition(
        bind.key(), bind.uid, "SchedulerError",
        StrCat("failed to bind to node ", bind.node, ": ", std::string(status.message())), true);
  }
  Finish(bind);
  if (why == BindFailure::kGone) AwaitNews(bind);
  on_failure_();
}

// The watch may be behind: what it shows as waiting would be tried again in every cycle.
void BindingWriter::AwaitNews(const Binding& bind) {
  const std::optional<PodView> view = parts_.mirror.Pod(bind.key(), bind.uid);
  const bool waits = view && view->node.empty() && view->status == model::TaskStatus::kPending;
  if (waits && !parts_.mirror.IsJobBackingOff(bind.job)) {
    parts_.mirror.BackOffJob(bind.job, kNewsPause);
  }
}

void BindingWriter::Finish(Binding& bind, bool is_bound) {
  if (std::exchange(bind.settled, true)) return;
  AddUnderWay(-1);
  parts_.mirror.storage().Forget(bind.uid);
  if (bind.claims != nullptr) {
    claims_.Ended({.pod = bind.key(),
                   .name = bind.name,
                   .uid = bind.uid,
                   .node = bind.node,
                   .plan = bind.claims},
                  is_bound);
  }
  gangs_.BindingEnds(bind.job, parts_.api.executor().Monotonic());
}

void BindingWriter::Abandon(Binding& bind) {
  if (bind.settled) return;
  parts_.mirror.ForgetAssumption(bind.key(), bind.uid);
  GiveLocksBack(bind);
  Finish(bind);
}

// Others of its gang may be bound, which lacks it now.
void BindingWriter::TellOvertaken(const Binding& bind) {
  const std::optional<PodView> view = parts_.mirror.Pod(bind.key(), bind.uid);
  BindFailure why = BindFailure::kInterrupted;
  std::string what;
  if (!view) {
    why = BindFailure::kGone;
    what = DeletedBeforeBound(bind);
  } else if (!view->node.empty()) {
    return;
  } else if (parts_.mirror.NodeNamed(bind.node) == nullptr) {
    what = StrCat("node ", bind.node, " went before pod ", bind.key(), " was bound to it");
  } else {
    what = StrCat("pod ", bind.key(), " changed before it was bound to node ", bind.node);
  }
  gangs_.BindingFailed(bind.job, why, std::move(what), parts_.api.executor().Monotonic());
}

void BindingWriter::TellCutOff(const Binding& bind) {
  gangs_.BindingFailed(bind.job, BindFailure::kInterrupted,
                       StrCat("an error of the scheduler cut off the binding of pod ", bind.key(),
                              " to node ", bind.node),
                       parts_.api.executor().Monotonic());
}

void BindingWriter::GiveLocksBack(Binding& bind) {
  if (bind.locks.empty()) return;
  for (NodeLocker::Lock& lock : bind.locks) unlocks_.push_back(std::move(lock));
  bind.locks.clear();
  parts_.lanes.Wake();
}

// By what the watch shows of its node.
bool BindingWriter::IsLockedAsKnown(const Binding& bind) const {
  const model::NodeFacts* node = parts_.mirror.NodeNamed(bind.node);
  if (node == nullptr || node->devices == nullptr) return false;
  for (size_t next = bind.locks.size(); next < bind.devices->locks.size(); ++next) {
    if (node->devices->FindLock(bind.devices->locks[next]) != nullptr) return true;
  }
  return false;
}

void BindingWriter::Busy(Binding& bind, const absl::Status& status) {
  if (queue_.TryLater(bind, status)) {
    Count(EffectOutcome::kRetried);
  } else {
    Failed(bind, BindFailure::kUnreachable, status);
  }
}

void BindingWriter::Resume(Binding bind) {
  in_doubt_ -= bind.doubt.ok() ? 0 : 1;
  if (std::exchange(bind.waits_for_lock, false)) --wait_for_lock_;
  if (!bind.doubt.ok() && ToldByWatch(bind)) return;
  if (!StillWanted(bind)) {
    Count(EffectOutcome::kSkipped);
    TellOvertaken(bind);
    Abandon(bind);
    return;
  }
  Add(std::move(bind));
}

bool BindingWriter::StillWanted(const Binding& bind) const {
  const std::optional<PodView> view = parts_.mirror.Pod(bind.key(), bind.uid);
  return view && view->assumed_node == bind.node;
}

bool BindingWriter::ToldByWatch(Binding& bind) {
  const std::optional<PodView> view = parts_.mirror.Pod(bind.key());
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
  if (wait_for_lock_ > 0) {
    queue_.ResumeIf(
        [this](const Binding& bind) { return bind.waits_for_lock && !IsLockedAsKnown(bind); });
  }
  if (claims_.waiting() > 0) claims_.Review();
  if (in_doubt_ == 0) return;
  const auto told = [this](const Binding& bind) {
    if (bind.doubt.ok()) return false;
    const std::optional<PodView> view = parts_.mirror.Pod(bind.key());
    return view && (view->uid != bind.uid || !view->node.empty());
  };
  queue_.ResumeIf(told);
}

}  // namespace bth::cache
