#include "tests/cel/evaluate.h"
#include "tests/support/catch.h"

namespace {

using bth::test::Evaluate;
using bth::test::ExpressionCase;

TEST_CASE("eval: macros over lists", "[cel][eval]") {
  const ExpressionCase c = GENERATE(values<ExpressionCase>({
      {R"([1, 2, 3].all(x, x > 0))", R"(true)"},
      {R"([1, 2, 3].all(x, x > 1))", R"(false)"},
      {R"([].all(x, 1 / 0 > 0))", R"(true)"},
      {R"([1, 2].exists(x, x == 2))", R"(true)"},
      {R"([].exists(x, true))", R"(false)"},
      {R"([1, 2, 2].exists_one(x, x == 2))", R"(false)"},
      {R"([1, 2, 3].exists_one(x, x == 2))", R"(true)"},
      {R"([1, 2, 3].exists_one(x, x == 2))", R"(true)"},
      {R"([1, 2, 3].map(x, x * 2))", R"([2, 4, 6])"},
      {R"([1, 2, 3].map(x, x > 1, x * 2))", R"([4, 6])"},
      {R"([1, 2, 3].filter(x, x != 2))", R"([1, 3])"},
      {R"([[1, 2], [3]].map(x, x.map(y, y + 1)))", R"([[2, 3], [4]])"},
      {R"([1, 2].map(x, [1, 2].filter(y, y > x)))", R"([[2], []])"},
      {R"([1].map(x, [2].map(x, x + 1)[0] + x))", R"([4])"},
      {R"([1, 2].map(x, "c"))", R"(["c", "c"])"},
      {R"([1, 0].all(x, 1 / x > 5))", R"(false)"},
      {R"([0, 1].all(x, 1 / x > 5))", R"(false)"},
      {R"([0, 1].all(x, 1 / x > 0))", R"(error: division by zero)"},
      {R"([0, 1].exists(x, 1 / x > 0))", R"(true)"},
      {R"([0, 1].exists(x, 1 / x > 5))", R"(error: division by zero)"},
      {R"([0].exists_one(x, 1 / x > 0))", R"(error: division by zero)"},
      {R"([0].map(x, 1 / x))", R"(error: division by zero)"},
      {R"([0].filter(x, 1 / x > 0))", R"(error: division by zero)"},
      {R"([1].filter(x, dyn(x)))", R"(error: no such overload)"},
      {R"([dyn(1), dyn("a")].map(x, x + 1))", R"(error: no such overload)"},
      {R"(dyn(1).all(x, true))", R"(error: got 'types.Int', expected iterable type)"},
      {R"(dyn("a").map(x, x))", R"(error: got 'types.String', expected iterable type)"},
  }));
  CAPTURE(c.source);
  CHECK(Evaluate(c.source) == c.expected);
}

TEST_CASE("eval: macros over maps and with two variables", "[cel][eval]") {
  const ExpressionCase c = GENERATE(values<ExpressionCase>({
      {R"({"a": 1, "b": 2}.all(k, k < "c"))", R"(true)"},
      {R"({"a": 1, "b": 2}.map(k, k + k))", R"(["aa", "bb"])"},
      {R"({"a": 1, "b": 2}.filter(k, k == "b"))", R"(["b"])"},
      {R"({"a": 1, "b": 2}.all(k, v, v > 0))", R"(true)"},
      {R"({"a": 1, "b": 2}.exists(k, v, k == "b" && v == 2))", R"(true)"},
      {R"([5, 6].exists(i, v, i == 1 && v == 6))", R"(true)"},
      {R"([5, 6].existsOne(i, v, v == i + 5))", R"(false)"},
      {R"([5, 6].transformList(i, v, i + v))", R"([5, 7])"},
      {R"([5, 6].transformList(i, v, i > 0, v))", R"([6])"},
      {R"({"a": 1}.transformList(k, v, k + string(v)))", R"(["a1"])"},
      {R"({"a": 1, "b": 2}.transformMap(k, v, v * 10))", R"({"a": 10, "b": 20})"},
      {R"({"a": 1, "b": 2}.transformMap(k, v, v > 1, k))", R"({"b": "b"})"},
      {R"([5, 6].transformMap(i, v, v))", R"({0: 5, 1: 6})"},
      {R"({"a": 1}.transformMapEntry(k, v, {v: k}))", R"({1: "a"})"},
      {R"({"a": 1, "b": 1}.transformMapEntry(k, v, {v: k}))",
       R"(error: insert failed: key 1 already exists)"},
      {R"({"a": 0}.transformMap(k, v, 1 / v))", R"(error: division by zero)"},
  }));
  CAPTURE(c.source);
  CHECK(Evaluate(c.source) == c.expected);
}

}  // namespace
