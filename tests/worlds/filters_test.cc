// The filters of plugin predicates on random objects, against the slow twin.
#include <algorithm>
#include <set>

#include "base/strings.h"
#include "framework/session/statement.h"
#include "tests/worlds/filter_twin.h"
#include "tests/worlds/many_worlds.h"
#include "tests/worlds/world_cycles.h"

namespace bth::test {
namespace {

using framework::ReasonId;
using framework::Session;
using model::NodeId;
using model::NodeRange;
using model::TaskId;

// Most are on, as by default.
FilterSwitches RandomSwitches(Rng& rng) {
  const auto on = [&rng] { return !rng.Chance(0.1); };
  FilterSwitches out;
  for (bool* each : {&out.affinity, &out.taints, &out.ports, &out.restrictions, &out.limits,
                     &out.zones, &out.binding}) {
    *each = on();
  }
  return out;
}

std::string FilterPolicyWith(const FilterSwitches& switches) {
  const auto line = [](const char* name, bool on) {
    return StrCat("      predicate.", name, "Enable: ", on ? "true" : "false", "\n");
  };
  return StrCat("actions: allocate\ntiers:\n- plugins:\n  - name: predicates\n    arguments:\n",
                line("NodeAffinity", switches.affinity), line("TaintToleration", switches.taints),
                line("NodePorts", switches.ports),
                line("VolumeRestrictions", switches.restrictions),
                line("NodeVolumeLimits", switches.limits), line("VolumeZone", switches.zones),
                line("VolumeBinding", switches.binding));
}

// Which volume an unbound claim gets is asked of the twin in tests/volumes.
bool IsAboutBinding(const std::string& reason) {
  static const std::set<std::string> kReasons = {
      "node(s) didn't match PersistentVolume's node affinity",
      "node(s) didn't find available persistent volumes to bind",
      "node(s) did not have enough free storage",
      "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"};
  return kReasons.contains(reason);
}

std::string FilterWhyNowhere(Session& session, TaskId task) {
  for (const auto& entry : session.hooks().pre_filter) {
    const ReasonId verdict = entry.fn(task);
    if (verdict != framework::kFits) return session.reasons().text(verdict);
  }
  return "";
}

// What each filter says of one node, asked alone.
std::vector<std::string> FilterReasonsOf(Session& session, TaskId task, NodeId node) {
  std::vector<std::string> reasons;
  const auto ask = [&](const auto& filters, const auto& subject) {
    for (const auto& entry : filters) {
      ReasonId verdict = framework::kFits;
      entry.fn(subject, NodeRange(node.index(), node.index() + 1),
               absl::Span<ReasonId>(&verdict, 1));
      if (verdict == framework::kFits) continue;
      const std::string& text = session.reasons().text(verdict);
      if (!IsAboutBinding(text)) reasons.push_back(text);
    }
  };
  const model::ShapeId shape = session.task(task).shape;
  ask(session.hooks().static_filter, session.base().constraints_of(shape));
  ask(session.hooks().usage_filter, shape);
  ask(session.hooks().global_filter, task);
  std::sort(reasons.begin(), reasons.end());
  return reasons;
}

class Confrontation {
 public:
  Confrontation(const FilterWorld& world, const FilterSwitches& switches, Session& session)
      : world_(world), session_(session), twin_(world, switches) {
    for (TaskId task : session.base().tasks.ids()) {
      const auto& names = session.task(task).names;
      if (names != nullptr) tasks_[names->name] = task;
    }
    for (NodeId node : *session.base().nodes_by_name) nodes_[session.node(node).name] = node;
  }

