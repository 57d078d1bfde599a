#include "api/types/codec.h"

#include <algorithm>
#include <string>

#include "api/types/event.h"
#include "api/types/hyper_node.h"
#include "api/types/lease.h"
#include "api/types/node.h"
#include "api/types/pod.h"
#include "api/types/pod_disruption_budget.h"
#include "api/types/pod_group.h"
#include "api/types/priority_class.h"
#include "api/types/queue.h"
#include "api/types/resource_quota.h"
#include "api/types/storage.h"
#include "api/types/workload.h"
#include "tests/support/catch.h"

using namespace bth::types;

namespace {

constexpr const char* kPod = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a",
 "namespace":"default","uid":"u1","resourceVersion":"7","generation":2,
 "creationTimestamp":"2026-01-02T03:04:05Z","deletionTimestamp":null,
 "labels":{"b":"2","a":"1"},"annotations":{"scheduling.k8s.io/group-name":"g"},
 "ownerReferences":[{"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","name":"j","uid":"u2",
   "controller":true}],
 "managedFields":[{"manager":"x","fieldsV1":{"f:spec":{"f:containers":[[],{}]}}}]},
 "spec":{"schedulerName":"volcano","priority":10,"nodeSelector":{"zone":"a"},"unknown":[{"x":[1]}],
  "containers":[{"name":"c","image":"i","resources":{"requests":{"memory":"1Gi","cpu":0.5},
    "limits":{"cpu":2}},"ports":[{"containerPort":80,"hostPort":8080}]}],
  "initContainers":[{"name":"s","restartPolicy":"Always"}],
  "affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{
      "nodeSelectorTerms":[{"matchExpressions":[{"key":"k","operator":"Gt","values":["3"]}]}]}},
    "podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":5,
      "podAffinityTerm":{"topologyKey":"h","labelSelector":{},"namespaceSelector":null}}]}},
  "tolerations":[{"key":"t","operator":"Exists","tolerationSeconds":300}],
  "volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"pvc"}},{"name":"e","emptyDir":{}}],
  "schedulingGates":[{"name":"gate"}]},
 "status":{"phase":"Running","startTime":"2026-01-02T03:04:06Z",
  "conditions":[{"type":"Ready","status":"True","lastProbeTime":null}],
  "containerStatuses":[{"name":"c","ready":true,"restartCount":1,"state":{"running":{}},
    "lastState":{"terminated":{"exitCode":137,"reason":"OOMKilled"}}}]}})";

std::string Message(const absl::Status& status) {
  return std::string(status.message());
}

std::string ListOf(const std::string& items) {
  return R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"99",)"
         R"("continue":"next"},"items":[)" +
         items + "]}";
}

template <class T>
T RoundTrip(const std::string& text) {
  const auto first = Decode<T>(text);
  CAPTURE(text, first.status().ToString());
  REQUIRE(first.ok());
  const std::string encoded = Encode(*first);
  CAPTURE(encoded);
  const auto second = Decode<T>(encoded);
  REQUIRE(second.ok());
  CHECK(*second == *first);
  const auto tree = Json::Parse(text);
  REQUIRE(tree.ok());
  const auto third = Decode<T>(*tree);
  REQUIRE(third.ok());
  CHECK(*third == *first);
  return *first;
}

}  // namespace

TEST_CASE("codec: a pod is read, unknown fields are skipped", "[types][unit]") {
  const Pod pod = RoundTrip<Pod>(kPod);
  CHECK(pod.meta.Key() == "default/a");
  CHECK(pod.meta.labels == LabelMap{{"a", "1"}, {"b", "2"}});
  CHECK(pod.meta.Annotation("scheduling.k8s.io/group-name") == "g");
  CHECK(pod.meta.creation_time == absl::FromUnixSeconds(1767323045));
  CHECK_FALSE(pod.meta.deletion_time.has_value());
  REQUIRE(pod.meta.Controller() != nullptr);
  CHECK(pod.meta.Controller()->name == "j");
  CHECK(pod.spec.priority == 10);
  REQUIRE(pod.spec.containers.size() == 1);
  const Container& container = pod.spec.containers[0];
  CHECK(container.resources.requests.Find("cpu")->MilliValue().value() == 500);
  CHECK(container.resources.requests.Find("memory")->Value() == int64_t{1} << 30);
  CHECK(container.resources.limits.Find("cpu")->Value() == 2);
  CHECK(container.ports[0].host_port == 8080);
  const Affinity& affinity = *pod.spec.affinity;
  CHECK(affinity.node->required->terms[0].match_expressions[0].op == SelectorOp::kGt);
  CHECK_FALSE(affinity.pod.has_value());
  const PodAffinityTerm& term = affinity.pod_anti->preferred[0].term;
  CHECK(term.label_selector.has_value());
  CHECK_FALSE(term.namespace_selector.has_value());
  CHECK(pod.spec.tolerations[0].toleration_seconds == 300);
  CHECK(pod.spec.volumes[0].persistent_volume_claim->claim_name == "pvc");
  CHECK(pod.spec.volumes[1].empty_dir.has_value());
  CHECK(pod.status.phase == "Running");
  CHECK(pod.status.container_statuses[0].state.running.has_value());
  CHECK(pod.status.container_statuses[0].last_state.terminated->exit_code == 137);
}

