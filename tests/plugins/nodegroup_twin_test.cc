// Which node tasks get under nodegroup: by candidate indexes, and by looking at every node.
#include <string>

#include "base/rng.h"
#include "base/strings.h"
#include "framework/nodes/node_picker.h"
#include "framework/session/statement.h"
#include "tests/plugins/fixtures.h"
#include "tests/support/seeds.h"
#include "tests/support/slow_pick.h"

namespace bth::test {
namespace {

using model::TaskId;

// Queues with and without affinity and limits, whose jobs have pods that are alike.
std::string RandomGroups(Rng& rng) {
  std::string text;
  const int64_t nodes = rng.Between(1, 12);
  for (int64_t n = 0; n < nodes; ++n) {
    StrAppend(&text, "node n", n, " cpu=", rng.Between(1, 9), " mem=16Gi pods=9");
    if (rng.Chance(0.8)) {
      StrAppend(&text, " label.volcano.sh/nodegroup-name=g", rng.Below(3));
    }
    if (rng.Chance(0.2)) StrAppend(&text, " taint=k=v:PreferNoSchedule");
    StrAppend(&text, ";");
  }
  for (int q = 0; q < 4; ++q) {
    StrAppend(&text, "queue q", q);
    if (rng.Chance(0.5)) StrAppend(&text, " groups=g", rng.Below(3));
    if (rng.Chance(0.5)) StrAppend(&text, " groups.preferred=g", rng.Below(3));
    if (rng.Chance(0.3)) StrAppend(&text, " groups.anti=g", rng.Below(3));
    if (rng.Chance(0.3)) StrAppend(&text, " groups.antipreferred=g", rng.Below(3));
    if (rng.Chance(0.4)) {
      StrAppend(&text, " limit.g", rng.Below(3), "=cpu:", rng.Between(1, 6));
    }
    StrAppend(&text, "; job j", q, " queue=q", q, " tasks=", rng.Between(2, 8),
              " cpu=", rng.Between(1, 2), " mem=1Gi;");
    if (rng.Chance(0.5)) {
      StrAppend(&text, "task r", q, " job=j", q, " cpu=1 node=n", rng.Below(nodes),
                rng.Chance(0.3) ? " status=releasing;" : ";");
    }
  }
  return text;
}

TEST_CASE("nodegroup: index and scan agree with the slow twin", "[plugins][nodegroup][property]") {
  const std::string tiers = GENERATE(values<std::string>(
      {"gang;predicates,nodegroup", "gang;predicates,nodegroup,nodeorder,binpack",
       "gang;predicates,nodeorder,nodegroup!enablePredicate",
       "gang;predicates,nodegroup!enableNodeOrder,nodeorder"}));
  CAPTURE(tiers);
  uint64_t builds = 0;
  ForEachSeed(400, [&](uint64_t seed) {
    CAPTURE(seed);
    Rng rng(seed);
    const World world = MakeWorld(RandomGroups(rng));
    PluginBed bed(Builtins(), MakePolicy("", tiers), world);
    framework::Session& session = bed.session();
    framework::Statement statement(session, "test");
    for (TaskId task : world.snapshot->tasks.ids()) {
      if (session.state(task).status != model::TaskStatus::kPending) continue;
      const framework::NodeChoice slow = PickSlowly(session, task);
      const framework::NodeChoice fast = session.picker().Pick(task);
      REQUIRE(fast.node == slow.node);
      REQUIRE(fast.on_future_room == slow.on_future_room);
      const bool taken = session.picker().AnyNodeTakes(task);
      const auto refused = static_cast<size_t>(session.picker().Explain(task)->nodes_refused);
      REQUIRE(taken == (refused < world.snapshot->nodes_by_name->size()));
      if (!fast.node.valid() || rng.Chance(0.1)) continue;
      const framework::Statement::Mark mark = statement.Checkpoint();
      if (fast.on_future_room) {
        statement.Pipeline(task, fast.node, false);
      } else {
        statement.Allocate(task, fast.node);
      }
      if (rng.Chance(0.2)) statement.RollbackTo(mark);
    }
    builds += session.picker().index_builds();
  });
  CHECK((FewSeeds() || builds > 400));
}

TEST_CASE("nodegroup: nodes are ranked once per kind of pod and queue", "[plugins][nodegroup]") {
  std::string text;
  for (int n = 0; n < 50; ++n) {
    StrAppend(&text, "node n", n, " cpu=9 label.volcano.sh/nodegroup-name=g", n % 2, ";");
  }
  PluginBed bed = Bed("predicates,nodegroup,nodeorder",
                      text +
                          "queue qa groups=g0; queue qb groups=g1 limit.g1=cpu:1000;"
                          "job a queue=qa tasks=40 cpu=1; job b queue=qb tasks=40 cpu=1");
  framework::Session& session = bed.session();
  framework::Statement statement(session, "test");
  for (int t = 0; t < 40; ++t) {
    for (const std::string job : {"a-", "b-"}) {
      const TaskId task = bed.world().task(StrCat(job, t));
      const framework::NodeChoice choice = session.picker().Pick(task);
      REQUIRE(choice.node.valid());
      CHECK(session.node(choice.node).node_group == (job == "a-" ? "g0" : "g1"));
      statement.Allocate(task, choice.node);
    }
  }
  // The first pod of each queue is placed by looking at every node.
  CHECK(session.picker().scans() == 2);
  CHECK(session.picker().index_builds() == 2);
}

}  // namespace
}  // namespace bth::test
