#include <string>

#include "cel/syntax/parser.h"
#include "tests/cel/ast_text.h"
#include "tests/support/catch.h"

namespace bth::cel {
namespace {

struct MacroCase {
  std::string source, tree;
};

std::string ExpandedOf(const std::string& source, const ParseOptions& options = {}) {
  const absl::StatusOr<Ast> ast = Parse(source, options);
  return ast.ok() ? test::AstText(*ast) : std::string(ast.status().message());
}

TEST_CASE("macros: loops over one variable", "[cel][syntax]") {
  const MacroCase c = GENERATE(values<MacroCase>({
      {"has(m.f)", "has(m.f)"},
      {"has(m.f.g)", "has(m.f.g)"},
      {"m.all(v, f)",
       "for (v in m; @result = true; @not_strictly_false(@result); _&&_(@result, f)) @result"},
      {"m.exists(v, f)",
       "for (v in m; @result = false; @not_strictly_false(!_(@result)); _||_(@result, f)) @result"},
      {"m.exists_one(v, f)",
       "for (v in m; @result = 0; true; _?_:_(f, _+_(@result, 1), @result)) _==_(@result, 1)"},
      {"m.map(v, f)", "for (v in m; @result = []; true; _+_(@result, [f])) @result"},
      {"m.map(v, p, f)",
       "for (v in m; @result = []; true; _?_:_(p, _+_(@result, [f]), @result)) @result"},
      {"m.filter(v, p)",
       "for (v in m; @result = []; true; _?_:_(p, _+_(@result, [v]), @result)) @result"},
  }));
  CAPTURE(c.source);
  CHECK(ExpandedOf(c.source) == c.tree);
}

TEST_CASE("macros: loops over two variables", "[cel][syntax]") {
  const MacroCase c = GENERATE(values<MacroCase>({
      {"m.all(i, v, f)",
       "for (i, v in m; @result = true; @not_strictly_false(@result); _&&_(@result, f)) @result"},
      {"m.exists(i, v, f)",
       "for (i, v in m; @result = false; @not_strictly_false(!_(@result)); _||_(@result, f)) "
       "@result"},
      {"m.existsOne(i, v, f)",
       "for (i, v in m; @result = 0; true; _?_:_(f, _+_(@result, 1), @result)) _==_(@result, 1)"},
      {"m.transformList(i, v, f)",
       "for (i, v in m; @result = []; true; _+_(@result, [f])) @result"},
      {"m.transformList(i, v, p, f)",
       "for (i, v in m; @result = []; true; _?_:_(p, _+_(@result, [f]), @result)) @result"},
      {"m.transformMap(k, v, f)",
       "for (k, v in m; @result = {}; true; cel.@mapInsert(@result, k, f)) @result"},
      {"m.transformMap(k, v, p, f)",
       "for (k, v in m; @result = {}; true; _?_:_(p, cel.@mapInsert(@result, k, f), @result)) "
       "@result"},
      {"m.transformMapEntry(k, v, f)",
       "for (k, v in m; @result = {}; true; cel.@mapInsert(@result, f)) @result"},
      {"m.transformMapEntry(k, v, p, f)",
       "for (k, v in m; @result = {}; true; _?_:_(p, cel.@mapInsert(@result, f), @result)) "
       "@result"},
  }));
  CAPTURE(c.source);
  CHECK(ExpandedOf(c.source) == c.tree);
}

TEST_CASE("macros: optional values and bindings", "[cel][syntax]") {
  CHECK(ExpandedOf("a.b.optMap(x, x + 1)") ==
        "_?_:_(a.b.hasValue(), optional.of(for (#unused in []; x = a.b.value(); false; x) "
        "_+_(x, 1)), optional.none())");
  CHECK(ExpandedOf("a.optFlatMap(x, x.?y)") ==
        "_?_:_(a.hasValue(), for (#unused in []; x = a.value(); false; x) _?._(x, \"y\"), "
        "optional.none())");
  ParseOptions options;
  options.bind_macro = true;
  CHECK(ExpandedOf("cel.bind(x, 1, x + x)", options) ==
        "for (#unused in []; x = 1; false; x) _+_(x, x)");
  CHECK(ExpandedOf("other.bind(x, 1, x)", options) == "other.bind(x, 1, x)");
}

TEST_CASE("macros: calls with other numbers of arguments are calls", "[cel][syntax]") {
  const std::string source =
      GENERATE("has()", "has(a, b)", "all(a, b)", "a.has(b)", "a.all(b)", "a.map(b)", "a.map()",
               "a.map(b, c, d, e)", "a.filter(b, c, d)", "a.transformMap(b, c)", "a.optMap(b)",
               "cel.bind(a, b, c)", "a.exists_one(b)", "a.existsOne(b, c)");
  CHECK(ExpandedOf(source) == source);
}

TEST_CASE("macros: those of an option that is off are calls", "[cel][syntax]") {
  ParseOptions options;
  options.optional_syntax = false;
  options.two_variable_macros = false;
  const std::string source = GENERATE("a.optMap(b, c)", "a.optFlatMap(b, c)", "a.all(b, c, d)",
                                      "a.transformList(b, c, d)", "a.existsOne(b, c, d)");
  CHECK(ExpandedOf(source, options) == source);
  CHECK(ExpandedOf(source) != source);
}

TEST_CASE("macros: nest, and each loop has its own result", "[cel][syntax]") {
  CHECK(ExpandedOf("x.map(y, y.filter(z, z > 0))") ==
        "for (y in x; @result = []; true; _+_(@result, [for (z in y; @result = []; true; "
        "_?_:_(_>_(z, 0), _+_(@result, [z]), @result)) @result])) @result");
}

// optMap() evaluates its target twice: each time has nodes of its own.
TEST_CASE("macros: no node has two parents", "[cel][syntax]") {
  const std::string source =
      GENERATE("a.f(b).optMap(x, x.optMap(y, y)).optMap(z, [z, z])", "a.filter(b, c)",
               "a.map(b, c, d).exists_one(e, e)", "a.transformMap(b, c, d, e)");
  const absl::StatusOr<Ast> ast = Parse(source);
  REQUIRE(ast.ok());
  std::vector<int> parents(ast->nodes.size());
  const auto count = [&parents](ExprId id) {
    if (id != kNoExpr) ++parents[static_cast<size_t>(id)];
  };
  std::vector<ExprId> todo = {ast->root};
  while (!todo.empty()) {
    const Expr& expr = (*ast)[todo.back()];
    todo.pop_back();
    std::vector<ExprId> children = expr.args;
    children.push_back(expr.operand);
    if (expr.comprehension) {
      const Comprehension& fold = *expr.comprehension;
      children.insert(children.end(),
                      {fold.range, fold.accu_init, fold.condition, fold.step, fold.result});
    }
    for (const ExprId child : children) {
      count(child);
      if (child != kNoExpr) todo.push_back(child);
    }
  }
  for (const int parent_count : parents) CHECK(parent_count <= 1);
}

}  // namespace
}  // namespace bth::cel
