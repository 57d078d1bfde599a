// What `vcctl job explain` says of given objects.
#include "base/strings.h"
#include "cli/explain/held_by.h"
#include "cli/explain/job_text.h"
#include "cli/explain/queues_text.h"
#include "tests/support/catch.h"

namespace bth::cli {
namespace {

using types::Json;

const absl::Time kExplainedAt = absl::FromUnixSeconds(1'767'225'600);  // 2026-01-01T00:00:00Z

Json Document(const std::string& text) {
  const auto json = Json::Parse(text);
  REQUIRE(json.ok());
  return *json;
}

// A job of three pods with one task, in an open queue.
JobFacts WaitingJob(const std::string& job_status, const std::string& group_status) {
  JobFacts facts;
  facts.ns = "research";
  facts.name = "train";
  facts.queue_name = "q";
  facts.job = Document(R"({"metadata": {"name": "train", "namespace": "research", "uid": "u",
      "creationTimestamp": "2025-12-31T23:57:00Z"},
    "spec": {"minAvailable": 3, "queue": "q", "tasks": [{"name": "worker", "replicas": 3}]},
    "status": )" + job_status +
                       "}");
  facts.group = Document(R"({"metadata": {"name": "train-u", "namespace": "research"},
    "spec": {"minMember": 3, "minResources": {"cpu": "9"}}, "status": )" +
                         group_status + "}");
  facts.queue = Document(R"({"metadata": {"name": "q"},
    "spec": {"weight": 2, "parent": "root", "capability": {"cpu": "8"}},
    "status": {"state": "Open", "allocated": {"cpu": "4", "memory": "1Gi"}}})");
  return facts;
}

Json WaitingPod(const std::string& message) {
  return Document(R"({"metadata": {"annotations": {"volcano.sh/task-spec": "worker"}}, "spec": {},
    "status": {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False",
      "reason": "Unschedulable", "message": ")" +
                  message + R"("}]}})");
}

TEST_CASE("explain: a job that is not admitted, with the numbers of its queue", "[cli][explain]") {
  JobFacts facts = WaitingJob(R"({"state": {"phase": "Pending"}})", R"({"phase": "Pending",
    "conditions": [{"type": "Unschedulable", "status": "True",
      "message": "queue resource quota insufficient: insufficient cpu"}]})");
  facts.neighbours.push_back(Document(R"({"metadata": {"name": "old", "namespace": "lab"},
    "spec": {"priorityClassName": "high"}, "status": {"phase": "Running", "running": 4}})"));
  CHECK(ExplainJobText(facts, kExplainedAt) ==
        R"(Job research/train: Pending, queue q, created 3m ago

It waits: it is not admitted to queue q: queue resource quota insufficient: insufficient cpu

Gang: 3 pods must have a place at once
  TASK     REPLICAS   MIN   WAITING   PLACED   OVER
  worker   3          -     0         0        0

Queue q: Open, weight 2, below root
  RESOURCE   ASKED   ALLOCATED   DESERVED   GUARANTEE   CAPABILITY
  cpu        9       4           -          -           8
  memory     -       1Gi         -          -           -

Running in queue q beside it:
  PODGROUP   PODS   PRIORITY CLASS
  lab/old    4      high
)");
}

TEST_CASE("explain: what the scheduler's last cycle says is told once", "[cli][explain]") {
  const std::string refusal = "0/4 nodes are unavailable: 4 Insufficient cpu.";
  JobFacts facts = WaitingJob(R"({"state": {"phase": "Pending"}})", R"({"phase": "Inqueue",
    "conditions": [{"type": "Unschedulable", "status": "True",
      "message": "3/3 tasks in gang unschedulable: )" + refusal + R"("}]})");
  facts.queue.reset();
  facts.page = Document(R"({"gate": "Filters", "plugin": "", "message": ")" + refusal +
                        R"(", "advice": "add a node",
    "refused": [{"pod": "research/train-0", "nodes": {"Insufficient cpu": 4, "odd\nthing": 1}}],
    "victimSearches": {"preempt": {"message": "preempt: no candidates"}}})");
  CHECK(ExplainJobText(facts, kExplainedAt) ==
        R"(Job research/train: Pending, queue q, created 3m ago

It waits: it is admitted, and its gang has no place: 3/3 tasks in gang unschedulable: )" +
            refusal + R"(
What helps: add a node

Gang: 3 pods must have a place at once
  TASK     REPLICAS   MIN   WAITING   PLACED   OVER
  worker   3          -     0         0        0

The scheduler's last cycle: held at Filters
  research/train-0: 4 Insufficient cpu, 1 odd thing
  preempt: no candidates
)");
}

