// What the plugin tests share: the registry, and short ways to ask hooks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "actions/builtin.h"
#include "framework/hooks/hooks.h"
#include "framework/hooks/plugin.h"
#include "plugins/builtin.h"
#include "tests/support/catch.h"
#include "tests/support/plugin_bed.h"

namespace bth::test {

inline const framework::Registry& Builtins() {
  static const auto* const kRegistry = [] {
    auto* registry = new framework::Registry();
    plugins::RegisterBuiltinPlugins(*registry);
    actions::RegisterBuiltinActions(*registry);
    return registry;
  }();
  return *kRegistry;
}

using Names = std::vector<std::string>;

inline PluginBed Bed(std::string_view tiers, std::string_view world,
                     const std::map<std::string, std::string>& arguments = {}) {
  return PluginBed(Builtins(), MakePolicy("", tiers, arguments), MakeWorld(world));
}

// Victims by the only plugin's own hook.
template <typename List, typename Evictor>
Names VictimsOf(const PluginBed& bed, const List& hooks, const Evictor& evictor,
                const Names& candidates) {
  REQUIRE(hooks.size() == 1);
  const std::vector<model::TaskId> ids = bed.TasksNamed(candidates);
  framework::Verdict verdict = hooks[0].fn(evictor, ids);
  CHECK(verdict.vote == framework::Vote::kPermit);
  return bed.NamesOf(verdict.victims);
}

inline CycleOutcome Run(std::string_view actions, std::string_view tiers, std::string_view world,
                        const std::map<std::string, std::string>& arguments = {}) {
  return RunCycle(Builtins(), MakePolicy(actions, tiers, arguments), MakeWorld(world));
}

}  // namespace bth::test
