// Tables in the layout of Volcano's programs, which people read on terminals as well.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/print/terminal.h"

namespace bth::cli {

struct PaddedTable {
  std::vector<size_t> widths;                   // Of each column.
  std::vector<std::vector<std::string>> lines;  // The titles first.
  std::optional<size_t> phase;                  // The column of phases or states.
};

// Into a pipe (width 0) to the byte what Volcano's programs print. On a terminal phases have their
// colour, and where lines would be wrapped, columns are as narrow as what is in them; if that is
// not enough, titles are cut, and names at last. Colours alone do not change the layout.
std::string PaddedTableText(const PaddedTable& table, const Terminal& terminal);

}  // namespace bth::cli
