#include "cache/cluster/mirror.h"

#include "base/strings.h"
#include "cache/intake/compile.h"
#include "tests/cache/objects.h"
#include "tests/support/catch.h"

namespace bth::cache {
namespace {

using model::TaskStatus;
using testing::MakeGroup;
using testing::MakeNode;
using testing::MakePod;
using testing::MakeQueue;
using testing::PodText;

constexpr char kBound[] = R"("nodeName":"n",)";
constexpr char kRuns[] = R"("phase":"Running",)";

// Node "n" with four cores, queue "default", PodGroup "g".
struct MirrorBed {
  ManualClock clock{absl::FromUnixSeconds(1'767'225'600)};
  Mirror mirror{clock, {}};

  MirrorBed() {
    mirror.PutNode(MakeNode("n", R"({"cpu":"4","pods":"10"})", symbols()));
    mirror.PutQueue(MakeQueue("default"));
    mirror.PutPodGroup(MakeGroup("g", 1));
  }
  Interner& symbols() { return mirror.vocabulary().symbols(); }
  void Put(const PodText& text) { mirror.PutPod(MakePod(text, symbols())); }
  int64_t IdleCpu() {
    const auto snapshot = mirror.Publish();
    return snapshot->usage.idle[(*snapshot->nodes_by_name)[0]][model::kCpu];
  }
  TaskStatus Status(const std::string& name) const { return mirror.Pod("ns/" + name)->status; }
  std::vector<std::string> Active() {
    std::vector<std::string> names;
    const auto snapshot = mirror.Publish();
    for (model::JobId job : *snapshot->active_jobs) {
      names.push_back(snapshot->jobs[job].facts->name);
    }
    return names;
  }
};

TEST_CASE("mirror: an assumed binding takes room until the watch confirms it", "[cache]") {
  MirrorBed bed;
  bed.Put({});
  CHECK(bed.IdleCpu() == 4000);
  REQUIRE(bed.mirror.AssumeBinding("ns/p", "u-p", "n").ok());
  CHECK(bed.Status("p") == TaskStatus::kBinding);
  CHECK(bed.mirror.Pod("ns/p")->assumed);
  CHECK_FALSE(bed.mirror.changed());  // Our own decision needs no new cycle.
  CHECK(bed.mirror.statuses_changed());
  CHECK(bed.IdleCpu() == 3000);
  bed.Put({.spec = kBound});
  CHECK(bed.Status("p") == TaskStatus::kBound);
  CHECK_FALSE(bed.mirror.Pod("ns/p")->assumed);
  CHECK_FALSE(bed.mirror.changed());
  CHECK(bed.IdleCpu() == 3000);
  bed.mirror.ForgetAssumption("ns/p", "u-p");  // Confirmed: no effect any more.
  CHECK(bed.Status("p") == TaskStatus::kBound);
}

TEST_CASE("mirror: a late event of the pod does not undo an assumption", "[cache]") {
  MirrorBed bed;
  bed.Put({});
  REQUIRE(bed.mirror.AssumeBinding("ns/p", "u-p", "n").ok());
  const char* const cases[] = {"same", "condition", "labels", "nomination"};
  for (const char* what : cases) {
    INFO(what);
    PodText late;
    if (what == std::string("condition")) {
      late.status = R"("phase":"Pending","conditions":[{"type":"PodScheduled","status":"False",
                       "reason":"Unschedulable","message":"m"}],)";
    } else if (what == std::string("labels")) {
      late.meta = R"("labels":{"a":"b"},)";
    } else if (what == std::string("nomination")) {
      late.status = R"("phase":"Pending","nominatedNodeName":"n",)";
    }
    bed.Put(late);
    CHECK(bed.Status("p") == TaskStatus::kBinding);
    CHECK(bed.mirror.Pod("ns/p")->assumed);
    CHECK(bed.IdleCpu() == 3000);
  }
  bed.mirror.ForgetAssumption("ns/p", "u-p");
  CHECK(bed.Status("p") == TaskStatus::kPending);
  CHECK(bed.mirror.changed());
  CHECK(bed.IdleCpu() == 4000);
}

TEST_CASE("mirror: counts that were outdated when they were written make a cycle", "[cache]") {
  MirrorBed bed;
  const auto show = [&bed](const char* status) {
    bed.mirror.PutPodGroup(MakeGroup("g", 1, "", status));
  };
  bed.Put({.spec = kBound, .status = kRuns});
  show(R"({"phase":"Running","running":1})");
  REQUIRE(bed.Active().empty());
  show(R"({"phase":"Running"})");
  CHECK_FALSE(bed.mirror.changed());
  CHECK(bed.mirror.statuses_changed());
  CHECK(bed.Active() == std::vector<std::string>{"g"});
  REQUIRE_FALSE(bed.mirror.statuses_changed());
  show(R"({"phase":"Running","running":1})");
  CHECK_FALSE(bed.mirror.statuses_changed());
}

TEST_CASE("mirror: room that comes or goes makes a cycle only while some job waits", "[cache]") {
  MirrorBed bed;
  bed.Put({.spec = kBound, .status = kRuns});
  bed.mirror.PutPodGroup(MakeGroup("g", 1, "", R"({"phase":"Running","running":1})"));
  REQUIRE(bed.Active().empty());
  // A node comes; a pod ends; it goes.
  bed.mirror.PutNode(MakeNode("m", R"({"cpu":"4","pods":"10"})", bed.symbols()));
  CHECK_FALSE(bed.mirror.changed());
  CHECK(bed.mirror.statuses_changed());
  bed.Put({.spec = kBound, .status = R"("phase":"Succeeded",)"});
  CHECK_FALSE(bed.mirror.changed());
  CHECK(bed.Active() == std::vector<std::string>{"g"});  // Its status is not true any more.
  bed.mirror.RemovePod("ns/p");
  bed.mirror.PutPodGroup(MakeGroup("g", 0, "", R"({"phase":"Completed"})"));
  REQUIRE(bed.Active().empty());
  // A pod that waits makes one, and from then on so does room.
  bed.Put({});
  CHECK(bed.mirror.changed());
  REQUIRE(bed.Active() == std::vector<std::string>{"g"});
  bed.mirror.RemoveNode("m");
  CHECK(bed.mirror.changed());
}

TEST_CASE("mirror: heartbeats of nodes and counts of queues are no news", "[cache]") {
  MirrorBed bed;
  const auto put_node = [&](std::string_view heartbeat, std::string_view cpu) {
    const auto node = Compile(
        testing::Read<types::Node>(
            StrCat(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n","resourceVersion":")",
                   heartbeat, R"("},"status":{"allocatable":{"cpu":")", cpu,
                   R"("},"conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":)",
                   R"("2026-01-01T00:0)", heartbeat, R"(:00Z"}]}})")),
        bed.symbols());
    REQUIRE(node.ok());
    bed.mirror.PutNode(*node);
  };
  const auto put_queue = [&](int pending, int weight) {
    bed.mirror.PutQueue(*Compile(testing::Read<types::Queue>(
        StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue","metadata":)",
               R"({"name":"default"},"spec":{"weight":)", weight, R"(},"status":{"state":"Open",)",
               R"("pending":)", pending, R"(,"inqueue":2,"running":)", pending + 1, "}}"))));
  };
  bed.Put({});  // A pod waits, so that room that comes free would be news.
  put_node("1", "4");
  put_queue(1, 1);
  bed.mirror.Publish();
  const int64_t rows = bed.mirror.rows_rewritten();
  put_node("2", "4");
  put_queue(7, 1);
  CHECK_FALSE(bed.mirror.changed());
  CHECK(bed.mirror.rows_rewritten() == rows);
  SECTION("more room is") {
    put_node("3", "5");
  }
  SECTION("another weight is") {
    put_queue(7, 2);
  }
  CHECK(bed.mirror.changed());
}

