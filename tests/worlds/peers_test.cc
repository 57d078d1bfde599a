// Inter-pod affinity and topology spread on random worlds, against the slow twin.
#include <map>
#include <string>
#include <vector>

#include "framework/nodes/node_picker.h"
#include "framework/peers/term_counters.h"
#include "framework/session/statement.h"
#include "tests/support/catch.h"
#include "tests/worlds/many_worlds.h"
#include "tests/worlds/peer_twin.h"
#include "tests/worlds/world_cycles.h"

namespace bth::test {
namespace {

using framework::ReasonId;
using model::NodeId;
using model::NodeRange;
using model::TaskId;

constexpr char kConf[] = R"(
actions: "allocate"
tiers:
- plugins:
  - name: gang
  - name: predicates
  - name: nodeorder
    arguments: {podaffinity.weight: 1000, podtopologyspread.weight: 1}
)";
// Weighed so that one sum shows both scores.
constexpr int64_t kAffinityWeight = 1000;

bool IsAboutPeers(const std::string& reason) {
  return reason.find("affinity rules") != std::string::npos ||
         reason.find("topology spread") != std::string::npos;
}

// What the global filters say of one node, asked alone.
std::vector<std::string> ReasonsOf(framework::Session& session, TaskId task, NodeId node) {
  std::vector<std::string> reasons;
  for (const auto& entry : session.hooks().global_filter) {
    ReasonId verdict = framework::kFits;
    entry.fn(task, NodeRange(node.index(), node.index() + 1), absl::Span<ReasonId>(&verdict, 1));
    if (verdict == framework::kFits) continue;
    const std::string& text = session.reasons().text(verdict);
    if (!IsAboutPeers(text)) continue;
    REQUIRE(entry.fn.concerns(task));
    reasons.push_back(text);
  }
  return reasons;
}

std::vector<double> ScoresOf(framework::Session& session, TaskId task,
                             const std::vector<NodeId>& nodes) {
  std::vector<double> sums(nodes.size(), 0);
  for (const auto& entry : session.hooks().global_score) {
    if (entry.fn.concerns(task)) entry.fn(task, nodes, absl::MakeSpan(sums));
  }
  return sums;
}

struct Tally {
  int worlds = 0;
  int refused = 0;
  int scored = 0;
  int by_default = 0;
};

void CheckAgainstTwin(const WorldSpec& world, framework::Session& session, Rng& rng, Tally* tally) {
  const PeerTwin twin(world, session);
  std::map<std::string, TaskId> tasks;
  for (TaskId task : session.base().tasks.ids()) {
    const auto& names = session.task(task).names;
    if (names != nullptr) tasks[names->Key()] = task;
  }
  std::vector<NodeId> candidates;
  std::vector<std::string> names;
  for (NodeId node : *session.base().nodes_by_name) {
    if (rng.Chance(0.3)) continue;
    candidates.push_back(node);
    names.push_back(session.node(node).name);
  }
  for (const PodSpec& pod : world.pods) {
    const auto task = tasks.find(pod.Key());
    if (task == tasks.end() || session.state(task->second).node.valid()) continue;
    INFO("pod " << pod.Key());
    for (NodeId node : *session.base().nodes_by_name) {
      INFO("node " << session.node(node).name);
      const std::vector<std::string> expected = twin.Reasons(pod, session.node(node).name);
      REQUIRE(ReasonsOf(session, task->second, node) == expected);
      tally->refused += expected.empty() ? 0 : 1;
    }
    if (candidates.empty()) continue;
    const std::vector<int64_t> affinity = twin.AffinityScores(pod, names);
    const std::vector<int64_t> spread = twin.SpreadScores(pod, names);
    const std::vector<double> sums = ScoresOf(session, task->second, candidates);
    for (size_t i = 0; i < names.size(); ++i) {
      const int64_t expected = kAffinityWeight * affinity[i] + (spread.empty() ? 0 : spread[i]);
      REQUIRE(sums[i] == static_cast<double>(expected));
      tally->scored += expected > 0 ? 1 : 0;
      tally->by_default += pod.peers.spread.empty() && !spread.empty() && spread[i] < 100 ? 1 : 0;
    }
  }
}

TEST_CASE("peers: filters and scores agree with the slow twin", "[framework][property]") {
  Tally tally;
  ForEachWorld(1500, [&tally](Rng& rng) {
    ++tally.worlds;
    const WorldSpec world = RandomWorld(rng);
    Bed bed(SnapshotOf(world), kConf);
    REQUIRE(bed.cycle().Open().ok());
    framework::Session& session = bed.session();
    framework::Statement statement(session, "test");
    for (int round = 0; round < 3; ++round) {
      CheckAgainstTwin(world, session, rng, &tally);
      const framework::Statement::Mark mark = statement.Checkpoint();
      ActAtRandom(session, statement, rng, 6);
      if (rng.Chance(0.5)) CheckAgainstTwin(world, session, rng, &tally);
      if (rng.Chance(0.5)) statement.RollbackTo(mark);
    }
  });
  // The worlds are such that it matters.
  if (!FewSeeds()) {
    CHECK(tally.refused > 5 * tally.worlds);
    CHECK(tally.scored > 5 * tally.worlds);
    CHECK(tally.by_default > 2 * tally.worlds);
  }
}

// Some go, one may come.
template <typename Spec>
void ChangeSelectors(std::vector<Spec>* specs, cache::Mirror& mirror, Rng& rng,
                     Spec (*random)(Rng&)) {
  std::erase_if(*specs, [&](const Spec& spec) {
    if (!rng.Chance(0.2)) return false;
    Remove(spec, mirror);
    return true;
  });
  if (!rng.Chance(0.4)) return;
  Spec fresh = random(rng);
  for (const Spec& known : *specs) {
    if (known.ns == fresh.ns && known.name == fresh.name) return;
  }
  Put(fresh, mirror);
  specs->push_back(std::move(fresh));
}

// Pods move, nodes change their labels, namespaces theirs; the policy stays.
void ChangeSome(WorldSpec* world, cache::Mirror& mirror, Rng& rng) {
  for (PodSpec& pod : world->pods) {
    if (world->nodes.empty() || !rng.Chance(0.3)) continue;
    pod.node = pod.node.empty() || rng.Chance(0.5)
                   ? world->nodes[rng.Below(world->nodes.size())].name
                   : "";
    if (pod.job.empty() && pod.node.empty()) pod.node = world->nodes.front().name;
    pod.status = pod.node.empty()  ? model::TaskStatus::kPending
                 : rng.Chance(0.8) ? model::TaskStatus::kRunning
                                   : model::TaskStatus::kReleasing;
    if (rng.Chance(0.2)) pod.peers = RandomPeers(rng);
    if (rng.Chance(0.1)) pod.owner = RandomOwner(rng);
    Put(pod, mirror);
  }
  ChangeSelectors(&world->services, mirror, rng, RandomService);
  ChangeSelectors(&world->workloads, mirror, rng, RandomWorkload);
  for (NodeSpec& node : world->nodes) {
    if (!rng.Chance(0.1)) continue;
    node.zone = rng.Chance(0.5) ? "a" : "b";
    node.tainted = rng.Chance(0.2);
    Put(node, mirror);
  }
  for (auto& [ns, team] : world->teams) {
    if (!rng.Chance(0.2)) continue;
    team = rng.Chance(0.5) ? "red" : "blue";
    mirror.PutNamespace(ns, {{"team", team}});
  }
}

TEST_CASE("peers: counts that live from session to session agree with the slow twin",
          "[framework][property]") {
  ForEachWorld(500, [](Rng& rng) {
    WorldSpec world = RandomWorld(rng);
    const ManualClock clock(absl::FromUnixSeconds(1'000'000));
    cache::Mirror mirror(clock, {});
    Feed(world, mirror, rng.Next() | 1);
    Bed bed(mirror.Publish(), kConf);
    Tally tally;
    for (int cycle = 0; cycle < 5; ++cycle) {
      INFO("cycle " << cycle);
      if (cycle > 0) bed.Reopen(mirror.Publish());
      REQUIRE(bed.cycle().Open().ok());
      framework::Session& session = bed.session();
      if (rng.Chance(0.8)) CheckAgainstTwin(world, session, rng, &tally);
      {
        framework::Statement statement(session, "test");
        ActAtRandom(session, statement, rng, 6);
        if (rng.Chance(0.8)) CheckAgainstTwin(world, session, rng, &tally);
        if (rng.Chance(0.5)) statement.Keep();  // The session ends with what it placed.
      }
      ChangeSome(&world, mirror, rng);
    }
  });
}

TEST_CASE("peers: counts that nobody asks for any more are let go", "[framework][peers]") {
  WorldSpec world;
  world.nodes = {{.name = "n", .cpu_milli = 1000, .zone = "a"}};
  world.queues = {{.name = "q"}};
  world.jobs = {{.name = "ns/j", .queue = "q"}};
  PodSpec pod{.name = "p", .job = "ns/j"};
  pod.peers.affinity = {
      {.topology_key = "zone", .selector = {.label = "app", .value = "x"}, .avoids = true}};
  world.pods = {pod};
  const auto snapshot = SnapshotOf(world);
  Bed bed(snapshot, kConf);
  const TaskId task = (*snapshot->jobs[(*snapshot->all_jobs)[0]].tasks)[0];
  CHECK(bed.session().term_counters().Required(bed.session(), task).anti_affinity.size() == 1);
  CHECK(bed.session().term_counters().profiles() == 1);
  for (uint64_t i = 0; i < 2 * framework::TermCounters::kSessionsKept; ++i) bed.Reopen(snapshot);
  CHECK(bed.session().term_counters().profiles() == 0);
  CHECK(bed.session().term_counters().Required(bed.session(), task).anti_affinity.size() == 1);
}

// One node, on which pod "there" runs; pod "p" waits.
struct Pair {
  NodeSpec node{.name = "n", .cpu_milli = 9000, .zone = "a"};
  PodSpec there{.name = "there", .node = "n", .status = model::TaskStatus::kRunning};
  PodSpec waits{.name = "p", .job = "ns/j"};
  ManualClock clock{absl::FromUnixSeconds(1'000'000)};
  cache::Mirror mirror{clock, {}};
  std::unique_ptr<Bed> bed;

