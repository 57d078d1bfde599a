// numa-aware: who may go where, what it gets, and where it goes best.
#include <string>
#include <vector>

#include "base/rng.h"
#include "base/strings.h"
#include "framework/nodes/node_picker.h"
#include "framework/session/statement.h"
#include "tests/plugins/fixtures.h"
#include "tests/support/numa_text.h"
#include "tests/support/seeds.h"
#include "tests/support/slow_numa.h"
#include "tests/support/slow_pick.h"

namespace bth::test {
namespace {

using framework::Session;
using model::NodeId;
using model::TaskId;

// What the only usage filter says; empty: the node takes the task.
std::string ReasonOn(PluginBed& bed, const std::string& task, const std::string& node) {
  const NodeId id = bed.world().node(node);
  framework::ReasonId reason = framework::kFits;
  bed.session().hooks().usage_filter[0].fn(bed.session().task(bed.world().task(task)).shape,
                                           model::NodeRange(id.index(), id.index() + 1),
                                           absl::Span<framework::ReasonId>(&reason, 1));
  return bed.session().reasons().text(reason);
}

TEST_CASE("numa-aware: why a node is none", "[plugins][numa]") {
  struct Case {
    std::string node, task, expect;
  };
  const std::string restricted = "numa=restricted layout=4|4";
  const Case c = GENERATE_COPY(values<Case>({
      // With a policy of its own.
      {"", "own=2 policy=restricted", "numa info is empty"},
      {restricted + " shared", "own=2 policy=restricted", "cpu manager policy isn't static"},
      {restricted, "own=2 policy=best-effort",
       "task topology policy[best-effort] is different with node[restricted]"},
      {"numa=restricted", "own=2 policy=restricted", "no topo information"},
      {restricted + " free=", "own=2 policy=restricted", "cpu allocatable map is empty"},
      {restricted + " free=2-5", "own=4 policy=restricted",
       "container c0 cannot be assigned by numa"},
      {"numa=single-numa-node layout=4|4", "own=3|2|3 policy=single-numa-node",
       "container c2 cannot be assigned by numa"},
      {restricted, "own=4|4 policy=restricted", ""},
      {restricted, "own=0 policy=restricted", ""},
      {"numa=best-effort layout=4|4 free=2-5", "own=4 policy=best-effort", ""},
      // Without one the node's holds, where it gives CPUs out.
      {"", "own=2", ""},
      {restricted + " shared free=", "own=2", ""},
      {"numa=none layout=4|4 free=", "own=2", ""},
      {restricted + " free=2-5", "own=4", "container c0 cannot be assigned by numa"},
      {restricted + " free=", "own=1", "container c0 cannot be assigned by numa"},
      {restricted + " free=0-3", "own=4", ""},
      // Not of class Guaranteed.
      {restricted + " free=", "", ""},
  }));
  CAPTURE(c.node, c.task);
  PluginBed bed =
      Bed("numa-aware", "node n cpu=8 " + c.node + "; job j; task t job=j cpu=2 " + c.task);
  CHECK(ReasonOn(bed, "t", "n") == c.expect);
}

TEST_CASE("numa-aware: evictions help against no reason of it", "[plugins][numa]") {
  PluginBed bed = Bed("numa-aware",
                      "node n cpu=8 numa=restricted layout=4|4 free=2-5; node m cpu=8; job j;"
                      "task t job=j own=4 policy=restricted");
  const TaskId task = bed.world().task("t");
  const framework::NodeJudge& judge = bed.session().picker().judge();
  const auto code = [&](const char* node) {
    return bed.session().reasons().code(judge.BeyondHelp(task, bed.world().node(node)));
  };
  CHECK(code("n") == framework::FitCode::kUnresolvable);
  CHECK(code("m") == framework::FitCode::kError);
}

TEST_CASE("numa-aware: what one task gets counts at once, and is undone with it",
          "[plugins][numa]") {
  PluginBed bed = Bed("numa-aware",
                      "node n cpu=8 numa=single-numa-node layout=4|4; job j min=3;"
                      "task a job=j own=3; task b job=j own=3; task c job=j own=2");
  Session& session = bed.session();
  framework::Statement statement(session, "test");
  const auto place = [&](const char* task) {
    statement.Allocate(bed.world().task(task), bed.world().node("n"));
  };
  const auto given = [&](const char* task) {
    return session.votes().CpuPlanOf(bed.world().task(task));
  };
  place("a");
  REQUIRE(given("a") != nullptr);
  CHECK(*given("a") == ReadCpus("0-2"));
  CHECK(ReasonOn(bed, "c", "n") == "");
  const framework::Statement::Mark mark = statement.Checkpoint();
  place("b");
  CHECK(*given("b") == ReadCpus("4-6"));
  CHECK(ReasonOn(bed, "c", "n") == "container c0 cannot be assigned by numa");
  statement.RollbackTo(mark);
  CHECK(given("b") == nullptr);
  CHECK(ReasonOn(bed, "c", "n") == "");
  place("c");
  CHECK(*given("c") == ReadCpus("4-5"));
}

TEST_CASE("numa-aware: bindings carry the CPUs of their pods", "[plugins][numa]") {
  PluginBed bed = Bed("numa-aware",
                      "node n cpu=8 numa=restricted layout=4|4; node m cpu=8; job j min=2;"
                      "task a job=j own=3; task b job=j own=0 policy=restricted; task c job=j");
  framework::Statement statement(bed.session(), "test");
  for (const char* task : {"a", "b", "c"}) {
    statement.Allocate(bed.world().task(task), bed.world().node("n"));
  }
  REQUIRE(statement.Commit().ok());
  REQUIRE(bed.sink().batches.size() == 1);
  const auto& binds = bed.sink().batches[0].binds;
  REQUIRE(binds.size() == 3);
  REQUIRE(binds[0].cpus != nullptr);
  CHECK(*binds[0].cpus == ReadCpus("0-2"));
  CHECK(binds[1].cpus == nullptr);
  CHECK(binds[2].cpus == nullptr);
}

TEST_CASE("numa-aware: fewer NUMA nodes are better, to pods with a policy", "[plugins][numa]") {
  const char* const world =
      "node a cpu=8 numa=best-effort layout=4|4 free=2-5; node b cpu=8 numa=best-effort layout=4|4;"
      "node c cpu=8 numa=best-effort layout=2|2|2|2; job j;"
      "task t job=j cpu=4 own=4 policy=best-effort; task u job=j cpu=4 own=4; task v job=j cpu=4;"
      "task w job=j cpu=4 own=0 policy=best-effort";
  PluginBed bed = Bed("numa-aware", world, {{"numa-aware", "weight: 3"}});
  Session& session = bed.session();
  REQUIRE(session.hooks().global_score.size() == 1);
  const framework::GlobalScore& score = session.hooks().global_score[0].fn;
  const auto scores = [&](const char* task, const std::vector<NodeId>& nodes) {
    std::vector<double> sums(nodes.size(), 0.0);
    score(bed.world().task(task), nodes, absl::MakeSpan(sums));
    return sums;
  };
  const NodeId a = bed.world().node("a");
  const NodeId b = bed.world().node("b");
  CHECK(scores("t", {a, b}) == std::vector<double>{0, 150});
  CHECK(scores("t", {b}) == std::vector<double>{0});
  CHECK(scores("w", {a, b}) == std::vector<double>{300, 300});  // On none at all.
  CHECK(score.concerns(bed.world().task("t")));
  CHECK_FALSE(score.concerns(bed.world().task("u")));
  CHECK_FALSE(score.concerns(bed.world().task("v")));
  CHECK(session.picker().Pick(bed.world().task("t")).node == b);
  CHECK(Bed("numa-aware", world, {{"numa-aware", "weight: 0"}})
            .session()
            .hooks()
            .global_score.empty());
}

TEST_CASE("numa-aware: whom it does not concern keeps the index", "[plugins][numa]") {
  std::string world;
  for (int n = 0; n < 40; ++n) StrAppend(&world, "node n", n, " cpu=9;");
  PluginBed bed = Bed("numa-aware,predicates,nodeorder", world + "job j tasks=40 cpu=1 own=1");
  framework::Statement statement(bed.session(), "test");
  for (int t = 0; t < 40; ++t) {
    const TaskId task = bed.world().task(StrCat("j-", t));
    statement.Allocate(task, bed.session().picker().Pick(task).node);
  }
  CHECK(bed.session().picker().scans() == 1);
  CHECK(bed.session().picker().index_builds() == 1);
}

std::string RandomNuma(Rng& rng) {
  const std::vector<std::string> policies = {"none", "best-effort", "restricted",
                                             "single-numa-node"};
  const auto policy = [&] { return policies[rng.Below(policies.size())]; };
  std::string text;
  for (int64_t n = rng.Between(1, 5); n > 0; --n) {
    StrAppend(&text, "node n", n, " cpu=8");
    if (rng.Chance(0.8)) {
      StrAppend(&text, " numa=", policy(), " layout=", rng.Chance(0.5) ? "4|4" : "2|4|2");
      if (rng.Chance(0.5)) StrAppend(&text, " free=", rng.Below(4), "-", 4 + rng.Below(4));
      if (rng.Chance(0.3)) StrAppend(&text, " reserved=", rng.Below(3));
      if (rng.Chance(0.1)) StrAppend(&text, " shared");
    }
    StrAppend(&text, ";");
  }
  StrAppend(&text, "job j min=1;");
  for (int64_t t = rng.Between(0, 2); t > 0; --t) {
    StrAppend(&text, "task r", t, " job=j node=n1 cpu=2 own=", 1 + rng.Below(2), ";");
  }
  for (int64_t t = 0; t < 12; ++t) {
    StrAppend(&text, "task t", t, " job=j cpu=", rng.Between(1, 3));
    if (rng.Chance(0.8)) {
      StrAppend(&text, " own=", rng.Below(5), rng.Chance(0.3) ? "|1" : "");
      if (rng.Chance(0.6)) StrAppend(&text, " policy=", policies[1 + rng.Below(3)]);
    }
    StrAppend(&text, ";");
  }
  return text;
}

// What is given to whom, kept by sets of numbers; the rules from the specification.
class SlowNumaPlugin {
 public:
  explicit SlowNumaPlugin(const Session& session) : session_(session) {}

