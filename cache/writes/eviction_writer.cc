#include "cache/writes/eviction_writer.h"

#include <utility>

#include "api/types/pod.h"
#include "api/types/resource.h"
#include "base/log.h"
#include "base/strings.h"
#include "cache/writes/object_names.h"
#include "cache/writes/status_patches.h"

namespace bth::cache {

using metrics::EffectKind;
using metrics::EffectOutcome;

namespace {

// What a pod says is advice: nobody who needs the room waits for it any longer.
constexpr absl::Duration kMarkTimeout = absl::Seconds(1);

// The pod stays where it is; otherwise nobody knows.
bool IsRefused(const absl::Status& status) {
  return !absl::IsUnavailable(status) && !client::OutcomeUnknown(status);
}

// The right is missing, as against a webhook that protects this one pod.
bool LacksRight(const absl::Status& status) {
  return absl::IsPermissionDenied(status) &&
         StrContains(ToStd(status.message()), "cannot create resource \"pods/eviction\"");
}

}  // namespace

EvictionWriter::EvictionWriter(const UrgentParts& parts, Hooks hooks)
    : parts_(parts),
      hooks_(std::move(hooks)),
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
    if (!next.settled) {
      parts_.mirror.ForgetAssumption(next.key(), next.uid);
      End(next, false);
    }
  }
}

net::Awaitable<bool> EvictionWriter::Mark(const Eviction& eviction, bool goes) {
  const PodMark mark{
      .uid = eviction.uid,
      .goes = goes,
      .message = goes ? std::string_view(eviction.purpose) : "the pod may not be evicted"};
  client::ApiRequest request;
  request.verb = "patch";
  request.method = "PATCH";
  request.path = {
      "pods", types::ResourceTraits<types::Pod>::type().Path(eviction.ns, eviction.name, "status")};
  request.content_type = "application/strategic-merge-patch+json";
  request.body = DisruptionTargetPatch(mark, parts_.api.executor().Now()).body;
  request.timeout = kMarkTimeout;
  const absl::StatusOr<std::string> answer = co_await parts_.api.Call(std::move(request));
  co_return answer.ok() || client::OutcomeUnknown(answer.status());
}

net::Awaitable<void> EvictionWriter::Send(Eviction& eviction) {
  if (!eviction.marked) eviction.marked = co_await Mark(eviction, true);
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
    if (eviction.marked && IsRefused(status)) co_await Mark(eviction, false);
  }
}

void EvictionWriter::End(Eviction& eviction, bool gone) {
  const std::shared_ptr<JobEvictions> job = std::exchange(eviction.of_job, nullptr);
  if (job == nullptr) return;
  job->gone += gone ? 1 : 0;
  if (--job->open > 0 || job->gone == 0) return;
  parts_.events.Record(
      PodGroupObject(job->group, job->uid),
      {"Normal", "Evict",
       StrCat(eviction.purpose, ": ", job->gone, job->gone == 1 ? " pod" : " pods", " evicted")});
}

void EvictionWriter::Done(Eviction& eviction) {
  Count(EffectOutcome::kOk);
  if (parts_.metrics != nullptr && eviction.counted != nullptr &&
      !std::exchange(*eviction.counted, true)) {
    parts_.metrics->EvictionTransaction(eviction.action);
  }
  if (hooks_.on_eviction) hooks_.on_eviction(eviction);
  std::string message = StrCat("Pod is evicted, because of ", eviction.action);
  if (!eviction.beneficiary.empty()) StrAppend(&message, ", for ", eviction.beneficiary);
  parts_.events.Record(PodObject(eviction.key(), eviction.uid),
                       {"Warning", "Evict", std::move(message)});
  End(eviction, true);
}

void EvictionWriter::Resume(Eviction eviction) {
  if (StillWanted(eviction)) {
    queue_.Add(std::move(eviction));
    return;
  }
  Count(EffectOutcome::kSkipped);
  parts_.mirror.ForgetAssumption(eviction.key(), eviction.uid);
  End(eviction, false);
}

bool EvictionWriter::StillWanted(const Eviction& eviction) const {
  const std::optional<PodView> view = parts_.mirror.Pod(eviction.key(), eviction.uid);
  return view && view->assumed;
}

// The next cycle decides anew, about others than this one for a while.
void EvictionWriter::Failed(Eviction& eviction, const absl::Status& status) {
  Count(EffectOutcome::kFailed);
  End(eviction, false);
  parts_.mirror.ForgetAssumption(eviction.key(), eviction.uid);
  const absl::Duration pause = parts_.mirror.SparePod(eviction.key(), eviction.uid);
  if (!IsRefused(status)) {
    // The pod stays, or the watch tells that it went.
    Log(LogLevel::kWarning, "pod.eviction_failed",
        {{"pod", eviction.key()}, {"status", status}, {"pause", pause}});
  } else if (LacksRight(status)) {
    Forbidden(eviction, status);
  } else {
    Refused(eviction, status, pause);
  }
  hooks_.on_failure();
}

void EvictionWriter::Forbidden(const Eviction& eviction, const absl::Status& status) {
  const auto line = forbidden_.Note(eviction.action, parts_.api.executor().Monotonic());
  if (!line) return;
  const std::string_view remedy =
      "grant create on pods/eviction, as deploy/overlays/evicting does, or take the actions that "
      "evict out of the policy";
  Log(LogLevel::kError, "eviction.forbidden",
      {{"action", eviction.action},
       {"status", status},
       {"remedy", remedy},
       {"refused", line->times},
       {"next_line_in", line->next_in}});
  parts_.events.Record(
      QueueObject("root", parts_.mirror.UidOfQueue("root")),
      {"Warning", "EvictionForbidden",
       StrCat("action ", eviction.action, " can evict nobody, because the scheduler lacks the ",
              "right to create pods/eviction: ", remedy)});
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
