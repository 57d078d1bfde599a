#include <memory>
#include <string>
#include <vector>

#include "admission/rules/resource_groups.h"
#include "admission/rules/rules.h"
#include "base/strings.h"
#include "tests/admission_rules/bed.h"

namespace bth::admission::testing {
namespace {

// pods/validate

std::string ToldOfPod(const std::string& annotations, const std::string& scheduler = "volcano") {
  const Asked asked("CREATE", StrCat(R"({"metadata":{"annotations":{)", annotations,
                                     R"(}},"spec":{"schedulerName":")", scheduler, "\"}}"));
  const Verdict verdict = ValidatePod(asked.request(), {}, FakeCluster());
  CHECK(verdict.allowed == verdict.message.empty());
  CHECK_FALSE(verdict.patch.has_value());
  return verdict.message;
}

TEST_CASE("pods/validate: shares of pods", "[admission]") {
  struct Case {
    std::string value, text;  // With %: the key.
  };
  const std::string positive = "for %, it must be a positive integer";
  const std::string percent = "for %, it must be a valid percentage which between 1% ~ 99%";
  const Case c = GENERATE_COPY(values<Case>({
      {"3", ""},
      {"+3", ""},
      {"10%", ""},
      {"1%", ""},
      {"99%", ""},
      {"5%%", ""},
      {"%5", ""},
      {"-1", "invalid value <\"-1\"> " + positive},
      {"0", "invalid value <\"0\"> " + positive},
      {"0%", "invalid value <\"0%\"> " + percent},
      {"100%", "invalid value <\"100%\"> " + percent},
      {"-5%", "invalid value <\"-5%\"> " + percent},
      {"2147483648", "invalid value <\"2147483648\"> " + percent},
      {"", "invalid value strconv.Atoi: parsing \"\": invalid syntax for %"},
      {"%", "invalid value strconv.Atoi: parsing \"\": invalid syntax for %"},
      {" 3", "invalid value strconv.Atoi: parsing \" 3\": invalid syntax for %"},
      {"a%b", "invalid value strconv.Atoi: parsing \"ab\": invalid syntax for %"},
      {"1_0", "invalid value strconv.Atoi: parsing \"1_0\": invalid syntax for %"},
      {"99999999999999999999",
       "invalid value strconv.Atoi: parsing \"99999999999999999999\": value out of range for %"},
      {"-9223372036854775808%", "invalid value <\"-9223372036854775808%\"> " + percent},
      {"-9223372036854775809",
       "invalid value strconv.Atoi: parsing \"-9223372036854775809\": value out of range for %"},
  }));
  CAPTURE(c.value);
  for (const std::string key : {"volcano.sh/jdb-min-available", "volcano.sh/jdb-max-unavailable"}) {
    std::string text = c.text;
    if (const size_t at = text.find("for %"); at != text.npos) text.replace(at + 4, 1, key);
    CHECK(ToldOfPod(StrCat("\"", key, "\":\"", c.value, "\"")) == text);
    CHECK(ToldOfPod(StrCat("\"", key, "\":\"", c.value, "\""), "default-scheduler").empty());
  }
}

TEST_CASE("pods/validate: one annotation of the two", "[admission]") {
  CHECK(ToldOfPod(R"("volcano.sh/jdb-min-available":"1","volcano.sh/jdb-max-unavailable":"50%")") ==
        "not allow configure multiple annotations <[volcano.sh/jdb-min-available "
        "volcano.sh/jdb-max-unavailable]> at same time");
  // The first bad one is told.
  CHECK(ToldOfPod(R"("volcano.sh/jdb-max-unavailable":"0","volcano.sh/jdb-min-available":"-1")") ==
        "invalid value <\"-1\"> for volcano.sh/jdb-min-available, it must be a positive integer");
  CHECK(ToldOfPod("").empty());
}

TEST_CASE("pods: other operations are refused", "[admission]") {
  for (const char* operation : {"UPDATE", "DELETE", ""}) {
    const Asked asked(operation, "{}");
    CHECK(ValidatePod(asked.request(), {}, FakeCluster()).message ==
          "expect operation to be 'CREATE'");
    CHECK(MutatePod(asked.request(), {}, FakeCluster()).message ==
          "expect operation to be 'CREATE' ");
  }
}

TEST_CASE("pods: a document of a wrong shape is refused with its place", "[admission]") {
  const Asked asked("CREATE", R"({"spec":{"tolerations":5}})");
  CHECK(ValidatePod(asked.request(), {}, FakeCluster())
            .message.starts_with("object: spec.tolerations"));
  CHECK(MutatePod(asked.request(), {}, FakeCluster())
            .message.starts_with("object: spec.tolerations"));
}

// pods/mutate

const char* const kConfig = R"(
resourceGroups:
- resourceGroup: management
  object:
    key: namespace
    value:
    - mng-ns-1
  schedulerName: default-scheduler
  tolerations:
  - effect: NoSchedule
    key: taint
    operator: Exists
  labels:
    volcano.sh/nodetype: management
  affinity: '{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[]}}'
- resourceGroup: cpu
  object:
    key: annotation
    value:
    - "volcano.sh/resource-group: cpu"
  schedulerName: volcano
  labels:
    volcano.sh/nodetype: cpu
- resourceGroup: gpu
  schedulerName: volcano
  labels:
    volcano.sh/nodetype: gpu
)";

