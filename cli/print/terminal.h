// What the terminal can show, decided from facts about it.
#pragma once

#include <optional>
#include <string>

namespace bth::cli {

// Where the output goes to and what the environment says. Absent: the variable is not set.
struct TerminalFacts {
  bool is_tty = false;
  int columns = 0;  // As the system says; 0: unknown.
  int rows = 0;
  std::optional<std::string> term;            // TERM
  std::optional<std::string> no_color;        // NO_COLOR
  std::optional<std::string> clicolor_force;  // CLICOLOR_FORCE
  std::optional<std::string> columns_wanted;  // COLUMNS
  std::optional<std::string> lc_all, lc_ctype, lang;
};

struct Terminal {
  bool colour = false;
  bool utf8 = false;
  bool can_redraw = false;  // Lines that were printed may be overwritten.
  int width = 0;            // 0: no terminal, nothing is cut.
  int height = 0;           // 0: no terminal.
};

// Colours: on a terminal that is not dumb, unless NO_COLOR holds something; anywhere with
// CLICOLOR_FORCE set and not 0, which NO_COLOR overrules. Widths: the system's, else COLUMNS,
// else 80. Lines and ellipses: where the locale says UTF-8; the first of LC_ALL, LC_CTYPE and LANG
// that is set counts, as in POSIX.
Terminal DescribeTerminal(const TerminalFacts& facts);

// Asks the system about a file descriptor, and the environment.
TerminalFacts ReadTerminalFacts(int descriptor);

}  // namespace bth::cli
