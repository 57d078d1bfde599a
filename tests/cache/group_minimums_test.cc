// Minimum resources of PodGroups: sums over their pods, which may be larger than any pod.
#include "base/strings.h"
#include "cache/cluster/mirror.h"
#include "tests/cache/objects.h"
#include "tests/support/catch.h"

namespace bth::cache {
namespace {

using model::PodGroupPhase;
using testing::MakeGroup;

constexpr char kOver[] = R"({"phase":"Completed"})";
constexpr char kRuns[] = R"({"phase":"Running"})";

std::string Asks(std::string_view memory) {
  return StrCat(R"("minResources":{"memory":")", memory, R"("},)");
}

struct MinimumBed {
  ManualClock clock{absl::FromUnixSeconds(1'767'225'600)};
  Mirror mirror{clock, {}};

  MinimumBed() { mirror.PutQueue(testing::MakeQueue("default")); }
  bool Put(CompiledPodGroup group) {
    const bool counts = mirror.CanCount(group).ok();
    if (counts) mirror.PutPodGroup(std::move(group));
    return counts;
  }
  // Groups of 1 PiB that wait, until there is no room for another one.
  int Fill() {
    int put = 0;
    while (Put(MakeGroup(StrCat("w", put), 1, Asks("1Pi")))) ++put;
    return put;
  }
  PodGroupPhase PhaseOf(const std::string& name) {
    const auto snapshot = mirror.Publish();
    for (model::JobId job : *snapshot->all_jobs) {
      if (snapshot->jobs[job].facts->name == name) return snapshot->usage.jobs[job].phase;
    }
    FAIL("no group " << name);
    return PodGroupPhase::kNone;
  }
};

TEST_CASE("minimums: that of a gang may be larger than any pod's", "[cache]") {
  const CompiledPodGroup group = MakeGroup("g", 200, Asks("300Ti"));
  CHECK(group.min_resources == NamedAmounts{{"memory", 300 * (int64_t{1} << 40)}});
  MinimumBed bed;
  CHECK(bed.Put(group));
}

TEST_CASE("minimums: one beyond counting is cut to the largest that counts", "[cache]") {
  const std::string_view name = GENERATE("memory", "cpu", "example.com/gpu");
  const CompiledPodGroup group =
      MakeGroup("g", 1, StrCat(R"("minResources":{")", name, R"(":"9000000000000000000"},)"));
  CHECK(group.min_resources == NamedAmounts{{std::string(name), kAmountSumMax}});
  MinimumBed bed;
  CHECK(bed.Put(group));
}

TEST_CASE("minimums: below zero they are refused", "[cache]") {
  const absl::Status refusal = testing::RefusalOf<types::PodGroup>(
      R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":{"name":"g"},
         "spec":{"minResources":{"cpu":"-1"}}})");
  CHECK(refusal.message() == "cpu: quantity -1 is negative");
}

TEST_CASE("minimums: groups that are over do not count", "[cache]") {
  MinimumBed bed;
  for (int i = 0; i < 3000; ++i) {
    REQUIRE(bed.Put(MakeGroup(StrCat("done", i), 1, Asks("32Ti"), kOver)));
  }
  CHECK(bed.Put(MakeGroup("next", 1, Asks("32Ti"))));
  // One that ends makes room, one that runs again takes it.
  CHECK(bed.Fill() == 64);
  CHECK(bed.Put(MakeGroup("w0", 1, Asks("1Pi"), kOver)));
  CHECK(bed.Put(MakeGroup("late", 1, Asks("1Pi"))));
  CHECK_FALSE(bed.Put(MakeGroup("w0", 1, Asks("1Pi"), kRuns)));
  bed.mirror.RemovePodGroup("ns/late");
  CHECK(bed.Put(MakeGroup("w0", 1, Asks("1Pi"), kRuns)));
  CHECK_FALSE(bed.Put(MakeGroup("late", 1, Asks("1Pi"))));
  // What is over may be removed, and may ask for something else.
  CHECK(bed.Put(MakeGroup("w1", 1, Asks("1Pi"), kOver)));
  CHECK(bed.Put(MakeGroup("w1", 1, Asks("2Pi"), kOver)));
  bed.mirror.RemovePodGroup("ns/w1");
  CHECK(bed.Put(MakeGroup("late", 1, Asks("1Pi"))));
  CHECK_FALSE(bed.Put(MakeGroup("w1", 1, Asks("1Pi"))));
}

// Else sums would hold what nobody was asked about.
TEST_CASE("minimums: a large one that was over counts again when its object says so", "[cache]") {
  MinimumBed bed;
  REQUIRE(bed.Put(MakeGroup("small", 1, Asks("1Gi"), kOver)));
  REQUIRE(bed.Put(MakeGroup("large", 1, Asks("1Pi"), kOver)));
  for (const char* group : {"ns/small", "ns/large"}) {
    bed.mirror.AssumePhase(group, PodGroupPhase::kRunning);
  }
  CHECK(bed.PhaseOf("small") == PodGroupPhase::kRunning);
  CHECK(bed.PhaseOf("large") == PodGroupPhase::kCompleted);
  REQUIRE(bed.Put(MakeGroup("small", 1, Asks("2Pi"), kOver)));
  CHECK(bed.PhaseOf("small") == PodGroupPhase::kCompleted);
  REQUIRE(bed.Put(MakeGroup("large", 1, Asks("1Pi"), kRuns)));
  CHECK(bed.PhaseOf("large") == PodGroupPhase::kRunning);
}

}  // namespace
}  // namespace bth::cache
