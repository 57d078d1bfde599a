// Objects that ask for what cannot be: each is told once on the object concerned, with the remedy,
// and the rest of the cluster is scheduled on.
#include "base/strings.h"
#include "tests/scheduler/short_bed.h"

namespace bth::scheduler {
namespace {

using testing::ShortBed;
using types::Json;
using Told = std::vector<std::string>;

const char kPriorityClasses[] = "/apis/scheduling.k8s.io/v1/priorityclasses/";
const char kVolcano[] = "scheduling.volcano.sh/v1beta1";

TEST_CASE("bad input: a priority class that vanishes is told on its PodGroups, once",
          "[scheduler]") {
  ShortBed bed;
  bed.Given({"node n1 cpu=8 mem=8Gi", "priority high value=100", "job a prio=high min=1",
             "job b min=1", "job c prio=nowhere min=1"});
  bed.Begin();
  CHECK(bed.Events("PriorityClassNotFound") == Told{"PodGroup/c x1"});
  bed.Delete(kPriorityClasses + std::string("high"));
  bed.Given({"pod a-0 job=a cpu=1", "pod b-0 job=b cpu=1", "pod c-0 job=c cpu=1"});
  bed.Settle();
  for (const char* pod : {"a-0", "b-0", "c-0"}) CHECK(bed.Bound(pod));
  CHECK(bed.Events("PriorityClassNotFound") == Told{"PodGroup/a x1", "PodGroup/c x1"});
  CHECK(bed.EventMessage("PriorityClassNotFound", "a") ==
        "PodGroup default/a names the PriorityClass high, which does not exist, so it has the "
        "default priority: create high or name another class");
  // Nothing more is said until it vanishes again.
  bed.executor.Advance(absl::Minutes(10));
  bed.Given({"priority high value=100"});
  bed.Settle();
  CHECK(bed.Events("PriorityClassNotFound") == Told{"PodGroup/a x1", "PodGroup/c x1"});
  bed.Delete(kPriorityClasses + std::string("high"));
  bed.Settle();
  CHECK(bed.Events("PriorityClassNotFound") == Told{"PodGroup/a x2", "PodGroup/c x1"});
}

TEST_CASE("bad input: objects that come in any order are not told of each other", "[scheduler]") {
  ShortBed bed;
  bed.Begin();
  bed.Given({"job a prio=high min=1"});
  bed.executor.Advance(absl::Milliseconds(300));
  bed.Given({"priority high value=100"});
  bed.Settle();
  CHECK(bed.Events("PriorityClassNotFound").empty());
}

TEST_CASE("bad input: a standby tells nothing, and what it saw once it leads", "[scheduler]") {
  ShortBed bed;
  bed.Given({"job a prio=nowhere min=1"});
  bed.MakeScheduler();
  REQUIRE(bed.scheduler->LoadPolicy().ok());
  bed.scheduler->StartCache();
  bed.Settle();
  CHECK(bed.writes == 0);
  bed.scheduler->Lead();
  bed.Settle();
  CHECK(bed.Events("PriorityClassNotFound") == Told{"PodGroup/a x1"});
}

TEST_CASE("bad input: a PodGroup of another scheduler's pods is its business", "[scheduler]") {
  ShortBed bed;
  bed.Given({"node n1 cpu=8", "job a prio=nowhere min=1", "pod a-0 job=a cpu=1 scheduler=other"});
  bed.Begin();
  CHECK(bed.Events("PriorityClassNotFound").empty());
}

TEST_CASE("bad input: negative and absurd quotas are told on their queues, once", "[scheduler]") {
  const std::string policy = GENERATE(values<std::string>(
      {"",
       "actions: \"enqueue, allocate\"\ntiers:\n- plugins: [{name: gang}, {name: capacity, "
       "enableHierarchy: true}, {name: predicates}]\n"}));
  CAPTURE(policy);
  ShortBed bed;
  const auto queue = [](const std::string& name, const std::string& spec) {
    return StrCat(R"({"apiVersion":")", kVolcano, R"(","kind":"Queue","metadata":{"name":")", name,
                  R"("},"spec":)", spec, "}");
  };
  bed.Given({"node n1 cpu=8 mem=8Gi", "queue good weight=1",
             queue("negative", R"({"weight":1,"capability":{"cpu":"-1"}})"),
             queue("absurd", R"({"weight":1,"capability":{"cpu":"9000000000000000000"}})"),
             "job a queue=good min=1 tasks=1 cpu=1", "job b queue=absurd min=1 tasks=1 cpu=1",
             "job c queue=negative min=1 tasks=1 cpu=1"});
  bed.Begin(policy);
  bed.executor.Advance(absl::Minutes(10));
  CHECK(bed.Bound("a-0"));
  CHECK(bed.Bound("b-0"));
  CHECK(bed.Events("NegativeQuota") == Told{"Queue/negative x1"});
  CHECK(bed.Events("QuotaTooLarge") == Told{"Queue/absurd x1"});
  CHECK(absl::StrContains(bed.EventMessage("NegativeQuota", "negative"), "correct its capability"));
  CHECK(absl::StrContains(bed.EventMessage("QuotaTooLarge", "absurd"),
                          "amounts of cpu that are too large"));
}

