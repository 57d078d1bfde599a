// Bars, trees, times and the width of characters.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "cli/print/bars.h"
#include "cli/print/times.h"
#include "cli/print/tree.h"
#include "cli/print/utf8.h"
#include "tests/support/catch.h"

namespace {

using bth::cli::AgeText;
using bth::cli::BarAmounts;
using bth::cli::BarStyle;
using bth::cli::BarText;
using bth::cli::DisplayWidth;
using bth::cli::EventAgeText;
using bth::cli::TreeLines;
using bth::cli::TreeNode;

std::string AsciiBar(const BarAmounts& amounts, int width = 10) {
  BarStyle style;
  style.width = width;
  style.utf8 = false;
  return BarText(amounts, style);
}

TEST_CASE("bars: used, borrowed, deserved and free stand where they belong", "[cli][unit]") {
  CHECK(AsciiBar({4, 6, 10}) == "[####.|....]");
  CHECK(AsciiBar({8, 6, 10}) == "[#####|++..]");
  CHECK(AsciiBar({10, 10, 10}) == "[#########|]");
  CHECK(AsciiBar({0, 6, 10}) == "[.....|....]");
  CHECK(AsciiBar({5, std::nullopt, 10}) == "[#####.....]");
  CHECK(AsciiBar({5, 10, std::nullopt}) == "[#####....|]");
  CHECK(AsciiBar({20, 5, 10}) == "[##|+!+++++]");
  CHECK(AsciiBar({0, std::nullopt, std::nullopt}) == "[..........]");
  CHECK(AsciiBar({0.001, std::nullopt, 1000}) == "[#.........]");
  BarStyle style;
  style.width = 8;
  CHECK(BarText({6, 4, 8}, style) == "[███│▒▒··]");
}

TEST_CASE("bars: colours say borrowed and beyond", "[cli][unit]") {
  BarStyle style;
  style.width = 4;
  style.utf8 = false;
  style.colour = true;
  CHECK(BarText({1, 2, 4}, style) == "[\x1b[32m#|..\x1b[0m]");
  CHECK(BarText({3, 2, 4}, style) == "[\x1b[33m#|+.\x1b[0m]");
  CHECK(BarText({8, 2, 4}, style) == "[\x1b[31m|!++\x1b[0m]");
}

TEST_CASE("bars: nonsense is drawn as nothing", "[cli][unit]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  CHECK(AsciiBar({nan, nan, 10}) == "[..........]");
  CHECK(AsciiBar({-5, -1, 10}) == "[..........]");
  CHECK(AsciiBar({inf, 5, inf}) == "[.........|]");
  CHECK(AsciiBar({1, 1, 1}, -7).size() == 6);
  CHECK(AsciiBar({1, 1, 1}, 1'000'000).size() == 502);
}

std::string TreeText(const std::vector<TreeNode>& nodes, bool utf8) {
  std::string text;
  for (const auto& line : TreeLines(nodes, utf8))
    text += line.prefix + nodes[line.node].name + "\n";
  return text;
}

TEST_CASE("tree: children by name below their parents", "[cli][unit]") {
  const std::vector<TreeNode> nodes = {{"default", "root"}, {"b1", "b"}, {"root", ""},
                                       {"b", "root"},       {"b2", "b"}, {"a", "root"},
                                       {"a1", "a"}};
  CHECK(TreeText(nodes, true) ==
        "root\n"
        "├─ a\n"
        "│  └─ a1\n"
        "├─ b\n"
        "│  ├─ b1\n"
        "│  └─ b2\n"
        "└─ default\n");
  CHECK(TreeText(nodes, false) ==
        "root\n"
        "+- a\n"
        "|  `- a1\n"
        "+- b\n"
        "|  +- b1\n"
        "|  `- b2\n"
        "`- default\n");
}

TEST_CASE("tree: orphans are roots, circles are cut open, each node comes once", "[cli][unit]") {
  CHECK(TreeText({{"x", "gone"}, {"y", "x"}}, false) == "x\n`- y\n");
  CHECK(TreeText({{"b", "a"}, {"a", "b"}, {"c", "a"}, {"r", ""}}, false) == "r\na\n+- b\n`- c\n");
  CHECK(TreeText({{"self", "self"}}, false) == "self\n");
  CHECK(TreeText({{"twin", ""}, {"twin", ""}, {"child", "twin"}}, false) ==
        "twin\n`- child\ntwin\n");
}

TEST_CASE("tree: a chain of thousands is no deep stack and no long lines", "[cli][limits]") {
  std::vector<TreeNode> nodes;
  for (int i = 0; i < 5000; ++i) {
    nodes.push_back({std::to_string(i), i == 0 ? "" : std::to_string(i - 1)});
  }
  const auto lines = TreeLines(nodes, true);
  REQUIRE(lines.size() == 5000);
  CHECK(lines.back().depth == 4999);
  CHECK(DisplayWidth(lines.back().prefix) <= 3 * 64);
}

TEST_CASE("times: ages as kubectl and vcctl show them", "[cli][unit]") {
  struct Case {
    absl::Duration age;
    std::string text;
  };
  const absl::Duration day = absl::Hours(24), year = 365 * day;
  const std::vector<Case> cases = {
      {absl::Seconds(-2), "<invalid>"},
      {absl::Milliseconds(-1900), "0s"},
      {absl::ZeroDuration(), "0s"},
      {absl::Seconds(62), "62s"},
      {absl::Seconds(119), "119s"},
      {absl::Seconds(120), "2m"},
      {absl::Seconds(190), "3m10s"},
      {absl::Minutes(10), "10m"},
      {absl::Minutes(121) + absl::Seconds(56), "121m"},
      {absl::Hours(5) + absl::Seconds(9), "5h"},
      {absl::Hours(5) + absl::Minutes(7) + absl::Seconds(9), "5h7m"},
      {absl::Hours(12) + absl::Minutes(7), "12h"},
      {absl::Hours(47), "47h"},
      {5 * day, "5d"},
      {5 * day + absl::Hours(9), "5d9h"},
      {8 * day, "8d"},
      {531 * day, "531d"},
      {2 * year, "2y"},
      {5 * year + 89 * day, "5y89d"},
      {12 * year + 15 * day, "12y"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    CHECK(AgeText(c.age) == c.text);
  }
  CHECK(EventAgeText(2 * year) == "2y0d");
  CHECK(EventAgeText(5 * year + 89 * day) == "5y89d");
  CHECK(EventAgeText(12 * year) == "12y");
}

TEST_CASE("times: stamps that are none have no age", "[cli][unit]") {
  const absl::Time now = absl::FromUnixSeconds(1767323045);
  CHECK(bth::cli::AgeSince("2026-01-02T03:04:05Z", now) == "0s");
  CHECK(bth::cli::AgeSince("2026-01-02T02:04:05Z", now) == "60m");
  CHECK(bth::cli::AgeSince("", now) == "<unknown>");
  CHECK(bth::cli::AgeSince("yesterday", now) == "<unknown>");
  CHECK(bth::cli::WhenText(now - absl::Hours(50), now, absl::FixedTimeZone(3600)) ==
        "2025-12-31 02:04:05 +0100 (2d2h)");
}

TEST_CASE("utf8: widths, beginnings and bytes that are none", "[cli][unit]") {
  CHECK(DisplayWidth("abc") == 3);
  CHECK(DisplayWidth("é") == 1);
  CHECK(DisplayWidth("日本") == 4);
  CHECK(DisplayWidth("e\u0301") == 1);
  CHECK(DisplayWidth("😀") == 2);
  CHECK(DisplayWidth("\xff\xc3") == 2);
  CHECK(bth::cli::FitPrefix("日本", 3) == "日");
  CHECK(bth::cli::FitPrefix("e\u0301x", 1) == "e\u0301");
  CHECK(bth::cli::FitPrefix("abc", 0).empty());
  for (const char* bad : {"\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80"}) {
    size_t at = 0;
    CHECK(bth::cli::NextRune(bad, &at) == bth::cli::kBadRune);
    CHECK(at == 1);
  }
}

}  // namespace