  const model::PodNuma* PodOf(TaskId task) const {
    const auto& extras = session_.base().constraints_of(session_.task(task).shape).extras;
    return extras == nullptr ? nullptr : extras->numa.get();
  }
  // Nothing: the node does not take it.
  std::optional<SlowNuma::Set> Answer(TaskId task, NodeId node) const {
    const model::PodNuma* pod = PodOf(task);
    const model::NodeNuma* numa = session_.base().nodes[node].numa.get();
    if (pod == nullptr) return SlowNuma::Set();
    const bool gives_out =
        numa != nullptr && numa->facts->static_cpus && numa->facts->topology_policy != "none";
    const SlowNuma::Set free = numa == nullptr ? SlowNuma::Set() : FreeOf(node);
    if (pod->policy.empty()) {
      if (!gives_out) return SlowNuma::Set();
    } else if (!gives_out || pod->policy != numa->facts->topology_policy || free.empty()) {
      return std::nullopt;
    }
    const SlowNuma::Fit fit = Machine(*numa).FitPod(numa->facts->topology_policy, free, pod->cpus);
    if (fit.refused >= 0) return std::nullopt;
    return fit.cpus;
  }
  int NumaNodes(TaskId task, NodeId node) const {
    const model::NodeNuma* numa = session_.base().nodes[node].numa.get();
    const auto cpus = Answer(task, node);
    return numa == nullptr || !cpus ? 0 : Machine(*numa).NumaNodesOf(*cpus);
  }
  void Place(TaskId task, NodeId node) {
    given_[task] = {node, Answer(task, node).value_or(SlowNuma::Set())};
  }
  void Remove(TaskId task) { given_.erase(task); }
  SlowNuma::Set GivenTo(TaskId task) const {
    const auto known = given_.find(task);
    return known == given_.end() ? SlowNuma::Set() : known->second.second;
  }