TEST_CASE("codec: an error names the object, the path and what was expected", "[types][unit]") {
  struct Case {
    std::string text, error;
  };
  const std::string head = R"({"metadata":{"namespace":"default","name":"a"},)";
  const Case c = GENERATE_COPY(values<Case>({
      {head + R"("spec":{"containers":[{"resources":{"requests":{"cpu":"1x"}}}]}})",
       "pod default/a: spec.containers[0].resources.requests.cpu: quantity \"1x\": expected"},
      {head + R"("spec":{"containers":[{},{"resources":{"limits":{"memory":"1e40"}}}]}})",
       "pod default/a: spec.containers[1].resources.limits.memory: quantity \"1e40\": larger"},
      {head + R"("spec":{"containers":{}}})",
       "pod default/a: spec.containers: expected an array, found an object"},
      {head + R"("spec":{"nodeName":5}})",
       "pod default/a: spec.nodeName: expected a string, found the number 5"},
      {head + R"("spec":{"priority":"x"}})",
       "pod default/a: spec.priority: expected an integer, found the string \"x\""},
      {head + R"("spec":{"priority":2147483648}})",
       "pod default/a: spec.priority: 2147483648 is out of range"},
      {head + R"("spec":{"priority":1.5}})",
       "pod default/a: spec.priority: expected an integer, found the number 1.5"},
      {head + R"("spec":{"hostNetwork":[true]}})",
       "pod default/a: spec.hostNetwork: expected true or false, found an array"},
      {head + R"("spec":[]})", "pod default/a: spec: expected an object, found an array"},
      {head + R"("status":{"startTime":"yesterday"}})",
       "pod default/a: status.startTime: time \"yesterday\": expected RFC 3339"},
      {R"({"spec":{"nodeName":true},"metadata":{"name":"late"}})",
       "pod late: spec.nodeName: expected a string, found true"},
      {R"({"kind":"Node","metadata":{"name":"a"}})", "pod a: kind: is Node, expected Pod"},
      {"[]", "pod: expected an object, found an array"},
      {"{", "pod: JSON: byte 1: "},
      {"{}{}", "pod: JSON: byte 2: "},
      {"{\"a\":\"\xFF\"}", "pod: JSON: byte 6: invalid UTF-8"},
  }));
  CAPTURE(c.text);
  const auto pod = Decode<Pod>(c.text);
  REQUIRE_FALSE(pod.ok());
  CHECK(pod.status().code() == absl::StatusCode::kInvalidArgument);
  CHECK_THAT(Message(pod.status()), Catch::StartsWith(c.error));
}

