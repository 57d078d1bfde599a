#include "cache/intake/compile_task_topology.h"

#include <string>
#include <vector>

#include "base/strings.h"
#include "tests/support/catch.h"

namespace bth::test {
namespace {

using Names = model::TaskTopology::Names;
using Groups = std::vector<Names>;

types::ObjectMeta Annotated(const std::string& affinity, const std::string& apart,
                            const std::string& order) {
  types::ObjectMeta meta;
  meta.annotations.Set("volcano.sh/task-topology-affinity", affinity);
  meta.annotations.Set("volcano.sh/task-topology-anti-affinity", apart);
  meta.annotations.Set("volcano.sh/task-topology-task-order", order);
  return meta;
}

TEST_CASE("task topology: annotations are groups of names", "[cache][task-topology]") {
  struct Case {
    std::string affinity, apart, order;
    Groups expect_affinity, expect_apart;
    Names expect_order;
  };
  const Case c = GENERATE(values<Case>({
      {"ps,worker;ps,chief",
       "ps;worker,chief",
       "ps,worker,chief,evaluator",
       {{"ps", "worker"}, {"ps", "chief"}},
       {{"ps"}, {"worker", "chief"}},
       {"ps", "worker", "chief", "evaluator"}},
      {"my-ps,my-worker", "my-ps", "my-ps", {{"my-ps", "my-worker"}}, {{"my-ps"}}, {"my-ps"}},
      {"ps,worker;ps,,chief,;",
       "ps;worker,chief;;;",
       "ps,worker,chief,evaluator,,,",
       {{"ps", "worker"}, {"ps", "", "chief", ""}, {""}},
       {{"ps"}, {"worker", "chief"}, {""}, {""}, {""}},
       {"ps", "worker", "chief", "evaluator", "", "", ""}},
  }));
  CAPTURE(c.affinity);
  const model::SharedTaskTopology topology =
      cache::CompileTaskTopology(Annotated(c.affinity, c.apart, c.order));
  REQUIRE(topology);
  CHECK(topology->affinity == c.expect_affinity);
  CHECK(topology->anti_affinity == c.expect_apart);
  CHECK(topology->order == c.expect_order);
  CHECK(topology->unusable.empty());
}

TEST_CASE("task topology: without annotations there is none", "[cache][task-topology]") {
  CHECK_FALSE(cache::CompileTaskTopology(types::ObjectMeta()));
}

TEST_CASE("task topology: equal annotations are equal", "[cache][task-topology]") {
  const auto make = [] { return cache::CompileTaskTopology(Annotated("ps,worker", "ps", "ps")); };
  CHECK(make() == make());
  CHECK_FALSE(make() == cache::CompileTaskTopology(Annotated("ps,worker", "ps", "")));
  CHECK_FALSE(make() == model::SharedTaskTopology());
}

TEST_CASE("task topology: too much of it is left out, and says so", "[cache][task-topology]") {
  const model::SharedTaskTopology longer =
      cache::CompileTaskTopology(Annotated("", std::string(8193, 'a'), ""));
  REQUIRE(longer);
  CHECK(longer->anti_affinity.empty());
  CHECK(longer->unusable ==
        "annotation volcano.sh/task-topology-anti-affinity is longer than 8192 bytes");
  CHECK(cache::CompileTaskTopology(Annotated("", std::string(8192, 'a'), ""))->unusable.empty());

  std::string names = "r0";
  for (int i = 1; i < 64; ++i) StrAppend(&names, ",r", i);
  CHECK(cache::CompileTaskTopology(Annotated(names, names, names))->unusable.empty());
  CHECK(cache::CompileTaskTopology(Annotated(names, names, "another"))->unusable ==
        "its annotations name more than 64 tasks");
}

}  // namespace
}  // namespace bth::test
