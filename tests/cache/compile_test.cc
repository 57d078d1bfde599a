#include "cache/intake/compile.h"

#include "base/strings.h"
#include "cache/cluster/slots.h"
#include "cache/intake/grouping.h"
#include "tests/cache/objects.h"
#include "tests/support/catch.h"

namespace bth::cache {
namespace {

using model::TaskStatus;
using testing::MakeGroup;
using testing::MakePod;
using testing::MakeQueue;
using testing::PodText;
using testing::Read;

TEST_CASE("compile: a pod's status follows phase, deletion and node", "[cache]") {
  struct Case {
    const char* phase;
    bool deleted;
    const char* node;
    TaskStatus status;
  };
  const Case cases[] = {
      {"Running", false, "n", TaskStatus::kRunning},
      {"Running", true, "n", TaskStatus::kReleasing},
      {"Pending", false, "", TaskStatus::kPending},
      {"Pending", false, "n", TaskStatus::kBound},
      {"Pending", true, "", TaskStatus::kReleasing},
      {"Pending", true, "n", TaskStatus::kReleasing},
      {"Succeeded", false, "n", TaskStatus::kSucceeded},
      {"Failed", true, "n", TaskStatus::kFailed},
      {"Unknown", false, "n", TaskStatus::kUnknown},
      {"Dreaming", false, "n", TaskStatus::kUnknown},
      {"", false, "", TaskStatus::kUnknown},  // API servers give every pod a phase.
      {"", false, "n", TaskStatus::kUnknown},
  };
  Interner symbols;
  for (const Case& c : cases) {
    INFO(c.phase << " deleted=" << c.deleted << " node=" << c.node);
    PodText text;
    if (c.deleted) text.meta = R"("deletionTimestamp":"2026-01-01T00:00:09Z",)";
    text.spec = StrCat(R"("nodeName":")", c.node, R"(",)");
    text.status = StrCat(R"("phase":")", c.phase, R"(",)");
    const CompiledPod pod = MakePod(text, symbols);
    CHECK(model::StatusName(pod.status) == model::StatusName(c.status));
    CHECK(pod.node_name == c.node);
  }
}

TEST_CASE("compile: annotations of a pod", "[cache]") {
  struct Case {
    const char* annotations;
    const char* meta;
    int32_t priority;
    bool preemptable;
    const char* role;
  };
  const Case cases[] = {
      {"", "", 5, true, ""},
      {R"("volcano.sh/task-priority":"9",)", "", 9, true, ""},
      {R"("volcano.sh/task-priority":"-3",)", "", -3, true, ""},
      {R"("volcano.sh/task-priority":"99999999999",)", "", 5, true, ""},
      {R"("volcano.sh/task-priority":"high",)", "", 5, true, ""},
      {R"("volcano.sh/preemptable":"false",)", "", 5, false, ""},
      {R"("volcano.sh/preemptable":"T",)", "", 5, true, ""},
      {R"("volcano.sh/preemptable":"maybe",)", "", 5, false, ""},
      {R"("volcano.sh/preemptable":"yes",)", "", 5, false, ""},  // Not one of Go's booleans.
      {R"("volcano.sh/preemptable":"",)", "", 5, false, ""},     // Empty is not absent.
      {"", R"("labels":{"volcano.sh/preemptable":""},)", 5, false, ""},
      {R"("volcano.sh/preemptable":"",)", R"("labels":{"volcano.sh/preemptable":"true"},)", 5,
       false, ""},
      {"", R"("labels":{"volcano.sh/preemptable":"false"},)", 5, false, ""},
      {R"("volcano.sh/preemptable":"true",)", R"("labels":{"volcano.sh/preemptable":"false"},)", 5,
       true, ""},
      {R"("volcano.sh/task-spec":"worker",)", R"("labels":{"volcano.sh/task-spec":"ps"},)", 5, true,
       "worker"},
      {"", R"("labels":{"volcano.sh/task-spec":"ps"},)", 5, true, "ps"},
  };
  Interner symbols;
  for (const Case& c : cases) {
    INFO(c.annotations << c.meta);
    PodText text;
    text.annotations = c.annotations;
    text.meta = c.meta;
    text.spec = R"("priority":5,)";
    const CompiledPod pod = MakePod(text, symbols);
    CHECK(pod.priority == c.priority);
    CHECK(pod.preemptable == c.preemptable);
    CHECK(pod.names.role == c.role);
    CHECK(pod.job_key == "ns/g");
    CHECK(pod.ours);
  }
}

TEST_CASE("compile: names, gates and whose pod it is", "[cache]") {
  Interner symbols;
  struct Index {
    const char* name;
    std::optional<int64_t> index;
  };
  for (const Index& c : {Index{"job-task-12", 12}, Index{"p-1", std::nullopt},
                         Index{"a-b-c", std::nullopt}, Index{"a-b-c-0", 0}}) {
    INFO(c.name);
    PodText text;
    text.name = c.name;
    CHECK(MakePod(text, symbols).names.index == c.index);
  }
  struct Gates {
    const char* spec;
    bool gated;
    bool own;
  };
  const char kOwn[] = R"({"name":"scheduling.volcano.sh/queue-allocation-gate"})";
  const std::string own = StrCat(R"("schedulingGates":[)", kOwn, "],");
  const std::string both = StrCat(R"("schedulingGates":[)", kOwn, R"(,{"name":"x"}],)");
  for (const Gates& c :
       {Gates{"", false, false}, Gates{own.c_str(), true, true}, Gates{both.c_str(), true, false},
        Gates{R"("schedulingGates":[{"name":"x"}],)", true, false}}) {
    INFO(c.spec);
    PodText text;
    text.spec = c.spec;
    const CompiledPod pod = MakePod(text, symbols);
    CHECK(pod.gated == c.gated);
    CHECK(pod.own_gate_only == c.own);
  }
  types::Pod pod = Read<types::Pod>(PodText{.group = ""}.Json());
  CHECK(Compile(pod, Responsibility(), symbols)->job_key.empty());
  CHECK(Compile(pod, Responsibility(), symbols)->priority == 1);
  pod.spec.scheduler_name = "default-scheduler";
  CHECK_FALSE(Compile(pod, Responsibility(), symbols)->ours);
}

TEST_CASE("compile: constraints of a pod", "[cache]") {
  Interner symbols;
  PodText text;
  text.spec = R"("nodeSelector":{"zone":"a"},
    "tolerations":[
      {"key":"k","operator":"Equal","value":"v","effect":"NoSchedule"},
      {"key":"k","operator":"Exists"},
      {"operator":"Exists"},
      {"key":"k","value":"v"},
      {"key":"k","operator":"Gt","value":"3"},
      {"key":"k","operator":"Exists","effect":"Sometimes"}],
    "initContainers":[
      {"name":"i","image":"reg:5000/a","ports":[{"containerPort":1,"hostPort":1}]},
      {"name":"s","image":"b:2","restartPolicy":"Always",
       "ports":[{"containerPort":1,"hostPort":2,"protocol":"UDP","hostIP":"0.0.0.0"}]}],
    "volumes":[{"name":"e","emptyDir":{}},
               {"name":"v","image":{"reference":"reg:5000/data","pullPolicy":"Always"}}],)";
  const CompiledPod pod = MakePod(text, symbols);
  const model::PodConstraints& c = *pod.constraints;
  REQUIRE(c.node_selector.size() == 1);
  CHECK(symbols.Text(c.node_selector[0].first) == "zone");
  REQUIRE(c.tolerations.size() == 6);
  CHECK(c.tolerations[0].effect == model::TaintEffect::kNoSchedule);
  CHECK_FALSE(c.tolerations[0].exists);
  CHECK((c.tolerations[1].exists && !c.tolerations[1].effect));
  CHECK_FALSE(c.tolerations[2].key.valid());
  CHECK_FALSE(c.tolerations[3].never);
  CHECK(c.tolerations[4].never);
  CHECK(c.tolerations[5].never);
  CHECK(c.tolerates_unschedulable);
  REQUIRE(c.ports.size() == 1);  // An ordinary init container's port is free again in time.
  CHECK(c.ports[0] == model::HostPort{.protocol = 1, .port = 2, .ip = ""});
  CHECK(c.has_sidecar);
  CHECK(c.image_containers == 3);
  std::vector<std::string> images;
  for (Symbol image : c.images) images.emplace_back(symbols.Text(image));
  CHECK(images ==
        std::vector<std::string>{"reg:5000/a:latest", "b:2", "i:latest", "reg:5000/data:latest"});