TEST_CASE("bad input: amounts that cannot be counted are told on their objects, once",
          "[scheduler]") {
  const std::string huge = R"("999999999999999")";
  ShortBed bed;
  bed.Given({"node n1 cpu=8 mem=8Gi", "job a min=1 tasks=1 cpu=1",
             StrCat(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"vast"},)",
                    R"("status":{"allocatable":{"cpu":)", huge, R"(,"pods":"110"}}})"),
             StrCat(R"({"apiVersion":")", kVolcano, R"(","kind":"PodGroup","metadata":)",
                    R"({"name":"greedy","namespace":"default"},"spec":{"minMember":1,)",
                    R"("minResources":{"cpu":)", huge, "}}}"),
             StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"giant","namespace":)",
                    R"("default","annotations":{"scheduling.k8s.io/group-name":"a"}},"spec":)",
                    R"({"schedulerName":"volcano","containers":[{"name":"c","image":"i",)",
                    R"("resources":{"requests":{"cpu":)", huge, "}}}]}}")});
  bed.Begin();
  bed.executor.Advance(absl::Minutes(10));
  CHECK(bed.Bound("a-0"));
  // The minimum of a group is a sum already, and counts as the largest that does.
  CHECK(bed.Events("Unusable") == Told{"Node/vast x1", "Pod/giant x1"});
  CHECK(absl::StrContains(bed.EventMessage("Unusable", "giant"),
                          "too large to count with; correct it"));
}

// 256 such amounts are what a sum can hold.
TEST_CASE("bad input: a pod with which a sum would overflow is told once, however often it changes",
          "[scheduler]") {
  ShortBed bed;
  bed.Given({"node n1 cpu=8 mem=8Gi", "job a min=300 tasks=257 cpu=281474976710",
             "job b min=1 tasks=1 cpu=1"});
  bed.Begin();
  CHECK(bed.Bound("b-0"));
  const std::vector<std::string> told = bed.Events("Unusable");
  REQUIRE(told.size() == 1);
  const std::string pod = told[0].substr(4, told[0].find(' ') - 4);
  CHECK(told[0] == "Pod/" + pod + " x1");
  for (const char* value : {"1", "2"}) {
    const std::string labels = StrCat(R"({"metadata":{"labels":{"x":")", value, R"("}}})");
    REQUIRE(bed.Call("PATCH", "/api/v1/namespaces/default/pods/" + pod, labels,
                     "application/merge-patch+json")
                .code == 200);
    bed.Settle();
  }
  CHECK(bed.Events("Unusable") == told);
}

