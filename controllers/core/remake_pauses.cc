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
  const auto* const known = entries_.Find(child);
  if (known == nullptr) return absl::ZeroDuration();
  return std::max(known->note.until - executor_.Monotonic(), absl::ZeroDuration());
}

void RemakePauses::NoteMade(const std::string& child) {
  DropEnded();
  const auto* const known = entries_.Find(child);
  const int losses = known == nullptr ? 0 : known->note.losses + 1;
  const absl::Duration until = executor_.Monotonic() + RemakePauseAfter(losses);
  entries_.Set(child, until + kLastsAtLeast, {losses, until});
}

void RemakePauses::Forget(const std::string& child) {
  entries_.Erase(child);
}

void RemakePauses::DropEnded() {
  const absl::Duration now = executor_.Monotonic();
  while (!entries_.empty() && entries_.next() < now) entries_.TakeFirst();
}

}  // namespace bth::controllers
