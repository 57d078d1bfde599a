#include "plugins/builtin.h"

#include "metrics/registry.h"
#include "metrics/scheduler_metrics.h"
#include "plugins/queue_gauges.h"
#include "tests/plugins/fixtures.h"

namespace bth::test {
namespace {

TEST_CASE("plugins: every registered one answers to its name", "[plugins][unit]") {
  CHECK(Builtins().plugins.size() >= 16);
  for (const auto& [name, factory] : Builtins().plugins) {
    CAPTURE(name);
    const conf::Arguments args;
    auto plugin = factory(args);
    REQUIRE(plugin.ok());
    CHECK((*plugin)->name() == name);
    CHECK(args.Findings().empty());
  }
}

TEST_CASE("plugins: unknown arguments are reported", "[plugins][unit]") {
  for (const auto& [name, factory] : Builtins().plugins) {
    CAPTURE(name);
    const conf::Arguments args = MakeArguments("no-such-argument: 1");
    REQUIRE(factory(args).ok());
    CHECK(args.Findings().size() == 1);
  }
}

TEST_CASE("plugins: a session with all of them opens and closes on an empty cluster",
          "[plugins][unit]") {
  PluginBed bed =
      Bed("priority,gang,conformance,sla,cdp,pdb;overcommit,resourcequota,drf,predicates,"
          "proportion,nodeorder,binpack,nodegroup,tdm",
          "");
  bed.Close();
  CHECK(bed.session().touched_jobs().empty());
}

TEST_CASE("plugins: queue gauges are written when they change", "[plugins][unit]") {
  metrics::Registry registry;
  metrics::SchedulerMetrics metrics(registry);
  const World world = MakeWorld("queue q; job a queue=q; task t job=a cpu=1 gpu=1");
  const model::QueueRow& queue = world.snapshot->queues[world.queue("q")];
  plugins::QueueGauges gauges;
  plugins::QueueGauge gauge{.weight = 3, .share = 0.5};
  gauge.allocated[model::kCpu] = 1500;
  gauge.allocated[*world.snapshot->dims->Find("nvidia.com/gpu")] = 2000;
  gauges.Publish(*world.snapshot->dims, world.queue("q"), queue, gauge, metrics);
  const std::string text = registry.RenderText();
  CHECK(text.find("volcano_queue_allocated_milli_cpu{queue_name=\"q\"} 1500") != std::string::npos);
  CHECK(text.find("volcano_queue_allocated_scalar_resources{queue_name=\"q\","
                  "resource=\"nvidia.com/gpu\"} 2000") != std::string::npos);
  CHECK(text.find("volcano_queue_weight{queue_name=\"q\"} 3") != std::string::npos);
  CHECK(text.find("volcano_queue_share{queue_name=\"q\"} 0.5") != std::string::npos);
}

}  // namespace
}  // namespace bth::test