  const CompiledPod twin = MakePod(text, symbols);
  CHECK(twin.constraints_key == pod.constraints_key);
  text.spec = R"("nodeSelector":{"zone":"b"},)";
  CHECK(MakePod(text, symbols).constraints_key != pod.constraints_key);
}

TEST_CASE("compile: constraints that differ in anything have keys of their own", "[cache]") {
  Interner symbols;
  const std::vector<std::string> specs = {
      "",
      R"("nodeSelector":{"a":"b"},)",
      R"("nodeSelector":{"a":"b","c":"d"},)",
      R"("nodeSelector":{"a":"d","c":"b"},)",
      R"("tolerations":[{"key":"a","value":"b"}],)",
      R"("tolerations":[{"key":"a","operator":"Exists"}],)",
      R"("tolerations":[{"key":"a","operator":"Lt"}],)",
      R"("tolerations":[{"key":"a","value":"b","effect":"NoExecute"}],)",
      R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
         {"nodeSelectorTerms":[]}}},)",
      R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
         {"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"In","values":["b","c"]}]}]}}},)",
      R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
         {"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"In","values":["b"]},
                                                    {"key":"c","operator":"Exists"}]}]}}},)",
      R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
         {"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"In","values":["b"]}]},
                               {"matchExpressions":[{"key":"c","operator":"Exists"}]}]}}},)",
      R"("affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":
         [{"weight":0,"preference":{"matchExpressions":[{"key":"a","operator":"Exists"}]}}]}},)",
      R"("affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":
         [{"weight":1,"preference":{"matchExpressions":[{"key":"a","operator":"Exists"}]}}]}},)",
      R"("affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":
         [{"weight":64,"preference":{"matchExpressions":[{"key":"a","operator":"Exists"}]}}]}},)",
  };
  std::map<std::string, std::string> spec_of;
  for (const std::string& spec : specs) {
    PodText text;
    text.spec = spec;
    CAPTURE(spec);
    CHECK(spec_of.emplace(MakePod(text, symbols).constraints_key, spec).second);
  }
}

