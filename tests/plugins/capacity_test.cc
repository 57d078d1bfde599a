#include "base/rng.h"
#include "base/strings.h"
#include "conf/load.h"
#include "framework/session/statement.h"
#include "metrics/registry.h"
#include "metrics/scheduler_metrics.h"
#include "plugins/capacity/queue_ledger.h"
#include "tests/plugins/fixtures.h"
#include "tests/plugins/snapshot_changes.h"
#include "tests/support/seeds.h"

namespace bth::test {
namespace {

using framework::EvictionContext;
using framework::Gate;
using framework::Vote;
using model::QueueId;

std::vector<std::string> QueueOrder(PluginBed& bed, std::vector<std::string> names) {
  std::sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return bed.session().votes().CompareQueues(bed.world().queue(a), bed.world().queue(b)) < 0;
  });
  return names;
}

TEST_CASE("capacity: priority, then share, then who deserves something", "[plugins][capacity]") {
  PluginBed bed = Bed("capacity", R"(
    node n cpu=20 mem=20Gi
    queue high prio=1 deserved.cpu=1
    queue none
    queue full deserved.cpu=2
    queue half deserved.cpu=4
    queue idle deserved.cpu=4
    job jn queue=none; task tn job=jn cpu=1 node=n
    job jf queue=full; task tf job=jf cpu=2 node=n
    job jh queue=half; task th job=jh cpu=2 node=n
    job hi queue=high; task ti job=hi cpu=9 node=n)");
  CHECK(QueueOrder(bed, {"none", "full", "half", "idle", "high"}) ==
        Names{"high", "idle", "half", "full", "none"});
  // No Overused and no Preemptable hook, and none for the order of victims without a tree.
  CHECK(bed.session().hooks().overused.empty());
  CHECK(bed.session().hooks().preemptable.empty());
  CHECK(bed.session().hooks().victim_queue_order.empty());
}

constexpr std::string_view kCousins = R"(
  node n cpu=100
  queue root
  queue a deserved.cpu=50
  queue b deserved.cpu=20
  queue a1 parent=a deserved.cpu=10
  queue a2 parent=a deserved.cpu=10
  queue b1 parent=b deserved.cpu=20
  job ja1 queue=a1; task ta1 job=ja1 cpu=9 node=n
  job ja2 queue=a2; task ta2 job=ja2 cpu=3 node=n
  job jb1 queue=b1; task tb1 job=jb1 cpu=10 node=n; task more job=jb1 cpu=2)";

TEST_CASE("capacity: cousins stand as their branches do", "[plugins][capacity]") {
  // Shares: a 12/50, b 10/20; a1 9/10, a2 3/10, b1 10/20.
  PluginBed bed = Bed("capacity+enableHierarchy", kCousins);
  CHECK(QueueOrder(bed, {"b1", "a1", "a2"}) == Names{"a2", "a1", "b1"});
  // Leaves before others, whatever their shares.
  CHECK(QueueOrder(bed, {"a", "root", "b1", "b"})[0] == "b1");
  const auto& victims = bed.session().hooks().victim_queue_order[0].fn;
  const World& w = bed.world();
  CHECK(victims(w.queue("a1"), w.queue("b1"), w.queue("a2")) < 0);
  CHECK(victims(w.queue("b1"), w.queue("a1"), w.queue("a2")) > 0);
  CHECK(victims(w.queue("a1"), w.queue("a2"), w.queue("b1")) == 0);
}

TEST_CASE("capacity: the shares of branches follow each placement and its undoing",
          "[plugins][capacity]") {
  PluginBed bed = Bed("capacity+enableHierarchy", R"(
    node n cpu=100
    queue root
    queue a deserved.cpu=10
    queue b deserved.cpu=10
    queue a1 parent=a deserved.cpu=10
    queue b1 parent=b deserved.cpu=10
    job ja queue=a1; task ta job=ja cpu=4 node=n
    job jb queue=b1; task tb job=jb cpu=5 node=n
    task wait job=ja cpu=3)");
  CHECK(QueueOrder(bed, {"b1", "a1"}) == Names{"a1", "b1"});
  framework::Statement statement(bed.session(), "test");
  statement.Allocate(bed.world().task("wait"), bed.world().node("n"));
  CHECK(QueueOrder(bed, {"b1", "a1"}) == Names{"b1", "a1"});
  statement.RollbackTo({});
  CHECK(QueueOrder(bed, {"b1", "a1"}) == Names{"a1", "b1"});
}

