// Workers that decide side by side on one snapshot.
#include <atomic>
#include <map>
#include <memory>
#include <set>

#include "base/rng.h"
#include "framework/session/session.h"
#include "tests/scheduler/agent_bed.h"
#include "tests/support/seeds.h"
#include "tests/support/temp_folder.h"

namespace bth::scheduler {
namespace {

using testing::AgentBed;
using testing::AgentPod;

struct PlannedPod {
  std::string name;
  int cpu = 1;
  int group = 0;  // Not 0: no two of it on one node.
  int urgency = 0;
};

struct World {
  std::vector<int> node_cpus;
  std::vector<PlannedPod> pods;
};

World RandomWorld(Rng& rng) {
  World world;
  const int nodes = static_cast<int>(2 + rng.Next() % 12);
  for (int i = 0; i < nodes; ++i) world.node_cpus.push_back(static_cast<int>(1 + rng.Next() % 12));
  const int pods = static_cast<int>(140 + rng.Next() % 60);
  for (int i = 0; i < pods; ++i) {
    world.pods.push_back({.name = StrCat("p", i),
                          .cpu = static_cast<int>(1 + rng.Next() % 3),
                          .group = static_cast<int>(rng.Next() % 3),
                          .urgency = rng.Next() % 4 == 0 ? 100 : 0});
  }
  return world;
}

AgentPod Described(const PlannedPod& pod) {
  AgentPod out{.cpu = StrCat(pod.cpu), .urgency = StrCat(pod.urgency)};
  if (pod.group == 0) return out;
  out.labels = StrCat(R"(,"group":"g)", pod.group, "\"");
  out.spec = StrCat(
      R"(,"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[)",
      R"({"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"group":"g)",
      pod.group, R"("}}}]}})");
  return out;
}

using Places = std::map<std::string, std::string>;

