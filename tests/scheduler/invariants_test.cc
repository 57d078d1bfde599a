#include "base/strings.h"
#include "framework/session/statement.h"
#include "scheduler/debug_pages.h"
#include "tests/scheduler/bed.h"
#include "tests/support/temp_folder.h"

namespace bth::scheduler {
namespace {

using testing::Bed;

// What the broken action does with the pods of the job "bad".
enum class Damage { kNone, kOverfill, kHalfGang, kStrayWrite };

// Breaks the rules while told to, as a defect of an action or of the mirror would.
class Broken final : public framework::Action {
 public:
  explicit Broken(Damage* fault) : fault_(fault) {}
  std::string_view name() const override { return "broken"; }

  absl::Status Execute(framework::Session& session) override {
    if (*fault_ == Damage::kStrayWrite) {
      // Once, into memory that mirror, snapshot and session share.
      const model::NodeId node = session.base().nodes_by_name->front();
      auto& idle = const_cast<model::ResourceVec&>(session.base().usage.idle[node]);
      idle[model::kCpu] += 5000;
      *fault_ = Damage::kNone;
    }
    if (*fault_ == Damage::kNone) return absl::OkStatus();
    for (model::JobId job : *session.base().active_jobs) {
      if (session.job(job).facts->name == "bad") Break(session, job);
    }
    return absl::OkStatus();
  }

 private:
  void Break(framework::Session& session, model::JobId job) const {
    const model::NodeId node = session.base().nodes_by_name->front();
    framework::Statement statement(session, "broken");
    for (model::TaskId task : *session.job(job).tasks) {
      if (session.state(task).status != model::TaskStatus::kPending) continue;
      statement.Allocate(task, node);
      if (*fault_ == Damage::kHalfGang) break;
    }
    // Refused while the writes are stopped.
    (void)statement.Commit();
    if (*fault_ != Damage::kHalfGang) return;
    // The rest is left to no other action.
    framework::Statement rest(session, "broken");
    for (model::TaskId task : *session.job(job).tasks) {
      if (session.state(task).status != model::TaskStatus::kPending) continue;
      rest.Pipeline(task, node, false);
    }
    rest.Keep();
  }

  Damage* const fault_;
};

struct BrokenBed : Bed {
  test::TempFolder folder;
  Damage fault = Damage::kNone;

  BrokenBed() {
    registry.actions["broken"] = [this](const conf::Arguments&) {
      return absl::StatusOr<std::unique_ptr<framework::Action>>(std::make_unique<Broken>(&fault));
    };
  }
  ~BrokenBed() { scheduler.reset(); }

