// Which switch of scheduler.conf takes which hooks out.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "base/strings.h"
#include "framework/hooks/plugin.h"
#include "tests/support/catch.h"
#include "tests/support/files.h"

namespace bth::framework {
namespace {

using conf::HookFlag;

// How many hooks of each kind there are when a plugin adds every hook there is.
std::map<std::string, size_t> Sizes(const conf::PluginOption& option) {
  HookTable table;
  HookRegistrar hooks(table, {0, "all", 0}, option);
  std::map<std::string, size_t> sizes;
#define BTH_HOOK(Kind, list, ...) \
  hooks.Kind({});                 \
  sizes[#Kind] = table.list.size();
#include "framework/hooks/hook_kinds.inc.h"
#undef BTH_HOOK
  return sizes;
}

std::set<std::string> Missing(const conf::PluginOption& option) {
  std::set<std::string> out;
  for (const auto& [kind, size] : Sizes(option)) {
    if (size == 0) out.insert(kind);
  }
  return out;
}

TEST_CASE("switches: each takes out its own hooks and no others", "[framework]") {
  struct Case {
    HookFlag flag;
    std::set<std::string> hooks;
  };
  // Without hooks: enableHierarchy is read by the plugins themselves, and what Volcano switches by
  // the others nobody asks here.
  const std::vector<Case> cases = {
      {HookFlag::kJobOrder, {"JobOrder"}},
      {HookFlag::kHierarchy, {}},
      {HookFlag::kJobReady, {"JobReady"}},
      {HookFlag::kJobPipelined, {"JobPipelined"}},
      {HookFlag::kTaskOrder, {"TaskOrder"}},
      {HookFlag::kPreemptable, {"Preemptable"}},
      {HookFlag::kReclaimable, {"Reclaimable"}},
      {HookFlag::kPreemptive, {"Preemptive"}},
      {HookFlag::kQueueOrder, {"QueueOrder"}},
      {HookFlag::kClusterOrder, {}},
      {HookFlag::kPredicate, {"PreFilter", "FilterStatic", "FilterUsage", "FilterGlobal"}},
      {HookFlag::kBestNode, {"BestNode"}},
      {HookFlag::kNodeOrder, {"ScoreStatic", "ScoreUsage", "ScoreGlobal"}},
      {HookFlag::kTargetJob, {}},
      {HookFlag::kReservedNodes, {}},
      {HookFlag::kJobEnqueued, {"JobEnqueueable", "JobEnqueued"}},
      {HookFlag::kVictim, {"VictimTasks", "VictimFilter"}},
      {HookFlag::kJobStarving, {"JobStarving"}},
      {HookFlag::kOverused, {"Overused"}},
      {HookFlag::kAllocatable, {"Allocatable"}},
      {HookFlag::kHyperNodeOrder, {"HyperNodeOrder"}},
      {HookFlag::kSubJobReady, {"SubJobReady"}},
      {HookFlag::kSubJobPipelined, {"SubJobPipelined"}},
      {HookFlag::kSubJobOrder, {"SubJobOrder"}},
      {HookFlag::kHyperNodeGradient, {"HyperNodeGradient"}},
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

TEST_CASE("switches: by default no hook is off, only the tree of queues", "[framework]") {
  CHECK(Missing({}).empty());
  HookTable table;
  const conf::PluginOption option;
  CHECK_FALSE(HookRegistrar(table, {0, "any", 0}, option).hierarchy_enabled());
}

// Rows of cells between bars; the first is the head.
std::vector<std::vector<std::string>> TableOf(const std::string& page) {
  std::vector<std::vector<std::string>> rows;
  for (const absl::string_view line : absl::StrSplit(page, '\n')) {
    if (!absl::StartsWith(line, "|") || absl::StartsWith(line, "|--")) continue;
    std::vector<std::string> cells = absl::StrSplit(line, '|');
    rows.emplace_back();
    for (size_t i = 1; i + 1 < cells.size(); ++i) {
      rows.back().emplace_back(absl::StripAsciiWhitespace(cells[i]));
    }
  }
  return rows;
}

TEST_CASE("hooks: the page for writers of plugins tells every kind", "[framework][docs]") {
  std::vector<std::vector<std::string>> expected = {
      {"Hook", "What it answers", "Plugins together", "Switch"}};
  for (const HookKind& kind : HookKinds()) {
    const std::string flag = kind.flag ? StrCat("`", conf::YamlKey(*kind.flag), "`") : "–";
    expected.push_back(
        {StrCat("`", kind.name, "`"), std::string(kind.asks), std::string(kind.together), flag});
  }
  const auto rows = TableOf(test::ReadFile(test::SourceRoot() / "docs/plugins/hooks.md"));
  REQUIRE(rows.size() == expected.size());
  for (size_t i = 0; i < rows.size(); ++i) CHECK(rows[i] == expected[i]);
}

}  // namespace
}  // namespace bth::framework
