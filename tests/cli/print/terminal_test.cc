#include "cli/print/terminal.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace {

using bth::cli::DescribeTerminal;
using bth::cli::Terminal;
using bth::cli::TerminalFacts;

// An ordinary terminal, which cases change.
TerminalFacts OrdinaryTerminal() {
  TerminalFacts facts;
  facts.is_tty = true;
  facts.columns = 120;
  facts.rows = 40;
  facts.term = "xterm-256color";
  facts.lang = "en_GB.UTF-8";
  return facts;
}

TEST_CASE("terminal: an ordinary one has colours, its size and lines", "[cli][unit]") {
  const Terminal terminal = DescribeTerminal(OrdinaryTerminal());
  CHECK(terminal.colour);
  CHECK(terminal.can_redraw);
  CHECK(terminal.utf8);
  CHECK(terminal.width == 120);
  CHECK(terminal.height == 40);
}

TEST_CASE("terminal: into a pipe nothing is cut, coloured or redrawn", "[cli][unit]") {
  TerminalFacts facts = OrdinaryTerminal();
  facts.is_tty = false;
  facts.columns_wanted = "100";
  const Terminal terminal = DescribeTerminal(facts);
  CHECK_FALSE(terminal.colour);
  CHECK_FALSE(terminal.can_redraw);
  CHECK(terminal.width == 0);
  CHECK(terminal.height == 0);
  CHECK(terminal.utf8);  // What is piped is still text in the user's locale.
}

TEST_CASE("terminal: NO_COLOR, TERM=dumb and CLICOLOR_FORCE are respected", "[cli][unit]") {
  struct Case {
    std::string name;
    bool is_tty;
    std::optional<std::string> term, no_color, force;
    bool colour;
  };
  const std::vector<Case> cases = {
      {"plain terminal", true, "xterm", {}, {}, true},
      {"NO_COLOR", true, "xterm", "1", {}, false},
      {"NO_COLOR of any text", true, "xterm", "false", {}, false},
      {"NO_COLOR empty counts as unset", true, "xterm", "", {}, true},
      {"dumb", true, "dumb", {}, {}, false},
      {"no TERM", true, {}, {}, {}, true},
      {"forced into a pipe", false, "xterm", {}, "1", true},
      {"forced on a dumb one", true, "dumb", {}, "1", true},
      {"0 forces nothing", false, "xterm", {}, "0", false},
      {"empty forces nothing", false, "xterm", {}, "", false},
      {"NO_COLOR overrules force", true, "xterm", "1", "1", false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    TerminalFacts facts = OrdinaryTerminal();
    facts.is_tty = c.is_tty;
    facts.term = c.term;
    facts.no_color = c.no_color;
    facts.clicolor_force = c.force;
    CHECK(DescribeTerminal(facts).colour == c.colour);
  }
}

TEST_CASE("terminal: the first locale variable that is set decides on UTF-8", "[cli][unit]") {
  struct Case {
    std::optional<std::string> lc_all, lc_ctype, lang;
    bool utf8;
  };
  const std::vector<Case> cases = {
      {{}, {}, {}, false},
      {{}, {}, "C", false},
      {{}, {}, "C.UTF-8", true},
      {{}, {}, "de_DE.utf8", true},
      {"C", {}, "C.UTF-8", false},
      {"", "en_US.UTF-8", "C", true},
      {{}, "POSIX", "C.UTF-8", false},
  };
  for (const Case& c : cases) {
    TerminalFacts facts;
    facts.lc_all = c.lc_all;
    facts.lc_ctype = c.lc_ctype;
    facts.lang = c.lang;
    CAPTURE(c.lc_all.value_or("-"), c.lc_ctype.value_or("-"), c.lang.value_or("-"));
    CHECK(DescribeTerminal(facts).utf8 == c.utf8);
  }
}

TEST_CASE("terminal: sizes the system does not know come from COLUMNS, then 80 by 24",
          "[cli][unit]") {
  TerminalFacts facts = OrdinaryTerminal();
  facts.columns = 0;
  facts.rows = 0;
  CHECK(DescribeTerminal(facts).width == 80);
  CHECK(DescribeTerminal(facts).height == 24);
  facts.columns_wanted = "132";
  CHECK(DescribeTerminal(facts).width == 132);
  for (const char* bad : {"", "x", "-5", "0", "99999999999999"}) {
    CAPTURE(bad);
    facts.columns_wanted = bad;
    CHECK(DescribeTerminal(facts).width == 80);
  }
  facts.columns_wanted = "1000000000";
  CHECK(DescribeTerminal(facts).width == 4096);
}

}  // namespace