TEST_CASE("codec: one malformed item does not disturb its list", "[types][unit]") {
  const std::string good = R"({"metadata":{"name":"g","namespace":"n"},"spec":{"nodeName":"x"}})";
  struct Case {
    std::string item, name, error;
  };
  const Case c = GENERATE(values<Case>({
      {R"({"spec":{"nodeName":1,"tolerations":[{"key":"k"}]},"metadata":{"name":"b","namespace":"n"}})",
       "b", "pod n/b: spec.nodeName: expected a string"},
      {R"({"metadata":{"namespace":"n"}})", "", "pod items[1]: metadata.name: missing"},
      {"{}", "", "pod items[1]: metadata.name: missing"},
      {"null", "", "pod items[1]: metadata.name: missing"},
      {"5", "", "pod items[1]: expected an object, found the number 5"},
      {"[{}]", "", "pod items[1]: expected an object, found an array"},
      {R"({"metadata":{"name":"b","annotations":{"a":")" + std::string(300000, 'x') + "\"}}}", "b",
       "pod b: metadata: annotations: 300001 bytes exceed"},
      {R"({"metadata":{"name":"b"},"spec":{"overhead":{"cpu":"1e50"}}})", "b",
       "pod b: spec.overhead.cpu: quantity"},
  }));
  CAPTURE(c.item.substr(0, 100));
  const auto list = DecodeList<Pod>(ListOf(good + "," + c.item + "," + good));
  REQUIRE(list.ok());
  CHECK(list->resource_version == "99");
  CHECK(list->continue_token == "next");
  REQUIRE(list->items.size() == 2);
  for (const Pod& pod : list->items) {
    CHECK(pod.meta.Key() == "n/g");
    CHECK(pod.spec.node_name == "x");
    CHECK(pod.spec.tolerations.empty());
  }
  REQUIRE(list->malformed.size() == 1);
  CHECK(list->malformed[0].name == c.name);
  CHECK_THAT(Message(list->malformed[0].status), Catch::StartsWith(c.error));
}

TEST_CASE("codec: lists of any order, empty lists and broken lists", "[types][unit]") {
  const auto late = DecodeList<Pod>(
      R"({"items":[{"metadata":{"name":"a"}}],"metadata":{"resourceVersion":"3"}})");
  REQUIRE(late.ok());
  CHECK(late->items.size() == 1);
  CHECK(late->resource_version == "3");
  const auto none = DecodeList<Pod>(R"({"metadata":{"resourceVersion":"3"},"items":null})");
  REQUIRE(none.ok());
  CHECK(none->items.empty());
  CHECK(Message(DecodeList<Pod>(R"({"items":[],"metadata":{"resourceVersion":1}})").status()) ==
        "list of pods: metadata.resourceVersion: expected a string, found the number 1");
  for (const char* text : {"", "[]", "{\"items\":{}}", "{\"items\":[{}", "{\"items\":[]"}) {
    CAPTURE(text);
    const auto list = DecodeList<Pod>(text);
    REQUIRE_FALSE(list.ok());
    CHECK_THAT(Message(list.status()), Catch::StartsWith("list of pods: "));
  }
}

TEST_CASE("codec: input is bounded", "[types][unit]") {
  std::string wide = R"({"spec":{"containers":[{})";
  for (size_t i = 0; i < kElementsMax; ++i) wide += ",{}";
  wide += "]}}";
  CHECK_THAT(Message(Decode<Pod>(wide).status()), Catch::Contains("more than 200000 elements"));
  std::string bad = "1";
  for (size_t i = 0; i < kMalformedMax; ++i) bad += ",1";
  const auto list = DecodeList<Pod>(ListOf(bad + R"(,{"metadata":{"name":"a"}})"));
  REQUIRE(list.ok());
  CHECK(list->items.size() == 1);
  REQUIRE(list->malformed.size() == kMalformedMax + 1);
  CHECK(Message(list->malformed.back().status) == "malformed");
}

TEST_CASE("codec: an object beyond a limit does not disturb the others of its list",
          "[types][unit]") {
  std::string wide = R"({"spec":{"containers":[{})";
  for (size_t i = 0; i < kElementsMax; ++i) wide += R"(,{"args":["x"]})";
  wide += R"(],"nodeName":"m"},"metadata":{"name":"b","namespace":"n"}})";
  const std::string good = R"({"metadata":{"name":"a"},"spec":{"containers":[{"name":"c"}]}})";
  const auto list = DecodeList<Pod>(ListOf(good + "," + wide + "," + good));
  REQUIRE(list.ok());
  REQUIRE(list->items.size() == 2);
  CHECK(list->items[1].spec.containers.size() == 1);
  REQUIRE(list->malformed.size() == 1);
  CHECK(list->malformed[0].name == "b");
  CHECK(Message(list->malformed[0].status) ==
        "pod n/b: spec.containers[100000].args[0]: more than 200000 elements in one object");
  const auto event = DecodeWatchEvent<Pod>(R"({"type":"ADDED","object":)" + wide + "}");
  REQUIRE(event.ok());
  CHECK(event->object.meta.name == "b");
  CHECK_FALSE(event->status.ok());
}

