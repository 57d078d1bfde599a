#include "cache/writes/status_patches.h"

#include <ctime>

#include "api/types/json.h"
#include "base/strings.h"
#include "tests/support/catch.h"

namespace bth::cache {
namespace {

using types::Json;

const absl::Time kNow = absl::FromUnixSeconds(1'767'225'600);

Json Body(const client::Patch& patch) {
  absl::StatusOr<Json> json = Json::Parse(patch.body);
  REQUIRE(json.ok());
  return *std::move(json);
}

TEST_CASE("status patches: a PodGroup's whole status, bound to its version", "[cache]") {
  const ShownPodGroup status{
      .resource_version = "41",
      .phase = model::PodGroupPhase::kInqueue,
      .running = 1,
      .succeeded = 2,
      .failed = 3,
      .conditions = {{"Unschedulable", "True", "NotEnoughTasks", "m", kNow, "session-1"}}};
  const client::Patch patch = PodGroupStatusPatch(status);
  CHECK(patch.kind == client::PatchKind::kMerge);
  CHECK(Body(patch) == *Json::Parse(R"({"metadata":{"resourceVersion":"41"},"status":{
    "phase":"Inqueue","running":1,"succeeded":2,"failed":3,"conditions":[{"type":"Unschedulable",
    "status":"True","reason":"NotEnoughTasks","message":"m","transitionID":"session-1",
    "lastTransitionTime":"2026-01-01T00:00:00Z"}]}})"));
}

TEST_CASE("status patches: a condition keeps its time while status and reason stay", "[cache]") {
  const absl::Time later = kNow + absl::Milliseconds(90'600);
  struct Case {
    std::string name;
    ShownCondition said;
    absl::Time since;
    std::string session;
  };
  const absl::Time second = absl::FromUnixSeconds(absl::ToUnixSeconds(later));
  const Case cases[] = {
      {"the same", {"A", "True", "r", "m"}, kNow, "first"},
      {"other words", {"A", "True", "r", "other"}, kNow, "first"},
      {"another reason", {"A", "True", "other", "m"}, second, "second"},
      {"another status", {"A", "False", "r", "m"}, second, "second"},
      {"said by somebody who saw an older one",
       {"A", "False", "r", "m", kNow, "old"},
       second,
       "second"},
      {"another type", {"B", "True", "r", "m"}, second, "second"},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    std::vector<ShownCondition> conditions = {{"A", "True", "r", "m", kNow, "first"}};
    Merge(c.said, &conditions);
    Stamp(later, "second", &conditions);
    CHECK(conditions.back() == c.said);
    CHECK(conditions.back().since == c.since);
    CHECK(conditions.back().session == c.session);
  }
}

TEST_CASE("status patches: PodScheduled by strategic merge, bound to the UID", "[cache]") {
  const client::Patch patch = PodScheduledPatch("u", "Unschedulable", "no room", "", kNow);
  CHECK(patch.kind == client::PatchKind::kStrategic);
  CHECK(Body(patch) == *Json::Parse(R"({"metadata":{"uid":"u"},"status":{"conditions":[{
    "type":"PodScheduled","status":"False","reason":"Unschedulable","message":"no room",
    "lastProbeTime":null,"lastTransitionTime":"2026-01-01T00:00:00Z"}]}})"));
  const Json named = Body(PodScheduledPatch("u", "Unschedulable", "m", "n1", kNow));
  CHECK(named.At({"status", "nominatedNodeName"}).AsString() == "n1");
}

TEST_CASE("status patches: DisruptionTarget of a pod that goes, or stays after all", "[cache]") {
  const Json goes = Body(DisruptionTargetPatch({"u", true, "preempt, for pod ns/q"}, kNow));
  CHECK(goes == *Json::Parse(R"({"metadata":{"uid":"u"},"status":{"conditions":[{
    "type":"DisruptionTarget","status":"True","reason":"PreemptionByScheduler",
    "message":"preempt, for pod ns/q","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})"));
  const Json stays = Body(DisruptionTargetPatch({"u", false, "m"}, kNow));
  const Json condition = stays.At({"status", "conditions"})[0];
  CHECK(condition["status"].AsString() == "False");
  CHECK(condition["reason"].AsString() == "EvictionRefused");
}

TEST_CASE("status patches: a queue's amounts; what is gone is removed", "[cache]") {
  const client::Patch patch = QueueAllocatedPatch({{"cpu", 1500}, {"memory", 1024}, {"pods", 2}},
                                                  {"7", {{"cpu", 1000}, {"nvidia.com/gpu", 1000}}});
  CHECK(Body(patch) == *Json::Parse(R"({"metadata":{"resourceVersion":"7"},
    "status":{"allocated":{"cpu":"1500m","memory":"1Ki",
    "pods":"2","nvidia.com/gpu":null}}})"));
}

TEST_CASE("status patches: zero and absent amounts are the same", "[cache]") {
  CHECK(SameAmounts({{"cpu", 0}}, {}));
  CHECK(SameAmounts({}, {{"cpu", 0}, {"pods", 0}}));
  CHECK(SameAmounts({{"cpu", 1}, {"pods", 2}}, {{"pods", 2}, {"cpu", 1}}));
  CHECK_FALSE(SameAmounts({{"cpu", 1}}, {{"cpu", 2}}));
  CHECK_FALSE(SameAmounts({}, {{"cpu", 2}}));
}

TEST_CASE("status patches: a condition replaces the one of its type", "[cache]") {
  std::vector<ShownCondition> conditions = {{"A", "True", "r", "m"}, {"B", "True", "r", "m"}};
  Merge({"A", "False", "x", "y"}, &conditions);
  Merge({"C", "True", "r", "m"}, &conditions);
  CHECK(conditions == std::vector<ShownCondition>{{"A", "False", "x", "y"},
                                                  {"B", "True", "r", "m"},
                                                  {"C", "True", "r", "m"}});
}

TEST_CASE("status patches: many conditions are merged as one after the other", "[cache]") {
  const std::vector<ShownCondition> known = {{"A", "True", "r", "m", kNow, "s"},
                                             {"B", "True", "r", "m", kNow, "s"},
                                             {"A", "False", "r", "m", kNow, "s"}};
  const std::vector<ShownCondition> news = {{"C", "True", "r", "m"},
                                            {"A", "True", "r", "n"},
                                            {"C", "True", "q", "m"},
                                            {"A", "True", "q", ""}};
  std::vector<ShownCondition> in_turn = known;
  for (const ShownCondition& condition : news) Merge(condition, &in_turn);
  std::vector<ShownCondition> at_once = known;
  MergeAll(news, &at_once);
  CHECK(at_once == in_turn);
  for (size_t i = 0; i < at_once.size(); ++i) CHECK(at_once[i].since == in_turn[i].since);
  // Each against each takes minutes.
  std::vector<ShownCondition> many;
  for (int i = 0; i < 40'000; ++i) many.push_back({StrCat("some-long-common-part-", i), "True"});
  const std::clock_t begin = std::clock();
  MergeAll(many, &at_once);
  MergeAll(many, &at_once);
  CHECK(at_once.size() == 40'004);
  CHECK(std::clock() - begin < 10 * CLOCKS_PER_SEC);
}

}  // namespace
}  // namespace bth::cache
