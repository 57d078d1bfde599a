// When the next cycle may start.
#pragma once

#include <algorithm>

#include "absl/time/time.h"

namespace bth::scheduler {

struct CyclePaceOptions {
  // After a change that follows another one closely, wait so long for its neighbours.
  absl::Duration debounce = absl::Milliseconds(1);
  // Cycles pause so many times their own length, at most `pause_max`: under a storm of changes
  // they take a tenth of a core.
  int pause_factor = 8;
  absl::Duration pause_max = absl::Milliseconds(200);
  // So much cycle time is free of pauses after a rest: a few short cycles in a row, as one new pod
  // with its PodGroup makes them, do not wait for each other.
  absl::Duration reserve = absl::Milliseconds(5);
};

// Pauses are a debt that time pays off. After a rest the first change starts a cycle at once.
// Thread: one owner.
class CyclePace {
 public:
  explicit CyclePace(const CyclePaceOptions& options) : options_(options) {}

  void Ended(absl::Duration now, absl::Duration took) {
    ended_at_ = now;
    const absl::Duration owed = std::max(paid_at_, now - Reserve());
    // The cycle's own time pays nothing off.
    paid_at_ = std::min(owed + (options_.pause_factor + 1) * took, now + options_.pause_max);
  }
  // For a cycle that something makes due now.
  absl::Duration NextStart(absl::Duration now) const {
    const bool rested = paid_at_ + Reserve() <= now && ended_at_ + options_.debounce <= now;
    return rested ? now : std::max(now + options_.debounce, paid_at_);
  }
  // No cycle starts before, whatever makes it due.
  absl::Duration paid_at() const { return paid_at_; }

 private:
  absl::Duration Reserve() const { return options_.pause_factor * options_.reserve; }

  const CyclePaceOptions options_;
  absl::Duration ended_at_ = -absl::InfiniteDuration();
  absl::Duration paid_at_ = -absl::InfiniteDuration();  // When the debt is paid.
};

}  // namespace bth::scheduler
