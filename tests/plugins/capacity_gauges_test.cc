// What capacity publishes about queues, over several cycles.
#include "tests/plugins/cycles.h"

namespace bth::test {
namespace {

TEST_CASE("capacity: with the last job of a queue its share is zero, told once",
          "[plugins][capacity][cycle]") {
  const std::string empty = "node n cpu=20; queue q deserved.cpu=2; queue other deserved.cpu=1;";
  Cycles cycles(MakePolicy("allocate", "capacity"));
  cycles.Run(empty + "job j queue=q phase=running; task t job=j cpu=3 node=n");
  CHECK(cycles.Gauge("share", "q") == "1.5");
  CHECK(cycles.Gauge("overused", "q") == "1");

  cycles.Run(empty);
  CHECK(cycles.Gauge("share", "q") == "0");
  CHECK(cycles.Gauge("overused", "q") == "0");
  CHECK(cycles.Gauge("deserved_milli_cpu", "q") == "2000");
  // A queue that never had a job has none.
  CHECK(cycles.Gauge("share", "other").empty());

  cycles.metrics().RemoveQueue("q");
  cycles.Run(empty);
  CHECK(cycles.Gauge("deserved_milli_cpu", "q") == "2000");
  CHECK(cycles.Gauge("share", "q").empty());
  CHECK(cycles.Gauge("overused", "q").empty());
}

TEST_CASE("capacity: a capability that is taken back is told no more",
          "[plugins][capacity][cycle]") {
  const std::string pods =
      "node n cpu=20 gpu=8; job j queue=q phase=running;"
      "task t job=j cpu=3 gpu=1 node=n;";
  Cycles cycles(MakePolicy("allocate", "capacity"));
  cycles.Run(pods + "queue q cap.cpu=6 cap.mem=1k cap.gpu=4");
  CHECK(cycles.Gauge("capacity_milli_cpu", "q") == "6000");
  CHECK(cycles.Gauge("capacity_scalar_resources", "q", "nvidia.com/gpu") == "4000");

  cycles.Run(pods + "queue q");
  CHECK(cycles.Gauge("capacity_milli_cpu", "q") == "0");
  CHECK(cycles.Gauge("capacity_memory_bytes", "q") == "0");
  CHECK(cycles.Gauge("capacity_scalar_resources", "q", "nvidia.com/gpu") == "0");
  CHECK(cycles.Gauge("real_capacity_milli_cpu", "q") == "20000");
}

TEST_CASE("capacity: what has no limit is told as Volcano tells it", "[plugins][capacity][cycle]") {
  Cycles cycles(MakePolicy("allocate", "capacity+enableHierarchy"));
  cycles.Run(
      "node n cpu=20 gpu=8; queue root; queue q cap.gpu=4; job j queue=q phase=running;"
      "task t job=j cpu=3 gpu=1 node=n");
  for (const char* gauge : {"capacity", "real_capacity"}) {
    CAPTURE(gauge);
    const std::string name = gauge;
    CHECK(cycles.Gauge(name + "_milli_cpu", "root") == "1.797693134862316e+308");
    const std::string scalars = name + "_scalar_resources";
    CHECK(cycles.Gauge(scalars, "root", "nvidia.com/gpu") == "9.223372036854776e+18");
    CHECK(cycles.Gauge(scalars, "q", "pods") == "9.223372036854776e+18");
    CHECK(cycles.Gauge(scalars, "q", "nvidia.com/gpu") == "4000");
  }
}

}  // namespace
}  // namespace bth::test
