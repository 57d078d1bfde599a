// The parts of the gang actions: domains, arguments, bundles, their order and their approval.
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "actions/gang_eviction/bundles.h"
#include "actions/gang_eviction/domains.h"
#include "actions/gang_eviction/options.h"
#include "actions/gang_eviction/pending.h"
#include "algo/gang_surplus.h"
#include "base/strings.h"
#include "tests/plugins/fixtures.h"
#include "tests/support/catch.h"
#include "tests/support/plugin_bed.h"

namespace bth::test {
namespace {

using actions::gang_eviction::Bundle;
using actions::gang_eviction::BundlesOf;
using actions::gang_eviction::Claim;
using actions::gang_eviction::DomainsOf;
using framework::EvictionContext;
using model::TaskId;

// A bed on which bundles are asked for by name.
struct BundleBed {
  explicit BundleBed(std::string_view cluster)
      : bed(Builtins(), MakePolicy("gangpreempt", "gang,priority"), MakeWorld(cluster)) {}

  std::vector<Bundle> Of(const std::string& job, const Names& tasks) {
    return BundlesOf(bed.session(), bed.world().job(job), bed.TasksNamed(tasks));
  }
  // "safe a b" and "whole c".
  Names Text(const std::vector<Bundle>& bundles) const {
    Names text;
    for (const Bundle& bundle : bundles) {
      std::string line = bundle.whole ? "whole" : "safe";
      for (const std::string& name : bed.NamesOf(bundle.tasks)) line += " " + name;
      text.push_back(line);
    }
    return text;
  }

