#include "cli/text/padded_table.h"

#include <algorithm>
#include <utility>

#include "cli/print/table.h"
#include "cli/print/utf8.h"
#include "cli/text/padded.h"

namespace bth::cli {
namespace {

// Names that are cut cannot be copied: they yield last, and not below this.
constexpr int kNameYield = 1;
constexpr int kNameWidthMin = 8;
constexpr int kTitleYield = 2;
constexpr int kColumnWidthMin = 3;

std::string ColouredLine(const std::vector<std::string>& line, const PaddedTable& table,
                         bool is_title, bool colour) {
  std::string out;
  for (size_t i = 0; i < line.size(); ++i) {
    std::string cell = Padded(line[i], table.widths[i]);
    if (table.phase == i && !is_title) {
      const std::string blanks = cell.substr(line[i].size());
      cell = Coloured(line[i], ToneOf(line[i]), colour) + blanks;
    }
    out += cell;
  }
  out += '\n';
  return out;
}

// The same table with columns that give way.
Table NarrowTable(const PaddedTable& padded) {
  Table table;
  const std::vector<std::string>& titles = padded.lines.front();
  for (size_t i = 0; i < titles.size(); ++i) {
    const bool is_name = titles[i] == "Name" || titles[i] == "Namespace" || titles[i] == "Parent";
    Column column = {titles[i]};
    column.yield = is_name ? kNameYield : kTitleYield;
    column.width_min = is_name ? kNameWidthMin : kColumnWidthMin;
    for (size_t row = 1; row < padded.lines.size() && !is_name; ++row) {
      column.width_min = std::max(column.width_min, DisplayWidth(padded.lines[row][i]));
    }
    table.columns.push_back(std::move(column));
  }
  for (size_t row = 1; row < padded.lines.size(); ++row) {
    std::vector<Cell>& cells = table.rows.emplace_back();
    for (size_t i = 0; i < padded.lines[row].size(); ++i) {
      const std::string& text = padded.lines[row][i];
      cells.push_back({text, padded.phase == i ? ToneOf(text) : Tone::kPlain});
    }
  }
  return table;
}

}  // namespace

std::string PaddedTableText(const PaddedTable& table, const Terminal& terminal) {
  size_t width = 0;
  for (const std::vector<std::string>& line : table.lines) {
    size_t of_line = 0;
    for (size_t i = 0; i < line.size(); ++i) {
      of_line += std::max(table.widths[i], static_cast<size_t>(DisplayWidth(line[i])));
    }
    width = std::max(width, of_line);
  }
  std::string out;
  if (terminal.width > 0 && width > static_cast<size_t>(terminal.width) && table.lines.size() > 1) {
    TableStyle style;
    style.colour = terminal.colour;
    style.utf8 = terminal.utf8;
    style.width = terminal.width;
    PrintTable(NarrowTable(table), style, out);
    return out;
  }
  for (size_t i = 0; i < table.lines.size(); ++i) {
    out += ColouredLine(table.lines[i], table, i == 0, terminal.colour);
  }
  return out;
}

}  // namespace bth::cli
