// What a run may look at beside its cost: values that share their parts, patterns that are no
// literals.
#include <string>
#include <string_view>

#include "cel/kubernetes/device.h"
#include "cel/kubernetes/environment.h"
#include "cel/values/value.h"
#include "cel/values/work.h"
#include "tests/cel/evaluate.h"
#include "tests/support/catch.h"

namespace {

using bth::StrCat;
using bth::cel::Outcome;
using bth::cel::Value;
using bth::cel::Work;
using bth::cel::WorkScope;

// `body` with a `z` of 60 levels, each of them the one below twice, and nothing at the bottom.
std::string WithShared(std::string_view body) {
  constexpr int kLevels = 60;
  std::string source = "[[]].all(v0, ", end = ")";
  for (int i = 1; i < kLevels; ++i) {
    source += StrCat("[[v", i - 1, ", v", i - 1, "]].all(v", i, ", ");
    end += ")";
  }
  return StrCat(source, "[[v", kLevels - 1, ", v", kLevels - 1, "]].all(z, ", body, ")", end);
}

Outcome RunOf(std::string_view source) {
  const auto program = bth::cel::Compile(source, bth::cel::KubernetesEnvironment());
  INFO(program.status().ToString());
  REQUIRE(program.ok());
  return program->Run(bth::cel::Bindings(), {.cost_max = bth::cel::kDeviceExpressionCost});
}

TEST_CASE("work: a run that looks at too much is cancelled", "[cel][eval][limits]") {
  std::string large;
  for (int i = 0; i < 8; ++i) large += "(a{31}){32}";
  const std::string sources[] = {
      WithShared("[z, z].flatten(100).size() == 0"),
      WithShared("[z, z].indexOf(z) == 0"),
      WithShared("[z, z].lastIndexOf(z) == 1"),
      WithShared("z == z"),
      WithShared("lists.range(30000).all(i, [z] == [z])"),
      WithShared("lists.range(30000).all(i, z in [z])"),
      WithShared("lists.range(30000).all(i, [z, z].distinct().size() == 1)"),
      WithShared("lists.range(30000).all(i, sets.contains([z], [z]))"),
      WithShared("lists.range(30000).all(i, sets.equivalent([z], [z]))"),
      WithShared("lists.range(30000).all(i, sets.intersects([z], [z]))"),
      WithShared("'%s'.format([z]) == ''"),
      // Of 8,000 instructions, and too large to be compiled.
      StrCat("['", large, "'].all(p, lists.range(50000).all(i, !''.matches(p)))"),
      StrCat("['", large, "'].all(p, lists.range(50000).all(i, ''.find(p) == ''))"),
      "[r'(\\pL{30}){32}'].all(p, lists.range(50000).exists(i, ''.matches(p)))",
  };
  for (const std::string& source : sources) {
    CAPTURE(source);
    const Outcome outcome = RunOf(source);
    CHECK(outcome.cost_exceeded);
    CHECK(outcome.value.DebugText() == "error: operation cancelled: actual cost limit exceeded");
    CHECK(outcome.cost > bth::cel::kDeviceExpressionCost);
  }
}

TEST_CASE("work: what costs allow is not met by it", "[cel][eval][limits]") {
  for (const char* source : {
           "lists.range(300).all(i, i in lists.range(300))",
           "lists.range(300).distinct().size() == 300",
           "sets.equivalent(lists.range(300), lists.range(300).reverse())",
           "lists.range(20000).map(i, [i, i]).flatten().size() == 40000",
           "['^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$'].all(p, lists.range(2000).all(i, "
           "'web'.matches(p)))",
           "[lists.range(500000)].all(r, lists.range(100).all(i, sets.contains(r, []) && "
           "!sets.intersects(r, [])))",
       }) {
    CAPTURE(source);
    const Outcome outcome = RunOf(source);
    CHECK(outcome.value.DebugText() == "true");
    CHECK(!outcome.cost_exceeded);
  }
}

TEST_CASE("work: flatten is charged for a long result", "[cel][eval][cost]") {
  const auto cost = [](int members) {
    return RunOf(StrCat("[lists.range(", members, ")].flatten().size()")).cost;
  };
  // The range itself is charged for its members.
  CHECK(cost(1000) - cost(500) == 500);
  CHECK(cost(2000) - cost(1000) == 2000);
}

TEST_CASE("work: runs within runs have their own", "[cel][values]") {
  Work otherwise, outer, inner;
  CHECK(&Work::OfRun(otherwise) == &otherwise);
  {
    const WorkScope run(outer);
    CHECK(&Work::OfRun(otherwise) == &outer);
    {
      const WorkScope run_within(inner);
      CHECK(&Work::OfRun(otherwise) == &inner);
    }
    CHECK(&Work::OfRun(otherwise) == &outer);
  }
  CHECK(&Work::OfRun(otherwise) == &otherwise);
  CHECK(outer.Spend(Work::kStepsMax - 1));
  CHECK(!outer.is_spent());
  CHECK(!outer.Spend(2));
  CHECK(outer.is_spent());
}

}  // namespace