TEST_CASE("capacity: the order of queues is one, however equal their branches",
          "[plugins][capacity][property]") {
  // a1 is older than b1, b1 older than a2; the branches are equal, a2 has the smaller share.
  PluginBed bed = Bed("capacity+enableHierarchy", R"(
    node n cpu=100
    queue root
    queue a deserved.cpu=10
    queue b deserved.cpu=10
    queue a1 parent=a deserved.cpu=5
    queue b1 parent=b deserved.cpu=10
    queue a2 parent=a deserved.cpu=5
    job ja queue=a1; task ta job=ja cpu=4 node=n
    job jb queue=b1; task tb job=jb cpu=4 node=n)");
  const Names expected{"a2", "a1", "b1"};
  CHECK(QueueOrder(bed, {"a1", "a2", "b1"}) == expected);
  CHECK(QueueOrder(bed, {"b1", "a1", "a2"}) == expected);
  CHECK(QueueOrder(bed, {"a2", "b1", "a1"}) == expected);
}

TEST_CASE("capacity: what ancestors hold bounds a leaf", "[plugins][capacity]") {
  PluginBed bed = Bed("capacity+enableHierarchy", R"(
    node n cpu=20
    queue root
    queue p cap.cpu=4
    queue c1 parent=p
    queue c2 parent=p
    job j1 queue=c1 minres.cpu=3; task t1 job=j1 cpu=3 node=n
    job j2 queue=c2 phase=pending minres.cpu=2; task t2 job=j2 cpu=2; task small job=j2 cpu=1
    job jp queue=p phase=pending minres.cpu=1; task tp job=jp cpu=1)");
  framework::Session& session = bed.session();
  const World& w = bed.world();
  CHECK(session.votes().Allocatable(w.queue("c2"), w.task("small")));
  CHECK_FALSE(session.votes().Allocatable(w.queue("c2"), w.task("t2")));
  CHECK(session.notes().HoldOf(w.job("j2"))->message ==
        "queue resource quota insufficient: insufficient cpu (in queue p, above c2)");
  CHECK_FALSE(session.votes().JobEnqueueable(w.job("j2")));
  REQUIRE(session.notes().EventsOf(w.job("j2")).size() == 1);
  CHECK(session.notes().EventsOf(w.job("j2"))[0].message ==
        "queue resource quota insufficient: insufficient cpu: asks for 2 cpu; queue p, above c2, "
        "has too little left (as of this writing: 3 of 4 cpu used or promised)");
  // Not a leaf.
  CHECK_FALSE(session.votes().Allocatable(w.queue("p"), w.task("tp")));
  CHECK_FALSE(session.votes().JobEnqueueable(w.job("jp")));
  CHECK(session.notes().HoldOf(w.job("jp"))->gate == Gate::kQueueClosed);
  const std::vector<model::TaskId> tp = bed.TasksNamed({"tp"});
  CHECK_FALSE(session.hooks().preemptive[0].fn(w.queue("p"), tp));
  const auto& reclaimable = session.hooks().reclaimable[0].fn;
  CHECK(reclaimable(w.task("tp"), bed.TasksNamed({"t1"})).vote == Vote::kReject);
}

TEST_CASE("capacity: an admission counts in the leaf and above it", "[plugins][capacity]") {
  PluginBed bed = Bed("capacity+enableHierarchy", R"(
    node n cpu=20
    queue root
    queue p cap.cpu=3
    queue c1 parent=p
    queue c2 parent=p
    job j1 queue=c1 phase=pending minres.cpu=2
    job j2 queue=c2 phase=pending minres.cpu=2
    job j3 queue=c2 phase=pending minres.cpu=1)");
  framework::Session& session = bed.session();
  const World& w = bed.world();
  CHECK(session.votes().JobEnqueueable(w.job("j2")));
  session.votes().JobEnqueued(w.job("j1"));
  CHECK_FALSE(session.votes().JobEnqueueable(w.job("j2")));
  CHECK(session.votes().JobEnqueueable(w.job("j3")));
}