std::shared_ptr<const ResourceGroups> Groups(const std::string& text) {
  absl::StatusOr<ResourceGroups> groups = ResourceGroups::Parse(text);
  INFO(groups.status().ToString());
  REQUIRE(groups.ok());
  return std::make_shared<ResourceGroups>(*std::move(groups));
}

Verdict MutatedPod(const std::string& pod, const std::string& config, bool gates = false) {
  Settings settings;
  settings.resource_groups = Groups(config);
  settings.scheduling_gates_queue_admission = gates;
  const Asked asked("CREATE", pod);
  Verdict verdict = MutatePod(asked.request(), settings, FakeCluster());
  CHECK(verdict.allowed);
  REQUIRE(verdict.patch.has_value());
  return verdict;
}

TEST_CASE("pods/mutate: without a file there is no patch at all", "[admission]") {
  const Asked asked(
      "CREATE",
      R"({"metadata":{"annotations":{"scheduling.volcano.sh/queue-allocation-gate":"true"}}})");
  Settings settings;
  settings.scheduling_gates_queue_admission = true;
  const Verdict verdict = MutatePod(asked.request(), settings, FakeCluster());
  CHECK(verdict.allowed);
  CHECK_FALSE(verdict.patch.has_value());
}

TEST_CASE("pods/mutate: the first group that matches", "[admission]") {
  struct Case {
    std::string pod;
    std::vector<std::string> patch;
  };
  const Case c = GENERATE(values<Case>({
      {R"({"metadata":{"namespace":"mng-ns-1","annotations":{"volcano.sh/resource-group":"cpu"}}})",
       {R"(add /spec/nodeSelector {"volcano.sh/nodetype":"management"})",
        R"(add /spec/affinity {"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[]}})",
        R"(add /spec/tolerations [{"key":"taint","operator":"Exists","effect":"NoSchedule"}])",
        R"(add /spec/schedulerName "default-scheduler")"}},
      {R"({"metadata":{"annotations":{"volcano.sh/resource-group":"cpu"}}})",
       {R"(add /spec/nodeSelector {"volcano.sh/nodetype":"cpu"})",
        R"(add /spec/schedulerName "volcano")"}},
      {R"({"metadata":{"annotations":{"volcano.sh/resource-group":"gpu"}}})",
       {R"(add /spec/nodeSelector {"volcano.sh/nodetype":"gpu"})",
        R"(add /spec/schedulerName "volcano")"}},
      {R"({"metadata":{"annotations":{"volcano.sh/resource-group":"tpu"}}})", {}},
      {"{}", {}},
      // The pod's own: labels of the group win, tolerations are added to, affinity stays.
      {R"({"metadata":{"namespace":"mng-ns-1"},"spec":{"nodeSelector":{"volcano.sh/nodetype":"x","a":"b"},"tolerations":[{"key":"taint","operator":"Exists","effect":"NoSchedule"}],"affinity":{},"schedulerName":"mine"}})",
       {R"(add /spec/nodeSelector {"a":"b","volcano.sh/nodetype":"management"})",
        R"(add /spec/tolerations [{"key":"taint","operator":"Exists","effect":"NoSchedule"},{"key":"taint","operator":"Exists","effect":"NoSchedule"}])",
        R"(add /spec/schedulerName "default-scheduler")"}},
  }));
  CAPTURE(c.pod);
  CHECK(PatchTexts(MutatedPod(c.pod, kConfig)) == c.patch);
}