// However deep: a reader that called itself for each level would end the program.
TEST_CASE("codec: what is not read may be nested at will", "[types][unit]") {
  const auto nested = [](size_t levels) {
    std::string text;
    for (size_t i = 0; i < levels; ++i) text += i % 2 == 0 ? R"({"}\"]":)" : "[";
    text += "0";
    for (size_t i = levels; i-- > 0;) text += i % 2 == 0 ? "}" : "]";
    return text;
  };
  const size_t levels = GENERATE(size_t{61}, size_t{62}, size_t{63}, size_t{64}, size_t{1'000'000});
  CAPTURE(levels);
  const std::string deep = nested(levels);
  const auto pod = Decode<Pod>(R"({"x":)" + deep + R"(,"metadata":{"name":"a"}})");
  REQUIRE(pod.ok());
  CHECK(pod->meta.name == "a");
  // A value of another type than its field's is not read either.
  const std::string amount = R"({"metadata":{"name":"b"},"spec":{"containers":[{"resources":)"
                             R"({"requests":{"cpu":)" +
                             deep + R"(}}}],"nodeName":"m"}})";
  const auto list = DecodeList<Pod>(ListOf(amount + R"(,{"metadata":{"name":"c"}})"));
  REQUIRE(list.ok());
  CHECK(list->items.size() == 1);
  REQUIRE(list->malformed.size() == 1);
  CHECK_THAT(Message(list->malformed[0].status),
             Catch::Contains("requests.cpu: expected a quantity, found an object"));
  CHECK_FALSE(Decode<Pod>(R"({"metadata":{"name":"a"},"x":)" + deep.substr(0, levels)).ok());
  CHECK_FALSE(
      Decode<Pod>(R"({"metadata":{"name":"a"},"x":)" + std::string(levels, '[') + "}").ok());
}

TEST_CASE("codec: watch events", "[types][unit]") {
  using Type = WatchEvent<Pod>::Type;
  const std::string object = R"({"metadata":{"name":"a","namespace":"n","resourceVersion":"8"}})";
  struct Case {
    std::string line;
    Type type;
  };
  const Case c = GENERATE_COPY(values<Case>({
      {R"({"type":"ADDED","object":)" + object + "}\n", Type::kAdded},
      {R"({"type":"MODIFIED","object":)" + object + "}", Type::kModified},
      {R"({"type":"DELETED","object":)" + object + "}", Type::kDeleted},
      {R"({ "type" : "ADDED", "object":)" + object + "}", Type::kAdded},
      {R"({"object":)" + object + R"(,"type":"DELETED"})", Type::kDeleted},
  }));
  CAPTURE(c.line);
  const auto event = DecodeWatchEvent<Pod>(c.line);
  REQUIRE(event.ok());
  CHECK(event->status.ok());
  CHECK(event->type == c.type);
  CHECK(event->object.meta.Key() == "n/a");
  CHECK(event->resource_version == "8");
  CHECK_FALSE(event->initial_events_end);
}

TEST_CASE("codec: watch bookmarks, errors and malformed objects", "[types][unit]") {
  using Type = WatchEvent<Pod>::Type;
  const auto bookmark = DecodeWatchEvent<Pod>(
      R"({"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"12",)"
      R"("annotations":{"k8s.io/initial-events-end":"true"}}}})");
  REQUIRE(bookmark.ok());
  CHECK(bookmark->type == Type::kBookmark);
  CHECK(bookmark->resource_version == "12");
  CHECK(bookmark->initial_events_end);
  CHECK(bookmark->status.ok());

  const std::string gone =
      R"("object":{"kind":"Status","status":"Failure","message":"too old resource version",)"
      R"("reason":"Expired","code":410})";
  for (const std::string& line :
       {R"({"type":"ERROR",)" + gone + "}", "{" + gone + R"(,"type":"ERROR"})"}) {
    const auto error = DecodeWatchEvent<Pod>(line);
    REQUIRE(error.ok());
    CHECK(error->type == Type::kError);
    CHECK(error->status.code() == absl::StatusCode::kOutOfRange);
    CHECK(Message(error->status) == "too old resource version");
  }

  const auto malformed =
      DecodeWatchEvent<Pod>(R"({"type":"ADDED","object":{"spec":{"priority":"x"},)"
                            R"("metadata":{"name":"a","namespace":"n","resourceVersion":"9"}}})");
  REQUIRE(malformed.ok());
  CHECK(malformed->type == Type::kAdded);
  CHECK(malformed->resource_version == "9");
  CHECK(malformed->object.meta.Key() == "n/a");
  CHECK_THAT(Message(malformed->status), Catch::StartsWith("pod n/a: spec.priority: "));

  for (const char* line : {"", "{}", "[]", "{\"type\":\"NEW\",\"object\":{}}",
                           "{\"type\":\"ADDED\"", "{\"type\":\"ADDED\",\"object\":{}}x"}) {
    CAPTURE(line);
    CHECK_FALSE(DecodeWatchEvent<Pod>(line).ok());
  }
}