TEST_CASE("explain: the scheduler's words stand in for conditions that are not there yet",
          "[cli][explain]") {
  JobFacts facts = WaitingJob(R"({"state": {"phase": "Pending"}})", "{}");
  facts.page =
      Document(R"({"gate": "NotEnqueued", "plugin": "overcommit", "message": "overused"})");
  CHECK(WhatHolds(facts).words == "it is not admitted to queue q: overused");
  facts.page = Document(R"({"gate": "None", "message": "nothing"})");
  CHECK(WhatHolds(facts).words == "no scheduler has looked at its PodGroup yet.");
}

TEST_CASE("explain: pods that say the same are counted", "[cli][explain]") {
  JobFacts facts = WaitingJob(R"({"state": {"phase": "Pending"}})", R"({"phase": "Inqueue",
    "conditions": [{"type": "Unschedulable", "status": "True", "message": "3/3 tasks in gang"}]})");
  facts.queue.reset();
  facts.unread = {"queues is forbidden"};
  for (int i = 0; i < 2; ++i) facts.pods.push_back(WaitingPod("1 Insufficient cpu."));
  facts.pods.push_back(WaitingPod("1 untolerated taint."));
  CHECK(ExplainJobText(facts, kExplainedAt) ==
        R"(Job research/train: Pending, queue q, created 3m ago

It waits: it is admitted, and its gang has no place: 3/3 tasks in gang

Gang: 3 pods must have a place at once
  TASK     REPLICAS   MIN   WAITING   PLACED   OVER
  worker   3          -     3         0        0

Pods that wait:
  2 × 1 Insufficient cpu.
  1 × 1 untolerated taint.

Not read:
  queues is forbidden
)");
}

TEST_CASE("explain: the first thing on a job's way is named", "[cli][explain]") {
  struct Case {
    std::string job;
    std::string group;
    std::string queue_state;
    bool waits;
    std::string words;
    std::string remedy;
  };
  const std::string running = R"({"phase": "Running", "running": 3})";
  const std::vector<Case> cases = {
      {R"({"state": {"phase": "Completed"}})", running, "Closed", false, "It has ended: Completed.",
       ""},
      {R"({"state": {"phase": "Failed", "reason": "RetryLimitReached", "message": "m"}})", running,
       "Open", false, "It has ended: Failed (RetryLimitReached: m).", ""},
      {R"({"state": {"phase": "Aborted"}})", running, "Open", true, "it was suspended.",
       "vcctl job resume -n research -N train"},
      {R"({"state": {"phase": "Restarting"}})", running, "Open", true,
       "it is Restarting until its former pods are gone.", ""},
      {R"({"state": {"phase": "Pending"}})", R"({"phase": "Pending"})", "Closed", true,
       "queue q is Closed: nothing new of it is placed.", "vcctl queue operate -n q -a open"},
      {R"({"state": {"phase": "Pending"}})", "{}", "Open", true,
       "no scheduler has looked at its PodGroup yet.", "look whether vc-scheduler runs and leads"},
      {R"({"state": {"phase": "Pending"}})", R"({"phase": "Inqueue"})", "Open", true,
       "it has no pods yet.",
       "the events of the job tell what kept them from being made (vcctl job view)"},
  };
  for (const Case& c : cases) {
    JobFacts facts = WaitingJob(c.job, c.group);
    facts.queue->MutableAt({"status", "state"}) = c.queue_state;
    const HeldBy held = WhatHolds(facts);
    CAPTURE(c.job, c.group);
    CHECK(held.waits == c.waits);
    CHECK(held.words == c.words);
    CHECK(held.remedy == c.remedy);
    const bool goes = StrContains(c.job, "Aborted") || StrContains(c.job, "Restarting");
    CHECK(held.is_for_scheduler == !goes);
  }
}

TEST_CASE("explain: what does not exist holds, what could not be read does not", "[cli][explain]") {
  JobFacts facts = WaitingJob(R"({"state": {"phase": "Pending"}})", "{}");
  facts.group.reset();
  CHECK(WhatHolds(facts).words == "it has no pods yet.");
  facts.group_missing = true;
  CHECK(WhatHolds(facts).words == "it has no PodGroup.");
  facts.queue.reset();
  facts.queue_missing = true;
  CHECK(WhatHolds(facts).words == "queue q does not exist.");
  CHECK(WhatHolds(facts).remedy ==
        "vcctl queue create -n q, or name another queue (vcctl queue list)");
}

TEST_CASE("explain: what keeps a pod from running", "[cli][explain]") {
  struct Case {
    std::string pod;
    std::string words;
  };
  const std::vector<Case> cases = {
      {R"({"status": {"phase": "Succeeded"}})", ""},
      {R"({"spec": {"nodeName": "n"}, "status": {"phase": "Running"}})", ""},
      {R"({"spec": {"nodeName": "n"}, "status": {"containerStatuses":
          [{"name": "c", "state": {"waiting": {"reason": "ContainerCreating"}}}]}})",
       ""},
      {R"({"spec": {"nodeName": "n"}, "status": {"containerStatuses":
          [{"name": "c", "state": {"waiting": {"reason": "ErrImagePull", "message": "no"}}}]}})",
       "container c: ErrImagePull: no"},
      {R"({"spec": {}, "status": {"conditions": [{"type": "PodScheduled", "status": "False",
          "reason": "SchedulingGated"}]}})",
       "SchedulingGated"},
      {R"({"spec": {"schedulerName": "volcan"}})",
       "no scheduler has spoken of it: is one named volcan?"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.pod);
    CHECK(PodWords(Document(c.pod)) == c.words);
  }
}

