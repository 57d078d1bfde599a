// Where gangs go that must be near to one another: whoever tries every HyperNode of a row and then
// takes the best decides the same, of jobs of several sub-jobs too.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actions/domain_search.h"
#include "actions/task_placer.h"
#include "actions/worksheet.h"
#include "base/strings.h"
#include "framework/nodes/node_picker.h"
#include "framework/session/placements.h"
#include "framework/topology/gradients.h"
#include "framework/topology/topology.h"
#include "tests/support/catch.h"
#include "tests/worlds/many_worlds.h"
#include "tests/worlds/random_network.h"
#include "tests/worlds/random_world.h"
#include "tests/worlds/world_cycles.h"

namespace bth::test {
namespace {

using actions::DomainSearch;
using actions::SubJobWorksheet;
using actions::TaskPlacer;
using actions::Worksheet;
using framework::NodePicker;
using framework::Session;
using framework::Statement;
using model::HyperNodeId;
using model::JobId;

// Tries everything, undoes it, and does the best of it again.
class TriesAll {
 public:
  TriesAll(Session& session, TaskPlacer& placer) : session_(session), placer_(placer) {}

  bool PlaceJob(JobId job, Statement& statement) {
    for_least_ = false;
    if (PlaceInBest(job, statement)) return true;
    // What waits for room that is being freed is not placed anew.
    if (session_.counts(job).count(model::TaskStatus::kPipelined) > 0) return false;
    for_least_ = true;
    return PlaceInBest(job, statement);
  }

 private:
  bool PlaceInBest(JobId job, Statement& statement) {
    const auto gradient =
        framework::GradientFor(session_, {.job = job, .inside = session_.topology().tree().root()});
    for (const auto& row : gradient.rows) {
      std::optional<double> best;
      std::vector<Statement::Placed> placed;
      for (HyperNodeId inside : row) {
        const NodePicker::Inside confined(session_.picker(), inside);
        Worksheet worksheet = actions::MakeWorksheet(session_, job);
        double score = 0;
        const bool stands =
            placer_.PlaceSubJobs(job, worksheet, statement, [&](SubJobWorksheet& sub_job) {
              const std::optional<double> good = PlaceSubJob(job, inside, sub_job, statement);
              score += good.value_or(0);
              return good.has_value();
            });
        if (stands && (!best || score > *best)) {
          best = score;
          placed = statement.PlacedSince({});
        }
        statement.RollbackTo({});
      }
      if (!best) continue;
      statement.Redo(placed);
      return true;
    }
    return false;
  }

  std::optional<double> PlaceSubJob(JobId job, HyperNodeId inside, SubJobWorksheet& worksheet,
                                    Statement& statement) {
    const auto gradient = framework::GradientFor(
        session_,
        {.job = job, .sub_job = worksheet.sub_job, .inside = inside, .for_least = for_least_});
    for (const auto& row : gradient.rows) {
      std::vector<HyperNodeId> found;
      std::vector<std::pair<std::vector<Statement::Placed>, SubJobWorksheet>> trials;
      for (HyperNodeId candidate : row) {
        const NodePicker::Inside confined(session_.picker(), candidate);
        const Statement::Mark mark = statement.Checkpoint();
        SubJobWorksheet rest = worksheet;
        placer_.SetFailedRoles({});
        const bool stands = placer_.PlaceTasks(job, rest, statement);
        if (!stands || statement.Checkpoint().size == mark.size) continue;
        found.push_back(candidate);
        trials.emplace_back(statement.PlacedSince(mark), std::move(rest));
        statement.RollbackTo(mark);
      }
      if (found.empty()) continue;
      const std::vector<double> scores =
          framework::RankHyperNodes(session_, worksheet.sub_job, found);
      const auto best = std::max_element(scores.begin(), scores.end());
      auto& [placed, rest] = trials[static_cast<size_t>(best - scores.begin())];
      statement.Redo(placed);
      worksheet = std::move(rest);
      return *best;
    }
    return std::nullopt;
  }