// Where the pods are when all was decided in one round.
Places PlacesWith(const World& world, int workers, double* conflicts = nullptr) {
  AgentBed bed(workers);
  for (size_t i = 0; i < world.node_cpus.size(); ++i) {
    const std::string name = StrCat("n", i);
    bed.Create("/api/v1/nodes",
               StrCat(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")", name,
                      R"(","labels":{"kubernetes.io/hostname":")", name,
                      R"("}},"status":{"allocatable":{"cpu":")", world.node_cpus[i],
                      R"(","memory":"64Gi","pods":"110"},"conditions":[{"type":"Ready",)",
                      R"("status":"True"}]}})"));
  }
  for (const PlannedPod& pod : world.pods) bed.Single(pod.name, Described(pod));
  bed.BeginAgent();
  Places places;
  for (const PlannedPod& pod : world.pods) places[pod.name] = bed.NodeOf(pod.name);
  CHECK(bed.scheduler->mirror().Check().ToString() == "OK");
  if (conflicts != nullptr) *conflicts = bed.Metric("batholith_agent_conflicts_total");
  return places;
}

// What is free on each node, and which groups are there, by the rules and nothing else.
struct Slow {
  std::vector<int> free;
  std::vector<std::set<int>> groups;

  Slow(const World& world, const Places& places)
      : free(world.node_cpus), groups(world.node_cpus.size()) {
    for (const PlannedPod& pod : world.pods) {
      const std::string& node = places.at(pod.name);
      if (node.empty()) continue;
      const size_t at = std::stoul(node.substr(1));
      CAPTURE(pod.name, node);
      free[at] -= pod.cpu;
      CHECK(free[at] >= 0);
      if (pod.group != 0) CHECK(groups[at].insert(pod.group).second);
    }
  }
  bool Takes(size_t node, const PlannedPod& pod) const {
    return pod.cpu <= free[node] && (pod.group == 0 || !groups[node].contains(pod.group));
  }
};

TEST_CASE("side by side: rules hold, nobody waits who has a place, and each run is the same",
          "[scheduler][agent][property]") {
  double conflicts = 0;
  test::ForEachSeed(6, [&conflicts](uint64_t seed) {
    Rng rng(seed);
    const World world = RandomWorld(rng);
    for (const int workers : {1, 2, 5}) {
      CAPTURE(workers);
      double of_run = 0;
      const Places places = PlacesWith(world, workers, &of_run);
      conflicts += of_run;
      CHECK((workers > 1 || of_run == 0));
      const Slow slow(world, places);
      for (const PlannedPod& pod : world.pods) {
        if (!places.at(pod.name).empty()) continue;
        for (size_t node = 0; node < slow.free.size(); ++node) {
          CAPTURE(pod.name, node);
          CHECK_FALSE(slow.Takes(node, pod));
        }
      }
      CHECK(PlacesWith(world, workers) == places);
    }
  });
  CHECK(conflicts > 0);  // Or nothing was settled.
}

TEST_CASE("side by side: the urgent keep their places whatever others chose",
          "[scheduler][agent]") {
  // Room for sixty of a hundred, of whom the last forty to come are urgent.
  World world{.node_cpus = {20, 20, 20}};
  for (int i = 0; i < 100; ++i) {
    world.pods.push_back({.name = StrCat("p", i), .urgency = i < 60 ? 0 : 100});
  }
  const int workers = GENERATE(1, 2, 4);
  CAPTURE(workers);
  const Places places = PlacesWith(world, workers);
  int bound = 0;
  for (int i = 0; i < 100; ++i) {
    const bool is_bound = !places.at(StrCat("p", i)).empty();
    bound += is_bound ? 1 : 0;
    if (i >= 60) CHECK(is_bound);
  }
  CHECK(bound == 60);
}

TEST_CASE("side by side: every plugin for single pods, on threads of their own",
          "[scheduler][agent]") {
  // Ports, zones, spread and affinity: what workers look up is filled while others look.
  const auto places = [](int workers) {
    AgentBed bed(workers);
    for (int i = 0; i < 12; ++i) {
      bed.Create("/api/v1/nodes",
                 StrCat(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n)", i,
                        R"(","labels":{"kubernetes.io/hostname":"n)", i, R"(","zone":"z)", i % 3,
                        R"("}},"status":{"allocatable":{"cpu":"16","memory":"64Gi","pods":"110"},)",
                        R"("conditions":[{"type":"Ready","status":"True"}]}})"));
    }
    constexpr int kPods = 120;
    for (int i = 0; i < kPods; ++i) {
      AgentPod pod{.cpu = StrCat(500 + 10 * (i % 7), "m")};
      pod.labels = StrCat(R"(,"group":"g)", i % 4, "\"");
      const std::string selector =
          StrCat(R"("labelSelector":{"matchLabels":{"group":"g)", i % 4, R"("}})");
      if (i % 3 == 0) {
        pod.spec = StrCat(R"(,"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone",)",
                          R"("whenUnsatisfiable":"DoNotSchedule",)", selector, "}]");
      } else if (i % 3 == 1) {
        pod.spec = StrCat(R"(,"affinity":{"podAffinity":{)",
                          R"("preferredDuringSchedulingIgnoredDuringExecution":[{"weight":50,)",
                          R"("podAffinityTerm":{"topologyKey":"kubernetes.io/hostname",)", selector,
                          "}}]}}");
      } else {
        pod.spec = R"(,"nodeSelector":{"zone":"z1"})";
      }
      bed.Single(StrCat("p", i), pod);
    }
    test::TempFolder folder;
    SchedulerOptions options;
    options.policy.path = folder.Write("agent-scheduler.conf", R"(
actions: "allocate"
tiers:
- plugins:
  - name: predicates
  - name: nodeorder
  - name: binpack
  - name: resource-strategy-fit
  - name: usage
  - name: deviceshare
)");
    bed.BeginAgent(options);
    Places out;
    for (int i = 0; i < kPods; ++i) {
      out[StrCat("p", i)] = bed.NodeOf(StrCat("p", i));
      CHECK(!out[StrCat("p", i)].empty());
    }
    CHECK(bed.scheduler->mirror().Check().ToString() == "OK");
    return out;
  };
  const int workers = GENERATE(2, 4);
  CAPTURE(workers);
  CHECK(places(workers) == places(workers));
}

// Notes in how many sessions volumes are scored, and in how many they are not.
class FeatureWatch final : public framework::Plugin {
 public:
  FeatureWatch(std::atomic<int>& with, std::atomic<int>& without)
      : with_(with), without_(without) {}
  std::string_view name() const override { return "usage"; }
  absl::Status OnSessionOpen(framework::Session& session, framework::HookRegistrar&) override {
    ++(session.context().scores_volumes ? with_ : without_);
    return absl::OkStatus();
  }

 private:
  std::atomic<int>& with_;
  std::atomic<int>& without_;
};

TEST_CASE("side by side: workers rate nodes by the features that are on", "[scheduler][agent]") {
  std::atomic<int> with = 0;
  std::atomic<int> without = 0;
  AgentBed bed(/*workers=*/3);
  bed.adapt = [&](framework::Registry& registry) {
    registry.plugins["usage"] = [&](const conf::Arguments&) {
      return absl::StatusOr<std::unique_ptr<framework::Plugin>>(
          std::make_unique<FeatureWatch>(with, without));
    };
  };
  bed.Node("n1", 200);
  test::TempFolder folder;
  SchedulerOptions options;
  options.scores_volumes = true;
  options.policy.path = folder.Write("agent-scheduler.conf",
                                     "actions: \"allocate\"\ntiers:\n- plugins:\n"
                                     "  - name: usage\n  - name: predicates\n");
  for (int i = 0; i < 60; ++i) bed.Single(StrCat("p", i));
  bed.BeginAgent(options);
  bed.Settle();
  CHECK(with >= 4);  // The round's own, and one for each worker.
  CHECK(without == 0);
}

}  // namespace
}  // namespace bth::scheduler
