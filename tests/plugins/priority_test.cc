#include "tests/plugins/fixtures.h"

namespace bth::test {
namespace {

using framework::EvictionContext;

TEST_CASE("priority: higher priorities come first", "[plugins][priority]") {
  PluginBed bed = Bed("priority",
                      "job low prio=1; task l1 job=low prio=1; task l2 job=low prio=9;"
                      "job high prio=5; task h1 job=high prio=9");
  const framework::HookTable& hooks = bed.session().hooks();
  const World& w = bed.world();
  CHECK(hooks.job_order[0].fn(w.job("high"), w.job("low")) < 0);
  CHECK(hooks.job_order[0].fn(w.job("low"), w.job("high")) > 0);
  CHECK(hooks.job_order[0].fn(w.job("low"), w.job("low")) == 0);
  CHECK(hooks.task_order[0].fn(w.task("l1"), w.task("l2")) > 0);
  CHECK(hooks.task_order[0].fn(w.task("h1"), w.task("l2")) == 0);
}

TEST_CASE("priority: sub-jobs go by their highest task", "[plugins][priority]") {
  PluginBed bed = Bed("priority",
                      "job a min=1 group.g=1:1; task x job=a sub=g/0 prio=2; task y job=a sub=g/1"
                      " prio=3; task z job=a sub=g/0 prio=7");
  const auto& sub_jobs = *bed.session().job(bed.world().job("a")).sub_jobs;
  CHECK(bed.session().hooks().sub_job_order[0].fn(sub_jobs[1], sub_jobs[2]) < 0);
}

TEST_CASE("priority: only lower priorities are preempted", "[plugins][priority]") {
  PluginBed bed = Bed("priority",
                      "node n1; job mid prio=500; task m job=mid prio=5; task m1 job=mid node=n1"
                      " prio=4; task m2 job=mid node=n1 prio=5;"
                      "job low prio=100; task l job=low node=n1 prio=1000;"
                      "job same prio=500; task s job=same node=n1 prio=1;"
                      "job high prio=1000; task h job=high node=n1 prio=1;"
                      "task foreign node=n1 prio=0");
  const Names all = {"m1", "m2", "l", "s", "h", "foreign"};
  const framework::HookTable& hooks = bed.session().hooks();
  const World& w = bed.world();
  CHECK(VictimsOf(bed, hooks.preemptable, w.task("m"), all) == Names{"m1", "l"});
  // Without a job of its own an evictor gets nobody.
  CHECK(VictimsOf(bed, hooks.preemptable, w.task("foreign"), all).empty());
  CHECK(hooks.reclaimable.empty());
}

TEST_CASE("priority: gang preemption compares jobs, gang reclaim does not", "[plugins][priority]") {
  PluginBed bed = Bed("priority",
                      "node n1; job own prio=500; job high prio=1000; task h job=high node=n1;"
                      "job low prio=100; task l job=low node=n1");
  const auto& hooks = bed.session().hooks().unified_evictable;
  const model::JobId own = bed.world().job("own");
  using Kind = EvictionContext::Kind;
  CHECK(VictimsOf(bed, hooks, EvictionContext{Kind::kGangReclaim, own}, {"h", "l"}) ==
        Names{"h", "l"});
  CHECK(VictimsOf(bed, hooks, EvictionContext{Kind::kGangPreempt, own}, {"h", "l"}) == Names{"l"});
}

TEST_CASE("priority: a job starves while any task waits", "[plugins][priority]") {
  PluginBed bed = Bed("priority",
                      "node n1; job a min=1; task a1 job=a node=n1; task a2 job=a;"
                      "job b min=1; task b1 job=b node=n1; task b2 job=b node=n1 status=pipelined");
  const auto& starving = bed.session().hooks().job_starving[0].fn;
  CHECK(starving(bed.world().job("a")));
  CHECK_FALSE(starving(bed.world().job("b")));
}

TEST_CASE("priority: with gang a job starves only below its minimum", "[plugins][priority]") {
  PluginBed bed =
      Bed("priority,gang", "node n1; job a min=1; task a1 job=a node=n1; task a2 job=a");
  CHECK_FALSE(bed.session().hooks().job_starving(bed.world().job("a")));
}

}  // namespace
}  // namespace bth::test
