// Where gangs go that must be near to one another: whoever tries every HyperNode of a row and then
// takes the best decides the same.
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
#include "framework/topology/gradients.h"
#include "framework/topology/topology.h"
#include "tests/support/catch.h"
#include "tests/worlds/many_worlds.h"
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
    const auto gradient =
        framework::GradientFor(session_, {.job = job, .inside = session_.topology().tree().root()});
    for (const auto& row : gradient.rows) {
      std::optional<double> best;
      std::vector<Statement::Placed> placed;
      for (HyperNodeId inside : row) {
        const NodePicker::Inside confined(session_.picker(), inside);
        Worksheet sheet = actions::MakeWorksheet(session_, job);
        double score = 0;
        const bool stands =
            placer_.PlaceSubJobs(job, sheet, statement, [&](SubJobWorksheet& sub_job) {
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

 private:
  std::optional<double> PlaceSubJob(JobId job, HyperNodeId inside, SubJobWorksheet& sheet,
                                    Statement& statement) {
    const auto gradient =
        framework::GradientFor(session_, {.job = job, .sub_job = sheet.sub_job, .inside = inside});
    for (const auto& row : gradient.rows) {
      std::vector<HyperNodeId> found;
      std::vector<std::pair<std::vector<Statement::Placed>, SubJobWorksheet>> trials;
      for (HyperNodeId candidate : row) {
        const NodePicker::Inside confined(session_.picker(), candidate);
        const Statement::Mark mark = statement.Checkpoint();
        SubJobWorksheet rest = sheet;
        placer_.SetFailedRoles({});
        const bool stands = placer_.PlaceTasks(job, rest, statement);
        if (!stands || statement.Checkpoint().size == mark.size) continue;
        found.push_back(candidate);
        trials.emplace_back(statement.PlacedSince(mark), std::move(rest));
        statement.RollbackTo(mark);
      }
      if (found.empty()) continue;
      const std::vector<double> scores = framework::RankHyperNodes(session_, sheet.sub_job, found);
      const auto best = std::max_element(scores.begin(), scores.end());
      auto& [placed, rest] = trials[static_cast<size_t>(best - scores.begin())];
      statement.Redo(placed);
      sheet = std::move(rest);
      return *best;
    }
    return std::nullopt;
  }

  Session& session_;
  TaskPlacer& placer_;
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

TEST_CASE("domain search: it decides as one who tries every HyperNode",
          "[actions][topology][property]") {
  int64_t placed = 0;
  int64_t refused = 0;
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
    const std::string conf =
        StrCat("actions: allocate\ntiers:\n- plugins: [{name: gang}, {name: priority}",
               rng.Chance(0.5) ? ", {name: proportion}" : "",
               ", {name: predicates}, {name: nodeorder}, {name: network-topology-aware, arguments: "
               "{hypernode.tightest-fit.enable: ",
               rng.Chance(0.5) ? "true" : "false", "}}]\n");
    Bed bed(SnapshotOf(world), conf);
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
      Worksheet sheet = actions::MakeWorksheet(session, job);
      if (sheet.sub_jobs.empty()) continue;
      REQUIRE(search.PlaceJob(job, sheet, statement) == expected);
      REQUIRE(Named(session, statement.PlacedSince({})) == best);
      (expected ? placed : refused) += 1;
      statement.Keep();  // For the next ones to be in its way.
    }
    kept.Keep();
  });
  CAPTURE(placed, refused);
  CHECK((FewSeeds() || (placed > 300 && refused > 300)));
}

// Ten tiers: each HyperNode is in one of the next tier, two by two.
WorldSpec TallTree() {
  WorldSpec world;
  world.queues = {{.name = "q"}};
  world.jobs = {{.name = "ns/a", .queue = "q", .min = 700}};
  model::TopologyWish wish;
  wish.mode = model::TopologyWish::Mode::kHard;
  wish.highest_tier = 9;
  world.jobs.front().topology = {wish};
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
  const auto told = [](WorldSpec world) {
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
    Worksheet sheet = actions::MakeWorksheet(session, job);
    Statement statement(session, "test");
    REQUIRE_FALSE(search.PlaceJob(job, sheet, statement));
    return session.notes().HoldOf(job)->message;
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