  // Opens the next session on what the specs say now.
  framework::Session& Next() {
    Put(node, mirror);
    Put(QueueSpec{.name = "q"}, mirror);
    Put(JobSpec{.name = "ns/j", .queue = "q"}, mirror);
    Put(there, mirror);
    Put(waits, mirror);
    if (bed == nullptr) {
      bed = std::make_unique<Bed>(mirror.Publish(), kConf);
    } else {
      bed->Reopen(mirror.Publish());
    }
    return bed->session();
  }
  static TaskId Waiting(const framework::Session& session) {
    return (*session.job((*session.base().all_jobs)[0]).tasks)[0];
  }
};

TEST_CASE("peers: domains that no node is in any more do not pile up", "[framework][peers]") {
  Pair pair;
  pair.there.peers.labels = {{"app", "x"}};
  pair.waits.peers.affinity = {
      {.topology_key = "zone", .selector = {.label = "app", .value = "x"}, .avoids = true}};
  for (int i = 0; i < 300; ++i) {
    pair.node.zone = std::to_string(i);
    framework::Session& session = pair.Next();
    const auto& peers = session.term_counters().Required(session, Pair::Waiting(session));
    REQUIRE(peers.anti_affinity.size() == 1);
    const framework::DomainCounter& counter = *peers.anti_affinity[0];
    REQUIRE(counter.InDomainOf((*session.base().nodes_by_name)[0]) == 1);
    REQUIRE(counter.topology().domains() <= 100);
  }
}

TEST_CASE("peers: terms that nobody carries any more do not pile up", "[framework][peers]") {
  Pair pair;
  for (int i = 0; i < 1500; ++i) {
    const std::string own = std::to_string(i);
    pair.there.peers.affinity = {
        {.topology_key = "zone", .selector = {.label = "app", .value = own}, .avoids = true}};
    pair.waits.peers.labels = {{"app", i % 3 == 0 ? own : "x"}};
    framework::Session& session = pair.Next();
    REQUIRE(session.term_counters().HasRequired(session, Pair::Waiting(session)) == (i % 3 == 0));
    REQUIRE(session.term_counters().carried_terms() <= 1026);
  }
}

// Two pods that are alike but for their labels; then one is placed that will not stand beside the
// first of them.
TEST_CASE("peers: why nodes refuse a pod does not follow from the labels of another",
          "[framework][peers]") {
  WorldSpec world;
  world.queues = {{.name = "q"}};
  world.nodes = {{.name = "n0", .cpu_milli = 4000, .memory_bytes = 1}};
  world.jobs = {{.name = "ns/j", .queue = "q", .min = 1}};
  world.pods = {{.name = "x", .job = "ns/j", .cpu_milli = 1000},
                {.name = "y", .job = "ns/j", .cpu_milli = 1000},
                {.name = "carrier", .job = "ns/j", .cpu_milli = 500}};
  world.pods[0].peers.labels = {{"app", "x"}};
  world.pods[1].peers.labels = {{"app", "y"}};
  world.pods[2].peers.affinity = {
      {.topology_key = kHostKey, .selector = {.label = "app", .value = "x"}, .avoids = true}};
  Bed bed(SnapshotOf(world), kFullConf);
  REQUIRE(bed.cycle().Open().ok());
  framework::Session& session = bed.session();
  std::map<std::string, TaskId> tasks;
  for (TaskId task : session.base().tasks.ids()) {
    tasks[session.task(task).names->name] = task;
  }
  const NodeId node = session.base().nodes_by_name->front();
  const auto refused = [&](const char* pod) {
    return session.picker().Explain(tasks.at(pod))->nodes_refused;
  };
  framework::Statement statement(session, "test");
  const framework::Statement::Mark nothing = statement.Checkpoint();
  for (int i = 0; i < 2; ++i) {
    CHECK(refused("x") == 0);
    statement.Allocate(tasks.at("y"), node);
    CHECK(refused("x") == 0);
    statement.RollbackTo(nothing);
  }
  statement.Allocate(tasks.at("carrier"), node);
  CHECK(refused("x") == 1);
  CHECK(refused("y") == 0);
}

}  // namespace
}  // namespace bth::test
