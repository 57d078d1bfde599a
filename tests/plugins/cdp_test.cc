#include "tests/plugins/fixtures.h"

namespace bth::test {
namespace {

TEST_CASE("cdp: pods stay until their cooldown ends", "[plugins][cdp]") {
  PluginBed bed =
      Bed("cdp",
          "node n; job a; task plain job=a node=n; task fresh job=a node=n protected=701;"
          "task done job=a node=n protected=700; task old job=a node=n protected=600");
  bed.clock().Advance(absl::Seconds(700));
  bed.Reopen(bed.world());
  const Names all = {"old", "fresh", "done", "plain"};
  const Names expected = {"old", "done", "plain"};
  const framework::HookTable& hooks = bed.session().hooks();
  CHECK(VictimsOf(bed, hooks.preemptable, model::TaskId(0), all) == expected);
  CHECK(VictimsOf(bed, hooks.reclaimable, model::TaskId(0), all) == expected);
  CHECK(hooks.unified_evictable.size() == 1);
  CHECK(hooks.victim_tasks.empty());
  CHECK(hooks.victim_filter.empty());
}

TEST_CASE("cdp: each switch holds one hook back", "[plugins][cdp]") {
  CHECK(Bed("cdp!enablePreemptable", "").session().hooks().preemptable.empty());
  CHECK(Bed("cdp!enableReclaimable", "").session().hooks().reclaimable.empty());
}

TEST_CASE("cdp: its answers change with time", "[plugins][cdp]") {
  CHECK((*Builtins().plugins.find("cdp")->second(conf::Arguments()))->follows_clock());
}

}  // namespace
}  // namespace bth::test
