// Why a job waits, as /debug/explain and the objects' conditions tell it: the gate that holds it,
// how many nodes refuse and why, what is missing, and who may not be evicted.
#include "base/strings.h"
#include "framework/report/fit_report.h"
#include "metrics/known_names.h"
#include "tests/scheduler/short_bed.h"

namespace bth::scheduler {
namespace {

using testing::Fault;
using testing::ShortBed;
using types::Json;

std::string Policy(const std::string& actions, const std::string& tiers) {
  return StrCat("actions: \"", actions, "\"\ntiers:\n", tiers);
}

struct ExplainCase {
  std::string gate;
  std::string actions;
  std::string tiers;
  std::vector<std::string> given;
  std::string message;  // Part of what the page says, and the PodGroup's condition.
};

TEST_CASE("explain: the gate that holds a job is named, with what is missing", "[scheduler]") {
  const std::string simple = "- plugins: [{name: gang}, {name: predicates}]\n";
  const std::string shares = "- plugins: [{name: gang}, {name: proportion}, {name: predicates}]\n";
  const ExplainCase c = GENERATE_COPY(values<ExplainCase>({
      {"NoQueue",
       "enqueue, allocate",
       simple,
       {"job a queue=nowhere min=1 tasks=1 cpu=1"},
       "PodGroup default/a names the queue nowhere, which does not exist"},
      {"NotEnqueued",
       "enqueue, allocate",
       "- plugins: [{name: gang}, {name: overcommit}, {name: predicates}]\n",
       {"job a min=1 minres.cpu=100 tasks=1 cpu=1"},
       "resource in cluster is overused: overused cpu"},
      {"GangInvalid",
       "enqueue, allocate",
       simple,
       {"job a min=3 tasks=1 cpu=1"},
       "Not enough valid tasks for gang-scheduling, valid: 1, min: 3"},
      {"QueueOverused",
       "enqueue, allocate",
       "- plugins: [{name: gang}, {name: proportion, enabledAllocatable: false}, {name: "
       "predicates}]\n",
       {"queue qa weight=1 cap.pods=2", "queue qb weight=1", "job a queue=qa min=1",
        "pod a-8,a-9 job=a cpu=1 node=n1", "pod a-0 job=a cpu=1",
        "job b queue=qb min=1 tasks=1 cpu=4"},
       "qa"},
      {"QueueTurn",
       "enqueue, allocate",
       simple,
       {"queue q weight=1 dequeue=fifo", "job first queue=q min=1 tasks=1 cpu=64",
        "job a queue=q min=1 tasks=1 cpu=1"},
       "queue q serves its jobs strictly in order (dequeueStrategy fifo), and default/first comes "
       "first"},
      {"Quota",
       "enqueue, allocate",
       shares,
       {"queue q weight=1 cap.cpu=2", "job a queue=q min=3 tasks=3 cpu=1"},
       "queue resource quota insufficient: insufficient cpu"},
      {"Filters",
       "enqueue, allocate",
       simple,
       {"node n2,n3 cpu=8 taint=x=y:NoSchedule", "job a min=1 tasks=1 cpu=5"},
       "0/3 nodes are unavailable: 1 Insufficient cpu, 2 node(s) had untolerated taint(s)."},
      {"GangMinimum",
       "enqueue, allocate",
       simple,
       {"job a min=2 tasks=2 cpu=3"},
       "pod group is not ready, 2 Pending, 2 minAvailable; Pending: 1 Schedulable, 1 "
       "Unschedulable. Origin reason is a-1: 0/1 nodes are unavailable: 1 Insufficient cpu."},
      {"SchedulingGate",
       "enqueue, allocate",
       simple,
       {"job a min=1", "pod a-0 job=a cpu=1 gate=example.com/hold"},
       "pods have scheduling gates"},
  }));
  CAPTURE(c.gate);
  ShortBed bed;
  bed.Given({"node n1 cpu=4 mem=8Gi"});
  for (const std::string& line : c.given) {
    bed.Given({line});
    bed.executor.Advance(absl::Seconds(1));  // So that age orders them.
  }
  bed.Begin(Policy(c.actions, c.tiers));
  const Json page = bed.Explain("a");
  INFO(page.Dump());
  CHECK(page["job"].AsString() == "default/a");
  CHECK(page["gate"].AsString() == c.gate);
  // The same gate is counted, with the tasks that wait.
  const std::string counts = bed.metric_registry.RenderText();
  for (const char* held : {"batholith_held_jobs", "batholith_held_tasks"}) {
    CHECK(absl::StrContains(counts, StrCat(held, "{gate=\"", c.gate, "\"} ")));
    CHECK_FALSE(absl::StrContains(counts, StrCat(held, "{gate=\"", c.gate, "\"} 0\n")));
  }
  CHECK(absl::StrContains(StrCat(std::string(page["message"].AsString()), "\n",
                                 std::string(page["summary"].AsString())),
                          c.message));
  // The gang of the overused queue has its minimum; gates are told on pods.
  if (c.gate != "SchedulingGate" && c.gate != "QueueOverused") {
    INFO(bed.Condition(ShortBed::GroupPath("a"), "Unschedulable"));
    CHECK(absl::StrContains(bed.Condition(ShortBed::GroupPath("a"), "Unschedulable"), c.message));
  }
  if (c.gate == "Filters") {
    REQUIRE(page["refused"].size() == 1);
    CHECK(page["refused"][0]["nodes"] ==
          *Json::Parse(R"x({"Insufficient cpu":1,"node(s) had untolerated taint(s)":2})x"));
    CHECK(absl::EndsWith(bed.PodCondition("a-0"), c.message));
  }
}

TEST_CASE("explain: gates that are counted are those that there are", "[scheduler]") {
  std::vector<std::string> gates;
  for (auto i = static_cast<size_t>(framework::Gate::kNoQueue);
       i < static_cast<size_t>(framework::Gate::kBinding); ++i) {
    gates.emplace_back(framework::GateName(static_cast<framework::Gate>(i)));
  }
  CHECK(gates == std::vector<std::string>(metrics::kGateNames.begin(), metrics::kGateNames.end()));
}

TEST_CASE("explain: a closed queue", "[scheduler]") {
  ShortBed bed;
  bed.Given({"node n1 cpu=4 mem=8Gi", "queue q weight=1", "job a queue=q min=1 tasks=1 cpu=1"});
  Json queue = bed.Get("/apis/scheduling.volcano.sh/v1beta1/queues/q");
  queue.Set("status", *Json::Parse(R"({"state":"Closed"})"));
  bed.Call("PUT", "/apis/scheduling.volcano.sh/v1beta1/queues/q/status", queue.Dump());
  bed.Begin(
      Policy("allocate", "- plugins: [{name: gang}, {name: proportion}, {name: predicates}]"));
  CHECK(bed.Explain("a")["gate"].AsString() == "QueueClosed");
  CHECK_FALSE(bed.Bound("a-0"));
}

TEST_CASE("explain: pods without their PodGroup", "[scheduler]") {
  ShortBed bed;
  bed.Given({"node n1 cpu=4 mem=8Gi", "pod p job=none cpu=1"});
  bed.Begin();
  const Json page = bed.Explain("none");
  CHECK(page["gate"].AsString() == "NoPodGroup");
  CHECK(page["message"].AsString() == GrouplessMessage("default/none"));
  CHECK(bed.PodCondition("p") == "False Unschedulable: " + GrouplessMessage("default/none"));
}

TEST_CASE("explain: of pods that have ended nothing waits, with their PodGroup and without",
          "[scheduler]") {
  ShortBed bed;
  bed.Given({"node n1 cpu=4 mem=8Gi", "job a min=2", "pod a-0,a-1 job=a cpu=1 node=n1",
             "pod b-0 job=b cpu=1 node=n1"});
  for (const std::string pod : {"a-0", "a-1", "b-0"}) {
    const std::string path = "/api/v1/namespaces/default/pods/" + pod;
    Json ended = bed.Get(path);
    ended["status"].Set("phase", Json("Succeeded"));
    REQUIRE(bed.Call("PUT", path + "/status", ended.Dump()).code == 200);
  }
  bed.Begin();
  for (const std::string job : {"a", "b"}) {
    const Json page = bed.Explain(job);
    INFO(page.Dump());
    CHECK(page["gate"].AsString() == "None");
    CHECK(page["message"].AsString() ==
          StrCat("no pod of it waits for a node: ", job == "a" ? 2 : 1, " Succeeded"));
    CHECK(page["advice"].is_null());
  }
  bed.Given({"pod b-1 job=b cpu=1"});
  bed.Settle();
  CHECK(bed.Explain("b")["gate"].AsString() == "NoPodGroup");
}

TEST_CASE("explain: a job without pods names who knows more", "[scheduler]") {
  const std::string group = "train-6f2d7c1e-0000-4000-8000-000000000001";
  ShortBed bed;
  bed.Given({"node n1 cpu=4 mem=8Gi", "job " + group + " min=1 phase=Inqueue",
             "job hand min=1 phase=Inqueue"});
  bed.Begin();
  const std::string why =
      "either no pods were made, or they name another scheduler (spec.schedulerName): ";
  for (const std::string job : {"train", "hand"}) {
    const Json page = bed.Explain(job);
    INFO(page.Dump());
    CHECK(page["gate"].AsString() == "None");
    CHECK(page["message"].AsString() == "no pod of it is known here");
    CHECK(page["advice"].AsString() == why + (job == "train"
                                                  ? "kubectl -n default describe vcjob train"
                                                  : "kubectl -n default describe podgroup hand"));
  }
}

TEST_CASE("explain: a pod that is bound to a node that does not exist", "[scheduler]") {
  ShortBed bed;
  bed.Given({"node n1 cpu=4 mem=8Gi", "job a min=1", "pod a-0 job=a cpu=1 node=n9 phase=Pending"});
  bed.Begin();
  const Json page = bed.Explain("a");
  INFO(page.Dump());
  CHECK(page["message"].AsString() ==
        "default/a-0 is bound to a node that does not exist: see its spec.nodeName");
  bed.Given({"node n9 cpu=4 mem=8Gi"});
  bed.Settle();
  CHECK(bed.Explain("a")["message"].AsString() == "no pod of it waits for a node: 1 Bound");
}

TEST_CASE("explain: a pod that no node could ever hold", "[scheduler]") {
  const std::string remedy =
      ": no node of this cluster can ever hold it; lower the request or add a node that is large "
      "enough";
  const auto advice = [](const std::string& pod) {
    ShortBed bed;
    bed.Given({"node n1 cpu=8 mem=8Gi", "node n2 cpu=4 mem=32Gi gpu=2", "job full min=1",
               "pod full-0 job=full cpu=8 node=n1", "job a min=1", "pod a-0 job=a " + pod});
    bed.Begin();
    const Json page = bed.Explain("a");
    INFO(page.Dump());
    CHECK(page["gate"].AsString() == "Filters");
    return std::string(page["advice"].AsString());
  };
  CHECK(advice("cpu=20") == "default/a-0 asks for 20 cpu and the largest node has 8 cpu" + remedy);
  CHECK(advice("cpu=1 gpu=3") ==
        "default/a-0 asks for 3 nvidia.com/gpu and the largest node has 2 nvidia.com/gpu" + remedy);
  CHECK(advice("cpu=8 gpu=2") ==
        "default/a-0 asks for 8 cpu, 2 nvidia.com/gpu and no node has all of it, even when nothing "
        "runs there" +
            remedy);
  CHECK(advice("cpu=8").empty());  // Once the other pod has gone.
}

TEST_CASE("explain: a batch job is found by its own name", "[scheduler]") {
  const std::string group = "train-6f2d7c1e-0000-4000-8000-000000000001";
  ShortBed bed;
  bed.Given({"node n1 cpu=1 mem=8Gi", "job " + group + " min=1 tasks=1 cpu=2",
             "job train-extra min=1 tasks=1 cpu=2"});
  bed.Begin();
  CHECK(bed.Explain("train")["job"].AsString() == "default/" + group);
  CHECK(bed.Explain("train")["gate"].AsString() == "Filters");
  CHECK(bed.Explain(group)["job"].AsString() == "default/" + group);
  CHECK(bed.Explain("train-extra")["job"].AsString() == "default/train-extra");
  CHECK(bed.Explain("tra").is_null());
}

TEST_CASE("explain: a policy that takes nothing back from other queues says so", "[scheduler]") {
  const auto advice = [](const std::string& actions, const std::string& tiers,
                         const std::string& waiting) {
    ShortBed bed;
    bed.Given({"node n1 cpu=8 mem=8Gi", "queue qa weight=3", "queue qb weight=1",
               "job old queue=qb min=1", "pod old-0,old-1 job=old cpu=4 node=n1"});
    bed.executor.Advance(absl::Seconds(1));
    bed.Given({waiting});
    bed.Begin(Policy(actions, tiers));
    return std::string(bed.Explain("a")["advice"].AsString());
  };
  const std::string shares = "- plugins: [{name: gang}, {name: proportion}, {name: predicates}]\n";
  const std::string waits = "job a queue=qa min=1 tasks=1 cpu=4";
  const std::string reclaim =
      "the policy has no action reclaim, so nothing that other queues hold beyond their share is "
      "taken back";
  CHECK(advice("enqueue, allocate", shares, waits) ==
        "queue qa holds 0 of 4 cpu that it deserves; " + reclaim);
  CHECK(advice("enqueue, allocate, preempt", shares, waits) ==
        "queue qa holds 0 of 4 cpu that it deserves; " + reclaim);
  CHECK(advice("enqueue, allocate, reclaim", shares, waits).empty());
  CHECK(advice("enqueue, allocate", shares, "job a queue=qb min=1 tasks=1 cpu=4").empty());
  CHECK(advice("enqueue, allocate",
               "- plugins: [{name: gang}, {name: overcommit}, {name: proportion}]\n",
               "job a queue=qa min=1 minres.cpu=4") ==
        "other queues hold what the cluster lacks for the job; " + reclaim);
}

TEST_CASE("explain: a job whose victims are leaving, and one whose binding is under way",
          "[scheduler]") {
  ShortBed bed;
  bed.Given({"node n1 cpu=2 mem=8Gi", "priority low value=10", "priority high value=1000",
             "job old prio=low min=0", "pod old-0 job=old cpu=2 node=n1"});
  bed.Begin(Policy("enqueue, allocate, preempt",
                   "- plugins: [{name: priority}, {name: gang}, {name: conformance}]\n"
                   "- plugins: [{name: predicates}]\n"));
  bed.Given({"job a prio=high min=1 tasks=1 cpu=2"});
  bed.Settle();
  CHECK(bed.Explain("a")["gate"].AsString() == "Victims");
  bed.line->script = [](const net::Request& request) -> std::optional<Fault> {
    if (!absl::EndsWith(request.target, "/binding")) return std::nullopt;
    return Fault{.delay = absl::Seconds(20)};
  };
  bed.Delete("/api/v1/namespaces/default/pods/old-0");
  bed.executor.Advance(absl::Seconds(5));
  CHECK(bed.Explain("a")["gate"].AsString() == "Binding");
  bed.Settle();
  CHECK(bed.Bound("a-0"));
  CHECK(bed.Explain("a")["gate"].AsString() == "None");
}

TEST_CASE("explain: who protects how many, by each evicting action", "[scheduler]") {
  const std::string action = GENERATE(values<std::string>({"preempt", "gangpreempt"}));
  CAPTURE(action);
  ShortBed bed;
  bed.Given({"node n1 cpu=2 mem=8Gi", "priority low value=10", "priority high value=1000",
             "job old prio=low min=1", "pod old-0,old-1 job=old cpu=1 node=n1",
             R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b",
                 "namespace":"default"},"spec":{"maxUnavailable":0,"selector":{}}})"});
  bed.Begin(Policy("enqueue, allocate, " + action,
                   "- plugins: [{name: priority}, {name: gang}, {name: pdb}]\n"
                   "- plugins: [{name: predicates}]\n"));
  bed.Given({"job a prio=high min=1 tasks=1 cpu=1"});
  bed.Settle();
  const Json page = bed.Explain("a");
  INFO(page.Dump());
  CHECK(page["gate"].AsString() == "Filters");
  const Json search = page.At({"victimSearches", action});
  CHECK(search["candidates"] == Json(2));
  CHECK(search["nodes"] == Json(1));
  CHECK(search.At({"protectedBy", "pdb"}) == Json(2));
  const std::string words = std::string(search["message"].AsString());
  CHECK(absl::StartsWith(words, action + ": 2 candidates on 1 node; protected: "));
  CHECK(absl::StrContains(words, "2 by pdb"));
  CHECK(absl::EndsWith(bed.PodCondition("a-0"), words));
  CHECK(absl::EndsWith(bed.Condition(ShortBed::GroupPath("a"), "Unschedulable"), words));
}

}  // namespace
}  // namespace bth::scheduler