TEST_CASE("codec: scheduling kinds read and write their fields", "[types][unit]") {
  const Node node = RoundTrip<Node>(
      R"({"metadata":{"name":"n1","labels":{"zone":"a"}},"spec":{"unschedulable":true,)"
      R"("taints":[{"key":"k","effect":"NoSchedule"}]},"status":{"allocatable":{"cpu":"4",)"
      R"("memory":"8Gi","pods":"110"},"conditions":[{"type":"Ready","status":"True",)"
      R"("lastHeartbeatTime":"2026-01-02T03:04:05Z"}],"images":[{"names":["a","b"],"sizeBytes":5}]}})");
  CHECK(node.spec.unschedulable);
  CHECK(node.status.allocatable.Find("pods")->Value() == 110);
  CHECK(node.status.images[0].size_bytes == 5);

  const PodGroup group = RoundTrip<PodGroup>(
      R"({"metadata":{"name":"g","namespace":"n"},"spec":{"minMember":3,"queue":"q",)"
      R"("minTaskMember":{"worker":2,"master":1},"minResources":{"cpu":"3"},)"
      R"("networkTopology":{"mode":"hard","highestTierAllowed":2},"subGroupPolicy":[{"name":"s",)"
      R"("subGroupSize":2,"labelSelector":{"matchLabels":{"a":"b"}},"matchLabelKeys":["k"]}]},)"
      R"("status":{"phase":"Inqueue","running":1,"conditions":[{"type":"Unschedulable",)"
      R"("status":"True","transitionID":"t"}]}})");
  CHECK(group.spec.min_member == 3);
  CHECK(*group.spec.min_task_member.Find("worker") == 2);
  CHECK(group.spec.network_topology->highest_tier_allowed == 2);
  CHECK(group.spec.sub_group_policy[0].match_label_keys == std::vector<std::string>{"k"});
  CHECK(group.status.conditions[0].transition_id == "t");

  const Queue queue = RoundTrip<Queue>(
      R"({"metadata":{"name":"q"},"spec":{"weight":4,"capability":{"cpu":"10"},"reclaimable":false,)"
      R"("guarantee":{"resource":{"cpu":"1"}},"deserved":{"nvidia.com/gpu":8},"parent":"root",)"
      R"("affinity":{"nodeGroupAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":["g"]}}},)"
      R"("status":{"state":"Open","allocated":{"cpu":"2"},"reservation":{}}})");
  CHECK(queue.spec.guarantee.Find("cpu")->Value() == 1);
  CHECK(queue.spec.reclaimable == false);
  CHECK(queue.spec.affinity->node_group->required == std::vector<std::string>{"g"});
}

