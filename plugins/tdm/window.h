// A window of the day, such as 22:00-6:00.
#pragma once

#include <optional>
#include <string_view>

#include "absl/time/time.h"

namespace bth::plugins::tdm {

// Minutes of the local day. One that ends at or before its beginning goes on into the next day;
// 0:00-0:00 is the whole day.
struct Window {
  int begin_minutes = 0;
  int end_minutes = 0;

  // Nothing when the text is not `H:MM-H:MM` with hours to 23 and minutes of two digits.
  static std::optional<Window> Parse(std::string_view text);
  // By wall clock in `zone`, both ends included, in whole seconds.
  bool Contains(absl::Time now, absl::TimeZone zone) const;
  // How long it lasts on a day of 24 hours.
  absl::Duration length() const;
};

}  // namespace bth::plugins::tdm
