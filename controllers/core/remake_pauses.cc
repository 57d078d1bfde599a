#include "controllers/core/remake_pauses.h"

#include <algorithm>

#include "base/doubled.h"

namespace bth::controllers {
namespace {

constexpr absl::Duration kRemakePauseMin = absl::Milliseconds(5);
constexpr absl::Duration kRemakePauseMax = absl::Seconds(30);
// What lasts longer than this and its pause did not go as soon as it was made.
constexpr absl::Duration kLastsAtLeast = absl::Seconds(1);

absl::Duration RemakePauseAfter(int losses) {
  if (losses == 0) return absl::ZeroDuration();
  return Doubled(kRemakePauseMin, losses - 1, kRemakePauseMax);
}

}  // namespace

absl::Duration RemakePauses::Left(const std::string& child) {
  DropEnded();
  const auto found = entries_.find(child);
  if (found == entries_.end()) return absl::ZeroDuration();
  return std::max(found->second.until - executor_.Monotonic(), absl::ZeroDuration());
}

void RemakePauses::NoteMade(const std::string& child) {
  DropEnded();
  const absl::Duration now = executor_.Monotonic();
  const auto [at, is_first] = entries_.try_emplace(child);
  Entry& entry = at->second;
  if (!is_first) {
    ++entry.losses;
    ends_.erase({entry.end, child});
  }
  entry.until = now + RemakePauseAfter(entry.losses);
  entry.end = entry.until + kLastsAtLeast;
  ends_.emplace(entry.end, child);
}

void RemakePauses::Forget(const std::string& child) {
  const auto found = entries_.find(child);
  if (found == entries_.end()) return;
  ends_.erase({found->second.end, child});
  entries_.erase(found);
}

void RemakePauses::DropEnded() {
  const absl::Duration now = executor_.Monotonic();
  while (!ends_.empty() && ends_.begin()->first < now) {
    entries_.erase(ends_.begin()->second);
    ends_.erase(ends_.begin());
  }
}

}  // namespace bth::controllers
