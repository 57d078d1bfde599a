#include "tests/plugins/fixtures.h"

namespace bth::test {
namespace {

constexpr std::string_view kWorld = R"(
  node n1 cpu=2 mem=4Gi
  node n2 cpu=4 mem=16Gi gpu=4
  node n3 cpu=2 mem=4Gi res.example.com/foo=16
  job a
  task held1 job=a cpu=1 mem=1Gi node=n1
  task held3 job=a cpu=1.5 node=n3
  task p1 job=a cpu=1 mem=1Gi
  task p2 job=a cpu=1.5
  task p3 job=a cpu=2 mem=10Gi gpu=2
  task p4 job=a cpu=3 mem=4Gi res.example.com/foo=3
)";

struct Scores {
  std::string task;
  double n1, n2, n3;
};

void CheckScores(PluginBed& bed, const Scores& expected) {
  CAPTURE(expected.task);
  CHECK(bed.UsageScore(expected.task, "n1") == Approx(expected.n1));
  CHECK(bed.UsageScore(expected.task, "n2") == Approx(expected.n2));
  CHECK(bed.UsageScore(expected.task, "n3") == Approx(expected.n3));
}

TEST_CASE("binpack: scores with weights for every resource", "[plugins][binpack]") {
  PluginBed bed = Bed("binpack", kWorld, {{"binpack", R"(
binpack.weight: 10
binpack.cpu: 2
binpack.memory: 3
binpack.resources: nvidia.com/gpu, example.com/foo
binpack.resources.nvidia.com/gpu: 7
binpack.resources.example.com/foo: 8
)"}});
  CheckScores(bed, {"p1", 700, 137.5, 0});
  CheckScores(bed, {"p2", 0, 375, 0});
  CheckScores(bed, {"p3", 0, 531.25, 0});
  CheckScores(bed, {"p4", 0, 173.076923076923, 0});
}

TEST_CASE("binpack: a resource without a weight does not count", "[plugins][binpack]") {
  PluginBed bed = Bed("binpack", kWorld, {{"binpack", R"(
binpack.weight: 1
binpack.cpu: 1
binpack.memory: 1
binpack.resources: nvidia.com/gpu
binpack.resources.nvidia.com/gpu: 23
)"}});
  CheckScores(bed, {"p1", 75, 15.625, 0});
  CheckScores(bed, {"p2", 0, 37.5, 0});
  CheckScores(bed, {"p3", 0, 50.5, 0});
  CheckScores(bed, {"p4", 0, 50, 0});
}

TEST_CASE("binpack: weights that are negative or of a wrong type count as 1",
          "[plugins][binpack]") {
  const conf::Arguments args = MakeArguments(
      "binpack.weight: 10\nbinpack.cpu: -5\nbinpack.memory: lots\n"
      "binpack.resources: example.com/foo\nbinpack.resources.example.com/foo: -3\n"
      "binpack.resources.example.com/bar: 2\n");
  REQUIRE(Builtins().plugins.find("binpack")->second(args).ok());
  const std::vector<conf::Finding> findings = args.Findings();
  REQUIRE(findings.size() == 4);
  CHECK(findings[0].text.find("negative") != std::string::npos);
  CHECK(findings[2].text.find("negative") != std::string::npos);
}

TEST_CASE("binpack: weight 0 takes it out", "[plugins][binpack]") {
  PluginBed bed = Bed("binpack", kWorld, {{"binpack", "binpack.weight: 0"}});
  CHECK(bed.session().hooks().usage_score.empty());
}

}  // namespace
}  // namespace bth::test
