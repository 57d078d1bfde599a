#include "tests/plugins/fixtures.h"

namespace bth::test {
namespace {

using framework::Vote;

constexpr std::string_view kTwoNodes = "node n1 cpu=2 mem=4Gi; node n2 cpu=4 mem=16Gi;";

TEST_CASE("overcommit: minimums fit the stretched cluster or not", "[plugins][overcommit]") {
  struct Case {
    std::string name, factor, job;
    Vote expected;
  };
  const Case c = GENERATE(values<Case>({
      {"fits", "1.2", "minres.cpu=2 minres.mem=2G", Vote::kPermit},
      {"a factor below 1 counts as 1.2", "0.8", "minres.cpu=2 minres.mem=2G", Vote::kPermit},
      {"too much", "1.2", "minres.cpu=20 minres.mem=20G", Vote::kReject},
      {"no minimum", "1.2", "", Vote::kPermit},
      // Admitted before, admitted now, and this one: three times the minimum.
      {"just fits", "1.2", "minres.cpu=2.4", Vote::kPermit},
      {"just too much", "1.2", "minres.cpu=2401m", Vote::kReject},
      {"a factor of 1", "1", "minres.cpu=2001m", Vote::kReject},
  }));
  CAPTURE(c.name);
  PluginBed bed = Bed("overcommit", std::string(kTwoNodes) + "job a tasks=1 cpu=1 mem=1 " + c.job,
                      {{"overcommit", "overcommit-factor: " + c.factor}});
  const model::JobId job = bed.world().job("a");
  bed.session().votes().JobEnqueued(job);
  CHECK(bed.session().hooks().job_enqueueable[0].fn(job) == c.expected);
}

TEST_CASE("overcommit: a refusal names what is short", "[plugins][overcommit]") {
  PluginBed bed = Bed("overcommit", std::string(kTwoNodes) +
                                        "job a phase=pending tasks=1 cpu=1 mem=1"
                                        " minres.cpu=8 minres.mem=30Gi");
  const model::JobId job = bed.world().job("a");
  CHECK_FALSE(bed.session().votes().JobEnqueueable(job));
  REQUIRE(bed.session().notes().EventsOf(job).size() == 1);
  const framework::EventReport& event = bed.session().notes().EventsOf(job)[0];
  CHECK_FALSE(event.warning);
  CHECK(event.reason == "Unschedulable");
  CHECK(event.message ==
        "resource in cluster is overused: overused cpu, overused memory: asks for 8 cpu, 30Gi "
        "memory; the cluster, counted 1.2 times (overcommit-factor), can never hold that (as of "
        "this writing: at most 7200m cpu, 24Gi memory) unless the cluster grows");
  REQUIRE(bed.session().notes().HoldOf(job) != nullptr);
  CHECK(bed.session().notes().HoldOf(job)->gate == framework::Gate::kNotEnqueued);
  CHECK(bed.session().notes().HoldOf(job)->plugin == "overcommit");
}

TEST_CASE("overcommit: a refusal for want of room tells how much is taken, and what would help",
          "[plugins][overcommit]") {
  const bool evicts = GENERATE(false, true);
  PluginBed bed(Builtins(),
                MakePolicy(evicts ? "enqueue,allocate,gangpreempt" : "enqueue", "overcommit", {}),
                MakeWorld("node n cpu=10; task f node=n cpu=8;"
                          "job w minres.cpu=2; job a phase=pending minres.cpu=2500m"));
  const model::JobId job = bed.world().job("a");
  CHECK_FALSE(bed.session().votes().JobEnqueueable(job));
  CHECK(bed.session().notes().HoldOf(job)->message ==
        std::string("resource in cluster is overused: overused cpu: asks for 2500m cpu; the "
                    "cluster, counted 1.2 times (overcommit-factor), has too little left (as of "
                    "this writing: 10 of 12 cpu used or promised)") +
            (evicts ? "; evictions (gangpreempt) are only for admitted jobs: raise "
                      "overcommit-factor, or take enqueue out of the policy's actions"
                    : ""));
}

TEST_CASE("overcommit: use and what is inqueue count from the start", "[plugins][overcommit]") {
  struct Case {
    std::string name, world;
    bool expected;
  };
  // The stretched cluster has 12 cores; the job wants 4.
  const std::string ask = "node n cpu=10; job ask phase=pending tasks=1 cpu=1 minres.cpu=4;";
  const Case c = GENERATE_COPY(values<Case>({
      {"8 used", "task f node=n cpu=8", true},
      {"9 used", "task f node=n cpu=9", false},
      {"pipelined pods are not used", "task f node=n cpu=9 status=pipelined", true},
      {"a waiting job counts in whole", "job w min=2 minres.cpu=5; task t job=w cpu=4 node=n",
       false},
      {"one that stands counts what is missing, whether its phase says so yet or not",
       "job w min=1 minres.cpu=5; task t job=w cpu=4 node=n", true},
      {"a running job counts what is missing",
       "job r phase=running minres.cpu=5; task t job=r cpu=4 node=n", true},
      {"a running job below its minimum counts nothing",
       "job r min=2 phase=running minres.cpu=9; task t job=r cpu=1 node=n", true},
      {"what succeeded tasks had is not counted again",
       "job w min=2 minres.cpu=9; task t job=w cpu=2 node=n status=succeeded", true},
      {"but the rest is", "job w min=2 minres.cpu=11; task t job=w cpu=2 node=n status=succeeded",
       false},
      {"gated tasks are left out", "job g minres.cpu=9; task t job=g cpu=4 gated", true},
      {"but only they", "job g minres.cpu=13; task t job=g cpu=4 gated", false},
      {"the scheduler's own gate does not count", "job g minres.cpu=9; task t job=g cpu=4 owngate",
       false},
  }));
  CAPTURE(c.name);
  PluginBed bed = Bed("overcommit", ask + c.world);
  CHECK(bed.session().votes().JobEnqueueable(bed.world().job("ask")) == c.expected);
}

TEST_CASE("overcommit: a wrong factor is reported", "[plugins][overcommit]") {
  for (const char* factor : {"0.5", "much", ".nan"}) {
    const conf::Arguments args = MakeArguments(std::string("overcommit-factor: ") + factor);
    REQUIRE(Builtins().plugins.find("overcommit")->second(args).ok());
    CAPTURE(factor);
    CHECK(args.Findings().size() == 1);
  }
}

}  // namespace
}  // namespace bth::test
