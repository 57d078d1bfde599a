// Tables for people: columns that line up, cut to the width of a terminal, coloured on request.
//
// Into a pipe (width 0) whole texts are printed, three blanks apart at least, as kubectl does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bth::cli {

enum class Align { kLeft, kRight };

// What a text means to the reader; colours follow from it.
enum class Tone { kPlain, kGood, kWaiting, kBad, kFaint, kStrong };

struct Cell {
  std::string text;
  Tone tone = Tone::kPlain;
};

struct Column {
  std::string name;
  Align align = Align::kLeft;
  bool wide_only = false;  // Shown with `-o wide` only.
  // Where space lacks, columns with the larger number are cut first, 0 never: names that are cut
  // cannot be copied.
  int yield = 0;
  int width_min = 6;  // What is left of it when it is cut, at least.
};

struct TableStyle {
  bool no_headers = false;
  bool wide = false;
  bool colour = false;
  bool utf8 = true;  // "…" where text was cut, else "~".
  int width = 0;     // Columns of the terminal; 0: nothing is cut.
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // Missing cells are empty, surplus ones are left out.
};

// Widths may only grow from one call to the next when they are kept, as watches do. Empty at first.
using ColumnWidths = std::vector<int>;

// Appends the table. Control characters in cells are shown as escapes, never sent to a terminal.
void PrintTable(const Table& table, const TableStyle& style, std::string& out,
                ColumnWidths* kept = nullptr);

// `text` in its colour, or as it is.
std::string Coloured(std::string_view text, Tone tone, bool colour);

// Of phases, states and conditions ("Running", "Failed", "Pending"): Volcano's and Kubernetes'
// words.
Tone ToneOf(std::string_view phase);

}  // namespace bth::cli