TEST_CASE("compile: what no filter can judge is named", "[cache]") {
  using F = model::UnsupportedFeature;
  struct Case {
    const char* spec;
    F feature;
  };
  const Case cases[] = {
      {"", F::kNone},
      {R"("affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
          [{"topologyKey":"h"}]}},)",
       F::kNone},
      {R"("affinity":{"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":
          [{"weight":1,"podAffinityTerm":{"topologyKey":"h"}}]}},)",
       F::kNone},
      {R"("topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"z",
          "whenUnsatisfiable":"DoNotSchedule"}],)",
       F::kNone},
      {R"("topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"z",
          "whenUnsatisfiable":"ScheduleAnyway"}],)",
       F::kNone},
      {R"("volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}}],)", F::kNone},
      {R"("volumes":[{"name":"v","emptyDir":{}}],)", F::kNone},
      {R"("resourceClaims":[{"name":"r"}],)", F::kNone},
  };
  Interner symbols;
  for (const Case& c : cases) {
    INFO(c.spec);
    PodText text;
    text.spec = c.spec;
    CHECK(MakePod(text, symbols).constraints->unsupported == model::Bit(c.feature));
  }
}

TEST_CASE("compile: amounts that cannot be counted are refused with their name", "[cache]") {
  const auto node = [](std::string_view allocatable) {
    return testing::RefusalOf<types::Node>(
        StrCat(R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"n"},)",
               R"("status":{"allocatable":)", allocatable, "}}"));
  };
  CHECK(node(R"({"cpu":"4","memory":"8Gi"})").ok());
  CHECK(absl::IsInvalidArgument(node(R"({"cpu":"-1"})")));
  CHECK(node(R"({"cpu":"-1"})").message() == "cpu: quantity -1 is negative");
  CHECK(absl::IsOutOfRange(node(R"({"memory":"4Ei"})")));
  CHECK(absl::IsOutOfRange(node(R"({"nvidia.com/gpu":"9E"})")));
  CHECK(absl::IsInvalidArgument(testing::RefusalOf<types::Pod>(PodText{.cpu = "-2"}.Json())));
  CHECK_FALSE(types::Decode<types::Pod>(PodText{.cpu = "two"}.Json()).ok());
  CHECK_FALSE(types::Decode<types::Queue>(
                  R"({"kind":"Queue","metadata":{"name":"q"},"spec":{"capability":{"cpu":"1x"}}})")
                  .ok());
}

