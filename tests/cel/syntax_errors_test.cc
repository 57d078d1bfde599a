// Texts and places of faults, as cel-go prints them.
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "cel/syntax/parser.h"
#include "tests/support/catch.h"

namespace bth::cel {
namespace {

// What may stand where an expression begins.
const std::string kStarts =
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, "
    "BYTES, IDENTIFIER}";
const std::string kOptionalOrClose =
    "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

std::string FaultsOf(const std::string& source, const ParseOptions& options = {}) {
  const absl::StatusOr<Ast> ast = Parse(source, options);
  if (ast.ok()) return "";
  CHECK(ast.status().code() == absl::StatusCode::kInvalidArgument);
  return std::string(ast.status().message());
}

// Only the lines with faults: "1:5: what".
std::vector<std::string> FaultLines(const std::string& source, const ParseOptions& options = {}) {
  std::vector<std::string> lines;
  const std::string text = FaultsOf(source, options);
  if (text.empty()) return lines;
  for (const absl::string_view line : SplitText(text, '\n')) {
    constexpr std::string_view kPrefix = "ERROR: <input>:";
    if (absl::StartsWith(line, ToAbsl(kPrefix))) {
      lines.emplace_back(line.substr(kPrefix.size()));
    } else if (!absl::StartsWith(line, " | ")) {
      lines.emplace_back(line);
    }
  }
  return lines;
}

struct FaultCase {
  std::string source;
  std::vector<std::string> faults;
};

TEST_CASE("parse errors: text, line and mark", "[cel][syntax]") {
  CHECK(FaultsOf("1 + 2\n3 +") ==
        "ERROR: <input>:2:1: Syntax error: mismatched input '3' expecting <EOF>\n | 3 +\n | ^");
  CHECK(FaultsOf("1 + $") ==
        "ERROR: <input>:1:5: Syntax error: token recognition error at: '$'\n | 1 + $\n | ....^\n"
        "ERROR: <input>:1:6: Syntax error: mismatched input '<EOF>' expecting " +
            kStarts + "\n | 1 + $\n | .....^");
  // Tabs are printed as blanks, characters of several bytes have wide marks.
  CHECK(
      FaultsOf("      '\xF0\x9F\x98\x81' in ['\xF0\x9F\x98\x81']\n\t\t\t&& in.\xF0\x9F\x98\x81") ==
      "ERROR: <input>:2:7: Syntax error: extraneous input 'in' expecting " + kStarts +
          "\n |    && in.\xF0\x9F\x98\x81\n | ......^\n"
          "ERROR: <input>:2:10: Syntax error: token recognition error at: '\xF0\x9F\x98\x81'\n"
          " |    && in.\xF0\x9F\x98\x81\n | .........\xEF\xBC\xBE\n"
          "ERROR: <input>:2:11: Syntax error: no viable alternative at input '.'\n"
          " |    && in.\xF0\x9F\x98\x81\n | .........\xEF\xBC\x8E^");
}

TEST_CASE("parse errors: what does not begin or continue an expression", "[cel][syntax]") {
  const FaultCase c = GENERATE_COPY(values<FaultCase>({
      {"", {"1:0: Syntax error: mismatched input '<EOF>' expecting " + kStarts}},
      {"*@a | b",
       {"1:1: Syntax error: extraneous input '*' expecting " + kStarts,
        "1:2: Syntax error: token recognition error at: '@'",
        "1:5: Syntax error: token recognition error at: '| '",
        "1:7: Syntax error: extraneous input 'b' expecting <EOF>"}},
      {"a = b",
       {"1:3: Syntax error: token recognition error at: '= '",
        "1:5: Syntax error: extraneous input 'b' expecting <EOF>"}},
      {"1 + +",
       {"1:5: Syntax error: mismatched input '+' expecting " + kStarts,
        "1:6: Syntax error: mismatched input '<EOF>' expecting " + kStarts}},
      {"in",
       {"1:1: Syntax error: mismatched input 'in' expecting " + kStarts,
        "1:3: Syntax error: mismatched input '<EOF>' expecting " + kStarts}},
      {"?",
       {"1:1: Syntax error: mismatched input '?' expecting " + kStarts,
        "1:2: Syntax error: mismatched input '<EOF>' expecting " + kStarts}},
      {"--",
       {"1:3: Syntax error: no viable alternative at input '-'",
        "1:3: Syntax error: mismatched input '<EOF>' expecting " + kStarts}},
      {"-!a", {"1:2: Syntax error: no viable alternative at input '-!'"}},
      {"a ? b", {"1:6: Syntax error: mismatched input '<EOF>' expecting ':'"}},
      {"a ? : b",
       {"1:5: Syntax error: extraneous input ':' expecting " + kStarts,
        "1:8: Syntax error: mismatched input '<EOF>' expecting ':'"}},
      {"(a", {"1:3: Syntax error: missing ')' at '<EOF>'"}},
      {"[(a]", {"1:4: Syntax error: missing ')' at ']'"}},
      {"a[1", {"1:4: Syntax error: missing ']' at '<EOF>'"}},
      {"f(a", {"1:4: Syntax error: missing ')' at '<EOF>'"}},
      {"f(a b)", {"1:5: Syntax error: extraneous input 'b' expecting ')'"}},
      {"TestAllTypes(){}", {"1:15: Syntax error: mismatched input '{' expecting <EOF>"}},
      {"a.b(){}", {"1:6: Syntax error: mismatched input '{' expecting <EOF>"}},
      {"{\"a\": 1}.\"a\"", {"1:10: Syntax error: no viable alternative at input '.\"a\"'"}},
      {"a. 'b'", {"1:4: Syntax error: no viable alternative at input '. 'b''"}},
      {"foo.`a.b`()",
       {"1:5: unsupported syntax: '`'",
        "1:10: Syntax error: mismatched input '(' expecting <EOF>"}},
      {"`a.b`", {"1:1: Syntax error: mismatched input '`a.b`' expecting " + kStarts}},
      {"a.?5",
       {"1:4: Syntax error: mismatched input '5' expecting {IDENTIFIER, ESC_IDENTIFIER}",
        "1:4: unsupported ident kind"}},
  }));
  CAPTURE(c.source);
  CHECK(FaultLines(c.source) == c.faults);
}

TEST_CASE("parse errors: lists, maps and objects", "[cel][syntax]") {
  const FaultCase c = GENERATE_COPY(values<FaultCase>({
      {"[1", {"1:3: Syntax error: mismatched input '<EOF>' expecting {']', ','}"}},
      {"[1, 2", {"1:6: Syntax error: mismatched input '<EOF>' expecting {']', ','}"}},
      {"[1,", {"1:4: Syntax error: missing ']' at '<EOF>'"}},
      {"[",
       {"1:2: Syntax error: mismatched input '<EOF>' expecting {'[', ']', '{', '(', '.', "
        "',', '-', '!', '?', " +
        kOptionalOrClose}},
      {"a[]",
       {"1:3: Syntax error: mismatched input ']' expecting {'[', '{', '(', '.', '-', '!', "
        "'?', " +
        kOptionalOrClose}},
      {"{",
       {"1:2: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '}', '(', '.', "
        "',', '-', '!', '?', " +
        kOptionalOrClose}},
      {"{:a}",
       {"1:2: Syntax error: extraneous input ':' expecting {'[', '{', '}', '(', '.', ',', '-', "
        "'!', '?', " +
            kOptionalOrClose,
        "1:4: Syntax error: mismatched input '}' expecting ':'"}},
      {"{a}", {"1:3: Syntax error: mismatched input '}' expecting ':'"}},
      {"{a b}", {"1:4: Syntax error: missing ':' at 'b'"}},
      {"ind[a{b}]", {"1:8: Syntax error: mismatched input '}' expecting ':'"}},
      {"func{{a}}",
       {"1:6: Syntax error: extraneous input '{' expecting {'}', ',', '?', IDENTIFIER, "
        "ESC_IDENTIFIER}",
        "1:8: Syntax error: mismatched input '}' expecting ':'",
        "1:9: Syntax error: extraneous input '}' expecting <EOF>"}},
      {"msg{:a}",
       {"1:5: Syntax error: extraneous input ':' expecting {'}', ',', '?', IDENTIFIER, "
        "ESC_IDENTIFIER}",
        "1:7: Syntax error: mismatched input '}' expecting ':'"}},
      {"t{>C}",
       {"1:3: Syntax error: extraneous input '>' expecting {'}', ',', '?', IDENTIFIER, "
        "ESC_IDENTIFIER}",
        "1:5: Syntax error: mismatched input '}' expecting ':'"}},
      {"[\n\t\r[\n\t\r]\n\t\r",
       {"4:3: Syntax error: mismatched input '<EOF>' expecting {']', ','}"}},
  }));
  CAPTURE(c.source);
  CHECK(FaultLines(c.source) == c.faults);
}

TEST_CASE("parse errors: texts and names that are no tokens", "[cel][syntax]") {
  const FaultCase c = GENERATE_COPY(values<FaultCase>({
      {R"("\xFh")",
       {R"(1:1: Syntax error: token recognition error at: '"\xFh')",
        R"(1:6: Syntax error: token recognition error at: '"')",
        "1:7: Syntax error: mismatched input '<EOF>' expecting " + kStarts}},
      {R"("\a Illegal escape \>")",
       {R"(1:1: Syntax error: token recognition error at: '"\a Illegal escape \>')",
        R"(1:22: Syntax error: token recognition error at: '"')",
        "1:23: Syntax error: mismatched input '<EOF>' expecting " + kStarts}},
      {R"('\8')",
       {R"(1:1: Syntax error: token recognition error at: ''\8')",
        R"(1:4: Syntax error: token recognition error at: ''')",
        "1:5: Syntax error: mismatched input '<EOF>' expecting " + kStarts}},
      {"a.`b\tc`",
       {"1:3: Syntax error: token recognition error at: '`b\t'",
        "1:7: Syntax error: token recognition error at: '`'"}},
      {"a.`$foo`",
       {"1:3: Syntax error: token recognition error at: '`$'",
        "1:8: Syntax error: token recognition error at: '`'"}},
      {"\xFF",
       {"1:1: Syntax error: token recognition error at: '\xEF\xBF\xBD'",
        "1:2: Syntax error: mismatched input '<EOF>' expecting " + kStarts}},
  }));
  CAPTURE(c.source);
  CHECK(FaultLines(c.source) == c.faults);
}

TEST_CASE("parse errors: reserved words are no variables and no functions", "[cel][syntax]") {
  const std::string word =
      GENERATE("as", "break", "const", "continue", "else", "for", "function", "if", "import", "let",
               "loop", "package", "namespace", "return", "var", "void", "while");
  CHECK(FaultLines(word) == std::vector<std::string>{"1:1: reserved identifier: " + word});
  CHECK(FaultLines("1 + " + word + "(2)") ==
        std::vector<std::string>{"1:5: reserved identifier: " + word});
  CHECK(FaultLines("a." + word).empty());
}

TEST_CASE("parse errors: syntax that is off is named", "[cel][syntax]") {
  const FaultCase c = GENERATE(values<FaultCase>({
      {"a.?b", {"1:2: unsupported syntax '.?'"}},
      {"a[?0]", {"1:2: unsupported syntax '[?'"}},
      {"[?a]", {"1:2: unsupported syntax '?'"}},
      {"{?a: b}", {"1:2: unsupported syntax '?'"}},
      {"M{?a: b}", {"1:3: unsupported syntax '?'"}},
  }));
  CAPTURE(c.source);
  ParseOptions options;
  options.optional_syntax = false;
  CHECK(FaultLines(c.source, options) == c.faults);
  CHECK(FaultLines(c.source).empty());
}

TEST_CASE("parse errors: macros tell which argument is wrong", "[cel][syntax]") {
  const FaultCase c = GENERATE(values<FaultCase>({
      {"has(a)", {"1:5: invalid argument to has() macro"}},
      {"has(a[0])", {"1:6: invalid argument to has() macro"}},
      {"1.all(2, 3)", {"1:7: argument must be a simple name"}},
      {"a.exists(b.c, d)", {"1:11: argument must be a simple name"}},
      {"a.map(b.c, d)", {"1:8: argument is not an identifier"}},
      {"a.filter(1, d)", {"1:10: argument is not an identifier"}},
      {"[].exists_one(__result__, __result__)",
       {"1:15: iteration variable overwrites accumulator variable"}},
      {"[].all(i, i, i < i)", {"1:11: duplicate variable name: i"}},
      {"[].all(__result__, i, i < 1)", {"1:8: iteration variable overwrites accumulator variable"}},
      {"[].exists(j, i.k, j < i.k)", {"1:15: argument must be a simple name"}},
      {"{}.transformMapEntry(i.j, k, {k: i.j})", {"1:23: argument must be a simple name"}},
      {"x.optMap(y.z, 1)", {"1:11: optMap() variable name must be a simple identifier"}},
      {"x.optFlatMap(1, 1)", {"1:14: optFlatMap() variable name must be a simple identifier"}},
      {"[1, 2, 3].map(var, var * var)",
       {"1:15: reserved identifier: var", "1:15: argument is not an identifier",
        "1:20: reserved identifier: var", "1:26: reserved identifier: var"}},
  }));
  CAPTURE(c.source);
  CHECK(FaultLines(c.source) == c.faults);
}

TEST_CASE("parse errors: recovery ends after 30 attempts", "[cel][syntax]") {
  std::string source = "a";
  for (int i = 0; i < 40; ++i) source += " + +";
  const std::vector<std::string> faults = FaultLines(source);
  CHECK(faults.size() == 32);
  CHECK(faults.back() == "1:65: Syntax error: error recovery attempt limit exceeded: 30");
}

TEST_CASE("parse errors: skipping ends after 256 tokens", "[cel][syntax]") {
  std::string source = "a b";
  for (int i = 0; i < 300; ++i) source += " 1";
  CHECK(FaultLines(source) ==
        std::vector<std::string>{"-1:0: error recovery token lookahead limit exceeded: 256",
                                 "1:3: Syntax error: mismatched input 'b' expecting <EOF>"});
}

TEST_CASE("parse errors: at most as many as asked for are printed", "[cel][syntax]") {
  const std::vector<std::string> faults = FaultLines(std::string(250, '@'));
  CHECK(faults.size() == 101);
  CHECK(faults.back() == "151 more errors were truncated");
  ParseOptions options;
  options.limits.errors_max = 2;
  CHECK(FaultLines("@@@", options) ==
        std::vector<std::string>{"1:1: Syntax error: token recognition error at: '@'",
                                 "1:2: Syntax error: token recognition error at: '@'",
                                 "2 more errors were truncated"});
}

}  // namespace
}  // namespace bth::cel
