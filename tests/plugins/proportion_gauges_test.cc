// What proportion publishes about queues, over several cycles.
#include <string>

#include "plugins/proportion/queue_ledger.h"
#include "tests/plugins/cycles.h"

namespace bth::test {
namespace {

constexpr const char* kCluster =
    "node n1 cpu=8 mem=8Gi gpu=8;"
    "queue q1 weight=0; queue q2 weight=0 cap.cpu=2 cap.mem=2k cap.pods=10 cap.gpu=4;";
constexpr const char* kFirst =
    "job pg1 queue=q1 phase=running; task p1 job=pg1 cpu=2 gpu=3 node=n1;";
constexpr const char* kSecond = "job pg2 queue=q2 phase=running; task p2 job=pg2 cpu=2 node=n1;";

TEST_CASE("proportion: gauges fall to zero with the last job of a queue, weight or none",
          "[plugins][proportion][cycle]") {
  Cycles cycles(MakePolicy("enqueue,allocate", "priority,gang;proportion,predicates"));
  cycles.Run(std::string(kCluster) + kFirst + kSecond);
  CHECK(cycles.Gauge("allocated_milli_cpu", "q1") == "2000");
  CHECK(cycles.Gauge("allocated_scalar_resources", "q1", "nvidia.com/gpu") == "3000");
  CHECK(cycles.Gauge("allocated_scalar_resources", "q1", "pods") == "1");
  CHECK(cycles.Gauge("request_milli_cpu", "q1") == "2000");
  CHECK(cycles.Gauge("weight", "q1") == "0");
  CHECK(cycles.Gauge("deserved_milli_cpu", "q1") == "0");
  CHECK(cycles.Gauge("overused", "q1") == "1");
  CHECK(cycles.Gauge("share", "q1") == "0");

  cycles.Run(std::string(kCluster) + kSecond);
  CHECK(cycles.Gauge("allocated_milli_cpu", "q1") == "0");
  CHECK(cycles.Gauge("allocated_scalar_resources", "q1", "nvidia.com/gpu") == "0");
  CHECK(cycles.Gauge("request_milli_cpu", "q1") == "0");
  CHECK(cycles.Gauge("allocated_milli_cpu", "q2") == "2000");

  cycles.Run(kCluster);
  CHECK(cycles.Gauge("allocated_milli_cpu", "q2") == "0");
}

TEST_CASE("proportion: what a queue deserves, its share and its overuse go with its last job, once",
          "[plugins][proportion][cycle]") {
  const std::string empty = "node n cpu=4; queue q weight=3;";
  Cycles cycles(MakePolicy("allocate", "proportion"));
  cycles.Run(empty + "job j queue=q phase=running; task t job=j cpu=2 node=n");
  CHECK(cycles.Gauge("deserved_milli_cpu", "q") == "2000");
  CHECK(cycles.Gauge("share", "q") == "1");
  CHECK(cycles.Gauge("overused", "q") == "1");

  cycles.Run(empty);
  CHECK(cycles.Gauge("deserved_milli_cpu", "q") == "0");
  CHECK(cycles.Gauge("share", "q") == "0");
  CHECK(cycles.Gauge("overused", "q") == "0");
  CHECK(cycles.Gauge("weight", "q") == "3");  // The queue's own.

  cycles.metrics().RemoveQueue("q");
  cycles.Run(empty);
  CHECK(cycles.Gauge("allocated_milli_cpu", "q") == "0");
  CHECK(cycles.Gauge("deserved_milli_cpu", "q").empty());
  CHECK(cycles.Gauge("share", "q").empty());
}

TEST_CASE("proportion: a queue that is gone leaves no gauge behind",
          "[plugins][proportion][cycle]") {
  Cycles cycles(MakePolicy("enqueue,allocate", "priority,gang;proportion,predicates"));
  cycles.Run(std::string(kCluster) + kFirst);
  CHECK(cycles.Gauge("allocated_milli_cpu", "q1") == "2000");
  cycles.metrics().RemoveQueue("q1");  // As the watch does.
  CHECK(cycles.Gauge("allocated_milli_cpu", "q1").empty());
  cycles.Run("node n1 cpu=8 mem=8Gi gpu=8; queue q2;");
  CHECK(cycles.Gauge("allocated_milli_cpu", "q1").empty());
  CHECK(cycles.Gauge("weight", "q1").empty());
  // Made anew it is published anew.
  cycles.Run(std::string(kCluster) + kFirst);
  CHECK(cycles.Gauge("allocated_milli_cpu", "q1") == "2000");
}

TEST_CASE("proportion: queues without any weight deserve nothing and get nothing",
          "[plugins][proportion][cycle]") {
  const std::string jobs = "job a queue=q1 min=1 tasks=1 cpu=1; job b queue=q2 min=1 tasks=1 cpu=1";
  CHECK(Run("enqueue,allocate", "gang;proportion,predicates", kCluster + jobs).binds.empty());
  plugins::proportion::QueueLedger ledger;
  const World world = MakeWorld(kCluster + jobs);
  ledger.Open(*world.snapshot);
  for (const char* queue : {"q1", "q2"}) {
    CHECK(ledger[world.queue(queue)].deserved == model::ResourceVec());
    CHECK(ledger[world.queue(queue)].share == 0);
  }
  // Without its limits only the nodes decide.
  CHECK(Run("enqueue,allocate", "gang;proportion!enabledOverused!enabledAllocatable,predicates",
            kCluster + jobs)
            .binds.size() == 2);
}

TEST_CASE("proportion: a pass that changes nothing ends the division", "[plugins][proportion]") {
  // q1 keeps what its capability leaves it; opening again on equal facts gives the same.
  const World world = MakeWorld(R"(
    node n1 cpu=2 mem=2G pods=10
    node n2 cpu=2 mem=2G pods=10
    queue q1 cap.cpu=2 cap.mem=2G
    queue q2 cap.cpu=3 cap.mem=3G
    job pg1 queue=q1 phase=running; task pod1 job=pg1 cpu=1 mem=2G node=n1
    job pg2 queue=q2 phase=running; task pod2 job=pg2 cpu=2 mem=1G node=n2
    job pg5 queue=q1; task pod5 job=pg5 cpu=1 mem=1G)");
  plugins::proportion::QueueLedger ledger;
  for (int cycle = 0; cycle < 2; ++cycle) {
    ledger.Open(*world.snapshot);
    const model::ResourceVec& deserved = ledger[world.queue("q1")].deserved;
    CHECK(deserved[model::kCpu] == 2000);
    CHECK(deserved[model::kMemory] == 2'000'000'000);
    CHECK(deserved[model::kPods] == 2);
  }
}

}  // namespace
}  // namespace bth::test
