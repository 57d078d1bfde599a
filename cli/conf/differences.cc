#include "cli/conf/differences.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/strings.h"

namespace bth::cli {
namespace {

// As docs/compatibility.md says at length, with what does not depend on the policy.
struct Difference {
  std::string_view name;  // Of the plugin or action.
  std::string_view text;
  std::string_view reason;
};

constexpr Difference kOfPlugins[] = {
    {"capacity",
     "resources that the capability of the root does not name are not limited; shares of queues "
     "with children follow each placement; a broken parent link holds up its own queues only",
     "absent is not zero, and one typo must not stop the cluster"},
    {"drf",
     "with enableHierarchy, of queues with equal shares the one with the shorter path comes first",
     "shares must not depend on the age of queues"},
    {"extender",
     "extenders are asked about nodes that everything else allows, once for equal tasks, and have "
     "five seconds in a cycle",
     "one service must not hold up the cluster"},
    {"gang", "preempt and reclaim keep the minimums of roles and of sub-jobs too",
     "a gang that lost its only master is as broken as one that lost too many"},
    {"nodegroup", "a queue that only excludes node groups can use all others",
     "it is what Volcano's documentation promises"},
    {"nodeorder", "all nodes are scored, and among equals the first by name is taken",
     "the same input must give the same decision"},
    {"pdb", "holds back whom other plugins name, and counts each budget once per cycle",
     "protection must not evict, and a budget is lent out once"},
    {"predicates",
     "claims are judged before zones, and disks that two pods may not share are looked at",
     "an unbound claim is what everybody searches for"},
    {"proportion", "pods that are leaving count as requested until they are gone",
     "evictions for a share that nobody keeps are in vain"},
    {"rescheduling",
     "loads are averages over ten minutes, nodes without a fresh measurement take no part, and a "
     "reload begins a new interval",
     "nobody knows whether a node that is not measured has room"},
    {"resource-strategy-fit", "only idle devices keep room free",
     "where none is left there is nothing to keep room for"},
    {"tdm", "a window past midnight is open until its end", "it is what was written"},
    {"usage", "loads older than five minutes are not trusted",
     "nobody knows whether the node still has room"},
};

constexpr Difference kOfActions[] = {
    {"preempt",
     "what needs no eviction is left to allocate, and nobody is evicted in vain: a plan is looked "
     "over before it is carried out",
     "an eviction that helps nobody destroys work"},
    {"reclaim",
     "what needs no eviction is left to allocate, and nobody is evicted in vain: a plan is looked "
     "over before it is carried out",
     "an eviction that helps nobody destroys work"},
    {"gangpreempt",
     "a broken gang goes whole or is left alone, classes that never preempt do not, and pdb and "
     "cdp protect",
     "half a gang holds resources and does no work"},
    {"gangreclaim",
     "a broken gang goes whole or is left alone, and proportion, pdb and cdp have their say",
     "half a gang holds resources and does no work"},
};

ConfFinding Differs(int line, std::string path, const Difference& difference,
                    std::string_view folder) {
  return {ConfFindingKind::kDifference, line, std::move(path),
          StrCat(difference.name, ": ", difference.text),
          StrCat("because ", difference.reason, "; nothing need be changed; see docs/", folder, "/",
                 difference.name, ".md")};
}

template <typename Table>
const Difference* Lookup(const Table& table, std::string_view name) {
  const auto found = std::find_if(std::begin(table), std::end(table),
                                  [name](const Difference& row) { return row.name == name; });
  return found == std::end(table) ? nullptr : &*found;
}

// What hierarchical queues do differs only where they are switched on.
bool Applies(const conf::PluginOption& plugin) {
  return plugin.name != "drf" || plugin.flags[conf::HookFlag::kHierarchy];
}

}  // namespace

std::vector<ConfFinding> DifferencesOf(const conf::Policy& policy) {
  std::vector<ConfFinding> findings;
  for (size_t i = 0; i < policy.actions.size(); ++i) {
    const Difference* const difference = Lookup(kOfActions, policy.actions[i]);
    if (difference == nullptr) continue;
    findings.push_back(Differs(0, StrCat("actions[", i, "]"), *difference, "actions"));
  }
  std::vector<std::string_view> told;
  for (size_t t = 0; t < policy.tiers.size(); ++t) {
    const std::vector<conf::PluginOption>& plugins = policy.tiers[t].plugins;
    for (size_t i = 0; i < plugins.size(); ++i) {
      const Difference* const difference = Lookup(kOfPlugins, plugins[i].name);
      const bool is_new = std::find(told.begin(), told.end(), plugins[i].name) == told.end();
      if (difference == nullptr || !is_new || !Applies(plugins[i])) continue;
      told.push_back(plugins[i].name);
      findings.push_back(Differs(plugins[i].line, StrCat("tiers[", t, "].plugins[", i, "]"),
                                 *difference, "plugins"));
    }
  }
  for (size_t i = 0; i < policy.configurations.size(); ++i) {
    if (policy.configurations[i].name != conf::kSessionConfiguration) continue;
    findings.push_back({ConfFindingKind::kDifference, policy.configurations[i].line,
                        StrCat("configurations[", i, "]"),
                        "session: Volcano does not know this entry and ignores it",
                        "nothing need be changed; see docs/configuration.md"});
  }
  return findings;
}

}  // namespace bth::cli
