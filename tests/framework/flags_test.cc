// Which switch of scheduler.conf takes which hooks out.
#include <map>
#include <set>
#include <string>

#include "framework/hooks/plugin.h"
#include "tests/support/catch.h"

namespace bth::framework {
namespace {

using conf::HookFlag;

// A plugin with every hook there is.
HookTable TableWith(const conf::PluginOption& option) {
  HookTable table;
  HookRegistrar hooks(table, {0, "all", 0}, option);
  hooks.JobOrder({});
  hooks.QueueOrder({});
  hooks.VictimQueueOrder({});
  hooks.TaskOrder({});
  hooks.SubJobOrder({});
  hooks.ClusterOrder({});
  hooks.PreFilter({});
  hooks.FilterStatic({});
  hooks.FilterUsage({});
  hooks.FilterGlobal({});
  hooks.FilterByQueue({});
  hooks.BestNode({});
  hooks.ScoreStatic({});
  hooks.ScoreUsage({});
  hooks.ScoreGlobal(GlobalScoreFn());
  hooks.ScoreGlobal(GlobalScore());
  hooks.ScoreByQueue({});
  hooks.HyperNodeScore({});
  hooks.HyperNodeGradient({});
  hooks.Preemptable({});
  hooks.Reclaimable({});
  hooks.UnifiedEvictable({});
  hooks.VictimTasks({});
  hooks.VictimFilter({});
  hooks.Overused({});
  hooks.Preemptive({});
  hooks.Allocatable({});
  hooks.JobValid({});
  hooks.JobReady({});
  hooks.JobPipelined({});
  hooks.SubJobReady({});
  hooks.SubJobPipelined({});
  hooks.JobEnqueueable({});
  hooks.JobEnqueued({});
  hooks.JobStarving({});
  hooks.TargetJob({});
  hooks.ReservedNodes({});
  hooks.BeforeScan({});
  hooks.OnPlace({});
  hooks.OnRemove({});
  hooks.OnGateLifted({});
  hooks.PlanVolumes({});
  hooks.OnClose({});
  return table;
}

// How many hooks of each kind there are.
std::map<std::string, size_t> Sizes(const HookTable& table) {
  return {{"job order", table.job_order.size()},
          {"queue order", table.queue_order.size()},
          {"victim queue order", table.victim_queue_order.size()},
          {"task order", table.task_order.size()},
          {"sub-job order", table.sub_job_order.size()},
          {"cluster order", table.cluster_order.size()},
          {"pre-filter", table.pre_filter.size()},
          {"static filter", table.static_filter.size()},
          {"usage filter", table.usage_filter.size()},
          {"global filter", table.global_filter.size()},
          {"best node", table.best_node.size()},
          {"static score", table.static_score.size()},
          {"usage score", table.usage_score.size()},
          {"global score", table.global_score.size()},
          {"HyperNode score", table.hyper_node_score.size()},
          {"HyperNode gradient", table.hyper_node_gradient.size()},
          {"preemptable", table.preemptable.size()},
          {"reclaimable", table.reclaimable.size()},
          {"unified evictable", table.unified_evictable.size()},
          {"victim tasks", table.victim_tasks.size()},
          {"victim filter", table.victim_filter.size()},
          {"overused", table.overused.size()},
          {"preemptive", table.preemptive.size()},
          {"allocatable", table.allocatable.size()},
          {"job valid", table.job_valid.size()},
          {"job ready", table.job_ready.size()},
          {"job pipelined", table.job_pipelined.size()},
          {"sub-job ready", table.sub_job_ready.size()},
          {"sub-job pipelined", table.sub_job_pipelined.size()},
          {"job enqueueable", table.job_enqueueable.size()},
          {"job enqueued", table.job_enqueued.size()},
          {"job starving", table.job_starving.size()},
          {"target job", table.target_job.size()},
          {"reserved nodes", table.reserved_nodes.size()},
          {"before scan", table.before_scan.size()},
          {"on place", table.on_place.size()},
          {"on remove", table.on_remove.size()},
          {"on gate lifted", table.on_gate_lifted.size()},
          {"volume plan", table.volume_plan.size()},
          {"on close", table.on_close.size()}};
}

std::set<std::string> Missing(const conf::PluginOption& option) {
  std::set<std::string> out;
  for (const auto& [kind, size] : Sizes(TableWith(option))) {
    if (size == 0) out.insert(kind);
  }
  return out;
}

TEST_CASE("switches: each takes out its own hooks and no others", "[framework]") {
  struct Case {
    HookFlag flag;
    std::set<std::string> hooks;
  };
  const std::vector<Case> cases = {
      {HookFlag::kJobOrder, {"job order"}},
      {HookFlag::kHierarchy, {}},  // Read by the plugins themselves.
      {HookFlag::kJobReady, {"job ready"}},
      {HookFlag::kJobPipelined, {"job pipelined"}},
      {HookFlag::kTaskOrder, {"task order"}},
      {HookFlag::kPreemptable, {"preemptable"}},
      {HookFlag::kReclaimable, {"reclaimable"}},
      {HookFlag::kPreemptive, {"preemptive"}},
      {HookFlag::kQueueOrder, {"queue order"}},
      {HookFlag::kClusterOrder, {"cluster order"}},
      {HookFlag::kPredicate, {"pre-filter", "static filter", "usage filter", "global filter"}},
      {HookFlag::kBestNode, {"best node"}},
      {HookFlag::kNodeOrder, {"static score", "usage score", "global score"}},
      {HookFlag::kTargetJob, {"target job"}},
      {HookFlag::kReservedNodes, {"reserved nodes"}},
      {HookFlag::kJobEnqueued, {"job enqueueable", "job enqueued"}},
      {HookFlag::kVictim, {"victim tasks", "victim filter"}},
      {HookFlag::kJobStarving, {"job starving"}},
      {HookFlag::kOverused, {"overused"}},
      {HookFlag::kAllocatable, {"allocatable"}},
      {HookFlag::kHyperNodeOrder, {"HyperNode score"}},
      {HookFlag::kSubJobReady, {"sub-job ready"}},
      {HookFlag::kSubJobPipelined, {"sub-job pipelined"}},
      {HookFlag::kSubJobOrder, {"sub-job order"}},
      {HookFlag::kHyperNodeGradient, {"HyperNode gradient"}},
  };
  REQUIRE(cases.size() == conf::kHookFlags);
  conf::PluginOption all;
  for (const Case& c : cases) all.flags.Set(c.flag, true);
  CHECK(Missing(all).empty());
  for (const Case& c : cases) {
    CAPTURE(conf::YamlKey(c.flag));
    conf::PluginOption option = all;
    option.flags.Set(c.flag, false);
    CHECK(Missing(option) == c.hooks);
  }
}

TEST_CASE("switches: by default only the tree of queues and the order of clusters are off",
          "[framework]") {
  CHECK(Missing({}) == std::set<std::string>{"cluster order"});
  HookTable table;
  const conf::PluginOption option;
  CHECK_FALSE(HookRegistrar(table, {0, "any", 0}, option).hierarchy_enabled());
}

}  // namespace
}  // namespace bth::framework
