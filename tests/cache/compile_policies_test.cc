#include <limits>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "cache/intake/compile.h"
#include "tests/cache/objects.h"
#include "tests/support/catch.h"

namespace bth::cache {
namespace {

using testing::MakePod;
using testing::MakeQueue;
using testing::PodText;
using testing::Read;

TEST_CASE("compile: what policies ask of a pod", "[cache]") {
  struct Case {
    const char* annotations;
    const char* meta;
    const char* status;
    int64_t protected_until;  // Seconds after 2026-01-01, or -1.
  };
  const char* const kScheduled =
      R"("phase":"Running","conditions":[{"type":"Ready","status":"True",
         "lastTransitionTime":"2026-01-01T01:00:00Z"},{"type":"PodScheduled","status":"True",
         "lastTransitionTime":"2026-01-01T00:01:00Z"}],)";
  const Case cases[] = {
      {R"("volcano.sh/cooldown-time":"600s",)", "", kScheduled, 660},
      {"", R"("labels":{"volcano.sh/cooldown-time":"1m"},)", kScheduled, 120},
      {R"("volcano.sh/cooldown-time":"600abcde",)", "", kScheduled, -1},
      {R"("volcano.sh/cooldown-time":"600",)", "", kScheduled, -1},
      {R"("volcano.sh/cooldown-time":"600s",)", R"("labels":{"volcano.sh/cooldown-time":"x"},)",
       kScheduled, -1},
      {"", "", kScheduled, -1},
      {R"("volcano.sh/cooldown-time":"600s",)", "", R"("phase":"Running",)", -1},
      {R"("volcano.sh/cooldown-time":"600s",)", "",
       R"("phase":"Pending","conditions":[{"type":"PodScheduled","status":"True",
          "lastTransitionTime":"2026-01-01T00:01:00Z"}],)",
       -1},
      {R"("volcano.sh/cooldown-time":"600s",)", "",
       R"("phase":"Running","conditions":[{"type":"PodScheduled","status":"True"}],)", -1},
  };
  Interner symbols;
  const int64_t start =
      absl::ToUnixSeconds(absl::FromCivil(absl::CivilDay(2026, 1, 1), absl::UTCTimeZone()));
  for (const Case& c : cases) {
    INFO(c.annotations << c.meta << c.status);
    PodText text{.meta = c.meta, .status = c.status, .annotations = c.annotations};
    const int64_t expected = c.protected_until < 0 ? 0 : (start + c.protected_until) * 1'000'000;
    CHECK(MakePod(text, symbols).protected_until_us == expected);
  }
}

TEST_CASE("compile: who may use revocable nodes", "[cache]") {
  struct Case {
    const char* annotations;
    bool revocable;
  };
  const Case cases[] = {
      {"", false},
      {R"("volcano.sh/revocable-zone":"*",)", true},
      {R"("volcano.sh/revocable-zone":"z",)", false},
      {R"("volcano.sh/preemptable":"true",)", true},
      {R"("volcano.sh/preemptable":"false",)", false},
      {R"("volcano.sh/preemptable":"true","volcano.sh/revocable-zone":"z",)", false},
  };
  Interner symbols;
  const std::string plain = MakePod({}, symbols).constraints_key;
  for (const Case& c : cases) {
    INFO(c.annotations);
    const CompiledPod pod = MakePod({.annotations = c.annotations}, symbols);
    CHECK(pod.constraints->revocable == c.revocable);
    CHECK((pod.constraints_key != plain) == c.revocable);
  }
}

TEST_CASE("compile: what a PodGroup says of being preemptable", "[cache]") {
  struct Case {
    const char* annotations;
    const char* labels;
    bool preemptable;
    bool opts_out;
  };
  const char* const yes = R"("volcano.sh/preemptable":"true")";
  const char* const no = R"("volcano.sh/preemptable":"false")";
  const char* const empty = R"("volcano.sh/preemptable":"")";  // There, and no boolean.
  const char* const odd = R"("volcano.sh/preemptable":"yes")";
  const Case cases[] = {
      {"", "", false, false},    {yes, "", true, false},
      {no, "", false, true},     {odd, "", false, true},
      {empty, "", false, true},  {"", yes, true, false},
      {"", empty, false, true},  {empty, yes, false, true},
      {yes, empty, true, false}, {R"("other":"")", no, false, true},
  };
  for (const Case& c : cases) {
    INFO(c.annotations << " " << c.labels);
    const auto group = Compile(Read<types::PodGroup>(
        StrCat(R"({"kind":"PodGroup","metadata":{"namespace":"ns","name":"g","annotations":{)",
               c.annotations, R"(},"labels":{)", c.labels, R"(}},"spec":{"minMember":1}})")));
    REQUIRE(group.ok());
    CHECK(group->preemptable == c.preemptable);
    CHECK(group->opts_out == c.opts_out);
  }
}

