#include "cache/writes/standing.h"

#include "api/types/time.h"
#include "base/strings.h"

namespace bth::cache {
namespace {

constexpr std::string_view kScheduled = "Scheduled";
constexpr std::string_view kWords = "the gang stands with pods made by ";

// Nothing: it does not tell.
std::optional<absl::Time> ToldTime(std::string_view message) {
  if (message.substr(0, kWords.size()) != kWords) return std::nullopt;
  const absl::StatusOr<absl::Time> time = types::ParseTimestamp(message.substr(kWords.size()));
  return time.ok() ? std::optional(*time) : std::nullopt;
}

}  // namespace

const ShownCondition* FindTrue(const ShownPodGroup& shown, std::string_view type) {
  for (const ShownCondition& condition : shown.conditions) {
    if (condition.type == type && condition.status == "True") return &condition;
  }
  return nullptr;
}

std::string StandingText(const ShownPodGroup& shown, const std::optional<PlacedTimes>& placed) {
  const ShownCondition* const told = FindTrue(shown, kScheduled);
  const bool holds = told != nullptr && (!placed || placed->first <= ToldTime(told->message));
  if (holds) return told->message;
  return placed ? StrCat(kWords, types::FormatTimestamp(placed->last)) : "";
}

bool StoodBefore(const ShownPodGroup& shown, const std::optional<PlacedTimes>& placed) {
  const ShownCondition* const told = FindTrue(shown, kScheduled);
  if (told == nullptr) {
    return shown.phase == model::PodGroupPhase::kRunning ||
           shown.phase == model::PodGroupPhase::kCompleted;
  }
  const std::optional<absl::Time> by = ToldTime(told->message);
  return !by || (placed && placed->first <= *by);
}

ShownCondition NoLongerPartiallyBound(const GangView& gang) {
  const bool released = gang.ready == 0;
  return {.type = kPartiallyBound,
          .status = "False",
          .reason = released ? "Released" : "Completed",
          .message = released ? "none of its pods is bound any more"
                              : "all pods that the gang needs are bound"};
}

void EndPartiallyBound(const std::optional<GangView>& gang,
                       std::vector<ShownCondition>* conditions) {
  for (ShownCondition& condition : *conditions) {
    if (condition.type != kPartiallyBound || condition.status != "True") continue;
    if (gang && !gang->half_bound()) condition = NoLongerPartiallyBound(*gang);
  }
}

}  // namespace bth::cache
