#include "algo/queue_quotas.h"

#include <limits>
#include <string>
#include <vector>

#include "algo/queue_faults.h"
#include "tests/support/catch.h"
#include "tests/support/cluster_builder.h"

namespace bth::algo {
namespace {

using test::MakeWorld;
using test::World;

constexpr int64_t kGi = int64_t{1} << 30;
// Only what some pod asks for is counted.
const std::string kAsksForGpu = "; job asks; task asker job=asks gpu=1";

QueueQuotas TreeQuotasOf(const World& world) {
  QueueTree tree;
  tree.Follow(*world.snapshot);
  return TreeQuotas(*world.snapshot, tree);
}

TEST_CASE("quotas: guarantees of others are not a queue's to have", "[algo][unit]") {
  const World world = MakeWorld(
      "node n cpu=20 mem=20Gi; queue q1 guarantee.cpu=4; queue q2 guarantee.cpu=2; queue q3");
  const QueueQuotas quotas = FlatQuotas(*world.snapshot);
  const auto cpu = [&](std::string_view q) {
    return quotas[world.queue(q)].real_capability.v[model::kCpu];
  };
  CHECK(cpu("q1") == 18'000);
  CHECK(cpu("q2") == 16'000);
  CHECK(cpu("q3") == 14'000);
  CHECK_FALSE(quotas[world.queue("q1")].has_capability);
}

TEST_CASE("quotas: a capability bounds what it names", "[algo][unit]") {
  const World world = MakeWorld(
      "node n cpu=20 mem=20Gi gpu=8; queue q1 guarantee.cpu=4 cap.cpu=10;"
      "queue q2 guarantee.cpu=2 guarantee.gpu=8; queue q3 cap.mem=1Gi cap.gpu=4" +
      kAsksForGpu);
  const QueueQuotas quotas = FlatQuotas(*world.snapshot);
  const auto real = [&](std::string_view q) { return quotas[world.queue(q)].real_capability; };
  const int gpu = *world.snapshot->dims->Find("nvidia.com/gpu");
  CHECK(real("q1").v[model::kCpu] == 10'000);
  CHECK(real("q1").v[model::kMemory] == 20 * kGi);
  CHECK(real("q3").v[model::kCpu] == 14'000);
  CHECK(real("q3").v[model::kMemory] == kGi);
  // What another queue is guaranteed whole is not there at all.
  CHECK_FALSE(real("q3").Has(gpu));
  CHECK(real("q3").v[gpu] == 0);
  CHECK(real("q2").v[gpu] == 8000);
  CHECK(quotas[world.queue("q3")].capability.v[model::kCpu] == kUnlimited);
}

TEST_CASE("quotas: alone, a queue deserves no more than it can have, and its guarantee",
          "[algo][unit]") {
  const World world = MakeWorld(
      "node n cpu=10 mem=10Gi; queue q1 deserved.cpu=50 deserved.mem=1Gi cap.cpu=4;"
      "queue q2 deserved.cpu=1 guarantee.cpu=2 guarantee.mem=1Gi; queue q3 deserved.pods=3");
  const QueueQuotas quotas = FlatQuotas(*world.snapshot);
  const auto deserved = [&](std::string_view q) { return quotas[world.queue(q)].deserved.v; };
  CHECK(deserved("q1")[model::kCpu] == 4000);
  CHECK(deserved("q1")[model::kMemory] == kGi);
  CHECK(deserved("q2")[model::kCpu] == 2000);
  CHECK(deserved("q2")[model::kMemory] == kGi);
  CHECK_FALSE(quotas[world.queue("q2")].best_effort);
  CHECK(quotas[world.queue("q3")].best_effort);  // Places for pods are no share.
}

TEST_CASE("quotas: children share what their parent has", "[algo][unit]") {
  const World world = MakeWorld(
      "node n cpu=4 mem=4Gi; queue root; queue q cap.cpu=10; queue a parent=q guarantee.cpu=2;"
      "queue b parent=q guarantee.cpu=3; queue c parent=q; queue p cap.cpu=10;"
      "queue d parent=p guarantee.cpu=6; queue e parent=p guarantee.cpu=6; queue f parent=p");
  const QueueQuotas quotas = TreeQuotasOf(world);
  const auto cpu = [&](std::string_view q) {
    return quotas[world.queue(q)].real_capability.v[model::kCpu];
  };
  CHECK(cpu("root") == kUnlimited);
  CHECK(cpu("q") == 10'000);
  CHECK(cpu("a") == 7000);
  CHECK(cpu("b") == 8000);
  CHECK(cpu("c") == 5000);
  // More guarantees than there is: each keeps its own, and no more.
  CHECK(cpu("d") == 6000);
  CHECK(cpu("e") == 6000);
  CHECK(cpu("f") == 0);
}

TEST_CASE("quotas: what a child does not say its parent says", "[algo][unit]") {
  const World world = MakeWorld(
      "node n cpu=4 mem=4Gi gpu=4; queue root; queue q cap.mem=4Gi cap.gpu=2;"
      "queue a parent=q cap.mem=2Gi; queue b parent=q cap.cpu=1 cap.mem=8Gi cap.gpu=1" +
      kAsksForGpu);
  const QueueQuotas quotas = TreeQuotasOf(world);
  const int gpu = *world.snapshot->dims->Find("nvidia.com/gpu");
  const auto& a = quotas[world.queue("a")];
  const auto& b = quotas[world.queue("b")];
  CHECK(a.capability.v[model::kCpu] == kUnlimited);
  CHECK(a.capability.v[model::kMemory] == 2 * kGi);
  CHECK(a.capability.v[gpu] == 2000);
  CHECK(b.capability.v[model::kCpu] == 1000);
  CHECK(b.capability.v[model::kMemory] == 8 * kGi);
  CHECK(b.real_capability.v[model::kMemory] == 4 * kGi);
  CHECK(b.real_capability.v[gpu] == 1000);
}

TEST_CASE("quotas: the root deserves what its children do, and is limited by what it names alone",
          "[algo][unit]") {
  const World world = MakeWorld(
      "node n cpu=4 mem=4Gi gpu=4; queue root cap.cpu=16 deserved.cpu=99 guarantee.cpu=99;"
      "queue a deserved.cpu=2 guarantee.cpu=3; queue b deserved.cpu=1" +
      kAsksForGpu);
  const QueueQuotas quotas = TreeQuotasOf(world);
  const QueueQuota& root = quotas[world.queue("root")];
  CHECK(root.real_capability.v[model::kCpu] == 16'000);
  CHECK(root.real_capability.v[model::kMemory] == kUnlimited);
  CHECK(root.real_capability.v[*world.snapshot->dims->Find("nvidia.com/gpu")] == kUnlimited);
  CHECK(root.deserved.v[model::kCpu] == 4000);
  CHECK(root.guarantee.v[model::kCpu] == 3000);
}

TEST_CASE("quotas: in a tree what no node offers now is limited by what queues say alone",
          "[algo][unit]") {
  const std::string queues =
      "; node n cpu=4 mem=4Gi; queue q; queue a parent=q cap.gpu=2; queue b parent=q "
      "guarantee.gpu=1; queue c parent=q" +
      kAsksForGpu;
  const World world = MakeWorld("queue root" + queues);
  const int gpu = *world.snapshot->dims->Find("nvidia.com/gpu");
  const auto most = [gpu](const World& of, const QueueQuotas& quotas, std::string_view queue) {
    return quotas[of.queue(queue)].real_capability.v[gpu];
  };
  const QueueQuotas tree = TreeQuotasOf(world);
  CHECK(most(world, tree, "root") == kUnlimited);
  CHECK(most(world, tree, "q") == kUnlimited);
  CHECK(most(world, tree, "a") == 2000);
  CHECK(most(world, tree, "b") == kUnlimited);
  CHECK(most(world, tree, "c") == kUnlimited - 1000);
  // Alone, a queue may have what the cluster has.
  CHECK(most(world, FlatQuotas(*world.snapshot), "c") == 0);

  const World limited = MakeWorld("queue root cap.gpu=0" + queues);
  CHECK(most(limited, TreeQuotasOf(limited), "c") == 0);
}

TEST_CASE("quotas: shares", "[algo][unit]") {
  struct Case {
    std::string deserved, held;
    double share;
  };
  const Case c = GENERATE(values<Case>({
      {"", "", 1},
      {"", "cpu=1 mem=1Gi", 1},
      {"deserved.cpu=2 deserved.mem=2Gi", "", 0},
      {"deserved.cpu=2 deserved.mem=2Gi", "cpu=1 mem=1Gi", 0.5},
      {"deserved.cpu=2 deserved.mem=2Gi", "cpu=2 mem=2Gi", 1},
      {"deserved.cpu=2 deserved.mem=2Gi", "cpu=3 mem=2Gi", 1.5},
      {"deserved.cpu=2 deserved.mem=2Gi", "cpu=3 mem=3Gi", 1.5},
      {"deserved.cpu=2 deserved.mem=4Gi", "cpu=1 mem=3Gi", 0.75},
      {"deserved.cpu=2 deserved.mem=4Gi", "cpu=1.5 mem=2Gi", 0.75},
  }));
  CAPTURE(c.deserved, c.held);
  const World world = MakeWorld("node n cpu=8 mem=8Gi; queue q " + c.deserved +
                                "; job j queue=q; task t job=j node=n " + c.held);
  const QueueQuotas quotas = FlatQuotas(*world.snapshot);
  model::ResourceVec held = world.snapshot->usage.jobs[world.job("j")].allocated;
  held[model::kPods] = 0;
  CHECK(QuotaShare(quotas[world.queue("q")], held) == c.share);
}

TEST_CASE("quotas: deserving only what nobody asks for is no best effort", "[algo][unit]") {
  const World world = MakeWorld("node n cpu=8; queue q");
  model::Snapshot base = *world.snapshot;
  base.queues.Mutable(world.queue("q")).deserves_unasked = true;
  const QueueQuotas quotas = FlatQuotas(base);
  CHECK_FALSE(quotas[world.queue("q")].best_effort);
  CHECK(QuotaShare(quotas[world.queue("q")], world.snapshot->total) == 0);
}

TEST_CASE("quotas: absurd amounts neither overflow nor harm others", "[algo][unit]") {
  const World world = MakeWorld("node n cpu=8 mem=8Gi; queue root; queue a; queue b; queue c");
  model::Snapshot base = *world.snapshot;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  base.queues.Mutable(world.queue("a")).guarantee.Set(model::kCpu, kMost);
  base.queues.Mutable(world.queue("b")).guarantee.Set(model::kCpu, kMost);
  base.queues.Mutable(world.queue("c")).guarantee.Set(model::kCpu, -kMost);
  base.queues.Mutable(world.queue("c")).capability.Set(model::kMemory, -5);
  for (const bool flat : {true, false}) {
    CAPTURE(flat);
    QueueTree tree;
    tree.Follow(base);
    const QueueQuotas quotas = flat ? FlatQuotas(base) : TreeQuotas(base, tree);
    CHECK(quotas[world.queue("a")].real_capability.v[model::kCpu] == kUnlimited);
    CHECK(quotas[world.queue("c")].guarantee.v[model::kCpu] == 0);
    CHECK(quotas[world.queue("c")].real_capability.v[model::kCpu] == 0);
    CHECK(quotas[world.queue("c")].real_capability.v[model::kMemory] >= 8 * kGi);
  }
  model::ResourceVec huge;
  huge[model::kCpu] = kMost;
  CHECK(SaturatingSum(huge, huge)[model::kCpu] == kUnlimited);
}

TEST_CASE("quotas: faults are told with the remedy, by queue", "[algo][unit]") {
  const World world = MakeWorld(
      "queue root; queue p cap.cpu=4 deserved.cpu=2 guarantee.cpu=1;"
      "queue c1 parent=p deserved.cpu=2 guarantee.cpu=1 cap.cpu=5; queue c2 parent=p "
      "deserved.cpu=1 guarantee.cpu=1; queue odd guarantee.mem=2Gi cap.mem=1Gi;"
      "queue lost parent=nowhere; queue x parent=x; queue under parent=x; queue shut cap.cpu=0 "
      "cap.mem=1Gi");
  model::Snapshot base = *world.snapshot;
  base.queues.Mutable(world.queue("lost")).has_negative_quota = true;
  base.queues.Mutable(world.queue("x")).has_idle_device_quota = true;
  QueueTree tree;
  tree.Follow(base);
  const auto told = [&](const std::vector<QueueFinding>& findings) {
    std::vector<std::string> out;
    for (const QueueFinding& finding : findings) {
      out.push_back(*base.queues[finding.queue].name + " " + finding.reason);
      CHECK(finding.message.find(*base.queues[finding.queue].name) != std::string::npos);
    }
    return out;
  };
  CHECK(told(FindAmountFaults(base)) ==
        std::vector<std::string>{"lost NegativeQuota", "odd GuaranteeExceedsCapability",
                                 "shut ZeroCapability", "x DeviceQuotaIgnored"});
  CHECK(told(FindParentFaults(base, tree)) ==
        std::vector<std::string>{"lost ParentNotFound", "x QueueCycle"});
  CHECK(told(FindTreeFaults(base, tree)) ==
        std::vector<std::string>{"c1 CapabilityExceedsParent", "lost ParentNotFound",
                                 "p DeservedExceedsParent", "p GuaranteeExceedsParent",
                                 "x QueueCycle"});
}

}  // namespace
}  // namespace bth::algo