TEST_CASE("capacity: in a tree a job may ask for what no node offers now", "[plugins][capacity]") {
  struct Case {
    const char* root;
    bool admitted;
  };
  const Case c = GENERATE(values<Case>({{"", true}, {" cap.gpu=2", true}, {" cap.gpu=1", false}}));
  CAPTURE(c.root);
  PluginBed bed = Bed("capacity+enableHierarchy", StrCat("node n cpu=4; queue root", c.root, R"(
    queue q
    job j queue=q phase=pending minres.cpu=1 minres.gpu=2; task t job=j cpu=1 gpu=2)"));
  const World& w = bed.world();
  CHECK(bed.session().votes().JobEnqueueable(w.job("j")) == c.admitted);
  CHECK(bed.session().votes().Allocatable(w.queue("q"), w.task("t")) == c.admitted);
}

TEST_CASE("capacity: what is inqueue of a job already placed does not count twice",
          "[plugins][capacity]") {
  PluginBed bed = Bed("capacity", R"(
    node n cpu=4 mem=8Gi pods=10
    queue q1 cap.cpu=4 cap.mem=8Gi
    job pga queue=q1 min=3 minres.cpu=3 minres.mem=3Gi
    task a1 job=pga cpu=1 mem=1Gi node=n status=binding
    task a2 job=pga cpu=1 mem=1Gi node=n status=binding
    task a3 job=pga cpu=1 mem=1Gi node=n status=binding
    job pgb queue=q1 phase=pending minres.cpu=1 minres.mem=1Gi; task b job=pgb cpu=1 mem=1Gi)");
  CHECK(bed.session().votes().JobEnqueueable(bed.world().job("pgb")));
}

TEST_CASE("capacity: a job that others refuse counts nothing", "[plugins][capacity][cycle]") {
  const CycleOutcome outcome = Run("enqueue", "capacity,overcommit", R"(
    node n cpu=1 mem=4G pods=10
    queue q1 cap.cpu=1 cap.mem=4G
    job pga queue=q1 phase=pending minres.cpu=1 minres.mem=4G; task a job=pga cpu=1 mem=4G
    task foreign node=n mem=3G
    job pgb queue=q1 phase=pending minres.cpu=1 minres.mem=1G; task b job=pgb cpu=1 mem=1G)",
                                   {{"overcommit", "overcommit-factor: 1"}});
  CHECK(outcome.phases.at("pga") == model::PodGroupPhase::kPending);
  CHECK(outcome.phases.at("pgb") == model::PodGroupPhase::kInqueue);
}

TEST_CASE("capacity: gang reclaim goes by queues alone, gang preempt is not its business",
          "[plugins][capacity]") {
  PluginBed bed = Bed("capacity", R"(
    node n cpu=20 mem=20Gi
    queue rich deserved.cpu=2
    queue safe guarantee.cpu=1 deserved.cpu=1
    job r queue=rich; task r1 job=r cpu=2 node=n; task r2 job=r cpu=2 node=n
    task rm job=r mem=1Gi node=n
    job s queue=safe; task s1 job=s cpu=1 node=n
    job asks queue=safe; task x job=asks cpu=1)");
  const auto& hook = bed.session().hooks().unified_evictable[0].fn;
  const std::vector<model::TaskId> all = bed.TasksNamed({"s1", "r1", "r2", "rm"});
  const EvictionContext preempt{EvictionContext::Kind::kGangPreempt, bed.world().job("asks")};
  const EvictionContext reclaim{EvictionContext::Kind::kGangReclaim, bed.world().job("asks")};
  CHECK(bed.NamesOf(hook(preempt, all).victims) == Names{"s1", "r1", "r2", "rm"});
  CHECK(bed.NamesOf(hook(reclaim, all).victims) == Names{"r1", "rm"});
}

