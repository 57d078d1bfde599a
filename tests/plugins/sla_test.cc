#include "tests/plugins/fixtures.h"

namespace bth::test {
namespace {

using framework::Vote;

TEST_CASE("sla: the earlier deadline comes first", "[plugins][sla]") {
  struct Case {
    std::string name, arguments, jobs;
    int expected;
  };
  const Case c = GENERATE(values<Case>({
      {"a limit for all, earlier than the own one", "sla-waiting-time: 3m", "job a; job b wait=1h",
       -1},
      {"no limit for all: who has one comes first", "{}", "job a; job b wait=1h", 1},
      {"a number is no limit", "sla-waiting-time: 1", "job a; job b wait=1h", 1},
      {"only the left one has a limit", "{}", "job a wait=1h; job b", -1},
      {"neither", "{}", "job a; job b", 0},
      {"the same deadline", "{}", "job a wait=60s created=0; job b wait=30s created=30", 0},
      {"the own limit counts, be it longer", "sla-waiting-time: 3m", "job a wait=1h; job b", 1},
      {"zero is no limit", "sla-waiting-time: 0s", "job a; job b", 0},
  }));
  CAPTURE(c.name);
  PluginBed bed = Bed("sla", c.jobs, {{"sla", c.arguments}});
  const auto& hooks = bed.session().hooks().job_order;
  REQUIRE(hooks.size() == 1);
  CHECK(hooks[0].fn(bed.world().job("a"), bed.world().job("b")) == c.expected);
}

TEST_CASE("sla: a job over its limit is let in, whatever the time it waited for",
          "[plugins][sla]") {
  struct Case {
    std::string name, arguments, job;
    Vote expected;
  };
  // The session opens at 600 seconds.
  const Case c = GENERATE(values<Case>({
      {"no limit", "{}", "job a created=0", Vote::kAbstain},
      {"within its own", "{}", "job a created=0 wait=601s", Vote::kAbstain},
      {"at its own", "{}", "job a created=0 wait=600s", Vote::kPermit},
      {"over the one for all", "sla-waiting-time: 3m", "job a created=0", Vote::kPermit},
      {"within the one for all", "sla-waiting-time: 10m1s", "job a created=0", Vote::kAbstain},
      {"its own comes first", "sla-waiting-time: 3m", "job a created=0 wait=1h", Vote::kAbstain},
      {"no limit that can be read", "sla-waiting-time: soon", "job a created=0", Vote::kAbstain},
      {"none below zero", "sla-waiting-time: -3m", "job a created=0", Vote::kAbstain},
  }));
  CAPTURE(c.name);
  PluginBed bed = Bed("sla", c.job, {{"sla", c.arguments}});
  bed.clock().Advance(absl::Seconds(600));
  bed.Reopen(bed.world());
  const model::JobId job = bed.world().job("a");
  CHECK(bed.session().hooks().job_enqueueable[0].fn(job) == c.expected);
  CHECK(bed.session().hooks().job_pipelined[0].fn(job) == c.expected);
  CHECK(bed.session().votes().JobEnqueueable(job));
}

TEST_CASE("sla: a permission counts only in a tier before the refusal", "[plugins][sla]") {
  struct Case {
    std::string tiers;
    bool expected;
  };
  const Case c = GENERATE(values<Case>({{"sla;overcommit", true},
                                        {"sla,overcommit", false},
                                        {"overcommit;sla", false},
                                        {"sla!enableJobEnqueued;overcommit", false}}));
  CAPTURE(c.tiers);
  const World world =
      MakeWorld("node n cpu=1; job a created=-60 phase=pending tasks=1 cpu=1 minres.cpu=9");
  PluginBed bed(Builtins(), MakePolicy("", c.tiers, {{"sla", "sla-waiting-time: 1s"}}), world);
  CHECK(bed.session().votes().JobEnqueueable(world.job("a")) == c.expected);
}

TEST_CASE("sla: a limit that is none is reported", "[plugins][sla]") {
  for (const char* value : {"1", "soon", "0s", "-1m"}) {
    const conf::Arguments args = MakeArguments(std::string("sla-waiting-time: ") + value);
    REQUIRE(Builtins().plugins.find("sla")->second(args).ok());
    CAPTURE(value);
    CHECK(args.Findings().size() == 1);
  }
}

TEST_CASE("sla: its answers change with time", "[plugins][sla]") {
  CHECK((*Builtins().plugins.find("sla")->second(conf::Arguments()))->follows_clock());
}

}  // namespace
}  // namespace bth::test