TEST_CASE("bad input: a network topology that nobody looks at is told on its PodGroup",
          "[scheduler]") {
  ShortBed bed;
  bed.Given({"node n1 cpu=8 mem=8Gi",
             StrCat(R"({"apiVersion":")", kVolcano, R"(","kind":"PodGroup","metadata":)",
                    R"({"name":"a","namespace":"default"},"spec":{"minMember":1,)",
                    R"("networkTopology":{"mode":"soft","highestTierAllowed":1}}})"),
             "pod a-0 job=a cpu=1"});
  bed.Begin();
  bed.executor.Advance(absl::Minutes(10));
  CHECK(bed.Bound("a-0"));
  CHECK(bed.Events("NetworkTopologyIgnored") == Told{"PodGroup/a x1"});
  CHECK(
      absl::StrContains(bed.EventMessage("NetworkTopologyIgnored", "a"), "remove networkTopology"));
}

TEST_CASE("bad input: a claim that names nothing holds its pod alone, until it is there",
          "[scheduler]") {
  ShortBed bed;
  bed.Given(
      {"node n1 cpu=8 mem=8Gi", "job a min=1 tasks=1 cpu=1 pvc=data", "job b min=1 tasks=1 cpu=1"});
  bed.Begin();
  CHECK(bed.Bound("b-0"));
  CHECK_FALSE(bed.Bound("a-0"));
  CHECK(absl::EndsWith(bed.PodCondition("a-0"), "persistentvolumeclaim \"data\" not found."));
  const size_t writes = bed.writes;
  bed.executor.Advance(absl::Minutes(10));
  CHECK(bed.writes == writes);
  bed.Given(
      {R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"v"},"spec":{
           "capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"storageClassName":"s",
           "hostPath":{"path":"/v"},"claimRef":{"namespace":"default","name":"data"}}})",
       R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"data","namespace":
           "default","annotations":{"pv.kubernetes.io/bind-completed":"yes"}},"spec":{
           "accessModes":["ReadWriteOnce"],"storageClassName":"s","volumeName":"v",
           "resources":{"requests":{"storage":"1Gi"}}},"status":{"phase":"Bound"}})"});
  bed.Settle();
  CHECK(bed.Bound("a-0"));
}

TEST_CASE("bad input: a term that selects every pod keeps its own pod away, and says so",
          "[scheduler]") {
  ShortBed bed;
  bed.Given({"node n1 cpu=8 mem=8Gi label.kubernetes.io/hostname=n1", "job b min=1 tasks=1 cpu=1"});
  bed.Begin();
  REQUIRE(bed.Bound("b-0"));
  bed.Given({"job a min=1", R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a-0",
      "namespace":"default","annotations":{"scheduling.k8s.io/group-name":"a"}},"spec":{
      "schedulerName":"volcano","containers":[{"name":"c","image":"i"}],"affinity":{
      "podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":
      "kubernetes.io/hostname","labelSelector":{},"namespaceSelector":{}}]}}}})",
             "job c min=1 tasks=1 cpu=1"});
  bed.Settle();
  CHECK_FALSE(bed.Bound("a-0"));
  CHECK(bed.Bound("c-0"));
  CHECK(
      absl::EndsWith(bed.PodCondition("a-0"),
                     "0/1 nodes are unavailable: 1 node(s) didn't match pod anti-affinity rules."));
  const size_t writes = bed.writes;
  bed.executor.Advance(absl::Minutes(10));
  CHECK(bed.writes == writes);
}

TEST_CASE("bad input: a budget that selects every pod protects them, and those who wait are told",
          "[scheduler]") {
  ShortBed bed;
  bed.Given({"node n1 cpu=2 mem=8Gi", "priority low value=10", "priority high value=1000",
             "job old prio=low min=1 tasks=2 cpu=1",
             R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"all",
                 "namespace":"default"},"spec":{"maxUnavailable":0,"selector":{}}})"});
  bed.Begin(
      "actions: \"enqueue, allocate, preempt\"\ntiers:\n- plugins: [{name: priority}, {name: "
      "conformance}, {name: pdb}]\n- plugins: [{name: predicates}]\n");
  REQUIRE(bed.Bound("old-0"));
  bed.Given({"job new prio=high min=1 tasks=1 cpu=1", "job small prio=low min=1 tasks=1"});
  bed.Settle();
  CHECK_FALSE(bed.Bound("new-0"));
  CHECK(absl::EndsWith(bed.PodCondition("new-0"),
                       "preempt: 2 candidates on 1 node; protected: 2 by pdb"));
  CHECK(bed.Bound("old-0"));
  CHECK(bed.Bound("old-1"));
  const size_t writes = bed.writes;
  bed.executor.Advance(absl::Minutes(10));
  CHECK(bed.writes == writes);
}

