// The switches of every plugin: each takes away its own hooks, and no other.
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/model/device_settings.h"
#include "conf/policy.h"
#include "tests/plugins/fixtures.h"

namespace bth::test {
namespace {

using conf::HookFlag;
using framework::HookTable;

// Switches that take hooks away, in order.
const std::vector<HookFlag>& Switches() {
  static const auto& kSwitches = *[] {
    std::set<HookFlag> flags;
    for (const framework::HookKind& kind : framework::HookKinds()) {
      if (kind.flag) flags.insert(*kind.flag);
    }
    return new std::vector<HookFlag>(flags.begin(), flags.end());
  }();
  return kSwitches;
}

// The hooks under that switch.
size_t CountUnder(HookFlag flag, const HookTable& table) {
  size_t count = 0;
  for (const auto& [its_flag, size] : std::vector<std::pair<std::optional<HookFlag>, size_t>>{
#define BTH_HOOK(Kind, list, flag, ...) {framework::flag, table.list.size()},
#include "framework/hooks/hook_kinds.inc.h"
#undef BTH_HOOK
       }) {
    if (its_flag == flag) count += size;
  }
  return count;
}

// What makes plugins that do nothing by themselves do something.
std::map<std::string, std::string> ArgumentsOf(const std::string& plugin) {
  if (plugin == "tdm") return {{plugin, "tdm.revocable-zone.z: '0:00-0:00'"}};
  if (plugin == "deviceshare") {
    return {{plugin, "{deviceshare.VGPUEnable: true, deviceshare.ScheduleWeight: 1}"}};
  }
  if (plugin == "resource-strategy-fit") {
    return {{plugin,
             "{sra: {enable: true, weight: 1, resources: nvidia.com/gpu}, proportional: {enable: "
             "true, resources: nvidia.com/gpu}}"}};
  }
  return {};
}

// One whose objects were read for shared devices.
World WithDevices(World world) {
  auto snapshot = std::make_shared<model::Snapshot>(*world.snapshot);
  snapshot->devices = std::make_shared<const model::DeviceSettings>();
  world.snapshot = std::move(snapshot);
  return world;
}

// The hooks under each switch, in a session of which the plugin had its turn.
std::vector<size_t> Counts(const std::string& plugin, const std::string& off) {
  const std::string place = plugin + "+enableHierarchy" + (off.empty() ? "" : "!" + off);
  const World world = WithDevices(MakeWorld(
      "node n cpu=8 gpu=1; queue root; queue q parent=root; job a queue=q; task t job=a gpu=1"));
  PluginBed bed(Builtins(), MakePolicy("", place, ArgumentsOf(plugin)), world);
  bed.clock().Advance(absl::Minutes(6));  // The turn of rescheduling has come.
  bed.Reopen(world);
  std::vector<size_t> counts;
  for (HookFlag flag : Switches()) counts.push_back(CountUnder(flag, bed.session().hooks()));
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
      {"deviceshare", {"enablePredicate", "enableNodeOrder"}},
      {"drf", {"enableJobOrder", "enablePreemptable", "enableReclaimable", "enableQueueOrder"}},
      {"extender", {}},
      {"gang",
       {"enableJobOrder", "enableJobReady", "enableJobPipelined", "enablePreemptable",
        "enableReclaimable", "enableJobStarving", "enabledSubJobReady", "enabledSubJobPipelined",
        "enabledSubJobOrder"}},
      {"network-topology-aware",
       {"enablePredicate", "enableNodeOrder", "enabledHyperNodeOrder", "enabledHyperNodeGradient"}},
      {"nodegroup", {"enablePredicate", "enableNodeOrder"}},
      {"nodeorder", {"enableNodeOrder"}},
      {"numa-aware", {"enablePredicate", "enableNodeOrder"}},
      {"overcommit", {"enableJobEnqueued"}},
      {"pdb", {"enablePreemptable", "enableReclaimable", "enabledVictim"}},
      {"predicates", {"enablePredicate", "enableNodeOrder"}},
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
      {"task-topology", {"enableTaskOrder", "enableNodeOrder"}},
      {"tdm",
       {"enableJobOrder", "enableJobPipelined", "enablePreemptable", "enablePredicate",
        "enableNodeOrder", "enabledVictim", "enableJobStarving"}},
      {"usage", {"enablePredicate", "enableNodeOrder"}},
  };
  return kKnown;
}

TEST_CASE("switches: each one that is off takes away its own hooks and no others",
          "[plugins][unit]") {
  // Every flag but enableHierarchy and those of three hooks of Volcano that nobody asks here.
  CHECK(Switches().size() == conf::kHookFlags - 4);
  std::vector<std::string> names;
  for (const auto& [name, factory] : Builtins().plugins) names.push_back(name);
  for (const std::string& plugin : names) {
    CAPTURE(plugin);
    REQUIRE(Known().contains(plugin));
    const std::vector<size_t> on = Counts(plugin, "");
    std::vector<std::string> meaningful;
    for (size_t i = 0; i < Switches().size(); ++i) {
      const std::string flag(conf::YamlKey(Switches()[i]));
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