  PluginBed bed;
};

TEST_CASE("gang domains: row by row, each once, the whole cluster where nothing binds",
          "[actions][gang]") {
  using model::HyperNodeId;
  const HyperNodeId d1(1);
  const HyperNodeId d2(2);
  const HyperNodeId d3(3);
  const HyperNodeId root(9);
  using Ids = std::vector<HyperNodeId>;
  const std::vector<Ids> rows = {{d1, d2}, {d2, d3}};
  CHECK(DomainsOf(rows, 2, root, true) == Ids{d1, d2});
  CHECK(DomainsOf(rows, 3, root, true) == Ids{d1, d2, d3});
  CHECK(DomainsOf({}, 8, root, false) == Ids{root});
  CHECK(DomainsOf({}, 8, root, true).empty());
  CHECK(DomainsOf({{}, {}}, 8, root, true).empty());
}

TEST_CASE("gang actions: arguments", "[actions][gang]") {
  struct Case {
    std::string yaml;
    size_t domains;
    bool whole;
    size_t findings;
  };
  const Case c = GENERATE(values<Case>({
      {"{}", 8, true, 0},
      {"{maxDomains: 3}", 3, true, 1},
      {"{maxDomains: 5, allowWholeBundle: false}", 5, false, 1},
      {"{maxDomains: 8}", 8, true, 0},
      {"{maxDomains: 0}", 8, true, 1},
      {"{maxDomains: -1}", 8, true, 1},
  }));
  CAPTURE(c.yaml);
  const conf::Arguments arguments = MakeArguments(c.yaml);
  const auto options = actions::gang_eviction::ParseOptions(arguments);
  REQUIRE(options.ok());
  CHECK(options->domains_max == c.domains);
  CHECK(options->allow_whole == c.whole);
  CHECK(arguments.Findings().size() == c.findings);
}

TEST_CASE("gang bundles: what a gang can spare and what breaks it", "[actions][gang]") {
  struct Case {
    std::string name, cluster;
    Names tasks, expect;
  };
  const Case c = GENERATE(values<Case>({
      {"its only pod is the whole gang",
       "node n cpu=9; job a min=1; task t job=a cpu=1 node=n",
       {"t"},
       {"whole t"}},
      {"lower priority goes first, as far as a role can spare it",
       "node n cpu=9; job a min=3 roles=worker:3;"
       "task w1 job=a cpu=1 node=n role=worker prio=5; task w2 job=a cpu=1 node=n role=worker "
       "prio=4; task w3 job=a cpu=1 node=n role=worker prio=3; task w4 job=a cpu=1 node=n "
       "role=worker prio=2; task w5 job=a cpu=1 node=n role=worker prio=1",
       {"w1", "w2", "w3", "w4", "w5"},
       {"safe w5 w4", "whole w3 w2 w1"}},
      {"groups of sub-jobs bind beside the gang's own minimum",
       "node n cpu=9; job a min=4 group.g=2:2;"
       "task t1a job=a cpu=1 node=n sub=g/1; task t1b job=a cpu=1 node=n sub=g/1;"
       "task t2a job=a cpu=1 node=n sub=g/2; task t2b job=a cpu=1 node=n sub=g/2;"
       "task t3a job=a cpu=1 node=n sub=g/3; task t3b job=a cpu=1 node=n sub=g/3",
       {"t1a", "t2a", "t3a"},
       {"safe t1a", "whole t2a t3a"}},
      {"a sub-job with members to spare stays ready without one",
       "node n cpu=9; job a min=2 group.g=1:2;"
       "task t1a job=a cpu=1 node=n sub=g/1; task t1b job=a cpu=1 node=n sub=g/1;"
       "task t2a job=a cpu=1 node=n sub=g/2",
       {"t1a", "t1b", "t2a"},
       {"safe t1a", "whole t1b t2a"}},
      {"a role without surplus is not touched though the gang has some",
       "node n cpu=9; job a min=3 roles=master:1,worker:2;"
       "task m1 job=a cpu=1 node=n role=master; task m2 job=a cpu=1 node=n role=master;"
       "task w1a job=a cpu=1 node=n role=worker; task w1b job=a cpu=1 node=n role=worker",
       {"m1", "w1a"},
       {"safe m1", "whole w1a"}},
      {"of a sub-job that is not whole anyway nothing is kept",
       "node n cpu=9; job a min=2 group.g=2:1;"
       "task t1a job=a cpu=1 node=n sub=g/1; task t1b job=a cpu=1 node=n sub=g/1;"
       "task t2a job=a cpu=1 node=n sub=g/2",
       {"t1a", "t2a"},
       {"safe t2a", "whole t1a"}},
      {"a job below its minimum has no gang to keep",
       "node n cpu=9; job a min=3; task t1 job=a cpu=1 node=n; task t2 job=a cpu=1 node=n",
       {"t1", "t2"},
       {"safe t1 t2"}},
      {"minimums of roles do not bind beyond the gang's own",
       "node n cpu=9; job a min=2 roles=worker:4;"
       "task t1 job=a cpu=1 node=n role=worker; task t2 job=a cpu=1 node=n role=worker;"
       "task t3 job=a cpu=1 node=n role=worker; task t4 job=a cpu=1 node=n role=worker",
       {"t1", "t2", "t3", "t4"},
       {"safe t1 t2", "whole t3 t4"}},
  }));
  CAPTURE(c.name);
  BundleBed bed(c.cluster);
  CHECK(bed.Text(bed.Of("a", c.tasks)) == c.expect);
}

TEST_CASE("gang bundles: what is approved in part shrinks, or goes", "[actions][gang]") {
  BundleBed bed(
      "node n cpu=9; job a min=1; task t1 job=a cpu=1 node=n; task t2 job=a cpu=1 node=n;"
      "task t3 job=a cpu=1 node=n");
  struct Case {
    Names approved, expect, whole_gangs;
  };
  const Case c = GENERATE(values<Case>({
      {{"t1"}, {"safe t1"}, {"safe t1"}},
      {{"t3"}, {"whole t3"}, {}},
      {{"t1", "t3"}, {"safe t1", "whole t3"}, {"safe t1"}},
      {{"t1", "t2", "t3"}, {"safe t1 t2", "whole t3"}, {"safe t1 t2", "whole t3"}},
      {{}, {}, {}},
  }));
  CAPTURE(c.approved);
  std::vector<Bundle> bundles = bed.Of("a", {"t1", "t2", "t3"});
  KeepApproved(bed.bed.session(), bed.bed.TasksNamed(c.approved), bundles);
  CHECK(bed.Text(bundles) == c.expect);
  for (const Bundle& bundle : bundles) {
    CHECK(bundle.local[0] == 1000 * static_cast<int64_t>(bundle.tasks.size()));
  }
  // What would leave a part of a gang behind is not done.
  DropHalfGangs(bed.bed.session(), bundles);
  CHECK(bed.Text(bundles) == c.whole_gangs);
}

TEST_CASE("gang bundles: order", "[actions][gang]") {
  BundleBed bed(
      "node n cpu=99; queue q1; queue q2; queue own; job gang queue=own prio=9;"
      "job low queue=q1 prio=1 min=2; task low-0 job=low cpu=2 node=n; task low-1 job=low cpu=2 "
      "node=n; job mid queue=q1 prio=2 min=1; task mid-0 job=mid cpu=2 node=n;"
      "job late queue=q2 prio=1 min=1; task late-0 job=late cpu=4 node=n;"
      "job rich queue=q2 prio=1 min=0; task rich-0 job=rich cpu=1 node=n");
  const auto all = [&bed] {
    std::vector<Bundle> bundles;
    for (const auto& [job, tasks] :
         std::vector<std::pair<std::string, Names>>{{"low", {"low-0", "low-1"}},
                                                    {"late", {"late-0"}},
                                                    {"mid", {"mid-0"}},
                                                    {"rich", {"rich-0"}}}) {
      for (Bundle& bundle : bed.Of(job, tasks)) bundles.push_back(std::move(bundle));
    }
    return bundles;
  };
  Claim claim{.job = bed.bed.world().job("gang")};
  claim.need[0] = 2000;
  std::vector<Bundle> bundles = all();
  SortBundles(bed.bed.session(), claim, bundles);
  // The job ordered last goes first: lower priority, then the younger.
  CHECK(bed.Text(bundles) ==
        Names{"safe rich-0", "whole late-0", "whole low-0 low-1", "whole mid-0"});
  claim.kind = EvictionContext::Kind::kGangReclaim;
  bundles = all();
  SortBundles(bed.bed.session(), claim, bundles);
  // The younger queue goes first; inside a queue who gives more for what is lost.
  CHECK(bed.Text(bundles) ==
        Names{"safe rich-0", "whole late-0", "whole mid-0", "whole low-0 low-1"});
}

TEST_CASE("gang bundles: equal gangs of one queue go by their UIDs", "[actions][gang]") {
  BundleBed bed(
      "node n cpu=99; queue q; queue own; job gang queue=own;"
      "job b queue=q min=1; task b-0 job=b cpu=1 node=n; job a queue=q min=1; task a-0 job=a cpu=1 "
      "node=n; job c queue=q min=1; task c-0 job=c cpu=1 node=n");
  Claim claim{.kind = EvictionContext::Kind::kGangReclaim, .job = bed.bed.world().job("gang")};
  claim.need[0] = 1000;
  std::vector<Bundle> bundles;
  for (const std::string job : {"c", "a", "b"}) {
    for (Bundle& bundle : bed.Of(job, {job + "-0"})) bundles.push_back(std::move(bundle));
  }
  SortBundles(bed.bed.session(), claim, bundles);
  CHECK(bed.Text(bundles) == Names{"whole a-0", "whole b-0", "whole c-0"});
}

TEST_CASE("gang bundles: what is given over what is lost", "[actions][gang]") {
  Bundle bundle{.whole = true};
  model::ResourceVec need;
  need[0] = 1000;
  bundle.local[0] = 3000;
  bundle.global[0] = 4000;
  CHECK(ReturnOf(bundle, need) == 0.25);  // No more is given than is needed.
  bundle.global[0] = 2000;
  CHECK(ReturnOf(bundle, need) == 0.5);
  bundle.global[0] = 0;
  CHECK(std::isinf(ReturnOf(bundle, need)));
}

TEST_CASE("gang pending: all sub-jobs at start, one at a time later", "[actions][gang]") {
  const auto pending = [](std::string_view cluster) {
    PluginBed bed(Builtins(), MakePolicy("gangpreempt", "gang,priority"), MakeWorld(cluster));
    Names names;
    for (const auto& part :
         actions::gang_eviction::PendingPartsOf(bed.session(), bed.world().job("a"))) {
      for (const std::string& name : bed.NamesOf(part.tasks)) names.push_back(name);
    }
    return names;
  };
  CHECK(pending("node n cpu=9; job a min=2 group.g=1:1; task t1 job=a cpu=1 sub=g/1;"
                "task t2 job=a cpu=1 sub=g/2") == Names{"t1", "t2"});
  CHECK(pending("node n cpu=9; job a min=1 group.g=1:1; task t0 job=a cpu=1 sub=g/0 node=n;"
                "task t1 job=a cpu=1 sub=g/1; task t2 job=a cpu=1 sub=g/2") == Names{"t1"});
  CHECK(pending("node n cpu=9; job a min=2; task t1 job=a cpu=1 gated;"
                "task t2 job=a cpu=1 owngate")
            .empty());
}

TEST_CASE("gang plan: idle room before room that is being left, and trials leave no trace",
          "[actions][gang]") {
  const World world = MakeWorld(
      "node n1 cpu=1; node n2 cpu=1; job low prio=1 min=0; task low-0 job=low cpu=1 node=n2;"
      "job gang prio=9 min=2; task gang-0 job=gang cpu=1 nominated=n2; task gang-1 job=gang cpu=1");
  const auto outcome =
      RunCycle(Builtins(), MakePolicy("gangpreempt", "gang,priority,predicates,nodeorder"), world);
  CHECK(outcome.evictions == std::set<std::string>{"low-0"});
  // A nomination is neither a short cut nor a bond.
  CHECK(outcome.pipelined ==
        std::map<std::string, std::string>{{"gang-0", "n1"}, {"gang-1", "n2"}});

  const World hopeless = MakeWorld(
      "node n1 cpu=2; job low prio=1 min=0; task low-0 job=low cpu=1 node=n1;"
      "task low-1 job=low cpu=1 node=n1; job gang prio=9 min=2; task gang-0 job=gang cpu=1;"
      "task gang-1 job=gang cpu=1 select.disk=none");
  PluginBed bed(Builtins(), MakePolicy("gangpreempt", "gang,priority,predicates"), hopeless);
  const uint64_t before = bed.session().placements().Digest();
  const auto action = Builtins().actions.at("gangpreempt")(MakeArguments("{}"));
  REQUIRE(action.ok());
  REQUIRE((*action)->Execute(bed.session()).ok());
  CHECK(bed.session().placements().Digest() == before);
  const auto& searches = bed.session().notes().VictimSearchesOf(hopeless.job("gang"));
  REQUIRE(searches.size() == 1);
  CHECK(searches[0].task == hopeless.task("gang-0"));
  CHECK(searches[0].Text() ==
        "gangpreempt: evicting all that may be evicted would not make room for 2 pods together");
}

TEST_CASE("gangreclaim: who cannot go whole does not keep others from it", "[actions][gang]") {
  struct Case {
    std::string name, victims;
    std::set<std::string> evictions;
  };
  // other holds eight CPUs and deserves six, mine four; two are idle.
  const Case c = GENERATE(values<Case>({
      {"a gang beyond what the queue may lose, and a small one behind it",
       "job v1 queue=other min=4 tasks=4 cpu=1 node=n1; job v2 queue=other min=2 tasks=2 cpu=1 "
       "node=n1",
       {"v2-0", "v2-1"}},
      {"two gangs that are too large",
       "job v1 queue=other min=3 tasks=3 cpu=1 node=n1; job v2 queue=other min=3 tasks=3 cpu=1 "
       "node=n1",
       {}},
      {"a gang of which a pod must stay",
       "job v1 queue=other min=4 tasks=3 cpu=1 node=n1; task v1-3 job=v1 cpu=1 node=n1 critical;"
       "job v2 queue=other min=2 tasks=2 cpu=1 node=n1",
       {"v2-0", "v2-1"}},
  }));
  CAPTURE(c.name);
  const auto outcome =
      RunCycle(Builtins(), MakePolicy("gangreclaim", "conformance,gang,proportion"),
               MakeWorld("node n1 cpu=10; queue other weight=3; queue mine weight=2;"
                         "job w queue=other min=2 tasks=2 cpu=1 node=n1 fixed;" +
                         c.victims + "; job gang queue=mine min=4 tasks=4 cpu=1"));
  CHECK(outcome.evictions == c.evictions);
  CHECK(outcome.pipelined.size() == (c.evictions.empty() ? 0 : 4));
}

// Lets nobody of priority 0 go, and of the others the first so many; counts how often it is asked.
class Withholder final : public framework::Plugin {
 public:
  Withholder(size_t most, size_t* asked) : most_(most), asked_(asked) {}
  std::string_view name() const override { return "withholder"; }
  framework::AnswerSources answers_follow() const override { return 0; }
  absl::Status OnSessionOpen(framework::Session& session,
                             framework::HookRegistrar& hooks) override {
    hooks.UnifiedEvictable(
        [this, &session](const EvictionContext&, absl::Span<const TaskId> candidates) {
          ++*asked_;
          framework::Verdict verdict{.vote = framework::Vote::kPermit};
          for (TaskId task : candidates) {
            const bool goes = session.task(task).priority > 0 && verdict.victims.size() < most_;
            if (goes) verdict.victims.push_back(task);
          }
          return verdict;
        });
    return absl::OkStatus();
  }