TEST_CASE("capacity: nobody takes from queues that are cut off from the tree",
          "[plugins][capacity]") {
  const bool tree = GENERATE(true, false);
  PluginBed bed = Bed(tree ? "capacity+enableHierarchy" : "capacity", R"(
    node n cpu=20
    queue root
    queue asks deserved.cpu=10
    queue rich
    queue lost parent=nowhere
    queue below parent=lost
    queue x parent=y
    queue y parent=x
    job jr queue=rich; task tr job=jr cpu=1 node=n
    job jl queue=lost; task tl job=jl cpu=1 node=n
    job jb queue=below; task tb job=jb cpu=1 node=n
    job jx queue=x; task tx job=jx cpu=1 node=n
    job ja queue=asks; task wants job=ja cpu=1)",
                      {{"capacity", "ancestorReclaimLevel: 2000000000"}});
  const auto& hooks = bed.session().hooks();
  const World& w = bed.world();
  const Names running{"tl", "tr", "tb", "tx"};
  const Names expected = tree ? Names{"tr"} : running;
  CHECK(VictimsOf(bed, hooks.reclaimable, w.task("wants"), running) == expected);
  const EvictionContext reclaim{EvictionContext::Kind::kGangReclaim, w.job("ja")};
  CHECK(VictimsOf(bed, hooks.unified_evictable, reclaim, running) == expected);
  for (const char* queue : {"lost", "below", "x"}) {
    CAPTURE(queue);
    const auto& may_give = hooks.reclaimable[0].fn.bounds.queue;
    CHECK(may_give(framework::VictimKind::kReclaim, {.queue = w.queue(queue)}) != tree);
  }
}

TEST_CASE("capacity: undoing brings every account back", "[plugins][capacity][property]") {
  ForEachSeed(50, [&](uint64_t seed) {
    CAPTURE(seed);
    Rng rng(seed);
    const World world = MakeWorld(std::string(kCousins));
    plugins::capacity::QueueLedger ledger;
    ledger.Open(*world.snapshot, true);
    const auto text = [&] {
      std::string out;
      for (QueueId id : *world.snapshot->queues_by_name) {
        const auto& account = ledger[id];
        StrAppend(&out, account.allocated[0], "/", account.reserved[0], "/", account.share, " ");
      }
      return out;
    };
    const std::string before = text();
    std::vector<std::pair<QueueId, model::ResourceVec>> done;
    const std::vector<std::string> leaves{"a1", "a2", "b1"};
    for (int i = 0; i < 20; ++i) {
      model::ResourceVec amount;
      amount[model::kCpu] = static_cast<int64_t>(rng.Below(1000));
      const QueueId queue = world.queue(leaves[rng.Below(3)]);
      done.emplace_back(queue, amount);
      ledger.Place(queue, amount);
      ledger.Reserve(queue, model::TaskId::FromIndex(static_cast<size_t>(i)), amount);
    }
    CHECK(text() != before);
    for (int i = 19; i >= 0; --i) {
      const auto& [queue, amount] = done[static_cast<size_t>(i)];
      ledger.Release(queue, model::TaskId::FromIndex(static_cast<size_t>(i)), amount);
      ledger.Remove(queue, amount);
    }
    CHECK(text() == before);
  });
}

// A session in which gates may be lifted, on a world whose tasks named `wants` opted in.
struct GateWorld {
  GateWorld(const std::string& text, const Names& opted_in) : world(MakeWorld(text)) {
    auto snapshot = std::make_shared<model::Snapshot>(*world.snapshot);
    for (const std::string& name : opted_in) {
      snapshot->tasks.Mutable(world.task(name)).keeps_room = true;
    }
    world.snapshot = std::move(snapshot);
  }
  void Open(bool feature) {
    policy = MakePolicy("allocate", "gang,capacity+enableHierarchy,predicates");
    std::vector<conf::Finding> findings;
    auto made = framework::PolicyInstance::Create(std::make_shared<const conf::Policy>(policy),
                                                  Builtins(), &findings);
    REQUIRE(made.ok());
    instance = *std::move(made);
    framework::SessionContext context;
    context.snapshot = world.snapshot;
    context.sink = &sink;
    context.clock = &clock;
    context.lifts_queue_gates = feature;
    cycle = std::make_unique<framework::Cycle>(*instance, std::move(context));
  }
  Names Lifted() {
    Names names;
    for (model::TaskId task : sink.report.lifted_gates) {
      names.push_back(world.snapshot->tasks[task].names->name);
    }
    return names;
  }

  World world;
  conf::Policy policy;
  ManualClock clock{absl::UnixEpoch()};
  RecordingSink sink;
  std::unique_ptr<framework::PolicyInstance> instance;
  std::unique_ptr<framework::Cycle> cycle;
};

