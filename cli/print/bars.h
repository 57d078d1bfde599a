// Amounts as bars: how much of what a queue may have it uses.
#pragma once

#include <optional>
#include <string>

namespace bth::cli {

// In any unit, all the same one. Negative and undefined numbers count as zero.
struct BarAmounts {
  double used = 0;
  std::optional<double> deserved;    // The share that nobody may take away.
  std::optional<double> capability;  // The most it may use; absent: no limit.
};

struct BarStyle {
  int width = 20;  // Of the bar between its brackets, at least 4.
  bool utf8 = true;
  bool colour = false;
};

// `[██████▒▒│···]`: used within what is deserved, used beyond it, the mark of what is deserved,
// free. The bar is as long as the capability, or as the largest of the other two, if that is more;
// then `!` marks the capability. ASCII: `[######++|...]`. Something used shows, be it ever so
// little.
std::string BarText(const BarAmounts& amounts, const BarStyle& style);

// What the signs mean, for below a table.
std::string BarLegend(bool utf8);

}  // namespace bth::cli
