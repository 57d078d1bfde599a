// A bug of the scheduler that one object brings to light costs that object, not the process.
#include <string>

#include "tests/scheduler/short_bed.h"
#include "tests/support/temp_folder.h"

namespace bth::scheduler {
namespace {

using testing::ShortBed;
using Told = std::vector<std::string>;

// Where the action "poisoned" uses an id that is none.
enum class Poison { kNone, kInJob, kNobodysOnce };

class Poisoned final : public framework::Action {
 public:
  explicit Poisoned(Poison* poison) : poison_(poison) {}
  std::string_view name() const override { return "poisoned"; }

  absl::Status Execute(framework::Session& session) override {
    if (*poison_ == Poison::kNobodysOnce) {
      *poison_ = Poison::kNone;
      UseBadRole(session);
    }
    for (model::JobId job : *session.base().active_jobs) {
      if (session.job(job).facts->name != "bad") continue;
      if (*poison_ == Poison::kInJob) session.WorkOn(job, [&] { UseBadRole(session); });
    }
    return absl::OkStatus();
  }

 private:
  static void UseBadRole(const framework::Session& session) {
    if (session.usage().roles[model::RoleId()].pending_best_effort < 0) std::abort();
  }
  Poison* const poison_;
};

struct PoisonBed : ShortBed {
  Poison poison = Poison::kNone;

  PoisonBed() {
    registry.actions["poisoned"] = [this](const conf::Arguments&) {
      return absl::StatusOr<std::unique_ptr<framework::Action>>(
          std::make_unique<Poisoned>(&poison));
    };
    Given({"node n1 cpu=8 mem=8Gi"});
    Begin(
        "actions: \"enqueue, poisoned, allocate\"\n"
        "tiers:\n- plugins:\n  - name: gang\n  - name: predicates\n  - name: proportion\n");
  }
  ~PoisonBed() { scheduler.reset(); }

  // Into memory that snapshots and the mirror share.
  void SpoilInMirror(const std::string& pod) {
    const auto snapshot = scheduler->mirror().Publish();
    for (model::TaskId task : snapshot->tasks.ids()) {
      const model::TaskRow& row = snapshot->tasks[task];
      if (row.names == nullptr || row.names->name != pod) continue;
      const_cast<model::TaskRow&>(row).sub_job = model::SubJobId(4'000'000'000);
    }
  }

  double Defects(const std::string& where) const {
    return Metric("batholith_defects_total{where=\"" + where + "\"}");
  }
};

TEST_CASE("defects: the job that a cycle fails with is left aside, and the others are scheduled",
          "[scheduler]") {
  PoisonBed bed;
  bed.poison = Poison::kInJob;
  bed.Given({"job bad min=1 tasks=1 cpu=1", "job good min=1 tasks=1 cpu=1"});
  bed.Settle();
  CHECK(bed.Bound("good-0"));
  CHECK_FALSE(bed.Bound("bad-0"));
  CHECK(bed.Defects("cycle") == 1);
  CHECK(bed.Events("SetAside") == Told{"PodGroup/bad x1"});
  CHECK(bed.EventMessage("SetAside", "bad") ==
        "the scheduler failed while it worked on it, and leaves it aside until it changes: this is "
        "a defect of the scheduler, report it (id 4294967295 is not among 0 rows)");
  CHECK(
      absl::EndsWith(bed.PodCondition("bad-0"),
                     "its PodGroup default/bad is left aside after a defect of the scheduler, see "
                     "its events"));
  // Later cycles go on without it.
  bed.Given({"job more min=1 tasks=1 cpu=1"});
  bed.Settle();
  CHECK(bed.Bound("more-0"));
  CHECK(bed.Defects("cycle") == 1);
}

TEST_CASE("defects: a job that was left aside has another chance when it changes", "[scheduler]") {
  PoisonBed bed;
  bed.poison = Poison::kInJob;
  bed.Given({"job bad min=1 tasks=1 cpu=1"});
  bed.Settle();
  REQUIRE_FALSE(bed.Bound("bad-0"));
  bed.poison = Poison::kNone;
  bed.Settle();
  CHECK_FALSE(bed.Bound("bad-0"));
  REQUIRE(bed.Call("PATCH", ShortBed::GroupPath("bad"),
                   R"({"metadata":{"annotations":{"touched":"yes"}}})",
                   "application/merge-patch+json")
              .code == 200);
  bed.Settle();
  CHECK(bed.Bound("bad-0"));
}

TEST_CASE("defects: a cycle that fails with nobody's job leads to a fresh start", "[scheduler]") {
  PoisonBed bed;
  bed.poison = Poison::kNobodysOnce;
  bed.Given({"job good min=1 tasks=1 cpu=1"});
  bed.Settle();
  CHECK(bed.Bound("good-0"));
  CHECK(bed.Defects("cycle") == 1);
  CHECK(bed.scheduler->invariants().rebuilds() == 1);
  CHECK(bed.Events("SetAside").empty());
}

TEST_CASE("defects: an object that the mirror fails with is left aside, and the cluster read anew",
          "[scheduler]") {
  PoisonBed bed;
  bed.Given({"job bad min=2 tasks=1 cpu=1"});
  bed.Settle();
  bed.SpoilInMirror("bad-0");
  REQUIRE(bed.Call("PATCH", "/api/v1/namespaces/default/pods/bad-0",
                   R"({"metadata":{"labels":{"touched":"yes"}}})", "application/merge-patch+json")
              .code == 200);
  bed.Settle();
  CHECK(bed.Defects("object") == 1);
  CHECK(bed.scheduler->invariants().rebuilds() == 1);
  CHECK(bed.Events("SetAside") == Told{"Pod/bad-0 x1"});
  bed.Given({"job good min=1 tasks=1 cpu=1"});
  bed.Settle();
  CHECK(bed.Bound("good-0"));
}

// Volcano's role of tasks that name none, which API servers accept as a key.
TEST_CASE("defects: a minimum for the empty role is a minimum like others", "[scheduler]") {
  PoisonBed bed;
  bed.Given({R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":{
                 "name":"g"},"spec":{"minMember":2,"minTaskMember":{"":2},"queue":"default"}})"});
  bed.Pod("a", "g", 1);
  bed.Settle();
  CHECK_FALSE(bed.Bound("a"));
  bed.Pod("b", "g", 1);
  bed.Settle();
  CHECK(bed.Bound("a"));
  CHECK(bed.Bound("b"));
  CHECK(bed.Defects("object") == 0);
}

}  // namespace
}  // namespace bth::scheduler