constexpr const char* kGated = R"(
  node n cpu=20
  queue root
  queue p cap.cpu=3
  queue c1 parent=p
  queue c2 parent=p
  job j1 queue=c1; task a job=j1 cpu=2 owngate; task silent job=j1 cpu=1 owngate
  job j2 queue=c2; task b job=j2 cpu=2 owngate; task c job=j2 cpu=1 owngate
  task other job=j2 cpu=1 gated)";

TEST_CASE("capacity: gates are lifted while the queue and those above it have room",
          "[plugins][capacity][cycle]") {
  GateWorld on(kGated, {"a", "b", "c", "other"});
  on.Open(true);
  REQUIRE(on.cycle->Run().ok());
  CHECK(on.Lifted() == Names{"a", "c"});
  CHECK(on.sink.batches.empty());  // They are placed in a later cycle.
  GateWorld off(kGated, {"a", "b", "c", "other"});
  off.Open(false);
  REQUIRE(off.cycle->Run().ok());
  CHECK(off.Lifted().empty());
}

TEST_CASE("capacity: pods without their gate keep their room until they are placed",
          "[plugins][capacity]") {
  GateWorld bed(R"(
    node n cpu=20
    queue root
    queue p cap.cpu=3
    queue c1 parent=p
    queue c2 parent=p
    job j1 queue=c1; task a job=j1 cpu=2
    job j2 queue=c2; task b job=j2 cpu=2; task c job=j2 cpu=1)",
                {"a"});
  const bool backs_off = GENERATE(false, true);
  if (backs_off) bed.world = WithBackoff(bed.world, "j1");
  for (const bool feature : {true, false}) {
    CAPTURE(feature, backs_off);
    bed.Open(feature);
    REQUIRE(bed.cycle->Open().ok());
    framework::Session& session = bed.cycle->session();
    const World& w = bed.world;
    const auto may = [&](std::string_view queue, std::string_view task) {
      return session.votes().Allocatable(w.queue(queue), w.task(task));
    };
    CHECK(may("c1", "a"));  // Its own room does not stand in its way.
    CHECK(may("c2", "b") != feature);
    CHECK(may("c2", "c"));
    framework::Statement statement(session, "test");
    statement.Allocate(w.task("a"), w.node("n"));
    CHECK_FALSE(may("c2", "b"));
    statement.RollbackTo({});
    CHECK(may("c2", "b") != feature);
    CHECK(may("c1", "a"));
  }
}

TEST_CASE("capacity: a session tells what is wrong with the tree, not with what it ignores",
          "[plugins][capacity]") {
  constexpr std::string_view kLost = "node n cpu=1; queue root; queue lost parent=nowhere";
  PluginBed tree = Bed("capacity+enableHierarchy", kLost);
  REQUIRE(tree.session().notes().queue_notices().size() == 1);
  CHECK(tree.session().notes().queue_notices()[0].queue == tree.world().queue("lost"));
  CHECK(tree.session().notes().queue_notices()[0].reason == "ParentNotFound");
  PluginBed flat = Bed("capacity", kLost);
  CHECK(flat.session().notes().queue_notices().empty());
}

TEST_CASE("capacity: without a root a tree of queues schedules nothing, and the cycle ends well",
          "[plugins][capacity][cycle]") {
  const std::string job = "node n cpu=4; queue q; job j queue=q tasks=1 cpu=1";
  const std::string tiers = "gang;capacity+enableHierarchy,predicates";
  CHECK(Run("enqueue,allocate,backfill,preempt,reclaim", tiers, job).binds.empty());
  CHECK(Run("enqueue,allocate,backfill,preempt,reclaim", tiers, "queue root;" + job).binds.size() ==
        1);
  CHECK(Run("enqueue,allocate,backfill,preempt,reclaim", tiers, "node n cpu=4").binds.empty());
}

