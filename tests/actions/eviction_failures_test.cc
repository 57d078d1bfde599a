// For whom a search for victims that failed speaks, and for whom it does not.
#include <map>
#include <memory>
#include <set>
#include <string>

#include "tests/plugins/fixtures.h"
#include "tests/support/catch.h"
#include "tests/support/plugin_bed.h"

namespace bth::test {
namespace {

TEST_CASE("eviction: a failure does not speak for whom plugins tell apart", "[actions][eviction]") {
  struct Case {
    std::string name, action, tiers, world;
    std::map<std::string, std::string> pipelined;
  };
  const Case c = GENERATE(values<Case>({
      // Without a pod of `rich`, queue a stands at 12/18/5 = 0.133. With a pod of 3 CPUs queue b
      // stands at 5/18/2 = 0.139 when that is all its job asks for; when it is not, the pod counts
      // as much as the 2 CPUs of `old`, and b stands at 4/18/2 = 0.111.
      {"a job that asks for more than the one that failed",
       "reclaim",
       "gang,drf+enableHierarchy",
       "node n cpu=18; queue a hierarchy=root/a weights=1/5; queue b hierarchy=root/b weights=1/2;"
       "job rich queue=a min=0 tasks=4 cpu=4 node=n;"
       "job old queue=b min=0; task old-0 job=old cpu=2 node=n; task old-1 job=old cpu=2 gated;"
       "job small queue=b min=1 tasks=1 cpu=3; job large queue=b min=1 tasks=2 cpu=3",
       {{"large-0", "n"}}},
      // Without `v` queue a holds 7/20 of the CPUs. Those of `own` count half beside `old` when
      // memory makes its share 8/20, and b stands at 8/20; a quarter when it is 16/20: 6/20.
      {"a larger task of the same job",
       "reclaim",
       "gang,drf+enableHierarchy",
       "node n cpu=20 mem=20Gi;"
       "queue a hierarchy=root/a weights=1/1; queue b hierarchy=root/b weights=1/1;"
       "job rich queue=a min=0; task v job=rich cpu=1 mem=20Gi node=n; task w job=rich cpu=7 "
       "node=n;"
       "job old queue=b min=0; task old-0 job=old cpu=4 node=n; task old-1 job=old cpu=1 gated;"
       "job own queue=b min=2; task own-0 job=own cpu=8 node=n; task own-1 job=own mem=8Gi;"
       "task own-2 job=own mem=16Gi; task own-3 job=own cpu=1 gated",
       {{"own-2", "n"}}},
      // `first` would hold 0.6 of the CPUs with its third pod, `second` 0.2; 0.4 are left to `low`.
      {"a job that holds less than the one that failed had pipelined",
       "preempt",
       "priority!enablePreemptable;gang,drf",
       "node n1 cpu=6; node n2 cpu=4; job low prio=1 min=0 tasks=3 cpu=2 node=n1;"
       "job first prio=9 min=1 tasks=3 cpu=2; job second prio=9 min=1 tasks=1 cpu=2",
       {{"first-0", "n2"}, {"first-1", "n2"}, {"second-0", "n1"}}},
      // From `first` the room could be demanded right back.
      {"a gang that spares nobody",
       "preempt",
       "priority!enablePreemptable;gang!enableJobOrder",
       "node n cpu=2; job low min=0 tasks=2 cpu=1 node=n; job first min=0 tasks=1 cpu=1;"
       "job second min=1 tasks=1 cpu=1",
       {{"second-0", "n"}}},
  }));
  CAPTURE(c.name);
  CHECK(Run(c.action, c.tiers, c.world).pipelined == c.pipelined);
}

// Lets nobody go, and remembers who asked.
class NobodyGoes final : public framework::Plugin {
 public:
  explicit NobodyGoes(std::set<std::string>* asked) : asked_(asked) {}
  std::string_view name() const override { return "nobody"; }
  absl::Status OnSessionOpen(framework::Session& session,
                             framework::HookRegistrar& hooks) override {
    hooks.Reclaimable([this, &session](model::TaskId evictor, absl::Span<const model::TaskId>) {
      asked_->insert(session.task(evictor).names->name);
      return framework::Verdict{.vote = framework::Vote::kPermit, .victims = {}};
    });
    return absl::OkStatus();
  }

 private:
  std::set<std::string>* const asked_;
};

TEST_CASE("eviction: jobs that nobody tells apart are searched for once", "[actions][eviction]") {
  struct Case {
    std::string name, tiers;
    std::set<std::string> asked;
  };
  const Case c = GENERATE(values<Case>({
      {"whatever they ask for in all", "nobody,drf", {"one-0"}},
      {"when they ask for the same in all",
       "nobody,drf+enableHierarchy",
       {"one-0", "pair-0", "larger-0"}},
      {"with a hierarchy that gives nothing back",
       "nobody,drf+enableHierarchy!enableReclaimable",
       {"one-0"}},
  }));
  CAPTURE(c.name);
  std::set<std::string> asked;
  framework::Registry registry = Builtins();
  registry.plugins["nobody"] =
      [&asked](const conf::Arguments&) -> absl::StatusOr<std::unique_ptr<framework::Plugin>> {
    return std::make_unique<NobodyGoes>(&asked);
  };
  RunCycle(registry, MakePolicy("reclaim", "gang!enableReclaimable;" + c.tiers),
           MakeWorld("node n cpu=8; queue a; queue b; job rich queue=a min=0 tasks=2 cpu=4 node=n;"
                     "job one queue=b min=1 tasks=1 cpu=3; job alike queue=b min=1 tasks=1 cpu=3;"
                     "job pair queue=b min=2 tasks=2 cpu=3; job twin queue=b min=2 tasks=2 cpu=3;"
                     "job again queue=b min=1 tasks=1 cpu=3;"
                     "job larger queue=b min=1 tasks=1 cpu=4"));
  CHECK(asked == c.asked);
}

}  // namespace
}  // namespace bth::test
