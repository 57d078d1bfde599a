// The switches of every plugin: each takes away its own hooks, and no other.
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "conf/policy.h"
#include "tests/plugins/fixtures.h"

namespace bth::test {
namespace {

using conf::HookFlag;
using framework::HookTable;

struct Switch {
  HookFlag flag;
  std::function<size_t(const HookTable&)> hooks;
};

const std::vector<Switch>& Switches() {
  static const auto& kSwitches = *new std::vector<Switch>{
      {HookFlag::kJobOrder, [](const auto& h) { return h.job_order.size(); }},
      {HookFlag::kJobReady, [](const auto& h) { return h.job_ready.size(); }},
      {HookFlag::kJobPipelined, [](const auto& h) { return h.job_pipelined.size(); }},
      {HookFlag::kTaskOrder, [](const auto& h) { return h.task_order.size(); }},
      {HookFlag::kPreemptable, [](const auto& h) { return h.preemptable.size(); }},
      {HookFlag::kReclaimable, [](const auto& h) { return h.reclaimable.size(); }},
      {HookFlag::kPreemptive, [](const auto& h) { return h.preemptive.size(); }},
      {HookFlag::kQueueOrder, [](const auto& h) { return h.queue_order.size(); }},
      {HookFlag::kClusterOrder, [](const auto& h) { return h.cluster_order.size(); }},
      {HookFlag::kPredicate,
       [](const auto& h) {
         return h.pre_filter.size() + h.static_filter.size() + h.usage_filter.size() +
                h.global_filter.size();
       }},
      {HookFlag::kBestNode, [](const auto& h) { return h.best_node.size(); }},
      {HookFlag::kNodeOrder,
       [](const auto& h) {
         return h.static_score.size() + h.usage_score.size() + h.global_score.size();
       }},
      {HookFlag::kTargetJob, [](const auto& h) { return h.target_job.size(); }},
      {HookFlag::kReservedNodes, [](const auto& h) { return h.reserved_nodes.size(); }},
      {HookFlag::kJobEnqueued,
       [](const auto& h) { return h.job_enqueueable.size() + h.job_enqueued.size(); }},
      {HookFlag::kVictim,
       [](const auto& h) { return h.victim_tasks.size() + h.victim_filter.size(); }},
      {HookFlag::kJobStarving, [](const auto& h) { return h.job_starving.size(); }},
      {HookFlag::kOverused, [](const auto& h) { return h.overused.size(); }},
      {HookFlag::kAllocatable, [](const auto& h) { return h.allocatable.size(); }},
      {HookFlag::kHyperNodeOrder, [](const auto& h) { return h.hyper_node_score.size(); }},
      {HookFlag::kSubJobReady, [](const auto& h) { return h.sub_job_ready.size(); }},
      {HookFlag::kSubJobPipelined, [](const auto& h) { return h.sub_job_pipelined.size(); }},
      {HookFlag::kSubJobOrder, [](const auto& h) { return h.sub_job_order.size(); }},
      {HookFlag::kHyperNodeGradient, [](const auto& h) { return h.hyper_node_gradient.size(); }},
  };
  return kSwitches;
}

// What makes plugins that do nothing by themselves do something.
std::map<std::string, std::string> ArgumentsOf(const std::string& plugin) {
  if (plugin == "tdm") return {{plugin, "tdm.revocable-zone.z: '0:00-0:00'"}};
  if (plugin == "resource-strategy-fit") {
    return {{plugin,
             "{sra: {enable: true, weight: 1, resources: nvidia.com/gpu}, proportional: {enable: "
             "true, resources: nvidia.com/gpu}}"}};
  }
  return {};
}

// The hooks under each switch, in a session of which the plugin had its turn.
std::vector<size_t> Counts(const std::string& plugin, const std::string& off) {
  const std::string place = plugin + "+enableHierarchy" + (off.empty() ? "" : "!" + off);
  const World world = MakeWorld(
      "node n cpu=8 gpu=1; queue root; queue q parent=root; job a queue=q; task t job=a gpu=1");
  PluginBed bed(Builtins(), MakePolicy("", place, ArgumentsOf(plugin)), world);
  bed.clock().Advance(absl::Minutes(6));  // The turn of rescheduling has come.
  bed.Reopen(world);
  std::vector<size_t> counts;
  for (const Switch& one : Switches()) counts.push_back(one.hooks(bed.session().hooks()));
  return counts;
}

// Which switches mean something for which plugin. The extender's follow from its verbs: it has a
// test of its own.
const std::map<std::string, std::vector<std::string>>& Known() {
  static const auto& kKnown = *new std::map<std::string, std::vector<std::string>>{
      {"binpack", {"enableNodeOrder"}},
      {"capacity",
       {"enableReclaimable", "enablePreemptive", "enableQueueOrder", "enableJobEnqueued",
        "enabledAllocatable"}},
      {"cdp", {"enablePreemptable", "enableReclaimable"}},
      {"conformance", {"enablePreemptable", "enableReclaimable"}},
      {"drf", {"enableJobOrder", "enablePreemptable", "enableReclaimable", "enableQueueOrder"}},
      {"extender", {}},
      {"gang",
       {"enableJobOrder", "enableJobReady", "enableJobPipelined", "enablePreemptable",
        "enableReclaimable", "enableJobStarving", "enabledSubJobReady", "enabledSubJobPipelined",
        "enabledSubJobOrder"}},
      {"nodegroup", {"enablePredicate", "enableNodeOrder"}},
      {"nodeorder", {"enableNodeOrder"}},
      {"overcommit", {"enableJobEnqueued"}},
      {"pdb", {"enablePreemptable", "enableReclaimable", "enabledVictim"}},
      {"predicates", {"enablePredicate"}},
      {"priority",
       {"enableJobOrder", "enableTaskOrder", "enablePreemptable", "enableJobStarving",
        "enabledSubJobOrder"}},
      {"proportion",
       {"enableReclaimable", "enablePreemptive", "enableQueueOrder", "enableJobEnqueued",
        "enabledOverused", "enabledAllocatable"}},
      {"rescheduling", {"enabledVictim"}},
      {"resource-strategy-fit", {"enablePredicate", "enableNodeOrder"}},
      {"resourcequota", {"enableJobEnqueued"}},
      {"sla", {"enableJobOrder", "enableJobPipelined", "enableJobEnqueued"}},
      {"tdm",
       {"enableJobOrder", "enableJobPipelined", "enablePreemptable", "enablePredicate",
        "enableNodeOrder", "enabledVictim", "enableJobStarving"}},
      {"usage", {"enablePredicate", "enableNodeOrder"}},
  };
  return kKnown;
}

TEST_CASE("switches: each one that is off takes away its own hooks and no others",
          "[plugins][unit]") {
  // Every flag but the one that is no hook's.
  CHECK(Switches().size() == conf::kHookFlags - 1);
  std::vector<std::string> names;
  for (const auto& [name, factory] : Builtins().plugins) names.push_back(name);
  for (const std::string& plugin : names) {
    CAPTURE(plugin);
    REQUIRE(Known().contains(plugin));
    const std::vector<size_t> on = Counts(plugin, "");
    std::vector<std::string> meaningful;
    for (size_t i = 0; i < Switches().size(); ++i) {
      const std::string flag(conf::YamlKey(Switches()[i].flag));
      if (on[i] > 0) meaningful.push_back(flag);
      std::vector<size_t> expected = on;
      expected[i] = 0;
      CAPTURE(flag);
      CHECK(Counts(plugin, flag) == expected);
    }
    CHECK(meaningful == Known().at(plugin));
  }
}

TEST_CASE("switches: drf orders queues and lets them reclaim only in a tree", "[plugins][drf]") {
  PluginBed bed = Bed("drf", "node n cpu=8; queue q; job a queue=q; task t job=a");
  CHECK(bed.session().hooks().queue_order.empty());
  CHECK(bed.session().hooks().reclaimable.empty());
}

}  // namespace
}  // namespace bth::test
