#include "cache/cluster/pod_table.h"

#include <string>

#include "cache/cluster/tables.h"
#include "tests/cache/objects.h"
#include "tests/support/catch.h"

namespace bth::cache {
namespace {

using model::NodeId;
using model::TaskId;
using model::TaskStatus;
using testing::PodText;

constexpr char kOnN[] = R"("nodeName":"n",)";

// Node n of four cores, and the tables without their front.
struct PodsBed {
  ManualClock clock{absl::FromUnixSeconds(1'767'225'600)};
  Vocabulary vocabulary;
  Tables tables{clock, vocabulary};
  PodTable& pods = tables.pods;

  PodsBed() {
    tables.nodes.Put(testing::MakeNode("n", R"({"cpu":"4","pods":"10"})", vocabulary.symbols()));
  }
  CompiledPod Make(const PodText& text) { return testing::MakePod(text, vocabulary.symbols()); }
  TaskId Add(const PodText& text) {
    const CompiledPod pod = Make(text);
    pods.Announce(pod);
    return pods.Add(pod);
  }
  int64_t IdleCpu() const {
    return tables.draft.now.usage.idle[tables.nodes.FindReady("n")][model::kCpu];
  }
  std::string Fault() const {
    IdVector<NodeId, int32_t> mentions;
    absl::Status status = pods.Check(&mentions);
    status.Update(tables.nodes.Check(mentions));
    status.Update(tables.jobs.Check());
    return status.ToString();
  }
};

TEST_CASE("pod table: a pod is found by its key, and with a UID only that one", "[cache][tables]") {
  PodsBed bed;
  const TaskId id = bed.Add({});
  CHECK(bed.pods.Find("ns/p") == id);
  CHECK(bed.pods.Find("ns/p", "u-p") == id);
  CHECK_FALSE(bed.pods.Find("ns/p", "u-other").valid());
  CHECK_FALSE(bed.pods.Find("ns/q", "u-q").valid());
  CHECK(bed.pods.IdentityOf(id).names.uid == "u-p");
}

TEST_CASE("pod table: what a pod takes follows its state, and comes back when it goes",
          "[cache][tables]") {
  PodsBed bed;
  const TaskId id = bed.Add({.spec = kOnN, .status = R"("phase":"Running",)"});
  CHECK(bed.IdleCpu() == 3000);
  bed.pods.SetState(id,
                    {.status = TaskStatus::kReleasing, .node = bed.tables.nodes.FindReady("n")});
  CHECK(bed.IdleCpu() == 3000);
  bed.pods.ShowObject(id);
  CHECK(bed.tables.draft.now.usage.tasks[id].status == TaskStatus::kRunning);
  CHECK(bed.Fault() == "OK");
  bed.pods.Drop(id);
  CHECK(bed.IdleCpu() == 4000);
  CHECK(bed.pods.size() == 0);
  CHECK(bed.Fault() == "OK");
}

TEST_CASE("pod table: a pod of the same spec keeps its row", "[cache][tables]") {
  PodsBed bed;
  const TaskId id = bed.Add({});
  const CompiledPod bound = bed.Make({.spec = kOnN});
  REQUIRE(bed.pods.SameSpec(id, bound));
  bed.pods.Update(id, bound, false);  // Its state is ours to say.
  CHECK(bed.tables.draft.now.usage.tasks[id].status == TaskStatus::kPending);
  bed.pods.Update(id, bound, true);
  CHECK(bed.tables.draft.now.usage.tasks[id].status == TaskStatus::kBound);
  CHECK(bed.IdleCpu() == 3000);
  CHECK_FALSE(bed.pods.SameSpec(id, bed.Make({})));  // A pod does not lose its node.
  CHECK(bed.Fault() == "OK");
}

TEST_CASE("pod table: a pod that shows other traits is another", "[cache][tables]") {
  struct Case {
    std::string trait;
    std::function<void(CompiledPod&)> change;
  };
  const Case c = GENERATE(values<Case>({
      {"uid", [](CompiledPod& pod) { pod.names.uid += "x"; }},
      {"time of creation", [](CompiledPod& pod) { ++pod.names.created_us; }},
      {"role", [](CompiledPod& pod) { pod.names.role = "worker"; }},
      {"job", [](CompiledPod& pod) { pod.job_key = "ns/h"; }},
      {"no job", [](CompiledPod& pod) { pod.job_key.clear(); }},
      {"nominated node", [](CompiledPod& pod) { pod.nominated_node = "n"; }},
      {"scheduler", [](CompiledPod& pod) { pod.ours = !pod.ours; }},
      {"priority", [](CompiledPod& pod) { ++pod.priority; }},
      {"preemptable", [](CompiledPod& pod) { pod.preemptable = !pod.preemptable; }},
      {"gates", [](CompiledPod& pod) { pod.gated = true; }},
      {"own gate", [](CompiledPod& pod) { pod.own_gate_only = true; }},
      {"room kept", [](CompiledPod& pod) { pod.keeps_room = true; }},
      {"preemption policy", [](CompiledPod& pod) { pod.never_preempts = true; }},
      {"criticality", [](CompiledPod& pod) { pod.critical = true; }},
      {"requests", [](CompiledPod& pod) { ++pod.requests[0].second; }},
      {"cpu by default", [](CompiledPod& pod) { ++pod.nonzero.cpu_milli; }},
      {"memory by default", [](CompiledPod& pod) { ++pod.nonzero.memory_bytes; }},
      {"constraints", [](CompiledPod& pod) { pod.constraints_key += "x"; }},
      {"labels",
       [](CompiledPod& pod) {
         pod.labels = {{"a", "b"}};
       }},
      {"owner", [](CompiledPod& pod) { pod.owner = "ReplicaSet/ns/web"; }},
  }));
  CAPTURE(c.trait);
  PodsBed bed;
  const TaskId id = bed.Add({});
  CompiledPod pod = bed.Make({});
  REQUIRE(bed.pods.SameSpec(id, pod));
  c.change(pod);
  CHECK_FALSE(bed.pods.SameSpec(id, pod));
}

TEST_CASE("pod table: taken out and put back, sums are as before", "[cache][tables]") {
  PodsBed bed;
  const TaskId id = bed.Add({.spec = kOnN, .status = R"("phase":"Running",)"});
  bed.Add({.name = "q"});
  const uint64_t before = bed.tables.draft.now.usage.DigestOf();
  const auto shapes = bed.pods.TakeOut({id});
  CHECK(bed.IdleCpu() == 4000);
  bed.pods.PutBack({id}, shapes);
  CHECK(bed.tables.draft.now.usage.DigestOf() == before);
  CHECK(bed.Fault() == "OK");
}

TEST_CASE("pod table: a nomination holds the row of its node", "[cache][tables]") {
  PodsBed bed;
  const TaskId id = bed.Add({});
  bed.pods.Nominate(id, "far");
  CHECK(bed.tables.nodes.size() == 2);
  CHECK(bed.Fault() == "OK");
  bed.pods.Nominate(id, "");
  CHECK(bed.tables.nodes.size() == 1);
  CHECK(bed.Fault() == "OK");
}

}  // namespace
}  // namespace bth::cache