TEST_CASE("pods/mutate: a pod without a namespace is in the request's", "[admission]") {
  const std::string config =
      "resourceGroups:\n- object: {key: namespace, value: [ns]}\n  schedulerName: s\n";
  CHECK(PatchTexts(MutatedPod("{}", config)).size() == 1);
  CHECK(PatchTexts(MutatedPod(R"({"metadata":{"namespace":"other"}})", config)).empty());
}

TEST_CASE("pods/mutate: which pods a group means", "[admission]") {
  struct Case {
    std::string group, annotations;
    bool matches;
  };
  const Case c = GENERATE(values<Case>({
      {"object: {key: annotation, value: ['a: b', 'c: d']}", R"("c":"d")", true},
      {"object: {key: annotation, value: ['a: b', 'c: d']}", R"("c":"e")", false},
      // Of two values for one annotation the first counts.
      {"object: {key: annotation, value: ['a: b', 'a: c']}", R"("a":"c")", false},
      {"object: {key: annotation, value: ['a: b', 'a: c']}", R"("a":"b")", true},
      // What is no map is passed over.
      {"object: {key: annotation, value: ['[', 'just a text', 'a: b']}", R"("a":"b")", true},
      {"object: {key: annotation, value: ['just a text']}", "", false},
      // Nothing is as good as an annotation that is not there.
      {"object: {key: annotation, value: ['a:']}", "", true},
      {"object: {key: annotation, value: ['a: \"\"']}", R"("a":"x")", false},
      {"object: {key: annotation}", "", false},
      {"resourceGroup: g\n  object: {key: annotation}", R"("volcano.sh/resource-group":"g")",
       false},
      {"resourceGroup: g\n  object: {value: ['a: b']}", R"("volcano.sh/resource-group":"g")", true},
      {"resourceGroup: g\n  object: {value: ['a: b']}", R"("a":"b")", true},
      {"resourceGroup: g", "", false},
      {"resourceGroup: ''", "", true},
      {"resourceGroup: ''", R"("volcano.sh/resource-group":"g")", false},
      {"resourceGroup: g\n  object: {key: label}", R"("volcano.sh/resource-group":"g")", false},
  }));
  CAPTURE(c.group, c.annotations);
  const std::string config = StrCat("resourceGroups:\n- ", c.group, "\n  schedulerName: s\n");
  const std::string pod = StrCat(R"({"metadata":{"annotations":{)", c.annotations, "}}}");
  CHECK(PatchTexts(MutatedPod(pod, config)).size() == (c.matches ? 1 : 0));
}

TEST_CASE("pods/mutate: a gate for those who ask for it comes first", "[admission]") {
  const std::string asks =
      R"("metadata":{"namespace":"mng-ns-1","annotations":{"scheduling.volcano.sh/queue-allocation-gate":"true"}})";
  const auto first = [&](const std::string& spec, bool gates) {
    const std::vector<std::string> texts =
        PatchTexts(MutatedPod(StrCat("{", asks, spec, "}"), kConfig, gates));
    return texts.front();
  };
  CHECK(first("", true) ==
        R"(add /spec/schedulingGates [{"name":"scheduling.volcano.sh/queue-allocation-gate"}])");
  CHECK(first(R"(,"spec":{"schedulingGates":[{"name":"x"}]})", true) ==
        R"(add /spec/schedulingGates/- {"name":"scheduling.volcano.sh/queue-allocation-gate"})");
  CHECK(first(R"(,"spec":{"schedulingGates":[]})", true) ==
        R"(add /spec/schedulingGates/- {"name":"scheduling.volcano.sh/queue-allocation-gate"})");
  const std::string selector = R"(add /spec/nodeSelector {"volcano.sh/nodetype":"management"})";
  CHECK(first("", false) == selector);
  CHECK(
      first(
          R"(,"spec":{"schedulingGates":[{"name":"scheduling.volcano.sh/queue-allocation-gate"}]})",
          true) == selector);
  // A file without groups is a file.
  CHECK(PatchTexts(MutatedPod(StrCat("{", asks, "}"), "# nothing\n", true)).size() == 1);
  CHECK(
      PatchTexts(
          MutatedPod(
              R"({"metadata":{"annotations":{"scheduling.volcano.sh/queue-allocation-gate":"True"}}})",
              "", true))
          .empty());
}

// The file.

