#include "tests/plugins/fixtures.h"

namespace bth::test {
namespace {

// The pod asks for a tenth of the cpu, two of memory, three of the cards and four of the rest.
constexpr std::string_view kTenths = R"(
  node n cpu=10 mem=10 gpu=10 res.example.com/foo=10
  job a
  task p job=a cpu=1 mem=2 gpu=3 res.example.com/foo=4
)";

TEST_CASE("binpack: each weight counts for its own resource", "[plugins][binpack]") {
  struct Case {
    std::string name, arguments;
    double expected;
  };
  const Case c = GENERATE(values<Case>({
      {"defaults: cpu and memory alike", "", 100 * (0.1 + 0.2) / 2},
      {"all given, a negative one counts as 1",
       "binpack.weight: 10\nbinpack.cpu: 5\nbinpack.memory: 2\n"
       "binpack.resources: nvidia.com/gpu, example.com/foo\n"
       "binpack.resources.nvidia.com/gpu: 7\nbinpack.resources.example.com/foo: -3\n",
       10 * 100 * (0.1 * 5 + 0.2 * 2 + 0.3 * 7 + 0.4 * 1) / 15},
      {"listed names without a weight count 1",
       "binpack.resources: \" nvidia.com/gpu ,, example.com/foo\"",
       100 * (0.1 + 0.2 + 0.3 + 0.4) / 4},
      {"a weight without its name in the list is not read", "binpack.resources.nvidia.com/gpu: 7",
       100 * (0.1 + 0.2) / 2},
      {"cpu has its own argument, in the list or not",
       "binpack.cpu: 3\nbinpack.resources: cpu\nbinpack.resources.cpu: 9",
       100 * (0.1 * 3 + 0.2) / 4},
      {"weight 0 takes a resource out", "binpack.cpu: 0", 100 * 0.2},
      {"negative cpu counts as 1", "binpack.cpu: -5", 100 * (0.1 + 0.2) / 2},
      {"the plugin's own weight may be negative", "binpack.weight: -2", -2 * 100 * 0.15},
      {"no weight at all", "binpack.cpu: 0\nbinpack.memory: 0", 0},
  }));
  CAPTURE(c.name);
  PluginBed bed = Bed("binpack", kTenths, {{"binpack", c.arguments}});
  CHECK(bed.UsageScore("p", "n") == Approx(c.expected));
}

TEST_CASE("binpack: a resource that the node lacks keeps its weight in the sum",
          "[plugins][binpack]") {
  PluginBed bed = Bed("binpack", "node n cpu=10; job a; task p job=a cpu=1 mem=1");
  CHECK(bed.UsageScore("p", "n") == Approx(100 * 0.1 / 2));
}

}  // namespace
}  // namespace bth::test
