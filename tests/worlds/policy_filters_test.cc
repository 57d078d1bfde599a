// Filters of tdm, usage and resource-strategy-fit on random clusters, against the slow twin.
#include <map>
#include <string>
#include <utility>

#include "base/strings.h"
#include "framework/session/statement.h"
#include "tests/worlds/cluster_world.h"
#include "tests/worlds/many_worlds.h"
#include "tests/worlds/plugin_parts.h"
#include "tests/worlds/policy_twin.h"
#include "tests/worlds/world_cycles.h"

namespace bth::test {
namespace {

using framework::ReasonId;
using framework::Session;
using model::NodeId;
using model::TaskId;
using model::TaskStatus;

// Most have all three.
std::string RandomTwinnedPolicy(Rng& rng, PolicyFilters* filters) {
  std::string out = "actions: allocate\ntiers:\n- plugins:\n  - {name: gang}\n";
  for (const char* plugin : {"tdm", "usage", "resource-strategy-fit"}) {
    if (rng.Chance(0.1)) continue;
    const std::string arguments = RandomFilterArguments(rng, plugin, filters);
    StrAppend(&out, "  - {name: ", plugin, ", arguments: {", arguments, "}}\n");
  }
  return out;
}

// Every node has a load in some worlds, and zones and GPUs are frequent.
WorldSpec WorldOfFilters(Rng& rng) {
  WorldSpec world = RandomCluster(rng, {.nodes_max = 6, .pods_max = 24});
  const bool loads = rng.Chance(0.7);
  for (NodeSpec& node : world.nodes) {
    if (loads && rng.Chance(0.8)) node.load = RandomLoad(rng);
    if (rng.Chance(0.4)) node.revocable_zone = Pick(rng, {"open", "open", "closed"});
    if (rng.Chance(0.4)) node.gpu_milli = rng.Between(1, 4) * 1000;
  }
  CountCards(false, &world);
  return world;
}

// A few words of a reason that are the same for all zones.
std::string KindOfReason(const std::string& reason) {
  for (const char* kind : {"not support", "format error", "current time beyond", "not allow",
                           "CPU load", "memory load", "proportional"}) {
    if (StrContains(reason, kind)) return kind;
  }
  return reason;
}

class PolicyConfrontation {
 public:
  PolicyConfrontation(const WorldSpec& world, const PolicyFilters& filters, Session& session)
      : world_(world), session_(session), twin_(filters) {
    for (TaskId task : session.base().tasks.ids()) {
      const auto& names = session.task(task).names;
      if (names != nullptr) tasks_[names->Key()] = task;
    }
    for (NodeId node : *session.base().nodes_by_name) nodes_[session.node(node).name] = node;
  }

  // Every pod of a job on every node, whether it waits or not: the filters go by what it asks for.
  void Compare(std::map<std::string, int>* told) const {
    for (const NodeSpec& node : world_.nodes) {
      const PolicyTwin::Idle idle = IdleOn(node);
      for (const PodSpec& pod : world_.pods) {
        if (pod.job.empty()) continue;
        INFO("pod " << pod.Key() << " node " << node.name);
        const std::map<std::string, std::string> expected = {
            {"tdm", twin_.WhyClosed(pod, node)},
            {"usage", twin_.WhyBusy(node)},
            {"resource-strategy-fit", twin_.WhyReserved(pod, idle)}};
        const std::map<std::string, std::string> said = SaidOf(pod, node.name);
        for (const auto& [plugin, reason] : expected) {
          INFO(plugin);
          const auto own = said.find(plugin);
          REQUIRE((own == said.end() ? "" : own->second) == reason);
          if (own != said.end()) ++(*told)[KindOfReason(reason)];
        }
      }
    }
  }

