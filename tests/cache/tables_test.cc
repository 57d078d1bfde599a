// The tables of a mirror together: whatever comes, they say the same of it.
#include <string>

#include "base/strings.h"
#include "cache/cluster/mirror.h"
#include "tests/cache/objects.h"
#include "tests/support/catch.h"
#include "tests/support/seeds.h"

namespace bth::cache {
namespace {

using testing::MakeGroup;
using testing::MakeNode;
using testing::MakePod;
using testing::PodText;

// A few names, so that objects meet: each comes, changes, goes and comes anew in any order.
struct RandomLife {
  ManualClock clock{absl::FromUnixSeconds(1'767'225'600)};
  Mirror mirror{clock, {}};
  Rng rng;

  explicit RandomLife(uint64_t seed) : rng(seed) { PutQueue(); }
  std::string Name(std::string_view of, uint64_t number) { return StrCat(of, rng.Below(number)); }
  void PutQueue() { mirror.PutQueue(testing::MakeQueue("default")); }
  void PutPod() {
    const std::string name = Name("p", 6);
    PodText text{.name = name, .group = rng.Chance(0.8) ? Name("g", 3) : ""};
    if (rng.Chance(0.5)) text.spec = StrCat(R"("nodeName":")", Name("n", 3), R"(",)");
    if (rng.Chance(0.3)) text.meta = R"("labels":{"app":"a"},)";
    if (rng.Chance(0.2)) text.meta += R"("deletionTimestamp":"2026-01-01T00:01:00Z",)";
    if (rng.Chance(0.3)) text.cpu = "2";
    const char* const phases[] = {"Pending", "Running", "Succeeded", "Failed"};
    text.status = StrCat(R"("phase":")", phases[rng.Below(4)], R"(",)");
    if (rng.Chance(0.2)) {
      StrAppend(&text.status, R"("nominatedNodeName":")", Name("n", 3), R"(",)");
    }
    CompiledPod pod = MakePod(text, mirror.vocabulary().symbols());
    if (rng.Chance(0.1)) pod.names.uid = "another";
    pod.ours = !rng.Chance(0.2);
    if (rng.Chance(0.2)) pod.requests.emplace_back("a.io/gpu", 1000);
    if (!pod.ours && pod.node_name.empty()) {
      mirror.NoteForeignPod(pod.names.Key(), pod.job_key);
    } else {
      mirror.PutPod(std::move(pod));
    }
  }
  void Decide() {
    const std::string name = Name("p", 6);
    const std::string key = "ns/" + name;
    const std::string uid = rng.Chance(0.1) ? "another" : "u-" + name;
    switch (rng.Below(7)) {
      case 0:
        mirror.AssumeBinding(key, uid, Name("n", 3)).IgnoreError();
        break;
      case 1:
        mirror.AssumeEviction(key, uid).IgnoreError();
        break;
      case 2:
        mirror.AssumeNomination(key, uid, Name("n", 3)).IgnoreError();
        break;
      case 3:
        mirror.ForgetAssumption(key, uid);
        break;
      case 4:
        mirror.ForgetNomination(key, uid);
        break;
      case 5:
        mirror.SparePod(key, uid);
        break;
      default:
        mirror.BackOffJob("ns/" + Name("g", 3), absl::Seconds(30));
    }
  }
  void Step() {
    switch (rng.Below(12)) {
      case 0:
        mirror.PutNode(MakeNode(
            Name("n", 3),
            rng.Chance(0.5) ? R"({"cpu":"4","pods":"9"})" : R"({"cpu":"8","a.io/gpu":"2"})",
            mirror.vocabulary().symbols()));
        break;
      case 1:
        mirror.RemoveNode(Name("n", 3));
        break;
      case 2:
        mirror.PutPodGroup(MakeGroup(Name("g", 3), static_cast<int>(rng.Below(3)),
                                     rng.Chance(0.3) ? R"("minTaskMember":{"w":1},)" : ""));
        break;
      case 3:
        mirror.RemovePodGroup("ns/" + Name("g", 3));
        break;
      case 4:
        mirror.RemovePod("ns/" + Name("p", 6));
        break;
      case 5:
        clock.Advance(absl::Seconds(rng.Between(1, 200)));
        mirror.Publish();
        break;
      case 6:
      case 7:
      case 8:
        Decide();
        break;
      default:
        PutPod();
    }
  }
};

TEST_CASE("tables: they agree after every change", "[cache][tables][property]") {
  test::ForEachSeed(150, [](uint64_t seed) {
    RandomLife life(seed);
    for (int step = 0; step < 150; ++step) {
      life.Step();
      INFO(step);
      REQUIRE(life.mirror.Check().ToString() == "OK");
    }
  });
}

TEST_CASE("tables: when all objects are gone, so are the rows", "[cache][tables][property]") {
  test::ForEachSeed(60, [](uint64_t seed) {
    RandomLife life(seed);
    Mirror& mirror = life.mirror;
    for (int step = 0; step < 120; ++step) life.Step();
    for (int i = 0; i < 6; ++i) mirror.RemovePod(StrCat("ns/p", i));
    for (int i = 0; i < 3; ++i) mirror.RemoveNode(StrCat("n", i));
    for (int i = 0; i < 3; ++i) mirror.RemovePodGroup(StrCat("ns/g", i));
    const auto last = mirror.Publish();
    REQUIRE(mirror.Check().ToString() == "OK");
    REQUIRE(mirror.pods() == 0);
    REQUIRE(mirror.nodes() == 0);
    const TableSizes sizes = mirror.table_sizes();
    CHECK(sizes.pod_groups == 0);
    CHECK(sizes.shapes == 0);
    CHECK(sizes.label_sets == 0);
    CHECK(last->all_jobs->empty());
    CHECK(last->total == model::ResourceVec());
    for (model::NodeId node : last->usage.idle.ids()) {
      CHECK(last->usage.idle[node] == model::ResourceVec());
    }
  });
}

TEST_CASE("tables: a mirror that starts over is empty, and can be filled again",
          "[cache][tables]") {
  RandomLife life(1);
  for (int step = 0; step < 200; ++step) life.Step();
  const uint64_t before = life.mirror.Publish()->generation;
  life.mirror.StartOver();
  CHECK(life.mirror.changed());
  CHECK(life.mirror.Check().ToString() == "OK");
  CHECK(life.mirror.pods() == 0);
  CHECK(life.mirror.nodes() == 0);
  CHECK(life.mirror.Publish()->generation == before + 2);  // The gap.
  life.PutQueue();
  for (int step = 0; step < 200; ++step) life.Step();
  CHECK(life.mirror.Check().ToString() == "OK");
  CHECK(life.mirror.pods() > 0);
}

}  // namespace
}  // namespace bth::cache