TEST_CASE("mirror: a node that only pods name goes with the last of them", "[cache]") {
  MirrorBed bed;
  bed.Put({.spec = kBound, .status = kRuns});
  bed.mirror.RemoveNode("n");
  CHECK(bed.mirror.nodes() == 1);
  bed.Put({.spec = kBound, .status = R"("phase":"Succeeded",)"});
  CHECK(bed.mirror.nodes() == 1);
  bed.mirror.RemovePod("ns/p");
  CHECK(bed.mirror.nodes() == 0);
  // A nomination keeps it too.
  bed.Put({.status = R"("phase":"Pending","nominatedNodeName":"x",)"});
  CHECK(bed.mirror.nodes() == 1);
  bed.mirror.RemovePod("ns/p");
  CHECK(bed.mirror.nodes() == 0);
}

TEST_CASE("mirror: news that contradict an assumption end it", "[cache]") {
  MirrorBed bed;
  bed.Put({});
  REQUIRE(bed.mirror.AssumeBinding("ns/p", "u-p", "n").ok());
  bed.Put({.meta = R"("deletionTimestamp":"2026-01-01T00:00:09Z",)"});
  CHECK(bed.Status("p") == TaskStatus::kReleasing);
  CHECK(bed.IdleCpu() == 4000);
  bed.mirror.RemovePod("ns/p");
  CHECK_FALSE(bed.mirror.Pod("ns/p"));
  // A pod made anew under the same name is another pod.
  bed.Put({});
  REQUIRE(bed.mirror.AssumeBinding("ns/p", "u-p", "n").ok());
  CompiledPod other = MakePod({}, bed.symbols());
  other.names.uid = "other";
  bed.mirror.PutPod(other);
  CHECK(bed.Status("p") == TaskStatus::kPending);
  CHECK(bed.mirror.Pod("ns/p", "other"));
  CHECK_FALSE(bed.mirror.Pod("ns/p", "u-p"));
  CHECK(absl::IsNotFound(bed.mirror.AssumeBinding("ns/p", "u-p", "n")));
}

