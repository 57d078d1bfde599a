#include "tests/plugins/fixtures.h"

namespace bth::test {
namespace {

TEST_CASE("conformance: system pods stay", "[plugins][conformance]") {
  PluginBed bed =
      Bed("conformance",
          "node n1; job a; task system job=a node=n1 ns=kube-system;"
          "task plain job=a node=n1 ns=test-namespace;"
          "task critical job=a node=n1 critical; task strong job=a node=n1 prio=2000000000");
  const Names all = {"system", "plain", "critical", "strong"};
  const Names expected = {"plain", "strong"};
  const framework::HookTable& hooks = bed.session().hooks();
  CHECK(VictimsOf(bed, hooks.preemptable, model::TaskId(0), all) == expected);
  CHECK(VictimsOf(bed, hooks.reclaimable, model::TaskId(0), all) == expected);
  CHECK(VictimsOf(bed, hooks.unified_evictable, framework::EvictionContext(), all) == expected);
}

}  // namespace
}  // namespace bth::test
