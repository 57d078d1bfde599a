// Pods that are jobs of their own.
#include "cache/intake/single_pod.h"

#include <algorithm>
#include <string>

#include "cache/routing/router.h"
#include "tests/cache/objects.h"
#include "tests/support/catch.h"

namespace bth::cache {
namespace {

using testing::PodText;
using testing::Read;

TEST_CASE("single pod: what the annotation says of its urgency", "[cache][agent]") {
  struct Case {
    std::string text;
    int32_t urgency;
  };
  const Case c = GENERATE(values<Case>({{"", 0},
                                        {"0", 0},
                                        {"50", 50},
                                        {"100", 100},
                                        {"-7", -7},
                                        {"+7", 7},
                                        {"urgent", 0},
                                        {"1.5", 0},
                                        {" 5", 0},
                                        {"99999999999", 2147483647},
                                        {"-99999999999", -2147483647 - 1},
                                        {"99999999999999999999", 0}}));
  CAPTURE(c.text);
  CHECK(UrgencyOf(c.text) == c.urgency);
}

struct SinglesBed {
  ManualClock clock{absl::FromUnixSeconds(1'767'225'600)};
  Mirror mirror{clock, {}};
  Responsibility responsibility;
  Router router{mirror, responsibility};

  SinglesBed() {
    responsibility.single_pods = true;
    mirror.PutQueue(SinglePodQueue());
  }
  void Put(const PodText& text) { REQUIRE(router.Put(Read<types::Pod>(text.Json())).ok()); }
  // Every view of the tables holds; the snapshot as of now.
  std::shared_ptr<const model::Snapshot> Look() {
    auto snapshot = mirror.Publish();
    CHECK(mirror.Check().ToString() == "OK");
    return snapshot;
  }
};

std::string Urgent(std::string_view level) {
  return StrCat(R"("volcano.sh/scheduling-priority":")", level, R"(",)");
}

TEST_CASE("single pod: each is a job of one, which goes with it", "[cache][agent]") {
  SinglesBed bed;
  bed.Put({.name = "a", .group = "gang"});
  bed.Put({.name = "b", .group = "gang"});
  auto now = bed.Look();
  REQUIRE(now->active_jobs->size() == 2);
  for (model::JobId job : *now->active_jobs) {
    const model::JobRow& row = now->jobs[job];
    CHECK(row.tasks->size() == 1);
    CHECK(row.min_available == 1);
    CHECK(row.queue.valid());
    CHECK(now->usage.jobs[job].phase == model::PodGroupPhase::kInqueue);
    CHECK(row.facts->name == now->tasks[row.tasks->front()].names->name);
  }
  CHECK(bed.mirror.PodsWithoutGroup(10).empty());
  bed.router.Remove(Kind<types::Pod>(), {"ns", "a"});
  bed.router.Remove(Kind<types::Pod>(), {"ns", "b"});
  now = bed.Look();
  CHECK(now->active_jobs->empty());
  CHECK(now->all_jobs->empty());
  CHECK(bed.mirror.table_sizes().pod_groups == 0);
}

TEST_CASE("single pod: once it is placed it is no work, whatever becomes of it", "[cache][agent]") {
  SinglesBed bed;
  bed.Put({.name = "a"});
  CHECK(bed.Look()->active_jobs->size() == 1);
  bed.Put({.name = "a", .spec = R"("nodeName":"n",)"});
  CHECK(bed.Look()->active_jobs->empty());
  bed.Put({.name = "a", .spec = R"("nodeName":"n",)", .status = R"("phase":"Running",)"});
  CHECK(bed.Look()->active_jobs->empty());
  bed.Put({.name = "a", .spec = R"("nodeName":"n",)", .status = R"("phase":"Succeeded",)"});
  CHECK(bed.Look()->active_jobs->empty());
  CHECK(bed.Look()->all_jobs->size() == 1);
}

TEST_CASE("single pod: its job follows its urgency, and another pod of its name is another job",
          "[cache][agent]") {
  SinglesBed bed;
  bed.Put({.name = "a"});
  auto now = bed.Look();
  CHECK(now->jobs[now->active_jobs->front()].priority == 0);
  bed.Put({.name = "a", .annotations = Urgent("100")});
  now = bed.Look();
  REQUIRE(now->active_jobs->size() == 1);
  CHECK(now->jobs[now->active_jobs->front()].priority == 100);
  CHECK(std::find(now->changed_jobs->begin(), now->changed_jobs->end(),
                  now->active_jobs->front()) != now->changed_jobs->end());
  types::Pod again = Read<types::Pod>(PodText{.name = "a"}.Json());
  again.meta.uid = "another";
  REQUIRE(bed.router.Put(again).ok());
  now = bed.Look();
  REQUIRE(now->active_jobs->size() == 1);
  CHECK(now->jobs[now->active_jobs->front()].priority == 0);
  CHECK(now->jobs[now->active_jobs->front()].facts->uid == "another");
}

TEST_CASE("single pod: pods of others are nobody's, and only take their room", "[cache][agent]") {
  SinglesBed bed;
  types::Pod pod = Read<types::Pod>(PodText{.name = "a", .group = "gang"}.Json());
  pod.spec.scheduler_name = "another";
  REQUIRE(bed.router.Put(pod).ok());
  CHECK(bed.mirror.pods() == 0);
  pod.spec.node_name = "n";
  REQUIRE(bed.router.Put(pod).ok());
  CHECK(bed.mirror.pods() == 1);
  CHECK(bed.Look()->all_jobs->empty());
  CHECK(bed.mirror.table_sizes().pod_groups == 0);
}

}  // namespace
}  // namespace bth::cache
