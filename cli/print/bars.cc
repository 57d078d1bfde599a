#include "cli/print/bars.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cli/print/table.h"

namespace bth::cli {
namespace {

constexpr int kBarWidthMin = 4;
constexpr int kBarWidthMax = 500;

enum class BarCell { kUsed, kBorrowed, kFree, kDeserved, kCapability };

const char* SignOf(BarCell cell, bool utf8) {
  static constexpr const char* kDrawn[] = {"█", "▒", "·", "│", "!"};
  static constexpr const char* kAscii[] = {"#", "+", ".", "|", "!"};
  return utf8 ? kDrawn[static_cast<size_t>(cell)] : kAscii[static_cast<size_t>(cell)];
}

double Sane(double amount) {
  return std::isfinite(amount) && amount > 0 ? amount : 0;
}

// How many cells of `width` an amount fills: to the nearest, but what is there shows.
int CellsOf(double amount, double scale, int width) {
  if (amount <= 0 || scale <= 0) return 0;
  const int cells = static_cast<int>(std::lround(std::min(amount / scale, 1.0) * width));
  return std::clamp(cells, 1, width);
}

// A mark takes the last cell of its amount, so that one at the end is inside of the bar.
void Mark(std::vector<BarCell>* cells, double amount, double scale, BarCell mark) {
  const int count = CellsOf(amount, scale, static_cast<int>(cells->size()));
  if (count > 0) (*cells)[static_cast<size_t>(count - 1)] = mark;
}

}  // namespace

std::string BarText(const BarAmounts& amounts, const BarStyle& style) {
  const int width = std::clamp(style.width, kBarWidthMin, kBarWidthMax);
  const double used = Sane(amounts.used), deserved = Sane(amounts.deserved.value_or(0));
  const double capability = Sane(amounts.capability.value_or(0));
  const double scale = std::max({used, deserved, capability});
  std::vector<BarCell> cells(static_cast<size_t>(width), BarCell::kFree);
  const int used_cells = CellsOf(used, scale, width);
  const int own_cells =
      amounts.deserved ? std::min(used_cells, CellsOf(deserved, scale, width)) : used_cells;
  for (int i = 0; i < used_cells; ++i) {
    cells[static_cast<size_t>(i)] = i < own_cells ? BarCell::kUsed : BarCell::kBorrowed;
  }
  if (deserved > 0) Mark(&cells, deserved, scale, BarCell::kDeserved);
  if (capability > 0 && capability < scale) {
    Mark(&cells, capability, scale, BarCell::kCapability);
  }
  const bool is_over = amounts.capability && used > capability;
  const Tone tone = is_over ? Tone::kBad : own_cells < used_cells ? Tone::kWaiting : Tone::kGood;
  std::string bar;
  for (const BarCell cell : cells) bar.append(SignOf(cell, style.utf8));
  return "[" + Coloured(bar, tone, style.colour) + "]";
}

std::string BarLegend(bool utf8) {
  return utf8 ? "█ used  ▒ borrowed  │ deserved  · free  ! capability"
              : "# used  + borrowed  | deserved  . free  ! capability";
}

}  // namespace bth::cli