  Session& session_;
  TaskPlacer& placer_;
  bool for_least_ = false;  // Else all that waits of a sub-job must fit.
};

std::map<std::string, std::string> Named(const Session& session,
                                         const std::vector<Statement::Placed>& placed) {
  std::map<std::string, std::string> named;
  for (const Statement::Placed& one : placed) {
    named[session.task(one.task).names->Key()] =
        StrCat(session.node(one.state.node).name, " ", model::StatusName(one.state.status));
  }
  return named;
}

std::string RandomConf(Rng& rng) {
  return StrCat(
      "actions: allocate\ntiers:\n- plugins: [{name: gang}, {name: priority}",
      rng.Chance(0.5) ? ", {name: proportion}" : "",
      ", {name: predicates}, {name: nodeorder}, {name: network-topology-aware, arguments: "
      "{hypernode.tightest-fit.enable: ",
      rng.Chance(0.5) ? "true" : "false", "}}]\n");
}

struct Decided {
  int64_t placed = 0;
  int64_t refused = 0;
};

// Every job that asks for something is placed twice, by whoever tries all and by the search; each
// is in the way of the next ones. `several`: jobs of several sub-jobs alone are counted.
void CompareInWorld(Rng& rng, const WorldSpec& world, bool several, Decided* decided) {
  Bed bed(SnapshotOf(world), RandomConf(rng));
  REQUIRE(bed.cycle().Open().ok());
  Session& session = bed.session();
  TaskPlacer placer(session);
  DomainSearch search(session, placer);
  Statement kept(session, "test");
  ActAtRandom(session, kept, rng, static_cast<int>(rng.Below(6)));
  for (JobId job : session.active_jobs()) {
    if (!session.topology().IsBound(job)) continue;
    if (session.counts(job).count(model::TaskStatus::kPending) == 0) continue;
    INFO(session.job(job).facts->name);
    Statement all(session, "test");
    const bool expected = TriesAll(session, placer).PlaceJob(job, all);
    const auto best = Named(session, all.PlacedSince({}));
    all.RollbackTo({});
    Statement statement(session, "test");
    Worksheet worksheet = actions::MakeWorksheet(session, job);
    if (worksheet.sub_jobs.empty()) continue;
    const bool counts = !several || worksheet.sub_jobs.size() > 1;
    REQUIRE(search.PlaceJob(job, worksheet, statement) == expected);
    REQUIRE(Named(session, statement.PlacedSince({})) == best);
    if (counts) (expected ? decided->placed : decided->refused) += 1;
    statement.Keep();
  }
  kept.Keep();
}

TEST_CASE("domain search: it decides as one who tries every HyperNode",
          "[actions][topology][property]") {
  Decided decided;
  ForEachWorld(1500, [&](Rng& rng) {
    WorldSpec world = RandomWorld(rng);
    AddRanks(rng, &world);
    AddNetwork(rng, &world);
    // Pods of one role are mostly alike.
    for (PodSpec& pod : world.pods) {
      if (!rng.Chance(0.7)) continue;
      pod.cpu_milli = 500;
      pod.memory_bytes = 0;
    }
    CompareInWorld(rng, world, /*several=*/false, &decided);
  });
  CAPTURE(decided.placed, decided.refused);
  CHECK((FewSeeds() || (decided.placed > 300 && decided.refused > 300)));
}

TEST_CASE("domain search: so it does with several sub-jobs", "[actions][topology][property]") {
  Decided decided;
  ForEachWorld(3000, [&](Rng& rng) {
    WorldSpec world = RandomWorld(rng);
    AddRanks(rng, &world);
    AddNetwork(rng, &world);
    AddSubGroups(rng, &world);
    const bool all_alike = rng.Chance(0.5);
    for (PodSpec& pod : world.pods) {
      if (!all_alike && !rng.Chance(0.7)) continue;
      pod.cpu_milli = 500;
      pod.memory_bytes = 0;
      if (!all_alike) continue;
      pod.zone.clear();
      pod.port = 0;
      pod.peers.affinity.clear();
      pod.peers.spread.clear();
    }
    CompareInWorld(rng, world, /*several=*/true, &decided);
  });
  CAPTURE(decided.placed, decided.refused);
  CHECK((FewSeeds() || (decided.placed > 200 && decided.refused > 200)));
}

// `rows` of four racks of two nodes. A gang of four sub-jobs of two pods, each of which must stay
// in one rack, and all of them in one row. Rack r has room for `room(r)` pods.
template <typename Room>
WorldSpec RowsOfRacks(int rows, const Room& room) {
  constexpr int kRacksInRow = 4;
  constexpr int kSubJobs = 4;
  WorldSpec world;
  world.queues = {{.name = "q"}};
  model::NetworkTopologySpec row;
  row.mode = model::NetworkTopologySpec::Mode::kHard;
  row.highest_tier = 2;
  model::NetworkTopologySpec rack = row;
  rack.highest_tier = 1;
  world.jobs = {{.name = "ns/a", .queue = "q", .min = 2 * kSubJobs, .topology = {row, rack}}};
  world.jobs.front().sub_groups = {{.size = 2, .least = kSubJobs}};
  for (int r = 0; r < rows; ++r) {
    world.hyper_nodes.push_back({.name = StrCat("row", 100 + r), .tier = 2});
  }
  for (int r = 0; r < rows * kRacksInRow; ++r) {
    HyperNodeSpec one{.name = StrCat("rack", 1000 + r), .tier = 1};
    for (int n = 0; n < 2; ++n) {
      const std::string node = StrCat("n", 1000 + r, "-", n);
      one.nodes.push_back(node);
      world.nodes.push_back({.name = node, .cpu_milli = 1000, .memory_bytes = 1});
      if (n < room(r)) continue;
      world.pods.push_back({.name = "holder-" + node,
                            .node = node,
                            .status = model::TaskStatus::kRunning,
                            .cpu_milli = 1000});
    }
    world.hyper_nodes[static_cast<size_t>(r / kRacksInRow)].hyper_nodes.push_back(one.name);
    world.hyper_nodes.push_back(one);
  }
  for (int i = 0; i < 2 * kSubJobs; ++i) {
    PodSpec pod{.name = StrCat("a-", i), .job = "ns/a", .cpu_milli = 1000};
    pod.peers.labels[SubGroupLabel(0)] = StrCat(i / 2);
    world.pods.push_back(pod);
  }
  return world;
}

// What the search for the only job did.
struct Searched {
  bool placed = false;
  size_t moves = 0;  // Of tasks to nodes, and back.
  std::string told;
};

Searched SearchIn(const WorldSpec& world) {
  Bed bed(SnapshotOf(world), R"(
actions: allocate
tiers:
- plugins: [{name: gang}, {name: predicates}, {name: network-topology-aware}]
)");
  REQUIRE(bed.cycle().Open().ok());
  Session& session = bed.session();
  TaskPlacer placer(session);
  DomainSearch search(session, placer);
  const JobId job = session.active_jobs().front();
  Worksheet worksheet = actions::MakeWorksheet(session, job);
  Statement statement(session, "test");
  Searched searched;
  const size_t before = session.placements().node_changes().size();
  searched.placed = search.PlaceJob(job, worksheet, statement);
  searched.moves = session.placements().node_changes().size() - before;
  const framework::JobFit* const hold = session.notes().HoldOf(job);
  if (hold != nullptr) searched.told = hold->message;
  return searched;
}

TEST_CASE("domain search: of several sub-jobs, only HyperNodes that may hold them are tried",
          "[actions][topology]") {
  constexpr int kRows = 50;
  // Everything is free: no rack takes the gang, and the first row is as good as any other.
  const Searched empty = SearchIn(RowsOfRacks(kRows, [](int) { return 2; }));
  CHECK(empty.placed);
  CHECK(empty.moves <= 40);
  // In every row one rack is half full but in the last one: three sub-jobs find room, not four.
  const auto lacks_one = [](int r) { return r % 4 == 1 && r / 4 != kRows - 1 ? 1 : 2; };
  const Searched last = SearchIn(RowsOfRacks(kRows, lacks_one));
  CHECK(last.placed);
  CHECK(last.moves <= 60);
  // And in the last one too.
  const Searched none = SearchIn(RowsOfRacks(kRows, [](int r) { return r % 4 == 1 ? 1 : 2; }));
  CHECK_FALSE(none.placed);
  CHECK(none.moves <= 80);
  // No rack takes a sub-job: nobody is tried.
  const Searched nothing = SearchIn(RowsOfRacks(kRows, [](int) { return 1; }));
  CHECK_FALSE(nothing.placed);
  CHECK(nothing.moves == 0);
  CHECK(nothing.told ==
        "no HyperNode takes all that the gang needs: at tier 1 rack1000 has room for 0 of 4 "
        "sub-groups, for 1 of 8 pods; at tier 2 row100 has room for 0 of 4 sub-groups, for 4 of 8 "
        "pods");
}

TEST_CASE("domain search: what the best of each tier lacks is told in sub-groups",
          "[actions][topology]") {
  const auto told = [](const auto& room) { return SearchIn(RowsOfRacks(3, room)).told; };
  const auto lack_in = [](const std::string& name) {
    return " (no HyperNode up to tier 1 in " + name + " has enough free for the minimum resources)";
  };
  const std::string none = "no HyperNode takes all that the gang needs: ";
  // Three racks of the second row take a sub-group each.
  CHECK(told([](int r) { return r >= 4 && r < 7 ? 2 : 1; }) ==
        none + "at tier 1 rack1004 takes 1 of 4 sub-groups, 2 pods" + lack_in("rack1004") +
            "; at tier 2 row101 takes 3 of 4 sub-groups, 6 pods" + lack_in("row101"));
  CHECK(told([](int r) { return r % 4 == 1 ? 1 : 2; }) ==
        none + "at tier 1 rack1000 takes 1 of 4 sub-groups, 2 pods" + lack_in("rack1000") +
            "; at tier 2 row100 takes 3 of 4 sub-groups, 6 pods" + lack_in("row100"));
}

// Ten tiers: each HyperNode is in one of the next tier, two by two.
WorldSpec TallTree() {
  WorldSpec world;
  world.queues = {{.name = "q"}};
  world.jobs = {{.name = "ns/a", .queue = "q", .min = 700}};
  model::NetworkTopologySpec spec;
  spec.mode = model::NetworkTopologySpec::Mode::kHard;
  spec.highest_tier = 9;
  world.jobs.front().topology = {spec};
  constexpr int kLeaves = 1 << 9;
  for (int i = 0; i < kLeaves; ++i) {
    world.nodes.push_back({.name = StrCat("n", 1000 + i), .cpu_milli = 1000, .memory_bytes = 1});
  }
  for (int tier = 1; tier <= 9; ++tier) {
    for (int i = 0; i < kLeaves >> tier; ++i) {
      HyperNodeSpec one{.name = StrCat("h", tier, "-", 1000 + i), .tier = tier};
      for (int below : {2 * i, 2 * i + 1}) {
        if (tier == 1) {
          one.nodes.push_back(StrCat("n", 1000 + below));
        } else {
          one.hyper_nodes.push_back(StrCat("h", tier - 1, "-", 1000 + below));
        }
      }
      world.hyper_nodes.push_back(one);
    }
  }
  for (int i = 0; i < 700; ++i) {
    world.pods.push_back({.name = StrCat("a-", i), .job = "ns/a", .cpu_milli = 1000});
  }
  // One node is taken, so that what is not around it has more room.
  world.pods.push_back(
      {.name = "b", .node = "n1000", .status = model::TaskStatus::kRunning, .cpu_milli = 1000});
  return world;
}

TEST_CASE("domain search: what the best of each tier lacks is told, as much as people read",
          "[actions][topology]") {
  const auto told = [](const WorldSpec& world) {
    const Searched searched = SearchIn(world);
    REQUIRE_FALSE(searched.placed);
    return searched.told;
  };
  WorldSpec world = TallTree();
  CHECK(told(world) ==
        "no HyperNode takes all that the gang needs: "
        "at tier 1 h1-1001 has room for 2 of 700 pods; at tier 2 h2-1001 has room for 4 of 700 "
        "pods; at tier 3 h3-1001 has room for 8 of 700 pods; and so on at 5 more tiers; at tier 9 "
        "h9-1000 has room for 511 of 700 pods");
}

}  // namespace
}  // namespace bth::test
