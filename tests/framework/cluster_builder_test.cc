// The language of test clusters: a slip of the pen must not pass for a word.
#include "tests/support/cluster_builder.h"

#include <stdexcept>
#include <string>

#include "tests/support/catch.h"

namespace bth::test {
namespace {

TEST_CASE("cluster builder: words that it does not know are refused", "[framework][support]") {
  const std::string text = GENERATE(values<std::string>({
      "pod p cpu=1",
      "node n cpu=4 memory=8Gi",
      "node n lable.zone=a",
      "queue q wieght=2",
      "job j tasks=2 cpus=1",
      "job j cpu=1",  // A word of tasks, and there are none.
      "job j; task t job=j taskprio=1",
      "budget b allow=1",
  }));
  CAPTURE(text);
  CHECK_THROWS_AS(MakeWorld(text), std::invalid_argument);
}

TEST_CASE("cluster builder: a job hands its words to its tasks", "[framework][support]") {
  const World world = MakeWorld("job j prio=7 tasks=2 cpu=1 taskprio=3 select.zone=a");
  for (const char* task : {"j-0", "j-1"}) {
    const model::TaskRow& row = world.snapshot->tasks[world.task(task)];
    CHECK(row.priority == 3);
    CHECK(world.snapshot->shapes[row.shape].request[model::kCpu] == 1000);
    CHECK(world.snapshot->constraints_of(row.shape).node_selector.size() == 1);
  }
  CHECK(world.snapshot->jobs[world.job("j")].priority == 7);
}

}  // namespace
}  // namespace bth::test