TEST_CASE("capacity: gauges", "[plugins][capacity][cycle]") {
  struct Case {
    const char *tiers, *queue, *gauge, *value;
  };
  const Case c = GENERATE(values<Case>({
      {"capacity", "q1", "allocated_milli_cpu", "2000"},
      {"capacity", "q1", "deserved_milli_cpu", "4000"},
      {"capacity", "q1", "capacity_milli_cpu", "6000"},
      {"capacity", "q1", "real_capacity_milli_cpu", "6000"},
      {"capacity", "q1", "share", "0.5"},
      {"capacity", "q1", "overused", "0"},
      {"capacity", "q1", "weight", ""},
      {"capacity", "q2", "share", "1.5"},
      {"capacity", "q2", "overused", "1"},
      {"capacity", "q2", "capacity_milli_cpu", ""},
      {"capacity", "q2", "real_capacity_milli_cpu", "20000"},
      {"capacity", "root", "allocated_milli_cpu", "0"},
      {"capacity+enableHierarchy", "root", "allocated_milli_cpu", "5000"},
      {"capacity+enableHierarchy", "root", "deserved_milli_cpu", "6000"},
      {"capacity+enableHierarchy", "root", "capacity_milli_cpu", "1.797693134862316e+308"},
  }));
  CAPTURE(c.tiers, c.queue, c.gauge);
  const World world = MakeWorld(
      "node n cpu=20 mem=20Gi; queue root; queue q1 deserved.cpu=4 cap.cpu=6;"
      "queue q2 deserved.cpu=2; job j1 queue=q1 phase=running; task t1 job=j1 cpu=2 node=n;"
      "job j2 queue=q2 phase=running; task t2 job=j2 cpu=3 node=n");
  std::vector<conf::Finding> findings;
  auto instance = framework::PolicyInstance::Create(
      std::make_shared<const conf::Policy>(MakePolicy("allocate", c.tiers)), Builtins(), &findings);
  REQUIRE(instance.ok());
  metrics::Registry registry;
  metrics::SchedulerMetrics metrics(registry);
  ManualClock clock{absl::UnixEpoch()};
  RecordingSink sink;
  framework::SessionContext context;
  context.snapshot = world.snapshot;
  context.sink = &sink;
  context.clock = &clock;
  context.metrics = &metrics;
  framework::Cycle cycle(**instance, std::move(context));
  REQUIRE(cycle.Run().ok());
  const std::string text = registry.RenderText();
  const std::string series =
      "\nvolcano_queue_" + std::string(c.gauge) + "{queue_name=\"" + c.queue + "\"} ";
  const size_t at = text.find(series);
  const std::string value =
      at == std::string::npos
          ? ""
          : text.substr(at + series.size(), text.find('\n', at + 1) - at - series.size());
  CHECK(value == c.value);
}

TEST_CASE("capacity: arguments are checked and told", "[plugins][capacity]") {
  struct Case {
    std::string arguments, found;
  };
  const Case c = GENERATE(values<Case>({
      {"ancestorReclaimLevel: 2", ""},
      {"ancestorReclaimLevel: -1", "must not be negative; 0 is used"},
      {"ancestorReclaimLevel: \"2\"", "ancestorReclaimLevel"},
      {"ancestorReclaimlevel: 2", "ancestorReclaimLevel"},
      {"capacity.DynamicResourceAllocationEnable: \"true\"", ""},
      {"capacity.DRAConsumableCapacityEnable: true", ""},
      {"capacity.DynamicResourceAllocationEnable: false", ""},
  }));
  CAPTURE(c.arguments);
  const conf::Policy policy = MakePolicy("", "capacity", {{"capacity", c.arguments}});
  std::vector<conf::Finding> findings;
  auto instance = framework::PolicyInstance::Create(std::make_shared<const conf::Policy>(policy),
                                                    Builtins(), &findings);
  REQUIRE(instance.ok());
  CHECK(findings.size() == (c.found.empty() ? 0 : 1));
  if (!findings.empty()) {
    const std::string said = findings[0].path + " " + findings[0].text + " " + findings[0].nearest;
    CHECK(said.find(c.found) != std::string::npos);
  }
}

TEST_CASE("capacity: beside proportion it is warned about", "[plugins][capacity]") {
  const auto loaded = conf::ParsePolicy(
      "actions: allocate\ntiers:\n- plugins: [{name: capacity}]\n- plugins: [{name: proportion}]\n",
      Builtins().Names());
  REQUIRE(loaded.ok());
  REQUIRE(loaded->findings.size() == 1);
  CHECK(loaded->findings[0].text.find("remove one of them") != std::string::npos);
}

}  // namespace
}  // namespace bth::test
