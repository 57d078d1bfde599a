// Policies of every built-in plugin in any tier.
#include <stdexcept>
#include <utility>

#include "base/strings.h"
#include "plugins/builtin.h"
#include "tests/worlds/cluster_world.h"

namespace bth::test {
namespace {

// Plugins that are in no policy here, and why.
constexpr std::pair<const char*, const char*> kLeftOut[] = {
    {"extender", "it asks a server over the network, and there is none"},
};

std::vector<std::string> Shuffled(Rng& rng, std::vector<std::string> all) {
  for (size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[rng.Below(i)]);
  return all;
}

std::string RandomActions(Rng& rng, bool shuffles) {
  std::string out = rng.Chance(0.8) ? "enqueue" : "";
  for (const std::string& action :
       Shuffled(rng, {"allocate", "allocate", "backfill", "preempt", "reclaim", "gangpreempt",
                      "gangreclaim", "shuffle"})) {
    if (rng.Chance(0.3) || (action == "shuffle" && !shuffles)) continue;
    StrAppend(&out, out.empty() ? "" : ", ", action);
  }
  return out.empty() ? "allocate" : out;
}

// Of the day, and now and then something that is none.
std::string RandomWindow(Rng& rng) {
  if (rng.Chance(0.2)) {
    return Pick(rng, {"all day", "9:00", "24:00-1:00", "9:0-10:00", "1:00-2:60", "1:00 - 2:00"});
  }
  if (rng.Chance(0.2)) return Pick(rng, {"0:00-0:00", " 6:00-22:00 ", "22:00-6:00"});
  const auto moment = [&rng] {
    const uint64_t minute = rng.Below(60);
    return StrCat(rng.Below(24), minute < 10 ? ":0" : ":", minute);
  };
  const std::string begin = moment();
  return StrCat(begin, "-", moment());
}

std::string WindowArguments(Rng& rng, PolicyFilters* filters) {
  std::map<std::string, std::string>& windows = filters->windows.emplace();
  windows["open"] = rng.Chance(0.7) ? "0:00-0:00" : RandomWindow(rng);
  if (rng.Chance(0.5)) windows["closed"] = RandomWindow(rng);
  std::string out = "tdm.evict.period: 1s";
  for (const auto& [zone, window] : windows) {
    StrAppend(&out, ", tdm.revocable-zone.", zone, ": \"", window, "\"");
  }
  return out;
}

std::string LoadArguments(Rng& rng, PolicyFilters* filters) {
  LoadLimits& limits = filters->loads.emplace();
  if (rng.Chance(0.3)) return "";
  limits.cpu = rng.Between(0, 10) * 10;
  limits.memory = rng.Between(0, 10) * 10;
  return StrCat("thresholds: {cpu: ", limits.cpu, ", mem: ", limits.memory, "}");
}

std::string ReserveArguments(Rng& rng, PolicyFilters* filters) {
  if (rng.Chance(0.4)) return "";
  GpuReserve& reserve = filters->reserve.emplace();
  std::string rates;
  if (rng.Chance(0.8)) {
    reserve.cpu_quarters = rng.Between(0, 8);
    StrAppend(&rates, "nvidia.com/gpu.cpu: ", static_cast<double>(reserve.cpu_quarters) / 4);
  }
  if (rng.Chance(0.8)) {
    reserve.memory_quarters = rng.Between(0, 8);
    StrAppend(&rates, rates.empty() ? "" : ", ",
              "nvidia.com/gpu.memory: ", static_cast<double>(reserve.memory_quarters) / 4);
  }
  return StrCat("proportional: {enable: true, resources: nvidia.com/gpu, resourceProportion: {",
                rates, "}}");
}

std::string ArgumentsOf(Rng& rng, const std::string& name, PolicyFilters* filters) {
  if (name == "deviceshare") {
    filters->cards = true;
    return "deviceshare.GPUSharingEnable: true";
  }
  if (name == "numa-aware") filters->cpus = true;
  if (name == "network-topology-aware") {
    filters->network = true;
    if (rng.Chance(0.5)) return "hypernode.tightest-fit.enable: true";
  }
  if (name == "task-topology" && rng.Chance(0.5)) return "task-topology.weight: 3";
  if (name == "nodegroup" && rng.Chance(0.5)) return "strict: false";
  if (name == "overcommit" && rng.Chance(0.5)) return "overcommit-factor: 2.0";
  return RandomFilterArguments(rng, name, filters);
}

// A plugin with arguments and switches.
std::string PluginText(Rng& rng, const std::string& name, bool alone, PolicyFilters* filters) {
  const std::string arguments = ArgumentsOf(rng, name, filters);
  std::string out = StrCat("  - {name: ", name);
  if (!arguments.empty()) StrAppend(&out, ", arguments: {", arguments, "}");
  if ((name == "capacity" || (name == "drf" && alone)) && rng.Chance(0.5)) {
    StrAppend(&out, ", enableHierarchy: true");
  }
  for (const char* flag :
       {"enableJobOrder", "enableTaskOrder", "enableQueueOrder", "enablePreemptable",
        "enableReclaimable", "enableJobEnqueued", "enabledOverused", "enabledAllocatable",
        "enableNodeOrder", "enableJobStarving", "enabledVictim"}) {
    if (rng.Chance(0.05)) StrAppend(&out, ", ", flag, ": false");
  }
  return out + "}\n";
}

}  // namespace

const std::vector<std::string>& PolicyPlugins() {
  static const auto* const kNames = [] {
    framework::Registry registry;
    plugins::RegisterBuiltinPlugins(registry);
    for (const auto& [name, why] : kLeftOut) {
      if (registry.plugins.erase(name) == 0) {
        throw std::logic_error(StrCat("there is no plugin ", name, " to leave out: ", why));
      }
    }
    auto* const names = new std::vector<std::string>();
    for (const auto& [name, factory] : registry.plugins) names->push_back(name);
    return names;
  }();
  return *kNames;
}

std::string RandomFilterArguments(Rng& rng, const std::string& plugin, PolicyFilters* filters) {
  if (plugin == "tdm") return WindowArguments(rng, filters);
  if (plugin == "usage") return LoadArguments(rng, filters);
  if (plugin == "resource-strategy-fit") return ReserveArguments(rng, filters);
  return "";
}

RandomConf RandomFullPolicy(Rng& rng, bool shuffles) {
  RandomConf conf;
  conf.text = StrCat("actions: \"", RandomActions(rng, shuffles), "\"\ntiers:\n");
  const bool shares = rng.Chance(0.5);  // proportion, else hierarchical drf is possible.
  const uint64_t tiers_max = 1 + rng.Below(4);
  bool open = false;
  for (const std::string& name : Shuffled(rng, PolicyPlugins())) {
    const bool usual = name == "gang" || name == "predicates" || name == "priority";
    if (rng.Chance(usual ? 0.1 : 0.5) || (name == "proportion" && !shares)) continue;
    if (!open || rng.Below(PolicyPlugins().size()) < tiers_max) {
      StrAppend(&conf.text, "- plugins:\n");
    }
    open = true;
    StrAppend(&conf.text, PluginText(rng, name, !shares, &conf.filters));
    conf.has_gang |= name == "gang";
    conf.has_filters |= name == "predicates";
    conf.plugins.push_back(name);
  }
  if (!open) StrAppend(&conf.text, "- plugins:\n  - {name: nodeorder}\n");
  if (rng.Chance(0.25)) {
    StrAppend(&conf.text, "configurations:\n- {name: session, arguments: {victimVeto: strict}}\n");
  }
  return conf;
}

}  // namespace bth::test
