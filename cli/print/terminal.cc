#include "cli/print/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "absl/strings/ascii.h"
#include "base/strings.h"

namespace bth::cli {
namespace {

constexpr int kWidthUnknown = 80;
constexpr int kHeightUnknown = 24;
// Beyond these something is wrong, and lines would be padded without end.
constexpr int kSideMax = 4096;

bool IsSaid(const std::optional<std::string>& variable) {
  return variable.has_value() && !variable->empty();
}

bool SpeaksUtf8(const TerminalFacts& facts) {
  for (const auto* variable : {&facts.lc_all, &facts.lc_ctype, &facts.lang}) {
    if (!IsSaid(*variable)) continue;
    const std::string locale = absl::AsciiStrToLower(**variable);
    return StrContains(locale, "utf-8") || StrContains(locale, "utf8");
  }
  return false;
}

int WidthOf(const TerminalFacts& facts) {
  int width = facts.columns;
  if (width <= 0 && (!facts.columns_wanted || !SimpleAtoi(*facts.columns_wanted, &width)))
    width = 0;
  return width > 0 ? std::min(width, kSideMax) : kWidthUnknown;
}

std::optional<std::string> Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace

Terminal DescribeTerminal(const TerminalFacts& facts) {
  const bool is_dumb = facts.term == "dumb";
  const bool forces = IsSaid(facts.clicolor_force) && *facts.clicolor_force != "0";
  Terminal terminal;
  terminal.colour = !IsSaid(facts.no_color) && (forces || (facts.is_tty && !is_dumb));
  terminal.utf8 = SpeaksUtf8(facts);
  terminal.can_redraw = facts.is_tty && !is_dumb && IsSaid(facts.term);
  if (facts.is_tty) {
    terminal.width = WidthOf(facts);
    terminal.height = facts.rows > 0 ? std::min(facts.rows, kSideMax) : kHeightUnknown;
  }
  return terminal;
}

TerminalFacts ReadTerminalFacts(int descriptor) {
  TerminalFacts facts;
  facts.is_tty = isatty(descriptor) == 1;
  winsize size = {};
  if (facts.is_tty && ioctl(descriptor, TIOCGWINSZ, &size) == 0) {
    facts.columns = size.ws_col;
    facts.rows = size.ws_row;
  }
  facts.term = Variable("TERM");
  facts.no_color = Variable("NO_COLOR");
  facts.clicolor_force = Variable("CLICOLOR_FORCE");
  facts.columns_wanted = Variable("COLUMNS");
  facts.lc_all = Variable("LC_ALL");
  facts.lc_ctype = Variable("LC_CTYPE");
  facts.lang = Variable("LANG");
  return facts;
}

}  // namespace bth::cli
