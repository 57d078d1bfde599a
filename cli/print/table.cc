#include "cli/print/table.h"

#include <algorithm>
#include <iterator>

#include "cli/print/plain_text.h"
#include "cli/print/utf8.h"

namespace bth::cli {
namespace {

// kubectl's: a column takes six places at least, three of them blank. A narrow terminal gets two.
constexpr int kTableWidthMin = 3;
constexpr int kTableGap = 3;
constexpr int kTableGapNarrow = 2;
// A text beyond this sticks out of its column: it must not make every row as long as itself.
constexpr int kTableWidthMax = 4096;

// What is printed: the columns in question, cells as one line each, headers first.
struct Grid {
  std::vector<const Column*> columns;
  std::vector<std::vector<Cell>> lines;
  std::vector<int> widths;
};

Grid GridOf(const Table& table, const TableStyle& style) {
  Grid grid;
  std::vector<size_t> shown;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].wide_only && !style.wide) continue;
    shown.push_back(i);
    grid.columns.push_back(&table.columns[i]);
  }
  if (!style.no_headers) {
    grid.lines.emplace_back();
    for (const Column* column : grid.columns) grid.lines[0].push_back({OneLine(column->name)});
  }
  for (const std::vector<Cell>& row : table.rows) {
    grid.lines.emplace_back();
    for (const size_t i : shown) {
      grid.lines.back().push_back(i < row.size() ? Cell{OneLine(row[i].text), row[i].tone}
                                                 : Cell());
    }
  }
  grid.widths.assign(grid.columns.size(), kTableWidthMin);
  for (const std::vector<Cell>& line : grid.lines) {
    for (size_t i = 0; i < line.size(); ++i) {
      const int width = std::min(DisplayWidth(line[i].text), kTableWidthMax);
      grid.widths[i] = std::max(grid.widths[i], width);
    }
  }
  return grid;
}

void KeepWidths(std::vector<int>* widths, ColumnWidths* kept) {
  if (kept == nullptr) return;
  if (kept->size() < widths->size()) kept->resize(widths->size());
  for (size_t i = 0; i < widths->size(); ++i) {
    (*widths)[i] = (*kept)[i] = std::max((*widths)[i], (*kept)[i]);
  }
}

int TotalWidth(const std::vector<int>& widths, int gap) {
  int total = -gap;
  for (const int width : widths) total += width + gap;
  return total;
}

// Takes what is too much from the columns that yield first, evenly from those that yield alike.
void Shrink(const std::vector<const Column*>& columns, int too_much, std::vector<int>* widths) {
  std::vector<int> ranks;
  for (const Column* column : columns) {
    if (column->yield > 0) ranks.push_back(column->yield);
  }
  std::sort(ranks.rbegin(), ranks.rend());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  for (const int rank : ranks) {
    while (too_much > 0) {
      // The widest of them, so that long texts give before short ones.
      size_t widest = columns.size();
      for (size_t i = 0; i < columns.size(); ++i) {
        const bool may_give = columns[i]->yield == rank && (*widths)[i] > columns[i]->width_min;
        if (may_give && (widest == columns.size() || (*widths)[i] > (*widths)[widest])) widest = i;
      }
      if (widest == columns.size()) break;
      --(*widths)[widest];
      --too_much;
    }
  }
}

// `text` within `width`, with a sign where something was cut.
std::string Cut(const std::string& text, int width, bool utf8) {
  if (DisplayWidth(text) <= width) return text;
  return std::string(FitPrefix(text, std::max(width - 1, 0))) + (utf8 ? "…" : "~");
}

void PrintLine(const Grid& grid, const std::vector<Cell>& line, int gap, const TableStyle& style,
               std::string& out) {
  for (size_t i = 0; i < line.size(); ++i) {
    const std::string text =
        style.width > 0 ? Cut(line[i].text, grid.widths[i], style.utf8) : line[i].text;
    const int free = std::max(grid.widths[i] - DisplayWidth(text), 0);
    const bool is_right = grid.columns[i]->align == Align::kRight;
    if (is_right) out.append(static_cast<size_t>(free), ' ');
    out.append(Coloured(text, line[i].tone, style.colour));
    // No blanks behind the last column.
    const int blanks = gap + (is_right ? 0 : free);
    if (i + 1 < line.size()) out.append(static_cast<size_t>(blanks), ' ');
  }
  out.push_back('\n');
}

}  // namespace

void PrintTable(const Table& table, const TableStyle& style, std::string& out, ColumnWidths* kept) {
  if (table.rows.empty()) return;
  Grid grid = GridOf(table, style);
  KeepWidths(&grid.widths, kept);
  int gap = kTableGap;
  if (style.width > 0 && TotalWidth(grid.widths, gap) > style.width) {
    gap = kTableGapNarrow;
    Shrink(grid.columns, TotalWidth(grid.widths, gap) - style.width, &grid.widths);
  }
  for (const std::vector<Cell>& line : grid.lines) PrintLine(grid, line, gap, style, out);
}

std::string Coloured(std::string_view text, Tone tone, bool colour) {
  if (!colour || tone == Tone::kPlain || text.empty()) return std::string(text);
  static constexpr std::string_view kCodes[] = {"", "32", "33", "31", "2", "1"};
  std::string out = "\x1b[";
  out.append(kCodes[static_cast<size_t>(tone)]).append("m").append(text).append("\x1b[0m");
  return out;
}

Tone ToneOf(std::string_view phase) {
  static constexpr std::string_view kGood[] = {"Running", "Open",  "Active",
                                               "Ready",   "Bound", "True"};
  static constexpr std::string_view kOver[] = {"Completed", "Complete", "Succeeded", "Succeed"};
  static constexpr std::string_view kWaiting[] = {
      "Pending",     "Inqueue", "Aborting",     "Restarting", "Completing",
      "Terminating", "Closing", "Suspend",      "Unknown",    "ContainerCreating",
      "NotReady",    "Waiting", "Unschedulable"};
  static constexpr std::string_view kBad[] = {
      "Failed",           "Aborted",      "Terminated", "Closed",  "Error", "CrashLoopBackOff",
      "ImagePullBackOff", "ErrImagePull", "OOMKilled",  "Evicted", "Lost",  "Invalid"};
  const auto is_among = [phase](const auto& words) {
    return std::find(std::begin(words), std::end(words), phase) != std::end(words);
  };
  if (is_among(kGood)) return Tone::kGood;
  if (is_among(kOver)) return Tone::kFaint;
  if (is_among(kWaiting)) return Tone::kWaiting;
  return is_among(kBad) ? Tone::kBad : Tone::kPlain;
}

}  // namespace bth::cli
