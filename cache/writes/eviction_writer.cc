#include "cache/writes/eviction_writer.h"

#include <utility>

#include "base/log.h"
#include "base/strings.h"
#include "cache/writes/object_names.h"

namespace bth::cache {

using metrics::EffectKind;
using metrics::EffectOutcome;

EvictionWriter::EvictionWriter(const UrgentParts& parts, std::function<void()> on_failure)
    : parts_(parts),
      on_failure_(std::move(on_failure)),
      queue_(parts, [this](Eviction eviction) { Resume(std::move(eviction)); }) {}

void EvictionWriter::Count(EffectOutcome outcome) {
  if (parts_.metrics != nullptr) parts_.metrics->Effect(EffectKind::kEvict, outcome);
}

net::Awaitable<void> EvictionWriter::SendOne() {
  Eviction next = queue_.Take();
  try {
    co_await Send(next);
  } catch (...) {
    parts_.api.executor().barrier().Caught("effects.eviction", net::Consequence::kLost);
    if (!next.settled) parts_.mirror.ForgetAssumption(next.key(), next.uid);
  }
}

net::Awaitable<void> EvictionWriter::Send(Eviction& eviction) {
  client::DeleteOptions options;
  options.uid = eviction.uid;
  const absl::Status status = co_await parts_.api.Evict(eviction.ns, eviction.name, options);
  // The server says 429 when it is busy, and when a budget forbids the eviction.
  const bool busy = absl::IsResourceExhausted(status) &&
                    status.message().find("disruption budget") == absl::string_view::npos;
  if (status.ok() || absl::IsNotFound(status)) {
    parts_.lanes.NoteAnswer();
    Done(eviction);
  } else if (busy && queue_.TryLater(eviction, status)) {
    Count(EffectOutcome::kRetried);
  } else {
    Failed(eviction, status);
  }
}

void EvictionWriter::Done(const Eviction& eviction) {
  Count(EffectOutcome::kOk);
  if (parts_.metrics != nullptr && eviction.counted != nullptr &&
      !std::exchange(*eviction.counted, true)) {
    parts_.metrics->EvictionTransaction(eviction.action);
  }
  std::string message = StrCat("Pod is evicted, because of ", eviction.action);
  if (!eviction.beneficiary.empty()) StrAppend(&message, ", for ", eviction.beneficiary);
  parts_.events.Record(PodObject(eviction.key(), eviction.uid),
                       {"Warning", "Evict", std::move(message)});
}

void EvictionWriter::Resume(Eviction eviction) {
  if (StillWanted(eviction)) {
    queue_.Add(std::move(eviction));
    return;
  }
  Count(EffectOutcome::kSkipped);
  parts_.mirror.ForgetAssumption(eviction.key(), eviction.uid);
}

bool EvictionWriter::StillWanted(const Eviction& eviction) const {
  const std::optional<PodView> view = parts_.mirror.Pod(eviction.key());
  return view && view->uid == eviction.uid && view->assumed;
}

// The next cycle decides anew, about others than this one for a while.
void EvictionWriter::Failed(const Eviction& eviction, const absl::Status& status) {
  Count(EffectOutcome::kFailed);
  parts_.mirror.ForgetAssumption(eviction.key(), eviction.uid);
  const absl::Duration pause = parts_.mirror.SparePod(eviction.key(), eviction.uid);
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
    const std::optional<PodView> view = parts_.mirror.Pod(pod);
    if (!view) return;
    parts_.events.Record(PodObject(pod, view->uid),
                         {"Warning", "EvictionRefused", std::move(text)});
  };
  const std::string why = StrCat(std::string(status.message()), "; it is not tried again for ",
                                 absl::FormatDuration(pause));
  tell(eviction.key(), StrCat("the pod may not be evicted (", eviction.action, "): ", why));
  if (eviction.beneficiary.empty()) return;
  tell(eviction.beneficiary,
       StrCat("pod ", eviction.key(), " may not be evicted for this one: ", why));
}

}  // namespace bth::cache
