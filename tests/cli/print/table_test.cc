#include "cli/print/table.h"

#include <string>
#include <vector>

#include "cli/print/printer.h"
#include "cli/print/tab_writer.h"
#include "cli/print/utf8.h"
#include "tests/support/catch.h"

namespace {

using namespace bth::cli;  // NOLINT: the names of one header.

std::string Printed(const Table& table, const TableStyle& style) {
  std::string out;
  PrintTable(table, style, out);
  return out;
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

Table QueueTable() {
  Table table;
  table.columns = {{"NAME"}, {"N", Align::kRight}, {"MESSAGE", Align::kLeft, false, 2, 8}};
  table.rows = {{{"a"}, {"5"}, {"short"}},
                {{"long-name"}, {"12345"}, {"a message of some length"}}};
  return table;
}

TEST_CASE("table: columns line up with three blanks between, numbers to the right", "[cli][unit]") {
  CHECK(Printed(QueueTable(), {}) ==
        "NAME            N   MESSAGE\n"
        "a               5   short\n"
        "long-name   12345   a message of some length\n");
}

TEST_CASE("table: no rows print nothing, no headers only rows", "[cli][unit]") {
  Table table = QueueTable();
  TableStyle style;
  style.no_headers = true;
  CHECK(Printed(table, style) ==
        "a               5   short\n"
        "long-name   12345   a message of some length\n");
  table.rows.clear();
  CHECK(Printed(table, {}).empty());
}

TEST_CASE("table: columns for -o wide show only then", "[cli][unit]") {
  Table table = QueueTable();
  table.columns[1].wide_only = true;
  CHECK(LinesOf(Printed(table, {}))[1] == "a           short");
  TableStyle style;
  style.wide = true;
  CHECK(LinesOf(Printed(table, style))[1] == "a               5   short");
}

TEST_CASE("table: a narrow terminal cuts the column that yields, with a sign", "[cli][unit]") {
  TableStyle style;
  style.width = 30;
  CHECK(Printed(QueueTable(), style) ==
        "NAME           N  MESSAGE\n"
        "a              5  short\n"
        "long-name  12345  a message o…\n");
  style.utf8 = false;
  CHECK(LinesOf(Printed(QueueTable(), style))[2] == "long-name  12345  a message o~");
}

TEST_CASE("table: no line is wider than the terminal while columns can give", "[cli][property]") {
  Table table;
  table.columns = {{"NAME"},
                   {"A", Align::kLeft, false, 1, 4},
                   {"B", Align::kRight, false, 3, 4},
                   {"C", Align::kLeft, false, 3, 5}};
  table.rows = {
      {{"name"}, {"aaaaaaaaaaaaaaaa"}, {"日本語日本語日本語"}, {"cccccccccccccccccccccccc"}},
      {{"n"}, {"a"}, {"bbbbbbbbbbbb"}, {"ééééééééé"}}};
  for (int width = 24; width < 90; ++width) {
    TableStyle style;
    style.width = width;
    CAPTURE(width);
    for (const std::string& line : LinesOf(Printed(table, style)))
      CHECK(DisplayWidth(line) <= width);
  }
  // Names are never cut, however narrow it is.
  TableStyle style;
  style.width = 5;
  CHECK(LinesOf(Printed(table, style))[1].rfind("name", 0) == 0);
}

TEST_CASE("table: columns that yield more are cut first", "[cli][unit]") {
  Table table;
  table.columns = {{"A", Align::kLeft, false, 1, 4}, {"B", Align::kLeft, false, 2, 4}};
  table.rows = {{{"aaaaaaaaaa"}, {"bbbbbbbbbb"}}};
  TableStyle style;
  style.width = 18;
  CHECK(LinesOf(Printed(table, style))[1] == "aaaaaaaaaa  bbbbb…");
  style.width = 14;
  CHECK(LinesOf(Printed(table, style))[1] == "aaaaaaa…  bbb…");
}

TEST_CASE("table: wide characters take two places, marks none", "[cli][unit]") {
  Table table;
  table.columns = {{"NAME"}, {"X"}};
  table.rows = {{{"日本"}, {"x"}}, {{"e\u0301"}, {"x"}}, {{"abcd"}, {"x"}}};
  CHECK(Printed(table, {}) == "NAME   X\n日本   x\ne\u0301      x\nabcd   x\n");
}

TEST_CASE("table: colours surround the text, not the blanks", "[cli][unit]") {
  Table table;
  table.columns = {{"PHASE"}, {"N", Align::kRight}};
  table.rows = {{{"Running", Tone::kGood}, {"1", Tone::kBad}}};
  TableStyle style;
  style.colour = true;
  CHECK(LinesOf(Printed(table, style))[1] == "\x1b[32mRunning\x1b[0m     \x1b[31m1\x1b[0m");
  style.colour = false;
  CHECK(LinesOf(Printed(table, style))[1] == "Running     1");
}

TEST_CASE("table: what objects hold never reaches the terminal as commands", "[cli][unit]") {
  Table table;
  table.columns = {{"A"}, {"B"}};
  table.rows = {{{"a\x1b[31mb"}, {"x\ty\x07\x7f\u009b"}}, {{"one\ntwo"}, {"cr\rend"}}};
  const std::string text = Printed(table, {});
  CHECK(text == "A          B\na^[[31mb   x\\x09y\\x07\\x7f\\x9b\none...     cr...\n");
}

TEST_CASE("table: widths that are kept only grow", "[cli][unit]") {
  Table table;
  table.columns = {{"NAME"}, {"X"}};
  table.rows = {{{"a-long-name"}, {"x"}}};
  ColumnWidths kept;
  std::string out;
  PrintTable(table, {}, out, &kept);
  table.rows = {{{"b"}, {"y"}}};
  TableStyle style;
  style.no_headers = true;
  PrintTable(table, style, out, &kept);
  CHECK(out == "NAME          X\na-long-name   x\nb             y\n");
}

TEST_CASE("table: one long text does not make every row as long", "[cli][limits]") {
  Table table;
  table.columns = {{"NAME"}, {"X"}};
  table.rows = {{{std::string(100'000, 'a')}, {"x"}}, {{"b"}, {"y"}}};
  const std::vector<std::string> lines = LinesOf(Printed(table, {}));
  CHECK(lines[1] == std::string(100'000, 'a') + "   x");
  CHECK(lines[2] == "b" + std::string(4098, ' ') + "y");
  std::string out;
  TabWriter writer;
  writer.Write(std::string(100'000, 'a') + "\tx\nb\ty\n");
  writer.Flush(out);
  CHECK(LinesOf(out)[0] == lines[1]);
  CHECK(LinesOf(out)[1] == lines[2]);
}

TEST_CASE("table: rows of another length than the headers", "[cli][unit]") {
  Table table;
  table.columns = {{"A"}, {"B"}};
  table.rows = {{}, {{"x"}, {"y"}, {"z"}}};
  CHECK(Printed(table, {}) == "A     B\n      \nx     y\n");
}

TEST_CASE("tones: phases of Volcano and Kubernetes have theirs", "[cli][unit]") {
  CHECK(ToneOf("Running") == Tone::kGood);
  CHECK(ToneOf("Completed") == Tone::kFaint);
  CHECK(ToneOf("Inqueue") == Tone::kWaiting);
  CHECK(ToneOf("Failed") == Tone::kBad);
  CHECK(ToneOf("whatever") == Tone::kPlain);
}

TEST_CASE("table printer: namespace first, labels last, headers once", "[cli][unit]") {
  const auto a = bth::types::Json::Parse(
      R"({"kind":"Job","metadata":{"name":"a","namespace":"team","creationTimestamp":"2026-01-02T03:04:05Z",
          "labels":{"b":"2","a":"1","example.com/x":"y"}}})");
  const auto b = bth::types::Json::Parse(R"({"kind":"Job","metadata":{"name":"b"}})");
  REQUIRE((a.ok() && b.ok()));
  PrintOptions options;
  options.with_namespace = true;
  options.show_labels = true;
  options.label_columns = {"example.com/x"};
  options.now = absl::FromUnixSeconds(1767323045 + 190);  // 2026-01-02T03:04:05Z and 190 s.
  const auto printer = MakePrinter("", options);
  REQUIRE(printer.ok());
  std::string out;
  const std::vector<bth::types::Json> first = {*a}, second = {*b};
  REQUIRE((*printer)->Print({first}, out).ok());
  REQUIRE((*printer)->Print({second}, out).ok());
  CHECK(out ==
        "NAMESPACE   NAME   AGE     X     LABELS\n"
        "team        a      3m10s   y     a=1,b=2,example.com/x=y\n"
        "            b      <unknown>   <none>   <none>\n");
}

}  // namespace