TEST_CASE("compile: bounds beyond all tiers are read, and stay beyond them", "[cache]") {
  struct Case {
    const char* tier;
    int32_t bound;
  };
  const Case cases[] = {{"0", 0},
                        {"2147483647", 2147483647},
                        {"2147483648", 2147483647},
                        {"9223372036854775807", 2147483647}};
  for (const Case& c : cases) {
    INFO(c.tier);
    const auto group = Read<types::PodGroup>(
        StrCat(R"({"kind":"PodGroup","metadata":{"namespace":"ns","name":"g"},"spec":{)",
               R"("networkTopology":{"highestTierAllowed":)", c.tier,
               R"(},"subGroupPolicy":[{"name":"s","networkTopology":{"highestTierAllowed":)",
               c.tier, "}}]}}"));
    CHECK(absl::StrContains(types::Encode(group), StrCat(R"("highestTierAllowed":)", c.tier, "}")));
    const auto compiled = Compile(group);
    REQUIRE(compiled.ok());
    REQUIRE(compiled->facts->topology.size() == 2);
    for (const auto& spec : compiled->facts->topology) CHECK(spec.highest_tier == c.bound);
  }
}

TEST_CASE("compile: node groups of queues", "[cache]") {
  struct Case {
    const char* annotation;
    bool invalid;
    std::vector<std::pair<std::string, NamedAmounts>> limits;
  };
  const Case cases[] = {
      {"", false, {}},
      {"null", false, {}},
      {R"({\"g2\":{\"cpu\":\"3\",\"memory\":\"1Ki\"},\"g1\":{\"cpu\":1}})",
       false,
       {{"g1", {{"cpu", 1000}}}, {"g2", {{"cpu", 3000}, {"memory", 1024}}}}},
      {R"({\"g1\":)", true, {}},
      {"[]", true, {}},
      {R"({\"g1\":3})", true, {}},
      {R"({\"g1\":{\"cpu\":\"many\"}})", true, {}},
      // More than a single pod may ask for.
      {R"({\"g1\":{\"ephemeral-storage\":\"300Ti\"}})",
       false,
       {{"g1", {{"ephemeral-storage", int64_t{300} << 40}}}}},
      {R"({\"g1\":{\"memory\":\"9000P\"}})", false, {{"g1", {{"memory", kAmountSumMax}}}}},
      {R"({\"g1\":{\"cpu\":\"-1\"},\"g2\":{\"cpu\":\"2\"}})",
       false,
       {{"g1", {{"cpu", 0}}}, {"g2", {{"cpu", 2000}}}}},
  };
  for (const Case& c : cases) {
    INFO(c.annotation);
    const auto queue = Compile(Read<types::Queue>(StrCat(
        R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue","metadata":{"name":"q",)",
        R"("annotations":{"volcano.sh/nodegroup-resource-limits":")", c.annotation,
        R"("}},"spec":{"affinity":{"nodeGroupAffinity":{)",
        R"("requiredDuringSchedulingIgnoredDuringExecution":["a"],)",
        R"("preferredDuringSchedulingIgnoredDuringExecution":["b"]},"nodeGroupAntiAffinity":{)",
        R"("requiredDuringSchedulingIgnoredDuringExecution":["c"],)",
        R"("preferredDuringSchedulingIgnoredDuringExecution":["d"]}}}})")));
    REQUIRE(queue.ok());
    CHECK(queue->node_groups.has_affinity);
    CHECK(queue->node_groups.required == std::vector<std::string>{"a"});
    CHECK(queue->node_groups.preferred == std::vector<std::string>{"b"});
    CHECK(queue->node_groups.anti_required == std::vector<std::string>{"c"});
    CHECK(queue->node_groups.anti_preferred == std::vector<std::string>{"d"});
    CHECK(queue->node_groups.limits_invalid == c.invalid);
    CHECK(queue->node_group_limits == c.limits);
  }
  CHECK(MakeQueue("plain").node_groups == model::NodeGroupRules());
}

TEST_CASE("compile: amounts of quotas keep every name", "[cache]") {
  const CompiledQuota quota = Compile(Read<types::ResourceQuota>(
      R"({"apiVersion":"v1","kind":"ResourceQuota","metadata":{"namespace":"ns","name":"q"},
          "status":{"hard":{"requests.cpu":"1500m","pods":"4","count/jobs.batch":"2",
                            "limits.memory":"1Ki","requests.storage":"9000P"},
                    "used":{"cpu":"8E"}}})"));
  CHECK(quota.ns == "ns");
  CHECK(quota.row.name == "q");
  const std::vector<model::QuotaAmount> hard = {
      {"count/jobs.batch", 2, "2"},
      {"limits.memory", 1024, "1Ki"},
      {"pods", 4, "4"},
      {"requests.cpu", 1500, "1500m"},
      {"requests.storage", 9'000'000'000'000'000'000, "9E"}};
  CHECK(quota.row.hard == hard);
  REQUIRE(quota.row.used.size() == 1);
  CHECK(quota.row.used[0].amount == std::numeric_limits<int64_t>::max());
}

}  // namespace
}  // namespace bth::cache