TEST_CASE("mirror: an assumption needs the pod, the node and the room", "[cache]") {
  MirrorBed bed;
  bed.Put({});
  bed.Put({.name = "big", .cpu = "5"});
  bed.Put({.name = "run", .spec = kBound, .status = kRuns});
  CHECK(absl::IsNotFound(bed.mirror.AssumeBinding("ns/none", "u", "n")));
  CHECK(absl::IsNotFound(bed.mirror.AssumeBinding("ns/p", "other", "n")));
  CHECK(absl::IsFailedPrecondition(bed.mirror.AssumeBinding("ns/p", "u-p", "m")));
  const absl::Status full = bed.mirror.AssumeBinding("ns/big", "u-big", "n");
  CHECK(absl::IsFailedPrecondition(full));
  CHECK(full.message() == "node n has no room any more for pod ns/big: cpu");
  CHECK(absl::IsFailedPrecondition(bed.mirror.AssumeBinding("ns/run", "u-run", "n")));
  CHECK(absl::IsFailedPrecondition(bed.mirror.AssumeEviction("ns/p", "u-p")));
  CHECK(bed.IdleCpu() == 3000);
}

TEST_CASE("mirror: an assumed eviction stays until the pod is seen to leave or is forgotten",
          "[cache]") {
  MirrorBed bed;
  bed.Put({.spec = kBound, .status = kRuns});
  REQUIRE(bed.mirror.AssumeEviction("ns/p", "u-p").ok());
  CHECK(bed.Status("p") == TaskStatus::kReleasing);
  bed.Put({.spec = kBound, .status = kRuns});
  CHECK(bed.Status("p") == TaskStatus::kReleasing);
  CHECK(bed.IdleCpu() == 3000);  // The room is not free yet.
  bed.mirror.ForgetAssumption("ns/p", "u-p");
  CHECK(bed.Status("p") == TaskStatus::kRunning);
  REQUIRE(bed.mirror.AssumeEviction("ns/p", "u-p").ok());
  bed.mirror.RemovePod("ns/p");
  CHECK(bed.IdleCpu() == 4000);
}

