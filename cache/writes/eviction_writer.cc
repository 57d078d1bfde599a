#include "cache/writes/eviction_writer.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "cache/writes/object_names.h"

namespace bth::cache {

using metrics::EffectKind;
using metrics::EffectOutcome;

EvictionWriter::EvictionWriter(client::ApiClient& api, Mirror& mirror,
                               client::EventRecorder& events, metrics::SchedulerMetrics* metrics,
                               Lanes& lanes, UrgentCounts& counts, AttemptOptions options,
                               std::function<void()> on_failure)
    : api_(api),
      mirror_(mirror),
      events_(events),
      metrics_(metrics),
      lanes_(lanes),
      counts_(counts),
      options_(options),
      on_failure_(std::move(on_failure)),
      parked_(api.executor(), [this](Eviction eviction) { Unpark(std::move(eviction)); }) {}

void EvictionWriter::Count(EffectOutcome outcome) {
  if (metrics_ != nullptr) metrics_->Effect(EffectKind::kEvict, outcome);
}

void EvictionWriter::Add(Eviction eviction) {
  queue_.push_back(std::move(eviction));
  counts_.Queued(+1);
  lanes_.Wake();
}

net::Awaitable<void> EvictionWriter::SendOne() {
  Eviction next = std::move(queue_.front());
  queue_.pop_front();
  counts_.Queued(-1);
  try {
    co_await Send(next);
  } catch (...) {
    api_.executor().barrier().Caught("effects.eviction", net::Consequence::kLost);
    if (!next.settled) mirror_.ForgetAssumption(next.key(), next.uid);
  }
}

net::Awaitable<void> EvictionWriter::Send(Eviction& eviction) {
  client::DeleteOptions options;
  options.uid = eviction.uid;
  const absl::Status status = co_await api_.Evict(eviction.ns, eviction.name, options);
  // The server says 429 when it is busy, and when a budget forbids the eviction.
  const bool busy = absl::IsResourceExhausted(status) &&
                    status.message().find("disruption budget") == absl::string_view::npos;
  if (status.ok() || absl::IsNotFound(status)) {
    lanes_.NoteAnswer();
    Done(eviction);
  } else if (busy) {
    Busy(eviction, status);
  } else {
    Failed(eviction, status);
  }
}

void EvictionWriter::Done(const Eviction& eviction) {
  Count(EffectOutcome::kOk);
  if (metrics_ != nullptr && eviction.counted != nullptr &&
      !std::exchange(*eviction.counted, true)) {
    metrics_->EvictionTransaction(eviction.action);
  }
  std::string message = absl::StrCat("Pod is evicted, because of ", eviction.action);
  if (!eviction.beneficiary.empty()) absl::StrAppend(&message, ", for ", eviction.beneficiary);
  events_.Record(PodObject(eviction.key(), eviction.uid), {"Warning", "Evict", std::move(message)});
}

// Nothing happened that the next attempt would not find.
void EvictionWriter::Busy(Eviction& eviction, const absl::Status& status) {
  lanes_.NoteBusy(eviction.key(), std::max(client::RetryAfter(status).value_or(absl::Duration()),
                                           options_.retry.first));
  const std::optional<absl::Duration> pause = options_.NextAttempt(++eviction.attempts, status);
  if (!pause) {
    if (metrics_ != nullptr) metrics_->LimitReached("effect_attempts");
    Failed(eviction, status);
    return;
  }
  Count(EffectOutcome::kRetried);
  parked_.Park(std::move(eviction), *pause);
  eviction.settled = true;  // Unpark goes on.
  counts_.Parked(+1);
}

void EvictionWriter::Unpark(Eviction eviction) {
  counts_.Parked(-1);
  if (StillWanted(eviction)) {
    Add(std::move(eviction));
    return;
  }
  Count(EffectOutcome::kSkipped);
  mirror_.ForgetAssumption(eviction.key(), eviction.uid);
}

bool EvictionWriter::StillWanted(const Eviction& eviction) const {
  const std::optional<PodView> view = mirror_.Pod(eviction.key());
  return view && view->uid == eviction.uid && view->assumed;
}

// The next cycle decides anew, about others than this one for a while.
void EvictionWriter::Failed(const Eviction& eviction, const absl::Status& status) {
  Count(EffectOutcome::kFailed);
  mirror_.ForgetAssumption(eviction.key(), eviction.uid);
  const absl::Duration pause = mirror_.SparePod(eviction.key(), eviction.uid);
  if (absl::IsUnavailable(status) || client::OutcomeUnknown(status)) {
    // The pod stays, or the watch tells that it went.
    Log(LogLevel::kWarning, "pod.eviction_failed",
        {{"pod", eviction.key()}, {"status", status}, {"pause", pause}});
  } else {
    Refused(eviction, status, pause);
  }
  on_failure_();
}

void EvictionWriter::Refused(const Eviction& eviction, const absl::Status& status,
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

}  // namespace bth::cache