  Answer Page(const std::string& target) {
    const auto pages =
        net::MakeInProcessTransport(executor, MakeDebugPages(executor, *scheduler, nullptr));
    return Fetch(*pages, "GET", target);
  }
  // Two nodes; queue "other" beside the default one.
  void StartBroken(int cpu) {
    Node("n1", cpu);
    Node("n2", 4);
    SchedulerOptions options;
    options.policy.path =
        folder.Write("scheduler.conf",
                     "actions: \"enqueue, broken, allocate\"\n"
                     "tiers:\n- plugins:\n  - name: gang\n  - name: predicates\n");
    Start(options);
    Create("/apis/scheduling.volcano.sh/v1beta1/queues",
           R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue","metadata":)"
           R"({"name":"other"},"spec":{"weight":1}})");
    executor.Advance(absl::Seconds(5));
  }
  void GroupIn(const std::string& queue, const std::string& name, int min_member) {
    Create("/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups",
           StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup",)",
                  R"("metadata":{"name":")", name, R"("},"spec":{"minMember":)", min_member,
                  R"(,"queue":")", queue, R"("}})"));
  }
  std::vector<std::string> Bound(const std::vector<std::string>& pods) {
    std::vector<std::string> out;
    for (const std::string& pod : pods) {
      if (const std::string node = NodeOf(pod); !node.empty()) out.push_back(pod + ">" + node);
    }
    return out;
  }
  const InvariantGuard& guard() const { return scheduler->invariants(); }
};

using Names = std::vector<std::string>;

TEST_CASE("invariants: an overfilled node gets none of it, and the others go on", "[scheduler]") {
  BrokenBed bed;
  bed.StartBroken(2);
  bed.fault = Damage::kOverfill;
  bed.GroupIn("default", "bad", 3);
  for (const char* pod : {"b1", "b2", "b3"}) bed.Pod(pod, "bad", 2);
  bed.executor.Advance(absl::Seconds(5));
  CHECK(bed.Bound({"b1", "b2", "b3"}).empty());
  REQUIRE_FALSE(bed.guard().records().empty());
  const InvariantRecord& record = bed.guard().records().front();
  CHECK(record.invariant == "node_over_allocatable");
  CHECK(record.detail == "node n1: lacks 4000 of cpu");
  CHECK(record.node == "n1");
  CHECK(record.held_back == 3);
  CHECK(bed.guard().stops().nodes.contains("n1"));
  CHECK(bed.Metric("batholith_invariant_violations_total{invariant=\"node_over_allocatable\"}") >=
        1);
  // Meanwhile the other node is written to.
  bed.GroupIn("other", "good", 1);
  bed.Pod("g1", "good", 4);
  bed.executor.Advance(absl::Milliseconds(500));
  CHECK(bed.Bound({"g1"}) == Names{"g1>n2"});
  CHECK(bed.Bound({"b1", "b2", "b3"}).empty());
}

TEST_CASE("invariants: who could go to a node that is not written to goes elsewhere or is told",
          "[scheduler]") {
  BrokenBed bed;
  bed.StartBroken(2);
  bed.fault = Damage::kOverfill;
  bed.GroupIn("default", "bad", 3);
  for (const char* pod : {"b1", "b2", "b3"}) bed.Pod(pod, "bad", 2);
  bed.executor.Advance(absl::Seconds(5));
  REQUIRE(bed.guard().stops().nodes.contains("n1"));
  // n1 is the first by name, but only the last of them needs it.
  bed.GroupIn("other", "elsewhere", 2);
  bed.Pod("e", "elsewhere", 1);
  bed.Pod("f", "elsewhere", 2);
  bed.executor.Advance(absl::Milliseconds(300));
  bed.GroupIn("other", "told", 1);
  bed.Pod("t", "told", 2);
  bed.executor.Advance(absl::Milliseconds(300));
  REQUIRE(bed.guard().stops().nodes.contains("n1"));
  CHECK(bed.Bound({"e", "f", "t"}) == Names{"e>n2", "f>n2"});
  const Bed::Answer page = bed.Page("/debug/explain?pod=default/t");
  CHECK(page.json["message"].AsString() ==
        "0/2 nodes are unavailable: 1 Insufficient cpu, 1 node(s) had their writes stopped until "
        "the cluster has been read anew, see /debug/invariants.");
  // When its writes go on, so does the pod.
  bed.fault = Damage::kNone;
  bed.executor.Advance(absl::Minutes(6));
  CHECK(bed.Bound({"t"}) == Names{"t>n1"});
}

TEST_CASE("invariants: what is violated again and again is tried ever more rarely", "[scheduler]") {
  BrokenBed bed;
  bed.StartBroken(2);
  bed.fault = Damage::kOverfill;
  bed.GroupIn("default", "bad", 3);
  for (const char* pod : {"b1", "b2", "b3"}) bed.Pod(pod, "bad", 1);
  bed.executor.Advance(absl::Minutes(1));
  const int64_t early = bed.guard().rebuilds();
  CHECK(early >= 4);
  CHECK(early <= 8);
  const uint64_t cycles = bed.scheduler->cycles();
  bed.executor.Advance(absl::Hours(1));
  CHECK(bed.guard().rebuilds() - early <= 20);  // One in five minutes.
  CHECK(bed.scheduler->cycles() - cycles <= 100);
  CHECK(bed.guard().records().size() <= InvariantGuardOptions().records_max);
  CHECK(bed.Metric("batholith_mirror_rebuilds_total") ==
        static_cast<double>(bed.guard().rebuilds()));
  CHECK(bed.Bound({"b1", "b2", "b3"}).empty());
  // Once it is mended, writes go on by themselves.
  bed.fault = Damage::kNone;
  bed.executor.Advance(absl::Minutes(6));
  CHECK(bed.Bound({"b1", "b2", "b3"}).size() == 3);
  CHECK(bed.guard().stops().empty());
}

TEST_CASE("invariants: half a gang is not bound; its queue alone stops", "[scheduler]") {
  BrokenBed bed;
  bed.StartBroken(4);
  bed.fault = Damage::kHalfGang;
  bed.GroupIn("default", "bad", 2);
  for (const char* pod : {"b1", "b2"}) bed.Pod(pod, "bad", 1);
  bed.executor.Advance(absl::Milliseconds(2500));
  CHECK(bed.Bound({"b1", "b2"}).empty());
  REQUIRE_FALSE(bed.guard().records().empty());
  CHECK(bed.guard().records().back().invariant == "gang_in_part");
  CHECK(bed.guard().records().back().queue == "default");
  REQUIRE(bed.guard().stops().queues.contains("default"));
  bed.GroupIn("default", "same", 1);
  bed.Pod("s", "same", 1);
  bed.GroupIn("other", "good", 1);
  bed.Pod("g", "good", 1);
  bed.executor.Advance(absl::Milliseconds(300));
  CHECK(bed.Bound({"s"}).empty());
  CHECK(bed.Bound({"g"}).size() == 1);
  const Bed::Answer told = bed.Page("/debug/explain?pod=default/s");
  CHECK(absl::StrContains(told.text, "writes of the queue are stopped"));
  const Bed::Answer page = bed.Page("/debug/invariants");
  CHECK(page.json.At({"stoppedQueues", "default"}).AsString() == "gang_in_part");
  CHECK(page.json["records"][0]["detail"].AsString() ==
        "job default/bad: 1 tasks are bound below the gang's minimum");
  bed.fault = Damage::kNone;
  bed.executor.Advance(absl::Minutes(6));
  CHECK(bed.Bound({"b1", "b2", "s"}).size() == 3);
  CHECK(bed.guard().stops().empty());
}

TEST_CASE("invariants: a stray write in the sums is healed by reading anew", "[scheduler]") {
  BrokenBed bed;
  bed.StartBroken(4);
  bed.fault = Damage::kStrayWrite;  // n1 now looks as if it had nine cores.
  bed.GroupIn("default", "bad", 2);
  for (const char* pod : {"b1", "b2", "b3"}) bed.Pod(pod, "bad", 3);
  bed.executor.Advance(absl::Seconds(5));
  REQUIRE_FALSE(bed.guard().records().empty());
  CHECK(bed.guard().records().front().invariant == "node_sums");
  CHECK(bed.guard().records().front().node == "n1");
  CHECK(bed.guard().rebuilds() == 1);
  CHECK(bed.guard().stops().empty());
  CHECK(bed.scheduler->ready());
  // One on each node, none too many.
  const Names bound = bed.Bound({"b1", "b2", "b3"});
  REQUIRE(bound.size() == 2);
  CHECK(bound[0].substr(3) != bound[1].substr(3));
  bed.executor.Advance(absl::Hours(1));
  CHECK(bed.guard().rebuilds() == 1);
}

TEST_CASE("invariant guard: one defect seen by many checks is told once", "[scheduler]") {
  InvariantGuard guard({});
  const InvariantRecord record{.invariant = "job_sums", .detail = "d", .queue = "q"};
  CHECK_FALSE(guard.suspicious(absl::ZeroDuration()));
  guard.Note({record}, absl::Seconds(1));
  guard.Note({record}, absl::Seconds(2));
  CHECK(guard.records().size() == 1);
  CHECK(guard.records().front().times == 2);
  CHECK(guard.rebuild_at() == absl::Seconds(1));
  CHECK(guard.stops().queues.at("q") == "job_sums");
  guard.Rebuilt();
  CHECK(guard.stops().empty());
  CHECK(guard.suspicious(absl::Seconds(3)));
  CHECK(guard.rebuild_at() == absl::InfiniteDuration());
  const int delays[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300};
  absl::Duration now = absl::Seconds(3);
  for (int delay : delays) {
    guard.Note({record}, now);
    CHECK(guard.rebuild_at() == now + absl::Seconds(delay));
    now = guard.rebuild_at() + absl::Seconds(1);
    guard.Rebuilt();
  }
  CHECK_FALSE(guard.suspicious(now + absl::Minutes(11)));
  guard.Note({record}, now + absl::Minutes(11));  // A new story.
  CHECK(guard.rebuild_at() == now + absl::Minutes(11));
  // A claim about everything stops everything.
  guard.Note({{.invariant = "x", .detail = "y"}}, now + absl::Minutes(11));
  CHECK(guard.stops().everything == "x");
}

}  // namespace
}  // namespace bth::scheduler