TEST_CASE("mirror: an assumed nomination holds until the object tells of a nomination", "[cache]") {
  MirrorBed bed;
  bed.mirror.PutNode(MakeNode("m", R"({"cpu":"4","pods":"10"})", bed.symbols()));
  bed.Put({});
  const auto nominated = [&bed]() -> std::string {
    const auto snapshot = bed.mirror.Publish();
    for (model::TaskId id : snapshot->tasks.ids()) {
      const model::TaskRow& row = snapshot->tasks[id];
      if (row.names == nullptr || !row.nominated_node.valid()) continue;
      return snapshot->node_facts(row.nominated_node).name;
    }
    return "";
  };
  const std::string here = R"("phase":"Pending","nominatedNodeName":"n",)";
  const std::string there = R"("phase":"Pending","nominatedNodeName":"m",)";
  const auto nominate = [&bed] { return bed.mirror.AssumeNomination("ns/p", "u-p", "n"); };
  CHECK(absl::IsNotFound(bed.mirror.AssumeNomination("ns/none", "u", "n")));
  CHECK(absl::IsNotFound(bed.mirror.AssumeNomination("ns/p", "other", "n")));
  CHECK(absl::IsFailedPrecondition(bed.mirror.AssumeNomination("ns/p", "u-p", "x")));
  REQUIRE(nominate().ok());
  CHECK(nominated() == "n");
  bed.Put({});  // Says nothing new.
  CHECK(nominated() == "n");
  bed.Put({.meta = R"("labels":{"a":"b"},)"});
  CHECK(nominated() == "n");
  CHECK(bed.mirror.Pod("ns/p")->nominated_node.empty());
  bed.Put({.status = here});  // Written: from now on the object speaks.
  CHECK(nominated() == "n");
  CHECK(bed.mirror.Pod("ns/p")->assumed_nomination.empty());
  bed.Put({});
  CHECK(nominated().empty());
  REQUIRE(nominate().ok());
  bed.Put({.status = there});  // Another one, later than ours.
  CHECK(nominated() == "m");
  REQUIRE(nominate().ok());
  bed.mirror.ForgetNomination("ns/p", "u-p");
  CHECK(bed.mirror.changed());
  CHECK(nominated() == "m");
  REQUIRE(nominate().ok());
  bed.Put({.spec = kBound, .status = kRuns});
  CHECK(bed.mirror.Pod("ns/p")->assumed_nomination.empty());
  CHECK(absl::IsFailedPrecondition(nominate()));
  // A pod that goes leaves nothing behind, and a node without an object goes with it.
  bed.mirror.RemovePod("ns/p");
  bed.Put({});
  CHECK(nominated().empty());
  REQUIRE(nominate().ok());
  bed.mirror.RemoveNode("n");
  CHECK(bed.mirror.nodes() == 2);
  bed.mirror.RemovePod("ns/p");
  CHECK(bed.mirror.nodes() == 1);
}

TEST_CASE("mirror: a job that backs off stays out of cycles until its time", "[cache]") {
  MirrorBed bed;
  bed.Put({});
  CHECK(bed.Active() == std::vector<std::string>{"g"});
  CHECK(bed.mirror.UntilNextDeadline() == absl::InfiniteDuration());
  bed.mirror.BackOffJob("ns/g", absl::Seconds(5));
  CHECK(bed.Active().empty());
  CHECK(bed.mirror.UntilNextDeadline() == absl::Seconds(5));
  bed.clock.Advance(absl::Seconds(4));
  CHECK(bed.Active().empty());
  bed.clock.Advance(absl::Seconds(1));
  CHECK(bed.Active() == std::vector<std::string>{"g"});
  CHECK(bed.mirror.UntilNextDeadline() == absl::InfiniteDuration());
  bed.mirror.BackOffJob("ns/unknown", absl::Seconds(5));
  CHECK(bed.mirror.UntilNextDeadline() == absl::InfiniteDuration());
}

TEST_CASE("mirror: pods that no PodGroup claims are listed, ours and pending ones", "[cache]") {
  MirrorBed bed;
  bed.Put({.name = "with"});
  bed.Put({.name = "orphan", .group = "later"});
  bed.Put({.name = "alone", .group = ""});
  bed.Put({.name = "placed", .group = "", .spec = kBound});
  CompiledPod foreign = MakePod({.name = "foreign", .group = ""}, bed.symbols());
  foreign.ours = false;
  bed.mirror.PutPod(foreign);
  const auto pods = bed.mirror.PodsWithoutGroup(10);
  REQUIRE(pods.size() == 2);
  CHECK(pods[0].key == "ns/alone");
  CHECK(pods[0].group.empty());
  CHECK(pods[1].key == "ns/orphan");
  CHECK(pods[1].group == "ns/later");
  CHECK(bed.mirror.PodsWithoutGroup(1).size() == 1);
  bed.mirror.PutPodGroup(MakeGroup("later", 1));
  CHECK(bed.mirror.PodsWithoutGroup(10).size() == 1);
  bed.mirror.RemovePodGroup("ns/later");
  CHECK(bed.mirror.PodsWithoutGroup(10).size() == 2);
}