 private:
  const size_t most_;
  size_t* const asked_;
};

TEST_CASE("gangpreempt: gangs whose surplus is withheld are left out together", "[actions][gang]") {
  constexpr size_t kGangs = 20;
  struct Case {
    std::string name;
    int needed;  // CPUs.
    std::set<std::string> evictions;
  };
  const Case c = GENERATE(values<Case>({
      {"they use up what another one may have", 2, {"v-0", "v-1"}},
      {"nobody else gives enough", 3, {}},
  }));
  CAPTURE(c.name);
  size_t asked = 0;
  framework::Registry registry = Builtins();
  registry.plugins["withholder"] =
      [&asked](const conf::Arguments&) -> absl::StatusOr<std::unique_ptr<framework::Plugin>> {
    return std::make_unique<Withholder>(2, &asked);
  };
  // The younger go first: v is the last one.
  std::string cluster =
      StrCat("node n cpu=", 2 * kGangs + 2, "; job v prio=1 min=2 tasks=2 cpu=1 node=n taskprio=1");
  for (size_t i = 0; i < kGangs; ++i) {
    const std::string job = StrCat("g", i);
    StrAppend(&cluster, "; job ", job, " prio=1 min=1; task ", job, "-0 job=", job,
              " cpu=1 node=n prio=0; task ", job, "-1 job=", job, " cpu=1 node=n prio=1");
  }
  StrAppend(&cluster, "; job gang prio=9 min=", c.needed, " tasks=", c.needed, " cpu=1");
  const auto outcome =
      RunCycle(registry, MakePolicy("gangpreempt", "gang,priority,predicates,withholder"),
               MakeWorld(cluster));
  CHECK(outcome.evictions == c.evictions);
  CHECK(asked < 2 * kGangs);
}

}  // namespace
}  // namespace bth::test
