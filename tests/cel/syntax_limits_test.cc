#include <algorithm>
#include <string>

#include "base/strings.h"
#include "cel/syntax/parser.h"
#include "tests/support/catch.h"

namespace bth::cel {
namespace {

std::string Repeat(const std::string& text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

std::string LimitFault(const std::string& source, const ParseOptions& options = {}) {
  const absl::StatusOr<Ast> ast = Parse(source, options);
  return ast.ok() ? "" : std::string(ast.status().message());
}

constexpr char kTooNested[] = "ERROR: <input>:-1:0: expression recursion limit exceeded: 250";
constexpr char kTooDeep[] = "ERROR: <input>:-1:0: max recursion depth exceeded";

TEST_CASE("parser limits: expressions within expressions", "[cel][syntax]") {
  struct Case {
    std::string open, middle, close;
  };
  const Case c = GENERATE(values<Case>({
      {"(", "1", ")"},
      {"[", "1", "]"},
      {"{1: ", "2", "}"},
      {"f(", "x", ")"},
      {"a ? b : ", "c", ""},
      {"-(", "x", ")"},
      {"M{f: ", "1", "}"},
  }));
  CAPTURE(c.open);
  CHECK(LimitFault(Repeat(c.open, 249) + c.middle + Repeat(c.close, 249)) == "");
  CHECK(LimitFault(Repeat(c.open, 250) + c.middle + Repeat(c.close, 250)) == kTooNested);
  CHECK(LimitFault(Repeat(c.open, 12'000) + c.middle) == kTooNested);
}

TEST_CASE("parser limits: chains that nest to the left", "[cel][syntax]") {
  const std::string link =
      GENERATE(".b", "[0]", ".f()", " + 1", " * 2", " < 3", " in d", ".?e", "[?0]");
  CAPTURE(link);
  CHECK(LimitFault("a" + Repeat(link, 250)) == "");
  CHECK(LimitFault("a" + Repeat(link, 251)) == kTooDeep);
  CHECK(LimitFault("a" + Repeat(link, 10'000)) == kTooDeep);
}

TEST_CASE("parser limits: the depth is that of both sides together", "[cel][syntax]") {
  const std::string operand = "a" + Repeat("[0]", 150);
  CHECK(LimitFault(operand + Repeat(" != " + operand, 100)) == "");
  CHECK(LimitFault(operand + Repeat(" != " + operand, 101)) == kTooDeep);
}

TEST_CASE("parser limits: && and || may be long", "[cel][syntax]") {
  const std::string op = GENERATE(" && ", " || ");
  CHECK(LimitFault("a" + Repeat(op + "a", 19'000)) == "");
}

TEST_CASE("parser limits: macros may chain and nest as far as calls", "[cel][syntax]") {
  CHECK(LimitFault("a" + Repeat(".map(x, x)", 250)) == "");
  CHECK(LimitFault("a" + Repeat(".map(x, x)", 251)) == kTooDeep);
  CHECK(LimitFault(Repeat("a.exists(x, ", 200) + "x" + Repeat(")", 200)) == "");
  CHECK(LimitFault(Repeat("a.exists(x, ", 250) + "x" + Repeat(")", 250)) == kTooNested);
}

TEST_CASE("parser limits: the number of nodes", "[cel][syntax]") {
  // Each optMap() doubles what it is called on.
  CHECK(LimitFault("a" + Repeat(".optMap(x, x)", 40)) ==
        "ERROR: <input>:-1:0: expression has too many nodes: limit 200000");
  ParseOptions options;
  options.limits.nodes_max = 4;
  CHECK(LimitFault("[1, 2, 3]", options) == "");
  CHECK(LimitFault("[1, 2, 3, 4]", options) ==
        "ERROR: <input>:-1:0: expression has too many nodes: limit 4");
}

TEST_CASE("parser limits: the length in code points", "[cel][syntax]") {
  ParseOptions options;
  options.limits.code_points_max = 4;
  CHECK(LimitFault("'\xF0\x9F\x98\x81\xF0\x9F\x98\x81'", options) == "");
  CHECK(LimitFault("'\xF0\x9F\x98\x81\xF0\x9F\x98\x81\xC3\xA9'", options) ==
        "ERROR: <input>:-1:0: expression code point size exceeds limit: size: 5, limit 4");
  CHECK(LimitFault("'" + std::string(99'998, 'a') + "'") == "");
  CHECK(LimitFault("'" + std::string(10'000'000, 'a') + "'") ==
        "ERROR: <input>:-1:0: expression code point size exceeds limit: size: 10000002, limit "
        "100000");
}

TEST_CASE("parser limits: answers to hostile text are short", "[cel][syntax]") {
  const std::string source =
      GENERATE_COPY(std::string(100'000, '"'), std::string(100'000, '@'), Repeat("'\\q", 33'000),
                    Repeat("\"\"\"", 33'333), Repeat("[}", 50'000), Repeat("a b ", 25'000),
                    Repeat("{a ", 33'000), Repeat("- !", 33'000), Repeat("x.all(", 16'000));
  const std::string fault = LimitFault(source);
  CHECK(!fault.empty());
  CHECK(fault.size() < 500'000);
}

}  // namespace
}  // namespace bth::cel
