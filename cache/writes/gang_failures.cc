#include "cache/writes/gang_failures.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/log.h"
#include "base/strings.h"
#include "cache/writes/object_names.h"
#include "cache/writes/standing.h"

namespace bth::cache {
namespace {

constexpr const char* kReasons[] = {"BindingInterrupted", "ServerUnreachable", "BindingConflict",
                                    "PodGone", "BindingRefused"};
// Of a gang that was whole before.
constexpr const char* kMemberLost = "MemberLost";
constexpr const char* kReleasing = "Releasing";

std::string HowManyAreBound(const GangView& gang) {
  if (gang.ready < gang.min_available) {
    return StrCat(gang.ready, " of the ", gang.min_available,
                  " pods that the gang needs are bound: ");
  }
  return StrCat(gang.ready, " pods of the gang are bound, and of some role or group too few: ");
}

const char* WhatNext(BindFailure why) {
  switch (why) {
    case BindFailure::kInterrupted:
      return "; it is completed when there is room";
    case BindFailure::kGone:
      return "; it is completed when another pod takes its place";
    default:
      return "; what is missing is tried again with growing pauses";
  }
}

}  // namespace

GangFailures::GangFailures(Mirror& mirror, StatusWriter& statuses, client::EventRecorder& events,
                           metrics::SchedulerMetrics* metrics, GangFailureOptions options)
    : mirror_(mirror), statuses_(statuses), events_(events), metrics_(metrics), options_(options) {}

void GangFailures::BatchComes(const std::string& job) {
  const auto [entry, fresh] = under_way_.try_emplace(job);
  if (!fresh) return;
  const std::optional<GangView> gang = mirror_.Gang(job);
  entry->second.from_nothing = gang && gang->ready == 0;
}

void GangFailures::BatchCame() {
  absl::erase_if(under_way_, [](const auto& entry) { return entry.second.bindings == 0; });
}

void GangFailures::BindingFailed(const std::string& job, BindFailure why, std::string what,
                                 absl::Duration now, absl::Duration at_least) {
  const auto [entry, fresh] = failures_.try_emplace(job);
  Failure& failure = entry->second;
  if (fresh) {
    const auto begun = under_way_.find(job);
    failure.never_whole = begun != under_way_.end() && begun->second.from_nothing;
  }
  if (failure.unjudged && mirror_.Gang(job)) {
    failure.unjudged = false;
    TakeUp(job, now, &failure);
  }
  if (reads_anew_ && (why == BindFailure::kGone || why == BindFailure::kInterrupted)) {
    why = BindFailure::kInterrupted;
    what = "the scheduler read the cluster anew before it had bound the others";
  }
  failure.what = std::move(what);
  BackOff(job, why, &failure, now, at_least);
  // While nobody can be reached, trying does not show that the gang cannot be whole.
  if (why == BindFailure::kUnreachable && failure.release_at != absl::InfiniteDuration()) {
    failure.release_at = now + options_.release_after;
  }
}

// One job that the server refuses must not be tried in every cycle. Failures of the same attempt
// count once.
void GangFailures::BackOff(const std::string& job, BindFailure why, Failure* failure,
                           absl::Duration now, absl::Duration at_least) {
  if (why == BindFailure::kGone || why == BindFailure::kInterrupted) {
    if (failure->next_backoff == absl::ZeroDuration()) failure->why = why;
    return;
  }
  // A PodGroup that was made anew is tried at once.
  const bool same_attempt = failure->backoff_until > now && mirror_.IsJobBackingOff(job);
  if (same_attempt && why <= failure->why) {
    if (failure->backoff_until >= now + at_least) return;
    failure->backoff_until = now + at_least;
    mirror_.BackOffJob(job, at_least);
    return;
  }
  const auto& [initial, longest] = why == BindFailure::kUnreachable ? options_.backoff_unreachable
                                   : why == BindFailure::kConflict  ? options_.backoff_conflict
                                                                    : options_.backoff_refused;
  const absl::Duration own = std::clamp(failure->next_backoff, initial, longest);
  const absl::Duration pause = std::max(own, at_least);
  failure->why = why;
  failure->backoff_until = now + pause;
  failure->next_backoff = std::min(2 * own, longest);
  mirror_.BackOffJob(job, pause);
}

void GangFailures::BindingEnds(const std::string& job, absl::Duration now) {
  const auto entry = under_way_.find(job);
  if (entry == under_way_.end() || --entry->second.bindings > 0 || reads_anew_) return;
  if (entry->second.from_nothing) NoteLoss(job);
  under_way_.erase(entry);
  const auto failure = failures_.find(job);
  if (failure != failures_.end() && Review(job, &failure->second, now)) failures_.erase(failure);
}

void GangFailures::EndUnseen() {
  absl::erase_if(under_way_, [this](const auto& entry) {
    if (entry.second.bindings == 0 && entry.second.from_nothing) NoteLoss(entry.first);
    return entry.second.bindings == 0;
  });
}

// All that was sent came about, and yet the gang never was whole.
void GangFailures::NoteLoss(const std::string& job) {
  const std::optional<GangView> gang = mirror_.Gang(job);
  if (!gang || !gang->half_bound()) return;
  const auto [entry, fresh] = failures_.try_emplace(job);
  if (!fresh) return;
  entry->second.why = BindFailure::kGone;
  entry->second.never_whole = true;
  entry->second.what = "others of its pods went before the last one was bound";
}

void GangFailures::ReviewAll(absl::Duration now, bool gangs_are_kept) {
  LookBack(now);
  gangs_are_kept_ = gangs_are_kept;
  for (auto it = failures_.begin(); it != failures_.end();) {
    const bool done = !under_way_.contains(it->first) && Review(it->first, &it->second, now);
    it = done ? failures_.erase(it) : std::next(it);
  }
  if (metrics_ == nullptr) return;
  metrics_->SetHalfBoundGangs(std::count_if(failures_.begin(), failures_.end(),
                                            [](const auto& t) { return t.second.half_bound; }));
}

// Their time begins anew.
void GangFailures::LookBack(absl::Duration now) {
  if (std::exchange(reads_anew_, false)) EndUnseen();
  if (std::exchange(looked_back_, true)) return;
  for (std::string& job : mirror_.HalfBoundGroups()) {
    Failure failure;
    failure.unjudged = !mirror_.Gang(job);
    if (failure.unjudged || TakeUp(job, now, &failure)) failures_[std::move(job)] = failure;
  }
}

bool GangFailures::TakeUp(const std::string& job, absl::Duration now, Failure* failure) {
  const ShownPodGroup& shown = *mirror_.ShownOf(job);
  const ShownCondition* const told = FindTrue(shown, kPartiallyBound);
  if (told == nullptr &&
      (StoodBefore(shown, mirror_.TimesOfPlaced(job)) || mirror_.WasWhole(job))) {
    return false;
  }
  failure->half_bound = told != nullptr;
  failure->never_whole = told == nullptr || told->reason != kMemberLost;
  if (told == nullptr || told->reason == kReasons[0]) {
    failure->what = "the scheduler was started again before it had bound the others";
  } else {
    failure->what = "a binding failed before the scheduler was started again";
    failure->why = BindFailure::kRefused;
  }
  if (failure->never_whole) failure->release_at = now + options_.release_after;
  return true;
}

bool GangFailures::Review(const std::string& job, Failure* failure, absl::Duration now) {
  const std::optional<GangView> gang = mirror_.Gang(job);
  if (!gang) {
    failure->half_bound = false;
    failure->releasing = false;
    failure->release_at = absl::InfiniteDuration();
    return !mirror_.HoldsPlaces(job);
  }
  if (std::exchange(failure->unjudged, false) && gang->half_bound() && !TakeUp(job, now, failure)) {
    return true;
  }
  const bool half = gangs_are_kept_ && gang->half_bound();
  if (gang->whole) failure->never_whole = false;
  if (gang->ready == 0) failure->never_whole = true;
  if (!half || !failure->never_whole) {
    failure->release_at = absl::InfiniteDuration();
    failure->releasing = false;
  } else if (failure->release_at == absl::InfiniteDuration()) {
    failure->release_at = now + options_.release_after;
  }
  if (failure->release_at <= now) Release(job, failure, now);
  if (gangs_are_kept_ && (half || failure->half_bound)) Tell(job, *gang, failure);
  failure->half_bound = half;
  return !half && gang->pending == 0;
}

// It cannot be whole, so that what is bound of it only holds room. Its pods that come again wait
// out the longest backoff.
void GangFailures::Release(const std::string& job, Failure* failure, absl::Duration now) {
  const std::optional<GangView> gang = mirror_.Gang(job);
  const std::vector<PlacedPod> placed = mirror_.PlacedPods(job);
  if (placed.empty()) {
    // What has ended holds no room: the others are tried on.
    failure->releasing = false;
    failure->release_at = now + options_.release_after;
    return;
  }
  if (!failure->releasing) {
    Log(LogLevel::kWarning, "gang.released", {{"job", job}, {"why", failure->what}});
    RecordEvent(job, *gang, kReleasing,
                StrCat("the bound pods of the gang are evicted: it was half bound for ",
                       absl::FormatDuration(options_.release_after), ", and ", failure->what));
  }
  failure->releasing = true;
  failure->release_at = now + options_.release_retry;
  failure->backoff_until = now + options_.backoff_refused.second;
  mirror_.BackOffJob(job, options_.backoff_refused.second);
  for (const PlacedPod& pod : placed) evict_(pod, job);
}

absl::Duration GangFailures::NextRelease() const {
  absl::Duration next = absl::InfiniteDuration();
  for (const auto& [job, failure] : failures_) {
    if (!under_way_.contains(job)) next = std::min(next, failure.release_at);
  }
  return next;
}

void GangFailures::Tell(const std::string& job, const GangView& gang, Failure* failure) {
  if (!gang.half_bound()) {
    statuses_.WantGroupCondition(job, NoLongerPartiallyBound(gang));
    return;
  }
  const bool lost = !failure->never_whole;
  const char* const next = failure->releasing
                               ? "; those that are bound are evicted, and the gang starts again"
                               : WhatNext(failure->why);
  ShownCondition condition{.type = kPartiallyBound,
                           .status = "True",
                           .reason = failure->releasing ? kReleasing
                                     : lost             ? kMemberLost
                                            : kReasons[static_cast<size_t>(failure->why)],
                           .message = StrCat(HowManyAreBound(gang), failure->what, next)};
  if (!failure->half_bound) RecordEvent(job, gang, condition.type, condition.message);
  statuses_.WantGroupCondition(job, std::move(condition));
}

void GangFailures::RecordEvent(const std::string& job, const GangView& gang, std::string reason,
                               std::string message) {
  events_.Record(PodGroupObject(job, gang.uid), {"Warning", std::move(reason), std::move(message)});
}

}  // namespace bth::cache