Json QueueOf(const std::string& name, const std::string& spec, const std::string& allocated) {
  return Document(R"({"metadata": {"name": ")" + name + R"("}, "spec": )" + spec +
                  R"(, "status": {"state": "Open", "allocated": )" + allocated + "}}");
}

QueueFacts SomeQueues() {
  return {
      .queues = {QueueOf("root", R"({"weight": 1})", R"({"cpu": "12", "pods": "3"})"),
                 QueueOf("a", R"({"weight": 2, "deserved": {"cpu": "4"},
                         "capability": {"cpu": "8", "memory": "8Gi"}})",
                         R"({"cpu": "6"})"),
                 QueueOf("a1", R"({"parent": "a", "guarantee": {"resource": {"gpu": 2}}})", "{}"),
                 QueueOf("b", "{}", R"({"cpu": "6"})")},
      .pod_groups = {Document(R"({"spec": {"queue": "a"}, "status": {"phase": "Running"}})"),
                     Document(R"({"spec": {"queue": "a"}, "status": {"phase": "Inqueue"}})"),
                     Document(R"({"spec": {"queue": "a"}})")}};
}

TEST_CASE("explain: the tree of queues", "[cli][explain]") {
  const auto text = ExplainQueuesText(SomeQueues(), "", {});
  REQUIRE(text.ok());
  CHECK(*text == R"(root: Open, weight 1; pod groups: 0 running, 0 admitted, 0 waiting
  cpu [########################] 12
+- a: Open, weight 2; pod groups: 1 running, 1 admitted, 1 waiting
|    cpu    [###########|++++++......] 6, deserves 4, at most 8
|    memory [........................] 0, at most 8Gi
|  `- a1: Open, weight 1; pod groups: 0 running, 0 admitted, 0 waiting
|       gpu [........................] 0, guaranteed 2
`- b: Open, weight 1; pod groups: 0 running, 0 admitted, 0 waiting
     cpu [########################] 6

# used  + borrowed  | deserved  . free  ! capability
)");
}

TEST_CASE("explain: queues deserve what the scheduler gives them, and ask for more",
          "[cli][explain]") {
  QueueFacts facts = SomeQueues();
  facts.pages = PagesByQueue(Document(R"([
    {"name": "a", "deserved": {"cpu": "0", "memory": "0"}, "pending": {"cpu": "0", "memory": "0"}},
    {"name": "b", "deserved": {"cpu": "5", "memory": "0"},
     "pending": {"cpu": "2500m", "memory": "1Gi"}}])"));
  const auto text = ExplainQueuesText(facts, "", {});
  REQUIRE(text.ok());
  CHECK(text->find("] 6, deserves 4, at most 8\n") != std::string::npos);
  CHECK(text->find("] 6, deserves 5, asks for 2500m\n") != std::string::npos);
  CHECK(text->find("] 0, asks for 1Gi\n") != std::string::npos);
}

TEST_CASE("explain: one queue is shown with those above and below it", "[cli][explain]") {
  const auto text = ExplainQueuesText(SomeQueues(), "a1", {});
  REQUIRE(text.ok());
  CHECK(text->find("a1: Open") != std::string::npos);
  CHECK(text->find("a: Open") != std::string::npos);
  CHECK(text->find("root: Open") != std::string::npos);
  CHECK(text->find("b: Open") == std::string::npos);
  CHECK(ExplainQueuesText(SomeQueues(), "c", {}).status().message() ==
        "queues.scheduling.volcano.sh \"c\" not found");
}

TEST_CASE("explain: queues that are each other's parent come to an end", "[cli][explain]") {
  const QueueFacts circle = {.queues = {QueueOf("x", R"({"parent": "y"})", "{}"),
                                        QueueOf("y", R"({"parent": "x"})", "{}")}};
  const auto text = ExplainQueuesText(circle, "x", {});
  REQUIRE(text.ok());
  CHECK(text->find("y: Open") != std::string::npos);
}

TEST_CASE("explain: nothing that a tenant wrote commands the terminal", "[cli][explain]") {
  JobFacts facts = WaitingJob(R"({"state": {"phase": "Pending"}})", R"({"phase": "Inqueue"})");
  facts.pods.push_back(WaitingPod("\\u001b[2J gone\\nand a line of its own"));
  const std::string text = ExplainJobText(facts, kExplainedAt);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("\nand a line") == std::string::npos);
}

}  // namespace
}  // namespace bth::cli