 private:
  static SlowNuma Machine(const model::NodeNuma& numa) {
    std::vector<SlowCpu> cpus;
    const auto& nodes = numa.facts->layout.numa_nodes;
    for (size_t n = 0; n < nodes.size(); ++n) {
      for (int c = 0; c < nodes[n].size(); ++c) {
        cpus.push_back({.numa = static_cast<int>(n), .socket = static_cast<int>(n), .core = c / 2});
      }
    }
    return SlowNuma(std::move(cpus), numa.facts->reserved_cpus);
  }
  SlowNuma::Set FreeOf(NodeId node) const {
    SlowNuma::Set free;
    session_.base().nodes[node].numa->free.ForEach([&free](int cpu) { free.insert(cpu); });
    for (const auto& [task, given] : given_) {
      if (given.first != node) continue;
      for (int cpu : given.second) free.erase(cpu);
    }
    return free;
  }

  const Session& session_;
  std::map<TaskId, std::pair<NodeId, SlowNuma::Set>> given_;
};

void CheckAgainst(const SlowNumaPlugin& twin, const Session& session) {
  const auto& filter = session.hooks().usage_filter[0].fn;
  const framework::GlobalScore& score = session.hooks().global_score[0].fn;
  const std::vector<NodeId>& nodes = *session.base().nodes_by_name;
  for (TaskId task : session.base().tasks.ids()) {
    CAPTURE(session.task(task).names->name);
    int most = 0;
    for (NodeId node : nodes) {
      framework::ReasonId reason = framework::kFits;
      filter(session.task(task).shape, model::NodeRange(node.index(), node.index() + 1),
             absl::Span<framework::ReasonId>(&reason, 1));
      REQUIRE((reason == framework::kFits) == twin.Answer(task, node).has_value());
      most = std::max(most, twin.NumaNodes(task, node));
    }
    SlowNuma::Set given;
    if (const auto plan = session.votes().CpuPlanOf(task); plan != nullptr) {
      plan->ForEach([&given](int cpu) { given.insert(cpu); });
    }
    REQUIRE(given == twin.GivenTo(task));
    const model::PodNuma* pod = twin.PodOf(task);
    REQUIRE(score.concerns(task) == (pod != nullptr && !pod->policy.empty()));
    if (!score.concerns(task)) continue;
    std::vector<double> sums(nodes.size(), 0.0);
    score(task, nodes, absl::MakeSpan(sums));
    for (size_t i = 0; i < nodes.size(); ++i) {
      const int share = most == 0 ? 0 : 100 * twin.NumaNodes(task, nodes[i]) / most;
      REQUIRE(sums[i] == 100 - share);
    }
  }
}

TEST_CASE("numa-aware: answers are those of the slow twin after each move and undo",
          "[plugins][numa][property]") {
  int placed = 0;
  ForEachSeed(200, [&](uint64_t seed) {
    CAPTURE(seed);
    Rng rng(seed);
    const World world = MakeWorld(RandomNuma(rng));
    PluginBed bed(Builtins(), MakePolicy("", "gang;numa-aware,predicates,nodeorder"), world);
    Session& session = bed.session();
    SlowNumaPlugin twin(session);
    CheckAgainst(twin, session);
    for (TaskId task : world.snapshot->tasks.ids()) {
      if (session.state(task).status == model::TaskStatus::kRunning) {
        // Its CPUs are free when it has left, and not before.
        framework::Statement statement(session, "test");
        statement.Evict(task, TaskId());
        CheckAgainst(twin, session);
        statement.RollbackTo({});
        CheckAgainst(twin, session);
        continue;
      }
      const framework::NodeChoice slow = PickSlowly(session, task);
      const framework::NodeChoice fast = session.picker().Pick(task);
      REQUIRE(fast.node == slow.node);
      if (!fast.node.valid()) continue;
      ++placed;
      framework::Statement statement(session, "test");
      twin.Place(task, fast.node);
      statement.Allocate(task, fast.node);
      CheckAgainst(twin, session);
      if (rng.Chance(0.7)) {
        statement.Keep();
      } else {
        twin.Remove(task);
        statement.RollbackTo({});
      }
      CheckAgainst(twin, session);
    }
  });
  CHECK((FewSeeds() || placed > 200));
}

}  // namespace
}  // namespace bth::test