TEST_CASE("codec: the kinds around scheduling read and write their fields", "[types][unit]") {
  const PodDisruptionBudget budget = RoundTrip<PodDisruptionBudget>(
      R"({"metadata":{"name":"b","namespace":"n"},"spec":{"minAvailable":"50%","maxUnavailable":2,)"
      R"("selector":{}},"status":{"disruptionsAllowed":1,"disruptedPods":{"p":"2026-01-02T03:04:05Z"}}})");
  CHECK(budget.spec.min_available->Scaled(3, true).value() == 2);
  CHECK(budget.spec.max_unavailable->Scaled(3, true).value() == 2);
  CHECK(budget.status.disrupted_pods.size() == 1);

  const HyperNode hyper = RoundTrip<HyperNode>(
      R"({"metadata":{"name":"h"},"spec":{"tier":1,"members":[{"type":"Node","selector":)"
      R"({"exactMatch":{"name":"n1"}}},{"type":"Node","selector":{"labelMatch":{}}}]}})");
  CHECK(hyper.members[0].exact_name == "n1");
  CHECK(hyper.members[1].label_match.has_value());

  const ResourceQuota quota = RoundTrip<ResourceQuota>(
      R"({"metadata":{"name":"r","namespace":"n"},"spec":{"hard":{"cpu":"2"},"scopeSelector":)"
      R"({"matchExpressions":[{"scopeName":"PriorityClass","operator":"In","values":["p"]}]}},)"
      R"("status":{"hard":{"cpu":"2"},"used":{"cpu":"1"}}})");
  CHECK(quota.scope_selector[0].values == std::vector<std::string>{"p"});

  const Lease lease =
      RoundTrip<Lease>(R"({"metadata":{"name":"l","namespace":"n"},"spec":{"holderIdentity":"me",)"
                       R"("leaseDurationSeconds":15,"renewTime":"2026-01-02T03:04:05.123456Z"}})");
  CHECK_THAT(Encode(lease), Catch::Contains("\"renewTime\":\"2026-01-02T03:04:05.123456Z\""));

  CHECK(RoundTrip<PriorityClass>(R"({"metadata":{"name":"p"},"value":-5,"globalDefault":true})")
            .value == -5);
  CHECK(RoundTrip<ReplicaSet>(R"({"metadata":{"name":"p"},"spec":{"selector":{"matchLabels":)"
                              R"({"a":"b"}},"replicas":0}})")
            .replicas == 0);
  CHECK(RoundTrip<CsiNode>(R"({"metadata":{"name":"p"},"spec":{"drivers":[{"name":"d",)"
                           R"("allocatable":{"count":3}}]}})")
            .drivers[0]
            .allocatable_count == 3);
  CHECK(
      RoundTrip<PersistentVolume>(
          R"({"metadata":{"name":"v"},"spec":{"nodeAffinity":{"required":{"nodeSelectorTerms":[]}},)"
          R"("csi":{"driver":"d","volumeHandle":"h"}},"status":{"phase":"Bound"}})")
          .phase == "Bound");
  CHECK(RoundTrip<StorageClass>(R"({"metadata":{"name":"s"},"provisioner":"p","allowedTopologies":)"
                                R"([{"matchLabelExpressions":[{"key":"z","values":["a"]}]}]})")
            .allowed_topologies.size() == 1);
  CHECK(RoundTrip<Event>(
            R"({"metadata":{"name":"e","namespace":"n"},"involvedObject":{"kind":"Pod"},)"
            R"("count":2,"source":{"component":"c"},"eventTime":null})")
            .source_component == "c");
}

TEST_CASE("codec: what is written carries the kind and only what is set", "[types][unit]") {
  PodGroup group;
  group.meta.name = "g";
  group.meta.ns = "n";
  group.spec.min_member = 2;
  group.spec.min_resources = {{"memory", *Quantity::Parse("1536Mi")},
                              {"cpu", *Quantity::Parse("1.5")}};
  CHECK(Encode(group) ==
        R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup",)"
        R"("metadata":{"name":"g","namespace":"n"},)"
        R"("spec":{"minMember":2,"minResources":{"cpu":"1500m","memory":"1536Mi"}}})");
}

TEST_CASE("codec: the field table lists its paths", "[types][unit]") {
  const std::vector<std::string> paths = FieldPaths<Pod>();
  for (const char* path : {"metadata.name", "metadata.labels{}", "spec.containers[].name",
                           "spec.containers[].resources.requests{}",
                           "status.containerStatuses[].state.terminated.exitCode"}) {
    CAPTURE(path);
    CHECK(std::count(paths.begin(), paths.end(), path) == 1);
  }
}

TEST_CASE("resource type: paths of collections, objects and subresources", "[types][unit]") {
  const ResourceType& pods = ResourceTraits<Pod>::type();
  CHECK(pods.Path() == "/api/v1/pods");
  CHECK(pods.Path("ns") == "/api/v1/namespaces/ns/pods");
  CHECK(pods.Path("ns", "a", "status") == "/api/v1/namespaces/ns/pods/a/status");
  const ResourceType& queues = ResourceTraits<Queue>::type();
  CHECK(queues.Path("ignored", "q") == "/apis/scheduling.volcano.sh/v1beta1/queues/q");
  CHECK(queues.ApiVersion() == "scheduling.volcano.sh/v1beta1");
  CHECK(queues.FullName() == "queues.scheduling.volcano.sh");
  CHECK(pods.ApiVersion() == "v1");
  CHECK(pods.Path("a/b", "c?d%") == "/api/v1/namespaces/a%2Fb/pods/c%3Fd%25");
}