TEST_CASE("compile: counted resources in their units, and back", "[cache]") {
  const types::Node node = Read<types::Node>(
      R"({"kind":"Node","metadata":{"name":"n"},"status":{"allocatable":{
        "cpu":"1500m","memory":"1Gi","pods":"110","nvidia.com/gpu":"2","ephemeral-storage":"10",
        "hugepages-2Mi":"4Mi","storage":"9","requests.cpu":"3","count/pods":"5"}}})");
  const absl::StatusOr<NamedAmounts> amounts = CountedAmounts(node.status.allocatable);
  REQUIRE(amounts.ok());
  std::map<std::string, int64_t> by_name(amounts->begin(), amounts->end());
  CHECK(by_name == std::map<std::string, int64_t>{{"cpu", 1500},
                                                  {"memory", int64_t{1} << 30},
                                                  {"pods", 110},
                                                  {"nvidia.com/gpu", 2000},
                                                  {"ephemeral-storage", 10},
                                                  {"hugepages-2Mi", int64_t{4} << 20}});
  const types::ResourceList list = ToResourceList(*amounts);
  std::map<std::string, std::string> shown;
  for (const auto& [name, quantity] : list) shown[name] = quantity.ToString();
  CHECK(shown["cpu"] == "1500m");
  CHECK(shown["memory"] == "1Gi");
  CHECK(shown["pods"] == "110");
  CHECK(shown["nvidia.com/gpu"] == "2");
}

TEST_CASE("compile: a node's taints, labels, images and lent room", "[cache]") {
  Interner symbols;
  const absl::StatusOr<CompiledNode> node =
      Compile(Read<types::Node>(R"({"kind":"Node","metadata":{"name":"n",
        "labels":{"size":"12","zone":"a","volcano.sh/oversubscription":"true"},
        "annotations":{"volcano.sh/oversubscription-cpu":"500",
                       "volcano.sh/oversubscription-memory":"-5"}},
        "spec":{"unschedulable":true,"taints":[{"key":"k","value":"v","effect":"NoExecute"},
                                                {"key":"q","effect":"PreferNoSchedule"}]},
        "status":{"allocatable":{"cpu":"4"},"images":[{"names":["a:1","a@x"],"sizeBytes":7}]}})"),
              symbols);
  REQUIRE(node.ok());
  const model::NodeFacts& facts = *node->facts;
  CHECK(facts.unschedulable);
  REQUIRE(facts.taints.size() == 2);
  CHECK(facts.taints[0].effect == model::TaintEffect::kNoExecute);
  CHECK(facts.taints[1].effect == model::TaintEffect::kPreferNoSchedule);
  CHECK(facts.FindLabel(symbols.Find("size"))->number == 12);
  CHECK_FALSE(facts.FindLabel(symbols.Find("zone"))->number);
  CHECK(facts.images.size() == 2);
  CHECK(node->oversubscription == NamedAmounts{{"cpu", 500}});
}

TEST_CASE("compile: a PodGroup's annotations", "[cache]") {
  struct Case {
    const char* annotations;
    std::optional<int64_t> waiting_ms;
    bool preemptable;
    const char* zone;
  };
  const Case cases[] = {
      {"", std::nullopt, false, ""},
      {R"("volcano.sh/sla-waiting-time":"1h30m")", 5'400'000, false, ""},
      {R"("sla-waiting-time":"20s")", 20'000, false, ""},
      {R"("sla-waiting-time":"20s","volcano.sh/sla-waiting-time":"1s")", 1'000, false, ""},
      {R"("sla-waiting-time":"soon")", std::nullopt, false, ""},
      {R"("sla-waiting-time":"-5s")", std::nullopt, false, ""},
      {R"("volcano.sh/preemptable":"true")", std::nullopt, true, "*"},
      {R"("volcano.sh/preemptable":"true","volcano.sh/revocable-zone":"east")", std::nullopt, true,
       ""},
      {R"("volcano.sh/revocable-zone":"*")", std::nullopt, false, "*"},
      {R"("volcano.sh/preemptable":"1x")", std::nullopt, false, ""},
  };
  for (const Case& c : cases) {
    INFO(c.annotations);
    const absl::StatusOr<CompiledPodGroup> group = Compile(Read<types::PodGroup>(
        StrCat(R"({"kind":"PodGroup","metadata":{"namespace":"ns","name":"g","annotations":{)",
               c.annotations, R"(}},"spec":{"minMember":1}})")));
    REQUIRE(group.ok());
    CHECK(group->facts->waiting_ms == c.waiting_ms);
    CHECK(group->preemptable == c.preemptable);
    CHECK(group->facts->revocable_zone == c.zone);
  }
}

TEST_CASE("compile: a PodGroup's spec and what it shows", "[cache]") {
  const CompiledPodGroup group = MakeGroup(
      "g", 3, R"("queue":"q","minTaskMember":{"ps":1,"worker":2},"minResources":{"cpu":"2"},
        "subGroupPolicy":[{"name":"s","subGroupSize":2,"minSubGroups":4,"matchLabelKeys":["k"],
          "labelSelector":{"matchLabels":{"app":"x"}}}],)",
      R"({"phase":"Inqueue","running":1,"conditions":[{"type":"T","status":"True","reason":"R",
        "message":"M","transitionID":"t"}]})");
  CHECK(group.min_member == 3);
  CHECK(group.queue == "q");
  CHECK(group.role_minimums ==
        std::vector<std::pair<std::string, int32_t>>{{"ps", 1}, {"worker", 2}});
  CHECK(group.has_min_resources);
  CHECK(group.min_resources == NamedAmounts{{"cpu", 2000}});
  REQUIRE(group.sub_groups.size() == 1);
  CHECK(group.sub_groups[0].size == 2);
  CHECK(group.sub_groups[0].min_sub_groups == 4);
  CHECK(group.shown.resource_version == "7");
  CHECK(group.shown.phase == model::PodGroupPhase::kInqueue);
  CHECK(group.shown.conditions == std::vector<ShownCondition>{{"T", "True", "R", "M"}});
}

