#include <string>

#include "tests/admission_rules/review_bed.h"
#include "tests/support/catch.h"

namespace bth::admission {
namespace {

using test::PlainKnown;

TEST_CASE("pod groups mutate: the queue of the namespace", "[admission_rules][pod_groups]") {
  PlainKnown known;
  known.Namespace("default", "scheduling.volcano.sh/queue-name", "ns-queue");
  known.Namespace("empty", "scheduling.volcano.sh/queue-name", "");
  known.Namespace("other", "volcano.sh/x", "y");
  struct Case {
    std::string queue, ns, patch;
  };
  const Case c = GENERATE(values<Case>({
      {"custom-queue", "default", "none"},
      {"default", "default", R"([{"op":"add","path":"/spec/queue","value":"ns-queue"}])"},
      {"default", "empty", R"([{"op":"add","path":"/spec/queue","value":""}])"},
      {"default", "other", "none"},
      {"default", "unknown", "none"},
      {"", "default", "none"},
  }));
  CAPTURE(c.queue, c.ns);
  const std::string named =
      StrCat(R"({"metadata":{"namespace":")", c.ns, R"("},"spec":{"queue":")", c.queue, "\"}}");
  const Verdict verdict = test::Ask({.path = "/podgroups/mutate", .object = named}, known);
  CHECK(verdict.allowed);
  CHECK(test::PatchText(verdict) == c.patch);
  // An object that does not name its namespace is in that of the request.
  const std::string unnamed = StrCat(R"({"spec":{"queue":")", c.queue, "\"}}");
  CHECK(test::PatchText(test::Ask({.path = "/podgroups/mutate", .object = unnamed, .ns = c.ns},
                                  known)) == c.patch);
}

TEST_CASE("pod groups: other operations are refused", "[admission_rules][pod_groups]") {
  const PlainKnown known;
  CHECK(test::Told(test::Ask({.path = "/podgroups/mutate", .operation = "UPDATE"}, known)) ==
        "invalid operation `UPDATE`, expect operation to be `CREATE`");
  CHECK(test::Told(test::Ask({.path = "/podgroups/validate", .operation = "UPDATE"}, known)) ==
        "unsupported operation UPDATE");
}

TEST_CASE("pod groups validate: with access to queues checked, updates are nothing to this rule",
          "[admission_rules][pod_groups]") {
  const PlainKnown known;
  const Settings settings{.check_queue_access = true};
  const std::string gone = R"({"spec":{"queue":"gone"}})";
  const auto told = [&](const std::string& operation) {
    return test::Told(test::Ask(
        {.path = "/podgroups/validate", .operation = operation, .object = gone}, known, settings));
  };
  CHECK(told("UPDATE") == "allowed");
  CHECK(told("CREATE") != "allowed");
  CHECK(told("DELETE") == "unsupported operation DELETE");
}

TEST_CASE("pod groups validate: queue and topology", "[admission_rules][pod_groups]") {
  const std::string tiers =
      "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology "
      "simultaneously.";
  const std::string both = R"("networkTopology":{"highestTierAllowed":1,"highestTierName":"t"})";
  const std::string name_only = R"("networkTopology":{"highestTierName":"t"})";
  const std::string tier_only = R"("networkTopology":{"highestTierAllowed":0})";
  struct Case {
    std::string name, spec, told;
  };
  const Case c = GENERATE_COPY(values<Case>({
      {"open", R"("queue":"open")", "allowed"},
      {"empty", R"("queue":"")", "allowed"},
      {"absent", "", "allowed"},
      {"no controller has looked at it", R"("queue":"fresh")", "allowed"},
      {"closed", R"("queue":"closed")",
       "can only submit PodGroup to queue with state `Open`, queue `closed` status is `Closed`."},
      {"missing", R"("queue":"gone")",
       "unable to find queue: queue.scheduling.volcano.sh \"gone\" not found"},
      {"a name alone", name_only, "allowed"},
      {"a tier alone", tier_only, "allowed"},
      {"both", both, tiers},
      {"the first sub-group that has both",
       StrCat(R"("subGroupPolicy":[{"name":"a",)", tier_only, R"(},{"name":"b",)", both,
              R"(},{"name":"c",)", both, "}]"),
       StrCat("in subGroupPolicy 'b': ", tiers)},
      {"group and sub-group", StrCat(both, R"(,"subGroupPolicy":[{"name":"a",)", both, "}]"),
       StrCat(tiers, " in subGroupPolicy 'a': ", tiers)},
      {"queue and topology", StrCat(R"("queue":"gone",)", both),
       StrCat("unable to find queue: queue.scheduling.volcano.sh \"gone\" not found; ", tiers)},
  }));
  CAPTURE(c.name);
  PlainKnown known;
  known.Queue("open", "", R"("state":"Open")").Queue("closed", "", R"("state":"Closed")");
  known.Queue("fresh");
  CHECK(test::Told(test::Ask(
            {.path = "/podgroups/validate", .object = StrCat(R"({"spec":{)", c.spec, "}}")},
            known)) == c.told);
}

}  // namespace
}  // namespace bth::admission