TEST_CASE("bad input: a sub-group that selects every pod is one like any other", "[scheduler]") {
  ShortBed bed;
  bed.Given({"node n1 cpu=8 mem=8Gi",
             StrCat(R"({"apiVersion":")", kVolcano, R"(","kind":"PodGroup","metadata":)",
                    R"({"name":"a","namespace":"default"},"spec":{"minMember":2,)",
                    R"("subGroupPolicy":[{"name":"all","subGroupSize":2,"minSubGroups":1,)",
                    R"("labelSelector":{},"matchLabelKeys":["slice"]}]}})"),
             "pod a-0,a-1 job=a cpu=1 label.slice=1", "job b min=1 tasks=1 cpu=1"});
  bed.Begin();
  for (const char* pod : {"a-0", "a-1", "b-0"}) CHECK(bed.Bound(pod));
}

// A Prometheus that can be told how to behave.
class LoadBed : public ShortBed {
 public:
  std::string mood;  // "hangs", "lies", "floods"; empty: well.

  void BeginWithLoads() {
    SchedulerOptions options;
    options.check_invariants_every = 1;
    options.policy.path = conf_.Write(
        "scheduler.conf",
        "actions: \"enqueue, allocate\"\ntiers:\n- plugins: [{name: gang}, {name: predicates}, "
        "{name: usage}]\nmetrics: {type: prometheus, address: http://prometheus:9090}\n");
    scheduler = std::make_unique<Scheduler>(
        SchedulerContext{executor, *api, registry, runner, clock, &metrics,
                         [this](net::ClientOptions) {
                           return absl::StatusOr<std::unique_ptr<net::Transport>>(
                               net::MakeInProcessTransport(
                                   executor, [this](net::Request) { return Answer(); }));
                         }},
        options);
    REQUIRE(scheduler->LoadPolicy().ToString() == "OK");
    scheduler->StartCache();
    scheduler->Lead();
    Settle();
  }

 private:
  net::Awaitable<net::Response> Answer() {
    if (mood == "hangs") co_await net::Sleep(executor, absl::Minutes(10));
    net::Response response;
    response.status = 200;
    const std::string percent = mood == "lies" ? "-50" : "20";
    response.body = StrCat(R"({"status":"success","data":{"resultType":"vector","result":[)",
                           R"({"metric":{"instance":"n1"},"value":[1,")", percent, R"("]}]}})");
    if (mood == "floods") response.body.append(size_t{4} << 20, ' ');
    co_return response;
  }

  test::TempFolder conf_;
};

TEST_CASE("bad input: a Prometheus that hangs, lies or floods is told once, and pods are bound",
          "[scheduler][load]") {
  const std::string mood = GENERATE(values<std::string>({"hangs", "lies", "floods"}));
  CAPTURE(mood);
  LoadBed bed;
  bed.Given({"node n1 cpu=8 mem=8Gi", "job a min=1"});
  bed.BeginWithLoads();
  CHECK(bed.Events("NodeLoadFailed").empty());
  bed.mood = mood;
  bed.executor.Advance(absl::Minutes(10));
  CHECK(bed.Events("NodeLoadFailed") == Told{"Queue/root x1"});
  CHECK(absl::StrContains(bed.EventMessage("NodeLoadFailed", "root"),
                          "check the source named in section"));
  bed.Given({"pod a-0 job=a cpu=1"});
  bed.Settle();
  CHECK(bed.Bound("a-0"));
  // It recovers, and fails again.
  bed.mood.clear();
  bed.executor.Advance(absl::Minutes(12));
  CHECK(bed.Events("NodeLoadFailed") == Told{"Queue/root x1"});
  bed.mood = mood;
  bed.executor.Advance(absl::Minutes(10));
  CHECK(bed.Events("NodeLoadFailed") == Told{"Queue/root x2"});
}

}  // namespace
}  // namespace bth::scheduler
