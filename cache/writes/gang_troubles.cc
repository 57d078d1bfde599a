#include "cache/writes/gang_troubles.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "cache/writes/object_names.h"

namespace bth::cache {
namespace {

constexpr const char* kReasons[] = {"BindingInterrupted", "ServerUnreachable", "BindingConflict",
                                    "PodGone", "BindingRefused"};
// Of a gang that was whole before.
constexpr const char* kMemberLost = "MemberLost";
constexpr const char* kReleasing = "Releasing";

const ShownCondition* FindTrue(const ShownPodGroup& shown, std::string_view type) {
  for (const ShownCondition& condition : shown.conditions) {
    if (condition.type == type && condition.status == "True") return &condition;
  }
  return nullptr;
}

// A gang of which an earlier life of this program, or of Volcano, said that it stood: what is left
// of it may be at work. That it was so before its pods were made anew looks the same.
bool StoodBefore(const ShownPodGroup& shown) {
  return shown.phase == model::PodGroupPhase::kRunning ||
         shown.phase == model::PodGroupPhase::kCompleted || FindTrue(shown, "Scheduled") != nullptr;
}

std::string HowManyAreBound(const GangView& gang) {
  if (gang.ready < gang.min_available) {
    return absl::StrCat(gang.ready, " of the ", gang.min_available,
                        " pods that the gang needs are bound: ");
  }
  return absl::StrCat(gang.ready,
                      " pods of the gang are bound, and of some role or group too few: ");
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

GangTroubles::GangTroubles(Mirror& mirror, StatusWriter& statuses, client::EventRecorder& events,
                           metrics::SchedulerMetrics* metrics, GangTroubleOptions options)
    : mirror_(mirror), statuses_(statuses), events_(events), metrics_(metrics), options_(options) {}

void GangTroubles::BatchComes(const std::string& job) {
  const auto [entry, fresh] = under_way_.try_emplace(job);
  if (!fresh) return;
  const std::optional<GangView> gang = mirror_.Gang(job);
  entry->second.from_nothing = gang && gang->ready == 0;
}

void GangTroubles::BatchCame() {
  absl::erase_if(under_way_, [](const auto& entry) { return entry.second.bindings == 0; });
}

void GangTroubles::BindingFailed(const std::string& job, BindFailure why, std::string what,
                                 absl::Time now, absl::Duration at_least) {
  const auto [entry, fresh] = troubles_.try_emplace(job);
  Trouble& trouble = entry->second;
  if (fresh) {
    const auto begun = under_way_.find(job);
    trouble.never_whole = begun != under_way_.end() && begun->second.from_nothing;
  }
  trouble.what = std::move(what);
  Hold(job, why, &trouble, now, at_least);
  // While nobody can be reached, trying does not show that the gang cannot be whole.
  if (why == BindFailure::kUnreachable && trouble.release_at != absl::InfiniteFuture()) {
    trouble.release_at = now + options_.release_after;
  }
}

// One job that the server refuses must not be tried in every cycle. Failures of the same attempt
// count once.
void GangTroubles::Hold(const std::string& job, BindFailure why, Trouble* trouble, absl::Time now,
                        absl::Duration at_least) {
  if (why == BindFailure::kGone) {
    if (trouble->next_hold == absl::ZeroDuration()) trouble->why = why;
    return;
  }
  const bool same_attempt = trouble->held_until > now;
  if (same_attempt && why <= trouble->why) {
    if (trouble->held_until >= now + at_least) return;
    trouble->held_until = now + at_least;
    mirror_.HoldJob(job, trouble->held_until);
    return;
  }
  const auto& [initial, longest] = why == BindFailure::kUnreachable ? options_.hold_unreachable
                                   : why == BindFailure::kConflict  ? options_.hold_conflict
                                                                    : options_.hold_refused;
  const absl::Duration own = std::clamp(trouble->next_hold, initial, longest);
  const absl::Duration hold = std::max(own, at_least);
  trouble->why = why;
  trouble->held_until = now + hold;
  trouble->next_hold = std::min(2 * own, longest);
  mirror_.HoldJob(job, trouble->held_until);
}

void GangTroubles::BindingEnds(const std::string& job, absl::Time now) {
  const auto entry = under_way_.find(job);
  if (entry == under_way_.end() || --entry->second.bindings > 0) return;
  under_way_.erase(entry);
  const auto trouble = troubles_.find(job);
  if (trouble != troubles_.end() && Review(job, &trouble->second, now)) troubles_.erase(trouble);
}

void GangTroubles::ReviewAll(absl::Time now, bool gangs_are_kept) {
  LookBack(now);
  gangs_are_kept_ = gangs_are_kept;
  for (auto it = troubles_.begin(); it != troubles_.end();) {
    const bool done = !under_way_.contains(it->first) && Review(it->first, &it->second, now);
    it = done ? troubles_.erase(it) : std::next(it);
  }
  if (metrics_ == nullptr) return;
  metrics_->SetHalfBoundGangs(std::count_if(troubles_.begin(), troubles_.end(),
                                            [](const auto& t) { return t.second.half_bound; }));
}

// Their time begins anew.
void GangTroubles::LookBack(absl::Time now) {
  if (std::exchange(looked_back_, true)) return;
  for (const auto& [job, was_whole] : mirror_.HalfBoundGroups()) {
    const ShownPodGroup& shown = *mirror_.ShownOf(job);
    const ShownCondition* const told = FindTrue(shown, kPartiallyBound);
    if (told == nullptr && (was_whole || StoodBefore(shown))) continue;
    Trouble& trouble = troubles_[job];
    trouble.half_bound = told != nullptr;
    trouble.never_whole = told == nullptr || told->reason != kMemberLost;
    if (told == nullptr || told->reason == kReasons[0]) {
      trouble.what = "the scheduler was started again before it had bound the others";
    } else {
      trouble.what = "a binding failed before the scheduler was started again";
      trouble.why = BindFailure::kRefused;
    }
    if (trouble.never_whole) trouble.release_at = now + options_.release_after;
  }
}

bool GangTroubles::Review(const std::string& job, Trouble* trouble, absl::Time now) {
  const std::optional<GangView> gang = mirror_.Gang(job);
  if (!gang) return true;
  const bool half = gangs_are_kept_ && gang->half_bound();
  if (gang->whole) trouble->never_whole = false;
  if (gang->ready == 0) trouble->never_whole = true;
  if (!half || !trouble->never_whole) {
    trouble->release_at = absl::InfiniteFuture();
    trouble->releasing = false;
  } else if (trouble->release_at == absl::InfiniteFuture()) {
    trouble->release_at = now + options_.release_after;
  }
  if (trouble->release_at <= now) Release(job, trouble, now);
  if (gangs_are_kept_ && (half || trouble->half_bound)) Tell(job, *gang, trouble);
  trouble->half_bound = half;
  return !half && gang->pending == 0;
}

// It cannot be whole, so that what is bound of it only holds room. Its pods that come again wait
// out the longest pause.
void GangTroubles::Release(const std::string& job, Trouble* trouble, absl::Time now) {
  const std::optional<GangView> gang = mirror_.Gang(job);
  if (!trouble->releasing) {
    Log(LogLevel::kWarning, "gang.released", {{"job", job}, {"why", trouble->what}});
    RecordEvent(
        job, *gang, kReleasing,
        absl::StrCat("the bound pods of the gang are evicted: it was half bound for ",
                     absl::FormatDuration(options_.release_after), ", and ", trouble->what));
  }
  trouble->releasing = true;
  trouble->release_at = now + options_.release_retry;
  trouble->held_until = now + options_.hold_refused.second;
  mirror_.HoldJob(job, trouble->held_until);
  for (const PlacedPod& pod : mirror_.PlacedPods(job)) evict_(pod, job);
}

absl::Time GangTroubles::NextRelease() const {
  absl::Time next = absl::InfiniteFuture();
  for (const auto& [job, trouble] : troubles_) {
    if (!under_way_.contains(job)) next = std::min(next, trouble.release_at);
  }
  return next;
}

void GangTroubles::Tell(const std::string& job, const GangView& gang, Trouble* trouble) {
  if (!gang.half_bound()) {
    statuses_.WantGroupCondition(job, NoLongerPartiallyBound(gang));
    return;
  }
  const bool lost = !trouble->never_whole;
  const char* const next = trouble->releasing
                               ? "; those that are bound are evicted, and the gang starts again"
                               : WhatNext(trouble->why);
  ShownCondition condition{.type = kPartiallyBound,
                           .status = "True",
                           .reason = trouble->releasing ? kReleasing
                                     : lost             ? kMemberLost
                                            : kReasons[static_cast<size_t>(trouble->why)],
                           .message = absl::StrCat(HowManyAreBound(gang), trouble->what, next)};
  if (!trouble->half_bound) RecordEvent(job, gang, condition.type, condition.message);
  statuses_.WantGroupCondition(job, std::move(condition));
}

void GangTroubles::RecordEvent(const std::string& job, const GangView& gang, std::string reason,
                               std::string message) {
  events_.Record(PodGroupObject(job, gang.uid), {"Warning", std::move(reason), std::move(message)});
}

}  // namespace bth::cache
