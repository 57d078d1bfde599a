// What scenarios cannot say: plugins of their own, arguments, and the least of steps.
#include "absl/strings/match.h"
#include "actions/builtin.h"
#include "actions/eviction/plan.h"
#include "actions/eviction/search.h"
#include "actions/factories.h"
#include "base/strings.h"
#include "plugins/builtin.h"
#include "tests/support/catch.h"
#include "tests/support/plugin_bed.h"

namespace bth::test {
namespace {

using framework::HookRegistrar;
using framework::Session;
using model::NodeId;
using model::NodeRange;
using model::TaskId;
using model::TaskStatus;

using NameSet = std::set<std::string>;
using Open = std::function<void(Session&, HookRegistrar&)>;

class TestPlugin final : public framework::Plugin {
 public:
  explicit TestPlugin(Open open) : open_(std::move(open)) {}
  std::string_view name() const override { return "test"; }
  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    open_(session, hooks);
    return absl::OkStatus();
  }

 private:
  const Open open_;
};

// The compiled-in ones, and `test`, which does what `open` says.
framework::Registry WithPlugin(Open open) {
  framework::Registry registry;
  plugins::RegisterBuiltinPlugins(registry);
  actions::RegisterBuiltinActions(registry);
  registry.plugins["test"] =
      [open](const conf::Arguments&) -> absl::StatusOr<std::unique_ptr<framework::Plugin>> {
    return std::make_unique<TestPlugin>(open);
  };
  return registry;
}

framework::Registry IdleTestPlugin() {
  return WithPlugin([](Session&, HookRegistrar&) {});
}

TEST_CASE("shuffle: what plugins of the first tier with an answer name is evicted",
          "[actions][shuffle]") {
  const auto named = [](std::string suffix) {
    return [suffix](Session& session, HookRegistrar& hooks) {
      hooks.VictimTasks([&session, suffix](absl::Span<const TaskId> running) {
        std::vector<TaskId> victims;
        for (TaskId task : running) {
          const std::string& name = session.task(task).names->name;
          if (name.ends_with(suffix)) victims.push_back(task);
        }
        return victims;
      });
    };
  };
  const World world = MakeWorld(
      "node n1 cpu=9; job a; job b; job c;"
      "task a-1 job=a node=n1 cpu=1 prio=1; task a-2 job=a node=n1 cpu=1 prio=9;"
      "task b-1 job=b node=n1 cpu=1 prio=1; task b-2 job=b node=n1 cpu=1 prio=9;"
      "task c-1 job=c node=n1 cpu=1 prio=1; task c-3 job=c node=n1 cpu=1 prio=9 status=bound");
  CHECK(RunCycle(WithPlugin(named("-1")), MakePolicy("shuffle", "gang,test"), world).evictions ==
        NameSet{"a-1", "b-1", "c-1"});
  CHECK(RunCycle(WithPlugin(named("-3")), MakePolicy("shuffle", "gang,test"), world).evictions ==
        NameSet{});  // Not running yet.
  CHECK(RunCycle(WithPlugin(named("-1")), MakePolicy("shuffle", "gang,test!enabledVictim"), world)
            .evictions == NameSet{});
}

TEST_CASE("preempt: filters are asked again after each eviction", "[actions][preempt]") {
  // The preemptor goes nowhere near a pod that is not leaving.
  const Open apart = [](Session& session, HookRegistrar& hooks) {
    const framework::ReasonId near =
        session.reasons().Register(framework::FitCode::kUnschedulable, "near the victim");
    hooks.FilterGlobal(
        [&session, near](TaskId task, NodeRange block, absl::Span<framework::ReasonId> out) {
          if (session.task(task).names->name != "preemptor") return;
          for (TaskId other : session.base().tasks.ids()) {
            const model::TaskState& state = session.state(other);
            if (session.task(other).names == nullptr || state.status != TaskStatus::kRunning) {
              continue;
            }
            for (NodeId node : block) {
              if (state.node == node) out[block.Offset(node)] = near;
            }
          }
        });
  };
  const World world = MakeWorld(
      "node n1 cpu=4; job low prio=1 min=0; task victim job=low cpu=1 node=n1;"
      "job high prio=9 min=1; task preemptor job=high cpu=1");
  const CycleOutcome outcome =
      RunCycle(WithPlugin(apart), MakePolicy("preempt", "conformance,gang,priority,test"), world);
  CHECK(outcome.evictions == NameSet{"victim"});
  CHECK(outcome.pipelined == std::map<std::string, std::string>{{"preemptor", "n1"}});
}

TEST_CASE("preempt: a node that a filter refuses for good is not emptied", "[actions][preempt]") {
  const Open never = [](Session& session, HookRegistrar& hooks) {
    const framework::ReasonId no =
        session.reasons().Register(framework::FitCode::kUnresolvable, "not this one");
    hooks.FilterUsage([no](model::ShapeId, NodeRange block, absl::Span<framework::ReasonId> out) {
      for (NodeId node : block) out[block.Offset(node)] = no;
    });
  };
  const World world = MakeWorld(
      "node n1 cpu=1; job low prio=1 min=0; task victim job=low cpu=1 node=n1;"
      "job high prio=9 min=1; task preemptor job=high cpu=1");
  const CycleOutcome outcome =
      RunCycle(WithPlugin(never), MakePolicy("preempt", "conformance,gang,priority,test"), world);
  CHECK(outcome.evictions.empty());
}

TEST_CASE("preempt: what a filter says that refuses all the same, or for good, is told",
          "[actions][preempt]") {
  struct Case {
    std::string name;
    framework::FitCode code;
    std::string words;
  };
  const Case c = GENERATE(values<Case>({
      {"whoever leaves", framework::FitCode::kUnresolvable,
       "preempt: no candidates; no eviction helps: 1 not this one"},
      {"with all victims gone", framework::FitCode::kUnschedulable,
       "preempt: 1 candidate on 1 node; refused all the same by 1 node; they say: 1 not this one"},
  }));
  CAPTURE(c.name);
  const framework::Registry registry = WithPlugin([&c](Session& session, HookRegistrar& hooks) {
    const framework::ReasonId no = session.reasons().Register(c.code, "not this one");
    hooks.FilterUsage([no](model::ShapeId, NodeRange block, absl::Span<framework::ReasonId> out) {
      for (NodeId node : block) out[block.Offset(node)] = no;
    });
  });
  PluginBed bed(registry, MakePolicy("preempt", "conformance,gang,priority,test"),
                MakeWorld("node n1 cpu=1; job low prio=1 min=0; task victim job=low cpu=1 node=n1;"
                          "job high prio=9 min=1; task preemptor job=high cpu=1"));
  const auto action = registry.actions.at("preempt")(MakeArguments("{}"));
  REQUIRE((*action)->Execute(bed.session()).ok());
  const auto& searches = bed.session().notes().VictimSearchesOf(bed.world().job("high"));
  REQUIRE(searches.size() == 1);
  CHECK(searches[0].Text() == c.words);
}

TEST_CASE("preempt: a plan that the sink refuses is told", "[actions][preempt]") {
  const framework::Registry registry = IdleTestPlugin();
  PluginBed bed(registry, MakePolicy("preempt", "conformance,gang,priority"),
                MakeWorld("node n1 cpu=1; job low prio=1 min=0; task victim job=low cpu=1 node=n1;"
                          "job high prio=9 min=1; task preemptor job=high cpu=1"));
  bed.sink().answer = absl::ResourceExhaustedError("too many effects wait");
  const auto action = registry.actions.at("preempt")(MakeArguments("{}"));
  REQUIRE((*action)->Execute(bed.session()).ok());
  const auto& searches = bed.session().notes().VictimSearchesOf(bed.world().job("high"));
  REQUIRE(searches.size() == 1);
  CHECK(searches[0].Text() == "preempt: plan dropped: too many effects wait");
  CHECK(bed.session().state(bed.world().task("victim")).status == TaskStatus::kRunning);
}

TEST_CASE("preempt: arguments", "[actions][preempt]") {
  struct Case {
    std::string yaml;
    size_t findings;
  };
  const Case c = GENERATE(values<Case>({
      {"{}", 0},
      {"{enableTopologyAwarePreemption: true, topologyAwarePreemptWorkerNum: 4,"
       " minCandidateNodesPercentage: 50, minCandidateNodesAbsolute: 2,"
       " maxCandidateNodesAbsolute: 10, predicateErrorCacheEnable: false}",
       2},
      {"{topologyAwarePreemptWorkerNum: 16, predicateErrorCacheEnable: true}", 0},
      {"{minCandidateNodesPercentage: 101}", 1},
      {"{minCandidateNodesPercentage: -1}", 1},
      {"{enableTopologyAwarePreemtion: true}", 1},
      {"{maxCandidateNodesAbsolute: many}", 1},
  }));
  CAPTURE(c.yaml);
  const conf::Arguments arguments = MakeArguments(c.yaml);
  REQUIRE(actions::CreatePreempt(arguments).ok());
  CHECK(arguments.Findings().size() == c.findings);
}

TEST_CASE("comparison: how many nodes are compared", "[actions][preempt]") {
  using actions::eviction::Comparison;
  struct Case {
    Comparison comparison;
    int64_t nodes, wanted;
  };
  const Case c = GENERATE(values<Case>({
      {{}, 1000, 100},
      {{}, 5000, 100},
      {{}, 50, 5},
      {{}, 5, 1},
      {{.percentage = 10, .least = 20, .most = 100}, 50, 20},
      {{.percentage = 10, .least = 80, .most = 100}, 50, 50},
      {{.percentage = 0, .least = 0, .most = 0}, 50, 1},
  }));
  CAPTURE(c.nodes, c.wanted);
  CHECK(c.comparison.Wanted(c.nodes) == c.wanted);
}

// `nodes` full nodes of 8 CPUs with eight pods of a low job each, and what `more` says.
World FullNodes(int nodes, std::string_view more) {
  std::string text(more);
  for (int i = 0; i < nodes; ++i) {
    StrAppend(&text, ";node n", i, " cpu=8;job low", i, " prio=1 min=0");
    for (int p = 0; p < 8; ++p) {
      StrAppend(&text, ";task low", i, "-", p, " job=low", i, " cpu=1 node=n", i);
    }
  }
  return MakeWorld(text);
}

TEST_CASE("preempt: plugins are asked about no more nodes than needed", "[actions][preempt]") {
  constexpr int kNodes = 1000;
  struct Case {
    std::string name, jobs;
    size_t evictions;
    int questions;  // At most.
  };
  const Case c = GENERATE(values<Case>({
      {"a gang of 250", "job gang prio=9 min=250 tasks=250 cpu=4", 1000, 250},
      {"nobody may be evicted", "job equal prio=1 min=1 tasks=1 cpu=4", 0, 2 * kNodes},
      {"a second job like the first is not searched for again",
       "job equal prio=1 min=1 tasks=1 cpu=4;job equal2 prio=1 min=1 tasks=1 cpu=4;"
       "job bigger prio=1 min=1 tasks=1 cpu=5",
       0, 2 * kNodes},
      {"no node would do with all evicted", "job huge prio=9 min=1 tasks=1 cpu=9", 0, 0},
  }));
  CAPTURE(c.name);
  int questions = 0;
  const framework::Registry registry = WithPlugin([&questions](Session&, HookRegistrar& hooks) {
    hooks.Preemptable([&questions](TaskId, absl::Span<const TaskId> candidates) {
      ++questions;
      return framework::Verdict{.vote = framework::Vote::kPermit,
                                .victims = {candidates.begin(), candidates.end()}};
    });
  });
  const CycleOutcome outcome =
      RunCycle(registry, MakePolicy("preempt", "test,priority,gang;predicates,nodeorder"),
               FullNodes(kNodes, c.jobs));
  CHECK(outcome.evictions.size() == c.evictions);
  CHECK(questions <= c.questions);
}

TEST_CASE("plan: an eviction that nobody needs is taken back", "[actions][eviction]") {
  const framework::Registry registry = IdleTestPlugin();
  PluginBed bed(registry, MakePolicy("", "gang"),
                MakeWorld("node n cpu=4; job v min=0; task a job=v cpu=1 node=n;"
                          "task b job=v cpu=3 node=n; job w min=1; task t job=w cpu=3;"
                          "task u job=w cpu=1"));
  Session& session = bed.session();
  const TaskId a = bed.world().task("a");
  const TaskId b = bed.world().task("b");
  const TaskId t = bed.world().task("t");
  const TaskId u = bed.world().task("u");
  const NodeId node = bed.world().node("n");
  const uint64_t before = session.placements().Digest();
  const auto fits = [&session](TaskId task, NodeId at) {
    return session.request(task).FitsIn(session.usage().FutureIdle(at));
  };
  {
    actions::eviction::Plan plan(session, "preempt");
    plan.Evict(a, t);
    plan.Evict(b, t);
    plan.Pipeline(t, node);
    plan.Spare({}, fits);
    CHECK(plan.VictimsSince({}) == std::vector<TaskId>{b});
    CHECK(session.state(a).status == TaskStatus::kRunning);
    CHECK(session.state(t).evicts);
  }
  CHECK(session.placements().Digest() == before);  // Nothing was committed.
  {
    actions::eviction::Plan plan(session, "preempt");
    plan.Evict(a, u);
    plan.Pipeline(u, node);
    plan.Evict(b, t);
    plan.Pipeline(t, node);
    plan.Spare({}, fits);
    CHECK(plan.VictimsSince({}) == std::vector<TaskId>{a, b});
    plan.RollbackTo({});
    // The second one makes room for both.
    plan.Evict(a, t);
    plan.Evict(b, t);
    plan.Pipeline(u, node);
    plan.Spare({}, fits);
    CHECK(plan.VictimsSince({}) == std::vector<TaskId>{a});
    REQUIRE(plan.Commit().ok());
  }
  CHECK(session.state(a).status == TaskStatus::kReleasing);
  CHECK(session.state(b).status == TaskStatus::kRunning);
  REQUIRE(bed.sink().batches.size() == 1);
  CHECK(bed.sink().batches[0].evictions.size() == 1);
}

TEST_CASE("search: of many who could demand their room back three are named",
          "[actions][eviction]") {
  std::string cluster = "node n cpu=9";
  for (int i = 0; i < 5; ++i) StrAppend(&cluster, "; job j", i, " min=0");
  PluginBed bed(IdleTestPlugin(), MakePolicy("", "gang"), MakeWorld(cluster));
  actions::eviction::RivalCounts rivals;
  for (int i = 4; i >= 0; --i) rivals.Add(bed.world().job(StrCat("j", i)), i + 1);
  rivals.Add(bed.world().job("j0"));
  framework::VictimSearch::Counts counts;
  rivals.Render(bed.session(), /*by_queue=*/false, &counts);
  std::vector<std::string> words;
  for (const auto& [who, pods] : counts) words.push_back(StrCat(pods, " to ", who));
  REQUIRE(words.size() == 4);
  CHECK(absl::StartsWith(words[0], "2 to job "));
  CHECK(words.back() == "9 to other jobs");
}

TEST_CASE("search: who is evicted first", "[actions][eviction]") {
  PluginBed bed(IdleTestPlugin(), MakePolicy("", "priority,gang"),
                MakeWorld("node n cpu=9; queue q1; queue q2;"
                          "job low queue=q1 prio=1 min=0; task l1 job=low node=n prio=5;"
                          "task l2 job=low node=n prio=1; job mid queue=q1 prio=5 min=0;"
                          "task m job=mid node=n prio=0; job far queue=q2 prio=9 min=0;"
                          "task f job=far node=n prio=9; job me queue=q1 prio=9 min=1;"
                          "task t job=me cpu=1"));
  const auto before = [&bed](std::string_view left, std::string_view right) {
    return actions::eviction::EvictedBefore(bed.session(), bed.world().task("t"),
                                            bed.world().task(left), bed.world().task(right));
  };
  CHECK(before("l2", "l1"));  // Of one job the lower task.
  CHECK_FALSE(before("l1", "l2"));
  CHECK(before("l1", "m"));  // The lower job, whatever the tasks.
  CHECK_FALSE(before("m", "l1"));
  CHECK(before("f", "l1"));  // The later queue.
  CHECK_FALSE(before("l1", "f"));
}

}  // namespace
}  // namespace bth::test
