#include "framework/report/fit_report.h"
#include "tests/plugins/fixtures.h"

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
  PluginBed bed = Bed("resourcequota", c.world);
  REQUIRE(bed.session().hooks().job_enqueueable.size() == 1);
  CHECK(bed.session().hooks().job_enqueueable[0].fn(bed.world().job("a")) == c.expected);
}

TEST_CASE("resourcequota: what the session admitted counts, and is forgotten after it",
          "[plugins][resourcequota]") {
  PluginBed bed = Bed("resourcequota",
                      "quota q hard.cpu=3; quota q ns=other hard.cpu=3; job a quota.cpu=2;"
                      "job b quota.cpu=2; job c ns=other quota.cpu=2");
  bed.session().votes().JobEnqueued(bed.world().job("a"));
  CHECK_FALSE(bed.session().votes().JobEnqueueable(bed.world().job("b")));
  CHECK(bed.session().votes().JobEnqueueable(bed.world().job("c")));
  bed.Reopen(bed.world());
  CHECK(bed.session().votes().JobEnqueueable(bed.world().job("b")));
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
                      "job a quota.cpu=2 quota.memory=20G quota.pods=1");
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

TEST_CASE("resourcequota: its switch holds it back", "[plugins][resourcequota]") {
  PluginBed bed = Bed("resourcequota!enableJobEnqueued", "quota q hard.cpu=1; job a quota.cpu=2");
  CHECK(bed.session().votes().JobEnqueueable(bed.world().job("a")));
}

}  // namespace
}  // namespace bth::test
