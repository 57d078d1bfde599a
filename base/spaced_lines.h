// When a failure that goes on is worth another line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace bth {

struct LineSpacing {
  // Between two lines on one cause: doubling from the first to the second.
  absl::Duration pause_first = absl::Seconds(10);
  absl::Duration pause_max = absl::Minutes(10);
};

// Knows of each cause when it was told, so that what happens again and again costs one line at
// once, and then ever fewer. A cause that has been away for longer than `pause_max` begins anew.
// Causes kept: kCausesMax, those seen last. Thread: one.
class SpacedLines final {
 public:
  static constexpr size_t kCausesMax = 64;

  explicit SpacedLines(LineSpacing spacing = {}) : spacing_(spacing) {}

  struct Line {
    int64_t times = 0;       // How often it came since the last line, this time included.
    absl::Duration next_in;  // No further line before.
  };
  // The cause came again, at `now` of a clock that never goes back. Nothing: no line now.
  std::optional<Line> Note(std::string_view cause, absl::Duration now);
  // It is over, and begins anew if it comes back. True: it was told.
  bool Over(std::string_view cause);

 private:
  struct Cause {
    std::string text;
    absl::Duration pause;
    absl::Duration seen_at;
    absl::Duration next_at;  // When it may be told again.
    int64_t times = 0;       // Since it was told last.
  };

  const LineSpacing spacing_;
  std::list<Cause> causes_;  // The one seen last comes last.
};

}  // namespace bth