TEST_CASE("compile: a queue's state and defaults", "[cache]") {
  CHECK(MakeQueue("q").row.state == model::QueueState::kOpen);
  CHECK(MakeQueue("q").row.reclaimable);
  CHECK_FALSE(MakeQueue("q", R"({"reclaimable":false})").row.reclaimable);
  CHECK(MakeQueue("q", "{}", R"({"state":"Closing"})").row.state == model::QueueState::kClosing);
  CHECK(MakeQueue("q", "{}", R"({"state":"Odd"})").row.state == model::QueueState::kUnknown);
  CHECK(MakeQueue("q", R"({"capability":{"cpu":"3"}})").capability == NamedAmounts{{"cpu", 3000}});
}

TEST_CASE("grouping: a policy takes the pods that its selector and keys fit", "[cache]") {
  const SubGroup plain{.name = "s", .match_label_keys = {"rank", "slice"}};
  SubGroup picky = plain;
  picky.selector = {{"app", model::SelectorOp::kIn, {"a", "b"}}};
  SubGroup never = plain;
  never.never = true;
  struct Case {
    const SubGroup& group;
    Labels labels;
    std::optional<std::string> suffix;
    int64_t index;
  };
  const SubGroup keyless{.name = "s"};
  const Case cases[] = {
      {plain, {{"rank", "3"}, {"slice", "x"}}, "3-x", 3},
      {plain, {{"rank", "r"}, {"slice", "x"}}, "r-x", 0},
      {plain, {{"rank", "3"}}, std::nullopt, 0},
      {plain, {{"rank", ""}, {"slice", "x"}}, std::nullopt, 0},
      {picky, {{"app", "b"}, {"rank", "3"}, {"slice", "x"}}, "3-x", 3},
      {picky, {{"app", "c"}, {"rank", "3"}, {"slice", "x"}}, std::nullopt, 0},
      {picky, {{"rank", "3"}, {"slice", "x"}}, std::nullopt, 0},
      {never, {{"rank", "3"}, {"slice", "x"}}, std::nullopt, 0},
      {keyless, {{"rank", "3"}}, std::nullopt, 0},
  };
  for (const Case& c : cases) {
    INFO(&c - cases);
    const std::optional<SubJobMatch> match = MatchSubGroup(c.group, c.labels);
    REQUIRE(match.has_value() == c.suffix.has_value());
    if (!match) continue;
    CHECK(match->suffix == *c.suffix);
    CHECK(match->index == c.index);
  }
}

TEST_CASE("grouping: long values are hashed in Kubernetes' safe alphabet", "[cache]") {
  // FNV-1a of "" is 2166136261, of "a" 3826002220, of "foobar" 3214735720.
  const auto safe = [](std::string digits) {
    for (char& c : digits) c = "bcdfghjklmnpqrstvwxz2456789"[static_cast<unsigned char>(c) % 27];
    return digits;
  };
  CHECK(SafeHash("") == safe("2166136261"));
  CHECK(SafeHash("a") == safe("3826002220"));
  CHECK(SafeHash("foobar") == safe("3214735720"));
  const SubGroup group{.name = "s", .match_label_keys = {"k"}};
  const std::string edge(128, 'x');
  CHECK(MatchSubGroup(group, {{"k", edge}})->suffix == edge);
  CHECK(MatchSubGroup(group, {{"k", edge + "x"}})->suffix == SafeHash(edge + "x"));
}

TEST_CASE("slots: a freed id rests until the next snapshot is out", "[cache]") {
  Slots<model::TaskId> slots;
  const model::TaskId a = slots.Take();
  CHECK(slots.Take() != a);
  slots.Free(a);
  CHECK(slots.Take() != a);
  slots.Recycle();
  CHECK(slots.Take() == a);
  CHECK(slots.capacity() == 3);
}

}  // namespace
}  // namespace bth::cache
