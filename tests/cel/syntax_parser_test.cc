#include <string>

#include "cel/syntax/parser.h"
#include "tests/cel/ast_text.h"
#include "tests/support/catch.h"

namespace bth::cel {
namespace {

struct ParseCase {
  std::string source, tree;
};

std::string TreeOf(const std::string& source) {
  ParseOptions options;
  options.quoted_names = true;
  const absl::StatusOr<Ast> ast = Parse(source, options);
  return ast.ok() ? test::AstText(*ast) : std::string(ast.status().message());
}

TEST_CASE("parser: operators have the precedence and the side of the definition", "[cel][syntax]") {
  const ParseCase c = GENERATE(values<ParseCase>({
      {"1 + 2 * 3 - 1 / 2 == 6 % 1", "_==_(_-_(_+_(1, _*_(2, 3)), _/_(1, 2)), _%_(6, 1))"},
      {"a - b - c", "_-_(_-_(a, b), c)"},
      {"a < b == c", "_==_(_<_(a, b), c)"},
      {"a in b in c", "@in(@in(a, b), c)"},
      {"a != b || c >= d && e <= f", "_||_(_!=_(a, b), _&&_(_>=_(c, d), _<=_(e, f)))"},
      {"a ? b : c ? d : e", "_?_:_(a, b, _?_:_(c, d, e))"},
      {"(a ? b : c) ? d : e", "_?_:_(_?_:_(a, b, c), d, e)"},
      {"false && !true || false ? 2 : 3", "_?_:_(_||_(_&&_(false, !_(true)), false), 2, 3)"},
      {"!a.b(c)[0]", "!_(_[_](a.b(c), 0))"},
      {"-a.b", "-_(a.b)"},
      {"(a)", "a"},
      {"((a + b)) * c", "_*_(_+_(a, b), c)"},
  }));
  CAPTURE(c.source);
  CHECK(TreeOf(c.source) == c.tree);
}

TEST_CASE("parser: an even number of ! or - is none, an odd one is one", "[cel][syntax]") {
  const ParseCase c = GENERATE(values<ParseCase>({
      {"!a", "!_(a)"},
      {"!!a", "a"},
      {"!!!a", "!_(a)"},
      {"--a", "a"},
      {"---a", "-_(a)"},
      {"!-1", "!_(-1)"},
      {"--1", "1"},
      {"---1", "-_(1)"},
      {"-(-1)", "-_(-1)"},
      {"4--4", "_-_(4, -4)"},
      {"4--4.1", "_-_(4, d:-4.1)"},
      {"- 1", "-1"},
      {"-1.size()", "-1.size()"},
      {"--------------------------------19", "19"},
  }));
  CAPTURE(c.source);
  CHECK(TreeOf(c.source) == c.tree);
}

TEST_CASE("parser: members, calls, indices and names", "[cel][syntax]") {
  const ParseCase c = GENERATE(values<ParseCase>({
      {"a.b.c", "a.b.c"},
      {"a.b(5).c", "a.b(5).c"},
      {"a[b][1]", "_[_](_[_](a, b), 1)"},
      {"f()", "f()"},
      {"f(a, b)", "f(a, b)"},
      {".a.b", ".a.b"},
      {".f(x)", ".f(x)"},
      {"a.`b-c`", "a.b-c"},
      {"a.`b c`.`d/e.f`", "a.b c.d/e.f"},
      {"a.`in`", "a.in"},
      {"has(a.`b/c`)", "has(a.b/c)"},
      {"a.package", "a.package"},  // Reserved words are names of fields all the same.
      {"a.while()", "a.while()"},
      {"size(x) == x.size()", "_==_(size(x), x.size())"},
      {"[1, 3, 4][0]", "_[_]([1, 3, 4], 0)"},
      {"{'a': 1}.a", "{\"a\": 1}.a"},
      {"\"x\".f()", "\"x\".f()"},
  }));
  CAPTURE(c.source);
  CHECK(TreeOf(c.source) == c.tree);
}

TEST_CASE("parser: literals of lists, maps and objects", "[cel][syntax]") {
  const ParseCase c = GENERATE(values<ParseCase>({
      {"[]", "[]"},
      {"[,]", "[]"},
      {"[a]", "[a]"},
      {"[] + [1,2,3,] + [4]", "_+_(_+_([], [1, 2, 3]), [4])"},
      {"{}", "{}"},
      {"{,}", "{}"},
      {"{a: b, 'c': 2u, }", "{a: b, \"c\": 2u}"},
      {"foo{}", "foo{}"},
      {"foo{ a:b, c:d, }", "foo{a: b, c: d}"},
      {"a.b.C{x: 1}.x", "a.b.C{x: 1}.x"},
      {".a.b.C{x: 1}", ".a.b.C{x: 1}"},
      {"A{`b-c`: 1}", "A{b-c: 1}"},
      {"Object.spec{replicas: 1 + 2}", "Object.spec{replicas: _+_(1, 2)}"},
  }));
  CAPTURE(c.source);
  CHECK(TreeOf(c.source) == c.tree);
}

TEST_CASE("parser: optional selections, indices and entries", "[cel][syntax]") {
  const ParseCase c = GENERATE(values<ParseCase>({
      {"a.?b", "_?._(a, \"b\")"},
      {"a.?b.c", "_?._(a, \"b\").c"},
      {"a.?`b-c`[?0]", "_[?_](_?._(a, \"b-c\"), 0)"},
      {"[a, ?b, ?c.d]", "[a, ?b, ?c.d]"},
      {"{?'a': b, c: d}", "{?\"a\": b, c: d}"},
      {"Msg{?f: x, g: y}", "Msg{?f: x, g: y}"},
      {"has(a.?b.c)", "has(_?._(a, \"b\").c)"},
  }));
  CAPTURE(c.source);
  CHECK(TreeOf(c.source) == c.tree);
}

TEST_CASE("parser: blanks and comments are nothing", "[cel][syntax]") {
  CHECK(TreeOf("a // one\n + // two\n\t\f\r b // three") == "_+_(a, b)");
  CHECK(TreeOf("'// no comment'") == "\"// no comment\"");
  CHECK(TreeOf(" \n a") == "a");
}

// A message points at the operator, at the dot, at the bracket, at the paren.
TEST_CASE("parser: nodes have the places at which messages point", "[cel][syntax]") {
  struct Case {
    std::string source;
    int offset;
  };
  const Case c = GENERATE(values<Case>({
      {"abc", 0},       {" .abc", 2},       {"a.bc", 1},     {"a . bc", 2},
      {"f (x)", 2},     {"a.f(x)", 3},      {"aa + b", 3},   {"a[0]", 1},
      {"a ? b : c", 2}, {"  !a", 2},        {"--  -a", 0},   {"'\xC3\xA9' == a", 4},
      {"  [a]", 2},     {"{a: b}", 0},      {"M{a: b}", 1},  {"  -1", 2},
      {"a.?b", 1},      {"x.all(y, z)", 5}, {"has(a.b)", 3}, {"a && b && c", 7},
  }));
  CAPTURE(c.source);
  const absl::StatusOr<Ast> ast = Parse(c.source);
  REQUIRE(ast.ok());
  CHECK((*ast)[ast->root].offset == c.offset);
}

TEST_CASE("parser: entries have the places of their colons", "[cel][syntax]") {
  const absl::StatusOr<Ast> ast = Parse("M{ab: 1, c : 2}");
  REQUIRE(ast.ok());
  const Expr& root = (*ast)[ast->root];
  CHECK(root.entries[0].offset == 4);
  CHECK(root.entries[1].offset == 11);
}

TEST_CASE("parser: chains of && and || become balanced trees", "[cel][syntax]") {
  CHECK(TreeOf("a || b || c || d || e || f") == "_||_(_||_(_||_(a, b), c), _||_(_||_(d, e), f))");
  CHECK(TreeOf("a && b && c && d && e && f && g") ==
        "_&&_(_&&_(_&&_(a, b), _&&_(c, d)), _&&_(_&&_(e, f), g))");
  CHECK(TreeOf("a && b && c && d || e && f && g && h") ==
        "_||_(_&&_(_&&_(a, b), _&&_(c, d)), _&&_(_&&_(e, f), _&&_(g, h)))");
}

}  // namespace
}  // namespace bth::cel