  // Every waiting pod on every node.
  void Compare(std::map<std::string, int>* told) {
    for (const FilterPod& pod : world_.pods) {
      if (!Waits(pod)) continue;
      INFO("pod " << pod.name);
      const TaskId task = tasks_.at(pod.name);
      const std::string nowhere = twin_.WhyNowhere(pod);
      REQUIRE(FilterWhyNowhere(session_, task) == nowhere);
      if (!nowhere.empty()) ++(*told)[nowhere.substr(0, 14)];
      if (!nowhere.empty()) continue;
      for (const FilterNode& node : world_.nodes) {
        INFO("node " << node.name);
        const std::vector<std::string> expected = twin_.Reasons(pod, node);
        REQUIRE(FilterReasonsOf(session_, task, nodes_.at(node.name)) == expected);
        for (const std::string& reason : expected) ++(*told)[reason];
        if (expected.empty()) ++(*told)[""];
      }
    }
  }

  // Pods come and go, wherever filters would let them.
  void Move(framework::Statement& statement, Rng& rng) {
    if (world_.pods.empty() || world_.nodes.empty()) return;
    for (int i = 0; i < 4; ++i) {
      const FilterPod& pod = world_.pods[rng.Below(world_.pods.size())];
      const std::string& node = world_.nodes[rng.Below(world_.nodes.size())].name;
      const auto task = tasks_.find(pod.name);
      if (task == tasks_.end()) continue;
      if (Waits(pod)) {
        if (rng.Chance(0.7)) {
          statement.Allocate(task->second, nodes_.at(node));
        } else {
          statement.Pipeline(task->second, nodes_.at(node), rng.Chance(0.5));
        }
        twin_.Place(pod.name, node);
        continue;
      }
      const model::TaskStatus status = session_.state(task->second).status;
      if (pod.foreign || !nodes_.contains(twin_.PlaceOf(pod.name))) continue;
      if (status == model::TaskStatus::kPipelined) {
        statement.Unpipeline(task->second);
      } else if (model::InGroup(status, model::kPreemptableGroup)) {
        statement.Evict(task->second, TaskId());
      } else {
        continue;
      }
      twin_.Remove(pod.name);
    }
  }

  FilterTwin twin() const { return twin_; }
  void Return(const FilterTwin& twin) {
    for (const FilterPod& pod : world_.pods) {
      const std::string place = twin.PlaceOf(pod.name);
      if (place.empty()) {
        twin_.Remove(pod.name);
      } else {
        twin_.Place(pod.name, place);
      }
    }
  }

 private:
  bool Waits(const FilterPod& pod) const {
    return pod.node.empty() && !pod.foreign && twin_.PlaceOf(pod.name).empty();
  }

  const FilterWorld& world_;
  Session& session_;
  FilterTwin twin_;
  std::map<std::string, TaskId> tasks_;
  std::map<std::string, NodeId> nodes_;
};

TEST_CASE("filters: each says of each pod and node what the slow twin says",
          "[plugins][predicates][property]") {
  std::map<std::string, int> told;
  ForEachWorld(2500, [&told](Rng& rng) {
    const FilterWorld world = RandomFilterWorld(rng);
    const FilterSwitches switches = rng.Chance(0.7) ? FilterSwitches() : RandomSwitches(rng);
    Bed bed(SnapshotOf(world, rng.Next()), FilterPolicyWith(switches));
    REQUIRE(bed.cycle().Open().ok());
    Confrontation both(world, switches, bed.session());
    both.Compare(&told);
    framework::Statement statement(bed.session(), "test");
    for (int round = 0; round < 3; ++round) {
      INFO("round " << round);
      const framework::Statement::Mark mark = statement.Checkpoint();
      const FilterTwin before = both.twin();
      both.Move(statement, rng);
      both.Compare(&told);
      if (!rng.Chance(0.4)) continue;
      statement.RollbackTo(mark);
      both.Return(before);
      both.Compare(&told);
    }
  });
  // The worlds are such that every rule has its say, and that often none has.
  CHECK((FewSeeds() || told.size() == 14));
  for (const auto& [reason, times] : told) {
    CAPTURE(reason, times);
    CHECK((FewSeeds() || times > 20));
  }
}

}  // namespace
}  // namespace bth::test