TEST_CASE("mirror: a job lives as long as its PodGroup or a pod", "[cache]") {
  MirrorBed bed;
  bed.Put({});
  bed.mirror.RemovePodGroup("ns/g");
  CHECK(bed.Active().empty());
  bed.mirror.PutPodGroup(MakeGroup("g", 1));
  CHECK(bed.Active() == std::vector<std::string>{"g"});
  bed.mirror.RemovePodGroup("ns/g");
  bed.mirror.RemovePod("ns/p");
  CHECK(bed.mirror.ShownOf("ns/g") == nullptr);
  CHECK(bed.mirror.Publish()->all_jobs->empty());
}

TEST_CASE("mirror: without its queue a job, without its object a node, is not seen", "[cache]") {
  MirrorBed bed;
  bed.Put({});
  bed.mirror.RemoveQueue("default");
  CHECK(bed.Active().empty());
  bed.mirror.PutQueue(MakeQueue("default"));
  CHECK(bed.Active().size() == 1);
  bed.Put({.name = "r", .spec = R"("nodeName":"m",)", .status = kRuns});
  CHECK(bed.mirror.Publish()->nodes_by_name->size() == 1);
  bed.mirror.PutNode(MakeNode("m", R"({"cpu":"2"})", bed.symbols()));
  const auto snapshot = bed.mirror.Publish();
  REQUIRE(snapshot->nodes_by_name->size() == 2);
  CHECK(snapshot->usage.idle[(*snapshot->nodes_by_name)[0]][model::kCpu] == 1000);  // m
  bed.mirror.RemoveNode("m");
  CHECK(bed.mirror.Publish()->nodes_by_name->size() == 1);
  bed.mirror.PutNode(MakeNode("m", R"({"cpu":"2"})", bed.symbols()));
  CHECK(bed.IdleCpu() == 1000);
}

TEST_CASE("mirror: a resource beyond the last dimension makes the pod wait, not fail", "[cache]") {
  MirrorBed bed;
  for (int i = 0; i < model::kDims; ++i) {
    CompiledPod pod = MakePod({.name = StrCat("p", i)}, bed.symbols());
    pod.requests.emplace_back(StrCat("z.io/r", i), 1000);
    bed.mirror.PutPod(std::move(pod));
  }
  const auto snapshot = bed.mirror.Publish();
  CHECK(snapshot->dims->size() == model::kDims);
  int waiting = 0;
  for (model::TaskId id : snapshot->tasks.ids()) {
    if (snapshot->tasks[id].names == nullptr) continue;
    const model::PodConstraints& c = snapshot->constraints_of(snapshot->tasks[id].shape);
    if (c.unsupported != model::Bit(model::UnsupportedFeature::kDimensions)) continue;
    ++waiting;
    CHECK(c.unsupported_detail.rfind("z.io/r", 0) == 0);
  }
  CHECK(waiting == model::kFixedDims);
  // Further events of such a pod, its own condition for one, are updates in place.
  bed.mirror.Publish();
  const int64_t rows = bed.mirror.rows_rewritten();
  CompiledPod again = MakePod({.name = StrCat("p", model::kDims - 1)}, bed.symbols());
  again.requests.emplace_back(StrCat("z.io/r", model::kDims - 1), 1000);
  bed.mirror.PutPod(std::move(again));
  CHECK_FALSE(bed.mirror.changed());
  CHECK(bed.mirror.rows_rewritten() == rows);
}

