#include "tests/hostile/policy_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"

namespace bth::hostile {
namespace {

const std::vector<std::string> kActions = {"enqueue", "allocate",    "backfill",    "preempt",
                                           "reclaim", "gangpreempt", "gangreclaim", "shuffle"};
const std::vector<std::string> kPlugins = {"priority",
                                           "gang",
                                           "conformance",
                                           "drf",
                                           "predicates",
                                           "proportion",
                                           "nodeorder",
                                           "binpack",
                                           "capacity",
                                           "overcommit",
                                           "sla",
                                           "tdm",
                                           "pdb",
                                           "usage",
                                           "nodegroup",
                                           "cdp",
                                           "resourcequota",
                                           "rescheduling",
                                           "resource-strategy-fit",
                                           "network-topology-aware",
                                           "task-topology",
                                           "numa-aware",
                                           "deviceshare"};
const std::vector<std::string> kSwitches = {
    "enableJobOrder",        "enableJobReady",          "enableJobPipelined", "enableTaskOrder",
    "enablePreemptable",     "enableReclaimable",       "enablePreemptive",   "enableQueueOrder",
    "enablePredicate",       "enableNodeOrder",         "enableJobEnqueued",  "enabledVictim",
    "enableJobStarving",     "enabledOverused",         "enabledAllocatable", "enableHierarchy",
    "enabledHyperNodeOrder", "enabledHyperNodeGradient"};

struct Argument {
  std::string_view plugin;
  std::string_view name;
  std::vector<std::string_view> values;  // JSON.
};

const std::vector<Argument>& Arguments() {
  static const auto& arguments = *new std::vector<Argument>{
      {"binpack", "binpack.weight", {"1", "0", "1000000"}},
      {"binpack", "binpack.cpu", {"5", "0"}},
      {"binpack", "binpack.resources", {"\"nvidia.com/gpu\"", "\"*\"", "\"\""}},
      {"binpack", "binpack.resources.nvidia.com/gpu", {"2", "-1"}},
      {"capacity", "ancestorReclaimLevel", {"1", "0", "3", "-1"}},
      {"overcommit", "overcommit-factor", {"1.2", "1.0", "1e9", "0.1"}},
      {"sla", "sla-waiting-time", {"\"1m\"", "\"10s\"", "\"-1s\"", "\"300000h\""}},
      {"tdm", "tdm.revocable-zone.rz", {"\"0:00-24:00\"", "\"10:00-9:00\"", "\"1:00-2:00\""}},
      {"tdm", "tdm.evict.period", {"\"1s\"", "\"1m\""}},
      {"predicates", "predicate.CacheEnable", {"true", "false"}},
      {"predicates", "predicate.PodAffinityEnable", {"false"}},
      {"predicates", "predicate.VolumeBindingEnable", {"false"}},
      {"nodeorder", "leastrequested.weight", {"1", "0", "2147483647"}},
      {"nodeorder", "mostrequested.weight", {"1"}},
      {"nodeorder", "podtopologyspread.weight", {"2"}},
      {"nodeorder", "podaffinity.weight", {"2", "1000"}},
      {"usage", "thresholds", {"{\"cpu\": 10, \"mem\": 0}"}},
      {"nodegroup", "strict", {"true", "false"}},
      {"rescheduling", "interval", {"\"5s\"", "\"1m\""}},
      {"resource-strategy-fit", "resourceStrategyFitWeight", {"10", "1"}},
      {"network-topology-aware", "weight", {"10", "0", "-1", "2147483647"}},
      {"network-topology-aware", "hypernode.binpack.normal-pod.fading", {"0", "0.5", "1e300"}},
      {"network-topology-aware", "hypernode.gradient.evict.max-hypernodes", {"1", "0"}},
      {"task-topology", "task-topology.weight", {"10", "-3", "2147483647"}},
      {"numa-aware", "weight", {"10", "0"}},
      {"deviceshare", "deviceshare.NodeLockEnable", {"true", "false"}},
      {"deviceshare", "deviceshare.SchedulePolicy", {"\"binpack\"", "\"spread\"", "\"x\""}},
      {"deviceshare", "deviceshare.ScheduleWeight", {"10", "-1", "1000000"}},
      {"deviceshare", "deviceshare.GPUExclusiveRules", {R"([{"app": "a"}, {}, 3])"}},
      {"resource-strategy-fit",
       "resources",
       {R"({"nvidia.com/gpu": {"type": "MostAllocated", "weight": 2}})"}},
  };
  return arguments;
}

// Some families exclude each other.
void DrawFamilies(Dice& dice, Json* arguments) {
  switch (dice.Below(3)) {
    case 0:
      (*arguments)["deviceshare.GPUSharingEnable"] = true;
      break;
    case 1:
      (*arguments)["deviceshare.GPUNumberEnable"] = true;
      break;
    default:
      (*arguments)["deviceshare.VGPUEnable"] = true;
  }
  (*arguments)["deviceshare.AscendHAMiVNPUEnable"] = dice.Chance(0.5);
  (*arguments)["deviceshare.AscendMindClusterVNPUEnable"] = dice.Chance(0.5);
}

template <typename T>
void Shuffle(Dice& dice, std::vector<T>* items) {
  for (size_t i = items->size(); i > 1; --i) std::swap((*items)[i - 1], (*items)[dice.Below(i)]);
}

Json DrawPlugin(Dice& dice, const std::string& name) {
  Json plugin = Json::MakeObject({{"name", name}});
  if (dice.Chance(0.3)) plugin[kSwitches[dice.Below(kSwitches.size())]] = dice.Chance(0.5);
  for (const char* hierarchical : {"drf", "capacity", "nodegroup"}) {
    if (name == hierarchical && dice.Chance(0.4)) plugin["enableHierarchy"] = true;
  }
  if (name == "deviceshare") DrawFamilies(dice, &plugin["arguments"]);
  for (const Argument& argument : Arguments()) {
    if (argument.plugin != name || !dice.Chance(0.4)) continue;
    auto value = Json::Parse(argument.values[dice.Below(argument.values.size())]);
    plugin["arguments"][argument.name] = value.ok() ? *std::move(value) : Json();
  }
  return plugin;
}

}  // namespace

std::string DrawPolicy(Dice& dice) {
  std::vector<std::string> actions = kActions;
  if (dice.Chance(0.5)) Shuffle(dice, &actions);
  const double some = dice.Chance(0.5) ? 1.0 : 0.7;  // The part of them that is on.
  actions.erase(std::remove_if(actions.begin(), actions.end(),
                               [&](const std::string&) { return !dice.Chance(some); }),
                actions.end());
  if (actions.empty()) actions = {"allocate"};
  std::vector<std::string> plugins = kPlugins;
  if (dice.Chance(0.7)) Shuffle(dice, &plugins);
  Json tiers = Json::MakeArray({Json::MakeObject()});
  bool hierarchy_of_drf = false;
  for (const std::string& name : plugins) {
    if (!dice.Chance(some)) continue;
    // These two share out the same thing.
    if (name == "proportion" && dice.Chance(0.5)) continue;
    Json plugin = DrawPlugin(dice, name);
    if (name == "drf") hierarchy_of_drf = plugin.Find("enableHierarchy") != nullptr;
    if (name == "proportion" && hierarchy_of_drf) continue;
    if (dice.Chance(0.15)) tiers.MutableItems().push_back(Json::MakeObject());
    tiers.MutableItems().back()["plugins"].MutableItems().push_back(std::move(plugin));
  }
  Json::Array full;
  for (const Json& tier : tiers.items()) {
    if (!tier.empty()) full.push_back(tier);
  }
  Json policy = Json::MakeObject({{"actions", absl::StrJoin(actions, ", ")}, {"tiers", full}});
  Json::Array configurations;
  if (dice.Chance(0.4)) {
    Json params = Json::MakeObject({{"name", "init-params"}});
    params["arguments"]["useClusterInfoManager"] = "false";
    configurations.push_back(std::move(params));
  }
  if (dice.Chance(0.3)) {
    Json session = Json::MakeObject({{"name", "session"}});
    session["arguments"]["victimVeto"] = dice.OneOf({"tier", "strict"});
    Json preempt = Json::MakeObject({{"name", "preempt"}});
    preempt["arguments"]["enableTopologyAwarePreemption"] = dice.Chance(0.5);
    configurations.push_back(std::move(session));
    configurations.push_back(std::move(preempt));
  }
  if (!configurations.empty()) policy["configurations"] = std::move(configurations);
  return policy.Dump();
}

std::string PlainPolicy() {
  return R"({"actions": "enqueue, allocate", "tiers": [{"plugins": [{"name": "priority"},
      {"name": "gang"}, {"name": "predicates"}]}]})";
}

}  // namespace bth::hostile
