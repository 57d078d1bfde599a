#include "actions/rank_order.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "framework/session/statement.h"
#include "tests/plugins/fixtures.h"

namespace bth::test {
namespace {

World WithRankOrder(World world, std::string_view job) {
  auto snapshot = std::make_shared<model::Snapshot>(*world.snapshot);
  model::JobRow& row = snapshot->jobs.Mutable(world.job(job));
  auto facts = std::make_shared<model::JobFacts>(*row.facts);
  facts->keeps_rank_order = true;
  row.facts = std::move(facts);
  world.snapshot = std::move(snapshot);
  return world;
}

// The node of a-w-0, after a-w-1 was placed on n1 and a-w-0 on n2. `more`: of each of the two.
std::string NodeOfTheFirst(const std::string& more) {
  const World world = WithRankOrder(
      MakeWorld(StrCat("node n1 cpu=8 mem=8Gi numa=restricted layout=4|4; "
                       "node n2 cpu=8 mem=8Gi numa=restricted layout=4|4; job a min=2; ",
                       "task a-w-0 job=a cpu=2 mem=1Gi ", more, "; ",
                       "task a-w-1 job=a cpu=2 mem=1Gi ", more)),
      "a");
  PluginBed bed(Builtins(), MakePolicy("", "numa-aware,network-topology-aware"), world);
  framework::Statement statement(bed.session(), "test");
  statement.Allocate(world.task("a-w-1"), world.node("n1"));
  statement.Allocate(world.task("a-w-0"), world.node("n2"));
  actions::OrderByRank(bed.session(), world.job("a"), statement, {});
  return bed.session().node(bed.session().state(world.task("a-w-0")).node).name;
}

TEST_CASE("rank order: pods with CPUs of their own keep what they got", "[actions][topology]") {
  CHECK(NodeOfTheFirst("") == "n1");
  CHECK(NodeOfTheFirst("own=2") == "n2");
}

}  // namespace
}  // namespace bth::test