TEST_CASE("mirror: a PodGroup is ours by a pod of ours, or while it has none", "[cache]") {
  MirrorBed bed;
  CHECK(bed.mirror.OwnsGroup("ns/g"));
  CHECK(bed.Active() == std::vector<std::string>{"g"});
  bed.mirror.NoteForeignPod("ns/f", "ns/g");
  CHECK_FALSE(bed.mirror.OwnsGroup("ns/g"));
  CHECK(bed.Active().empty());
  bed.Put({});
  CHECK(bed.mirror.OwnsGroup("ns/g"));
  CHECK(bed.Active() == std::vector<std::string>{"g"});
  bed.mirror.RemovePod("ns/p");
  CHECK_FALSE(bed.mirror.OwnsGroup("ns/g"));
  // Bound by the other scheduler: it counts, and is still not ours.
  CompiledPod foreign = MakePod({.name = "f", .spec = kBound}, bed.symbols());
  foreign.ours = false;
  bed.mirror.PutPod(foreign);
  CHECK_FALSE(bed.mirror.OwnsGroup("ns/g"));
  CHECK(bed.IdleCpu() == 3000);
  CHECK(bed.Active().empty());
  bed.mirror.RemovePod("ns/f");
  CHECK(bed.mirror.changed());
  CHECK(bed.mirror.OwnsGroup("ns/g"));
  CHECK(bed.Active() == std::vector<std::string>{"g"});
  // The last foreign pod may also leave while it waits.
  bed.mirror.NoteForeignPod("ns/f", "ns/g");
  CHECK(bed.Active().empty());
  bed.mirror.RemovePod("ns/f");
  CHECK(bed.mirror.changed());
  CHECK(bed.Active() == std::vector<std::string>{"g"});
}

TEST_CASE("mirror: starting over forgets all but the generation", "[cache]") {
  MirrorBed bed;
  bed.Put({});
  REQUIRE(bed.mirror.AssumeBinding("ns/p", "u-p", "n").ok());
  const auto before = bed.mirror.Publish();
  bed.mirror.StartOver();
  CHECK(bed.mirror.changed());
  CHECK(bed.mirror.pods() == 0);
  CHECK(bed.mirror.nodes() == 0);
  const auto after = bed.mirror.Publish();
  CHECK(after->generation > before->generation);
  CHECK(after->nodes_by_name->empty());
  bed.mirror.PutNode(MakeNode("n", R"({"cpu":"4","pods":"10"})", bed.symbols()));
  CHECK(bed.IdleCpu() == 4000);
}

TEST_CASE("mirror: snapshots do not change when the mirror does", "[cache]") {
  MirrorBed bed;
  bed.Put({});
  const auto before = bed.mirror.Publish();
  const uint64_t digest = before->usage.DigestOf();
  REQUIRE(bed.mirror.AssumeBinding("ns/p", "u-p", "n").ok());
  bed.Put({.name = "q"});
  bed.mirror.RemovePod("ns/p");
  const auto after = bed.mirror.Publish();
  CHECK(before->usage.DigestOf() == digest);
  CHECK(after->usage.DigestOf() != digest);
  CHECK(after->generation == before->generation + 1);
}

TEST_CASE("mirror: sub-job policies group the pods of a job", "[cache]") {
  MirrorBed bed;
  bed.mirror.PutPodGroup(MakeGroup(
      "g", 2, R"("subGroupPolicy":[{"name":"s","subGroupSize":2,"matchLabelKeys":["rank"]}],)"));
  bed.Put({.name = "a", .meta = R"("labels":{"rank":"1"},)"});
  bed.Put({.name = "b", .meta = R"("labels":{"rank":"1"},)"});
  bed.Put({.name = "c", .meta = R"("labels":{"rank":"0"},)"});
  bed.Put({.name = "d"});
  const auto snapshot = bed.mirror.Publish();
  const model::JobRow& job = snapshot->jobs[(*snapshot->all_jobs)[0]];
  std::map<std::string, int32_t> sizes;
  for (model::SubJobId id : *job.sub_jobs) {
    sizes[snapshot->sub_jobs[id].facts->key] =
        snapshot->usage.sub_jobs[id].count(TaskStatus::kPending);
  }
  CHECK(sizes == std::map<std::string, int32_t>{{"ns/g", 1}, {"ns/g/s-0", 1}, {"ns/g/s-1", 2}});
  bed.mirror.PutPodGroup(MakeGroup("g", 2));  // Without policies they are one again.
  const auto plain = bed.mirror.Publish();
  const model::JobRow& again = plain->jobs[(*plain->all_jobs)[0]];
  REQUIRE(again.sub_jobs->size() == 1);
  CHECK(plain->usage.sub_jobs[again.sub_jobs->front()].count(TaskStatus::kPending) == 4);
}

}  // namespace
}  // namespace bth::cache