TEST_CASE("resource groups: what is refused names line and remedy", "[admission]") {
  struct Case {
    std::string text, message;
  };
  const Case c = GENERATE(values<Case>({
      {"resourceGroups: 5", "line 1: resourceGroups: needs a list, got "},
      {"- a\n- b", "line 1: needs a map, got "},
      {"resourceGroups:\n- 5", "line 2: resourceGroups[0]: needs a map, got "},
      {"resourceGroups:\n- object:\n    value: ns", "resourceGroups[0].object.value: needs a list"},
      {"resourceGroups:\n- object:\n    value:\n    - a: b",
       "resourceGroups[0].object.value: line 4: each entry must be a text, got a map; put it into "
       "quotes"},
      {"resourceGroups:\n- labels: [a]", "line 2: resourceGroups[0].labels: needs a map, got "},
      {"resourceGroups:\n- labels: {a: [b]}",
       "resourceGroups[0].labels: the value of \"a\" must be a text, got a list"},
      {"resourceGroups:\n- tolerations:\n  - tolerationseconds: soon",
       "resourceGroups[0].tolerations[0].tolerationseconds: needs an integer"},
      {"resourceGroups: [", "line "},
  }));
  CAPTURE(c.text);
  const absl::Status status = ResourceGroups::Parse(c.text).status();
  CHECK(status.code() == absl::StatusCode::kInvalidArgument);
  CHECK_THAT(std::string(status.message()), Catch::Contains(c.message));
}

TEST_CASE("resource groups: what has no effect is told", "[admission]") {
  struct Case {
    std::string text, finding;  // Empty: none.
  };
  const Case c = GENERATE(values<Case>({
      {kConfig, ""},
      {"", ""},
      {"# all of it is a comment\n", ""},
      {"resourceGroups:\n- resourceGroup: g\n  tolerations:\n  - {key: a, tolerationSeconds: 5}",
       "tolerationSeconds: unknown key"},
      {"resourceGroups:\n- resourceGroup: g\n  affinity: '{'", "affinity: no JSON of an affinity"},
      {"resourceGroups:\n- resourceGroup: g\n  affinity: '{\"podAffinity\":5}'",
       "affinity: no JSON of an affinity"},
      {"resourceGroups:\n- resourceGroup: g\n  object: {key: label}",
       "object.key: no pod matches this group"},
      {"resourceGroups:\n- resourceGroup: g\n  object: {value: ['[']}", "ignored"},
      {"resourceGroups:\n- schedulerName: s", "matches every pod"},
      {"resourcegroups: []", "resourcegroups: unknown key"},
  }));
  CAPTURE(c.text);
  const std::shared_ptr<const ResourceGroups> groups = Groups(c.text);
  if (c.finding.empty()) {
    CHECK(groups->findings().empty());
    return;
  }
  REQUIRE(groups->findings().size() == 1);
  CHECK_THAT(conf::ToString(groups->findings().front()), Catch::Contains(c.finding));
}

TEST_CASE("resource groups: tolerations as they always were read", "[admission]") {
  const auto groups = Groups(
      "resourceGroups:\n- tolerations:\n  - {key: a, operator: Equal, value: 5, effect: NoExecute, "
      "tolerationseconds: 60, tolerationSeconds: 7}\n  - {}\n");
  const ResourceGroup& group = groups->groups().front();
  REQUIRE(group.tolerations.size() == 2);
  CHECK(
      group.tolerations[0].Dump() ==
      R"({"key":"a","operator":"Equal","value":"5","effect":"NoExecute","tolerationSeconds":60})");
  CHECK(group.tolerations[1].Dump() == "{}");
}

TEST_CASE("resource groups: scalars are taken as they are written", "[admission]") {
  const auto groups = Groups(
      "resourceGroups:\n- resourceGroup: 010\n  schedulerName: yes\n  labels: {a: 1.50, b: on, c: "
      "}\n  affinity: 'null'\n");
  const ResourceGroup& group = groups->groups().front();
  CHECK(group.name == "010");
  CHECK(group.scheduler_name == "yes");
  CHECK(group.labels.at("a") == "1.50");
  CHECK(group.labels.at("b") == "on");
  CHECK(group.labels.at("c").empty());
  CHECK(group.affinity.Dump() == "{}");
}

TEST_CASE("resource groups: too many are refused", "[admission]") {
  std::string text = "resourceGroups:\n";
  for (size_t i = 0; i <= ResourceGroups::kGroupsMax; ++i) text += "- {resourceGroup: g}\n";
  CHECK_THAT(std::string(ResourceGroups::Parse(text).status().message()),
             Catch::Contains("at most 1000 are allowed"));
}

}  // namespace
}  // namespace bth::admission::testing
