#include "framework/report/fit_report.h"
#include "tests/plugins/cycles.h"
#include "tests/plugins/snapshot_changes.h"

namespace bth::test {
namespace {

using framework::Vote;

TEST_CASE("resourcequota: minimums fit into the quotas of their namespace or not",
          "[plugins][resourcequota]") {
  struct Case {
    std::string name, world;
    Vote expected;
  };
  const std::string quota = "quota q hard.cpu=2 hard.memory=2G;";
  const Case c = GENERATE_COPY(values<Case>({
      {"just fits", quota + "job a quota.cpu=2 quota.memory=2G", Vote::kPermit},
      {"far too much", quota + "job a quota.cpu=20 quota.memory=20G", Vote::kReject},
      {"a thousandth too much", quota + "job a quota.cpu=2001m", Vote::kReject},
      {"no quota", "job a quota.cpu=20", Vote::kPermit},
      {"a quota of another namespace", quota + "job a ns=other quota.cpu=20", Vote::kPermit},
      {"no minimum", quota + "job a", Vote::kPermit},
      {"names the quota does not limit", quota + "job a quota.requests.cpu=9", Vote::kPermit},
      {"names of quotas", "quota q hard.requests.cpu=2; job a quota.requests.cpu=3", Vote::kReject},
      {"what is used counts", "quota q hard.cpu=2 used.cpu=1; job a quota.cpu=1500m",
       Vote::kReject},
      {"used beyond the limit, but not asked for",
       "quota q hard.cpu=2 hard.pods=1 used.pods=3; job a quota.cpu=1", Vote::kPermit},
      {"every quota of the namespace counts",
       quota + "quota r hard.pods=1; job a quota.cpu=1 quota.pods=2", Vote::kReject},
  }));
  CAPTURE(c.name);
  PluginBed bed = Bed("resourcequota", c.world + " phase=pending");
  REQUIRE(bed.session().hooks().job_enqueueable.size() == 1);
  CHECK(bed.session().hooks().job_enqueueable[0].fn(bed.world().job("a")) == c.expected);
}

// The next snapshot: in it `job` changed.
World Next(World world, std::string_view job, const std::function<void(model::Snapshot&)>& change) {
  const model::JobId id = world.job(job);
  return Changed(std::move(world), [&](model::Snapshot& snapshot) {
    ++snapshot.generation;
    snapshot.changed_jobs =
        std::make_shared<const std::vector<model::JobId>>(std::vector<model::JobId>{id});
    change(snapshot);
  });
}

World WithPhase(World world, std::string_view job, model::PodGroupPhase phase) {
  const model::JobId id = world.job(job);
  return Next(std::move(world), job,
              [&](model::Snapshot& snapshot) { snapshot.usage.jobs.Mutable(id).phase = phase; });
}

TEST_CASE("resourcequota: what the session admitted counts, and is kept for it",
          "[plugins][resourcequota]") {
  PluginBed bed = Bed("resourcequota",
                      "quota q hard.cpu=3; quota q ns=other hard.cpu=3;"
                      "job a phase=pending quota.cpu=2; job b phase=pending quota.cpu=2;"
                      "job c phase=pending ns=other quota.cpu=2");
  bed.session().votes().JobEnqueued(bed.world().job("a"));
  CHECK_FALSE(bed.session().votes().JobEnqueueable(bed.world().job("b")));
  CHECK(bed.session().votes().JobEnqueueable(bed.world().job("c")));
  bed.Reopen(WithPhase(bed.world(), "a", model::PodGroupPhase::kInqueue));
  CHECK_FALSE(bed.session().votes().JobEnqueueable(bed.world().job("b")));
  CHECK(bed.session().votes().JobEnqueueable(bed.world().job("c")));
  // The admission was not written.
  bed.Reopen(WithPhase(bed.world(), "a", model::PodGroupPhase::kPending));
  CHECK(bed.session().votes().JobEnqueueable(bed.world().job("b")));
}

TEST_CASE("resourcequota: an admitted job will use what its missing pods ask for",
          "[plugins][resourcequota]") {
  struct Case {
    std::string name, admitted, most, too_much;
  };
  const Case c = GENERATE(values<Case>({
      {"no pods", "min=4 quota.cpu=5", "cpu=5", "cpu=5001m"},
      {"one of four pods", "min=4 quota.cpu=5 tasks=1", "cpu=6250m", "cpu=6251m"},
      {"rounded up", "min=3 quota.pods=4 tasks=1", "pods=7", "pods=8"},
      {"all its pods", "min=4 quota.cpu=5 tasks=4", "cpu=10", "cpu=10001m"},
      {"more than those", "min=1 quota.cpu=5 tasks=2", "cpu=10", "cpu=10001m"},
      {"no minimum of pods", "min=0 quota.cpu=5", "cpu=5", "cpu=5001m"},
      {"no minimum of pods, and one pod", "min=0 quota.cpu=5 tasks=1", "cpu=10", "cpu=10001m"},
      {"not admitted", "min=4 quota.cpu=5 phase=pending", "cpu=10", "cpu=10001m"},
      {"it runs", "min=4 quota.cpu=5 tasks=1 phase=running", "cpu=10", "cpu=10001m"},
      {"in another namespace", "min=4 quota.cpu=5 ns=other", "cpu=10", "cpu=10001m"},
  }));
  CAPTURE(c.name);
  PluginBed bed = Bed("resourcequota", "quota q hard.cpu=10 hard.pods=10; job a " + c.admitted +
                                           "; job fits phase=pending quota." + c.most +
                                           "; job waits phase=pending quota." + c.too_much);
  CHECK(bed.session().votes().JobEnqueueable(bed.world().job("fits")));
  CHECK_FALSE(bed.session().votes().JobEnqueueable(bed.world().job("waits")));
}

TEST_CASE("resourcequota: pods that a job has do not count a second time",
          "[plugins][resourcequota]") {
  struct Case {
    std::string name, job;
    Vote expected;
  };
  const Case c = GENERATE(values<Case>({
      {"all its pods", "min=4 quota.pods=4 tasks=4", Vote::kPermit},
      {"more than those", "min=1 quota.pods=4 tasks=4", Vote::kPermit},
      {"one is missing, one is left", "min=4 quota.pods=4 tasks=3", Vote::kPermit},
      {"two are missing", "min=4 quota.pods=4 tasks=2", Vote::kReject},
      {"none are there", "min=4 quota.pods=4", Vote::kReject},
      {"no minimum of pods, and one pod", "min=0 quota.pods=4 tasks=1", Vote::kPermit},
  }));
  CAPTURE(c.name);
  PluginBed bed =
      Bed("resourcequota", "quota q hard.pods=5 used.pods=4; job a phase=pending " + c.job);
  CHECK(bed.session().hooks().job_enqueueable[0].fn(bed.world().job("a")) == c.expected);
}

TEST_CASE("resourcequota: what is admitted with a part of its pods takes what the others will use",
          "[plugins][resourcequota]") {
  PluginBed bed =
      Bed("resourcequota",
          "quota q hard.pods=7 used.pods=3; job a phase=pending min=4 quota.pods=4 tasks=3;"
          "job fits phase=pending quota.pods=3; job waits phase=pending quota.pods=4");
  bed.session().votes().JobEnqueued(bed.world().job("a"));
  CHECK(bed.session().votes().JobEnqueueable(bed.world().job("fits")));
  CHECK_FALSE(bed.session().votes().JobEnqueueable(bed.world().job("waits")));
}

TEST_CASE("resourcequota: a negative minimum gives nothing to others", "[plugins][resourcequota]") {
  PluginBed bed = Bed("resourcequota",
                      "quota q hard.cpu=3; job a phase=pending quota.cpu=-1000;"
                      "job b phase=pending quota.cpu=4");
  bed.session().votes().JobEnqueued(bed.world().job("a"));
  CHECK_FALSE(bed.session().votes().JobEnqueueable(bed.world().job("b")));
}

TEST_CASE("resourcequota: who waits for what others are to use is left alone until that changes",
          "[plugins][resourcequota][cycle]") {
  World world = MakeWorld(
      "node n cpu=9; quota q hard.pods=4;"
      "job a phase=pending min=4 minres.cpu=4 quota.pods=4;"
      "job b phase=pending min=4 minres.cpu=4 quota.pods=4");
  const model::JobId a = world.job("a");
  const model::JobId b = world.job("b");
  Cycles cycles(MakePolicy("enqueue", "resourcequota"));
  const auto looks_at_b = [&] {
    const std::vector<model::JobId> looked_at = cycles.Run(world);
    return std::find(looked_at.begin(), looked_at.end(), b) != looked_at.end();
  };
  const auto admits_b = [&] {
    const auto& groups = cycles.report().pod_groups;
    return std::any_of(groups.begin(), groups.end(), [b](const auto& group) {
      return group.job == b && group.phase == model::PodGroupPhase::kInqueue;
    });
  };
  CHECK(looks_at_b());
  world = WithPhase(world, "a", model::PodGroupPhase::kInqueue);
  CHECK(looks_at_b());
  CHECK_FALSE(admits_b());
  world = Next(world, "a", [](model::Snapshot&) {});
  CHECK_FALSE(looks_at_b());
  SECTION("the job that was admitted is deleted") {
    world = Next(world, "a", [a, b](model::Snapshot& snapshot) {
      snapshot.jobs.Mutable(a) = model::JobRow();
      snapshot.usage.jobs.Mutable(a) = model::JobCounts();
      snapshot.active_jobs =
          std::make_shared<const std::vector<model::JobId>>(std::vector<model::JobId>{b});
      snapshot.all_jobs = snapshot.active_jobs;
    });
  }
  SECTION("its admission is taken back") {
    world = WithPhase(world, "a", model::PodGroupPhase::kUnknown);
  }
  SECTION("its pods come") {
    world = Next(world, "a", [a](model::Snapshot& snapshot) {
      snapshot.usage.jobs.Mutable(a).by_status[static_cast<size_t>(model::TaskStatus::kPending)] =
          4;
    });
  }
  CHECK(looks_at_b());
  CHECK(admits_b());
}

TEST_CASE("resourcequota: a job that another plugin refuses takes nothing",
          "[plugins][resourcequota]") {
  // overcommit refuses a; b comes in with the whole quota.
  const CycleOutcome outcome =
      Run("enqueue", "resourcequota,overcommit",
          "node n cpu=1 mem=1G; quota q hard.cpu=1 hard.memory=1G;"
          "job a phase=pending tasks=1 cpu=1 minres.cpu=9 quota.memory=1G;"
          "job b phase=pending tasks=1 cpu=1 minres.cpu=1 quota.cpu=1 quota.memory=1G");
  CHECK(outcome.phases.at("b") == model::PodGroupPhase::kInqueue);
  CHECK(
      (!outcome.phases.contains("a") || outcome.phases.at("a") == model::PodGroupPhase::kPending));
}

TEST_CASE("resourcequota: a refusal tells what is short", "[plugins][resourcequota]") {
  PluginBed bed = Bed("resourcequota",
                      "quota q hard.cpu=2 hard.memory=2G hard.pods=9 used.cpu=500m;"
                      "job a phase=pending quota.cpu=2 quota.memory=20G quota.pods=1");
  const model::JobId job = bed.world().job("a");
  CHECK_FALSE(bed.session().votes().JobEnqueueable(job));
  REQUIRE(bed.session().notes().EventsOf(job).size() == 1);
  const framework::EventReport& event = bed.session().notes().EventsOf(job)[0];
  CHECK_FALSE(event.warning);
  CHECK(event.reason == "Unschedulable");
  CHECK(event.message ==
        "resource quota insufficient, requested: map[cpu:2 memory:20G], used: map[cpu:500m "
        "memory:0], limited: map[cpu:2 memory:2G] (ResourceQuota q of namespace ns), so it "
        "can never be admitted unless that is raised");
  REQUIRE(bed.session().notes().HoldOf(job) != nullptr);
  CHECK(bed.session().notes().HoldOf(job)->gate == framework::Gate::kNotEnqueued);
  CHECK(bed.session().notes().HoldOf(job)->plugin == "resourcequota");
}

TEST_CASE("resourcequota: a refusal tells when others are to use the rest",
          "[plugins][resourcequota]") {
  PluginBed bed = Bed("resourcequota",
                      "quota q hard.pods=4; job a quota.pods=3; job b phase=pending quota.pods=2");
  const model::JobId job = bed.world().job("b");
  CHECK_FALSE(bed.session().votes().JobEnqueueable(job));
  CHECK(bed.session().notes().HoldOf(job)->message ==
        "resource quota insufficient, requested: map[pods:2], used: map[pods:0], limited: "
        "map[pods:4] (ResourceQuota q of namespace ns, beside what admitted jobs will use)");
}

TEST_CASE("resourcequota: its switch holds it back", "[plugins][resourcequota]") {
  PluginBed bed = Bed("resourcequota!enableJobEnqueued", "quota q hard.cpu=1; job a quota.cpu=2");
  CHECK(bed.session().votes().JobEnqueueable(bed.world().job("a")));
}

}  // namespace
}  // namespace bth::test