  // Pods come, are promised and are evicted, wherever that is.
  void Move(framework::Statement& statement, Rng& rng) {
    if (world_.pods.empty() || world_.nodes.empty()) return;
    for (int i = 0; i < 4; ++i) {
      const PodSpec& pod = world_.pods[rng.Below(world_.pods.size())];
      const std::string& node = world_.nodes[rng.Below(world_.nodes.size())].name;
      if (pod.job.empty()) continue;
      const TaskId task = tasks_.at(pod.Key());
      const TaskStatus status = session_.state(task).status;
      if (status == TaskStatus::kPending && rng.Chance(0.6)) {
        statement.Allocate(task, nodes_.at(node));
        placed_[pod.Key()] = node;
      } else if (status == TaskStatus::kPending) {
        statement.Pipeline(task, nodes_.at(node), rng.Chance(0.5));
      } else if (status == TaskStatus::kPipelined) {
        statement.Unpipeline(task);
      } else if (model::InGroup(status, model::kPreemptableGroup)) {
        statement.Evict(task, TaskId());
      }
    }
  }

  // Where pods were placed in this session.
  std::map<std::string, std::string> placed() const { return placed_; }
  void Return(std::map<std::string, std::string> placed) { placed_ = std::move(placed); }

 private:
  // What no pod holds. Who was evicted holds on, and who is promised room does not hold it yet.
  PolicyTwin::Idle IdleOn(const NodeSpec& node) const {
    PolicyTwin::Idle idle{.cpu_milli = node.cpu_milli,
                          .memory_bytes = node.memory_bytes,
                          .gpu_milli = node.gpu_milli};
    for (const PodSpec& pod : world_.pods) {
      const auto placed = placed_.find(pod.Key());
      const std::string& at = placed == placed_.end() ? pod.node : placed->second;
      const bool done = pod.status == TaskStatus::kSucceeded || pod.status == TaskStatus::kFailed;
      if (at != node.name || done) continue;
      idle.cpu_milli -= pod.cpu_milli;
      idle.memory_bytes -= pod.memory_bytes;
      idle.gpu_milli -= pod.gpu_milli;
    }
    return idle;
  }

  // By plugin, each asked alone; those without a filter say nothing at all.
  std::map<std::string, std::string> SaidOf(const PodSpec& pod, const std::string& name) const {
    const model::ShapeId shape = session_.task(tasks_.at(pod.Key())).shape;
    const NodeId node = nodes_.at(name);
    std::map<std::string, std::string> said;
    for (const auto& entry : session_.hooks().usage_filter) {
      ReasonId verdict = framework::kFits;
      entry.fn(shape, model::NodeRange(node.index(), node.index() + 1),
               absl::Span<ReasonId>(&verdict, 1));
      std::string& text = said[std::string(entry.origin.plugin)];
      if (verdict != framework::kFits) text = session_.reasons().text(verdict);
    }
    return said;
  }

  const WorldSpec& world_;
  Session& session_;
  const PolicyTwin twin_;
  std::map<std::string, TaskId> tasks_;
  std::map<std::string, NodeId> nodes_;
  std::map<std::string, std::string> placed_;  // Node by pod.
};

TEST_CASE("policy filters: each says of each pod and node what the slow twin says",
          "[plugins][tdm][usage][resource-strategy-fit][property]") {
  std::map<std::string, int> told;
  ForEachWorld(600, [&told](Rng& rng) {
    const WorldSpec world = WorldOfFilters(rng);
    PolicyFilters filters;
    const std::string conf = RandomTwinnedPolicy(rng, &filters);
    INFO(conf);
    Bed bed(SnapshotOf(world, rng.Next()), conf);
    REQUIRE(bed.cycle().Open().ok());
    PolicyConfrontation both(world, filters, bed.session());
    both.Compare(&told);
    framework::Statement statement(bed.session(), "test");
    for (int round = 0; round < 3; ++round) {
      INFO("round " << round);
      const framework::Statement::Mark mark = statement.Checkpoint();
      const std::map<std::string, std::string> before = both.placed();
      both.Move(statement, rng);
      both.Compare(&told);
      if (!rng.Chance(0.4)) continue;
      statement.RollbackTo(mark);
      both.Return(before);
      both.Compare(&told);
    }
  });
  // The worlds are such that every rule has its say, and that often none has.
  CHECK((FewSeeds() || told.size() == 8));
  for (const auto& [reason, times] : told) {
    CAPTURE(reason, times);
    CHECK((FewSeeds() || times > 50));
  }
}

}  // namespace
}  // namespace bth::test
