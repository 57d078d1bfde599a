// What the documents show is what the program accepts: policies, arguments and switches.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "actions/builtin.h"
#include "base/strings.h"
#include "conf/load.h"
#include "framework/session/cycle.h"
#include "plugins/builtin.h"
#include "tests/support/catch.h"
#include "tests/support/files.h"

namespace bth::conf {
namespace {

namespace fs = std::filesystem;
using test::ReadFile;
using test::SourceRoot;

std::vector<fs::path> Pages(const std::string& folder) {
  std::vector<fs::path> pages;
  for (const auto& entry : fs::directory_iterator(SourceRoot() / folder)) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  std::sort(pages.begin(), pages.end());
  return pages;
}

std::vector<std::string> Lines(const std::string& text) {
  return absl::StrSplit(text, '\n');
}

std::vector<std::string> YamlBlocks(const std::string& page) {
  std::vector<std::string> blocks;
  std::string block;
  bool inside = false;
  for (const std::string& line : Lines(page)) {
    if (absl::StartsWith(line, "```")) {
      if (inside) blocks.push_back(block);
      inside = !inside && line == "```yaml";
      block.clear();
    } else if (inside) {
      StrAppend(&block, line, "\n");
    }
  }
  return blocks;
}

// Everything the program says about a policy: the error, or the findings of file and plugins.
std::vector<std::string> FindingsOf(const std::string& text) {
  framework::Registry registry;
  plugins::RegisterBuiltinPlugins(registry);
  actions::RegisterBuiltinActions(registry);
  KnownNames known;
  for (const auto& [name, factory] : registry.actions) known.actions.push_back(name);
  for (const auto& [name, factory] : registry.plugins) known.plugins.push_back(name);
  auto loaded = ParsePolicy(text, known);
  if (!loaded.ok()) return {std::string(loaded.status().message())};
  std::vector<Finding> findings = std::move(loaded->findings);
  const auto policy = framework::PolicyInstance::Create(
      std::make_shared<const Policy>(std::move(loaded->policy)), registry, &findings);
  if (!policy.ok()) return {std::string(policy.status().message())};
  std::vector<std::string> words;
  for (const Finding& finding : findings) words.push_back(ToString(finding));
  return words;
}

// The body rows of each table whose first column is headed by `head`, as trimmed cells; the header
// row comes first.
std::vector<std::vector<std::vector<std::string>>> Tables(const std::string& page,
                                                          const std::string& head) {
  std::vector<std::vector<std::vector<std::string>>> tables;
  bool inside = false;
  for (const std::string& line : Lines(page)) {
    if (!absl::StartsWith(line, "|")) {
      inside = false;
      continue;
    }
    std::vector<std::string> cells = absl::StrSplit(line, '|');
    cells = {cells.begin() + 1, cells.end() - 1};
    for (std::string& cell : cells) absl::StripAsciiWhitespace(&cell);
    if (!inside && absl::StartsWith(cells.front(), head)) tables.emplace_back();
    if (!inside) {
      inside = !tables.empty() && absl::StartsWith(cells.front(), head);
      if (inside) tables.back().push_back(cells);
      continue;
    }
    if (!absl::StartsWith(cells.front(), "---")) tables.back().push_back(cells);
  }
  return tables;
}

// The texts between backticks.
std::vector<std::string> Quoted(const std::string& cell) {
  const std::vector<std::string> parts = absl::StrSplit(cell, '`');
  std::vector<std::string> out;
  for (size_t i = 1; i < parts.size(); i += 2) out.push_back(parts[i]);
  return out;
}

TEST_CASE("documents: every policy shown is accepted without a word", "[conf][docs]") {
  const std::string page = ReadFile(SourceRoot() / "docs" / "configuration.md");
  const std::vector<std::string> blocks = YamlBlocks(page);
  CHECK(blocks.size() >= 2);
  for (const std::string& block : blocks) {
    CAPTURE(block);
    CHECK(absl::StartsWith(block, "# scheduler.conf\n"));
    CHECK(absl::StrJoin(FindingsOf(block), "\n") == "");
  }
  CHECK(absl::StrJoin(FindingsOf(ReadFile(SourceRoot() / "examples" / "scheduler.conf")), "\n") ==
        "");
  for (const fs::path& path : Pages("docs/plugins")) {
    for (const std::string& block : YamlBlocks(ReadFile(path))) {
      if (!absl::StartsWith(block, "# scheduler.conf\n")) continue;
      CAPTURE(path.string(), block);
      CHECK(absl::StrJoin(FindingsOf(block), "\n") == "");
    }
  }
}

TEST_CASE("documents: the built-in policy is the one that is shown", "[conf][docs]") {
  bool shown = false;
  for (const std::string& block :
       YamlBlocks(ReadFile(SourceRoot() / "docs" / "configuration.md"))) {
    const auto loaded = ParsePolicy(block, BuiltinNames());
    REQUIRE(loaded.ok());
    shown |= loaded->policy == DefaultPolicy();
  }
  CHECK(shown);
}

TEST_CASE("arguments of Volcano: what changes nothing is accepted, and says why", "[conf][docs]") {
  struct Case {
    std::string entry;  // `plugin ARGUMENT` or `action ARGUMENT`.
    std::string value;  // Not the default.
  };
  const Case cases[] = {
      {"predicates predicate.CacheEnable", "true"},
      {"predicates predicate.DynamicResourceAllocationEnable", "true"},
      {"predicates predicate.GPUSharingEnable", "true"},
      {"predicates predicate.GPUNumberEnable", "true"},
      {"predicates predicate.ProportionalEnable", "true"},
      {"predicates predicate.resources", "nvidia.com/gpu"},
      {"predicates predicate.resources.nvidia.com/gpu.cpu", "4"},
      {"rescheduling metricsPeriod", "5m"},
      {"rescheduling queueSelector", "[a]"},
      {"rescheduling labelSelector", "{a: b}"},
      {"rescheduling strategies", "[{name: lowNodeUtilization, params: {nodeFit: true}}]"},
      {"rescheduling strategies", "[{name: lowNodeUtilization, params: {numberOfNodes: 3}}]"},
      {"rescheduling strategies",
       "[{name: lowNodeUtilization, params: {thresholdPriorityClassName: high}}]"},
      {"rescheduling strategies",
       "[{name: lowNodeUtilization, params: {thresholds: {cpu: 5, pods: 3}}}]"},
      {"allocate predicateErrorCacheEnable", "false"},
      {"backfill predicateErrorCacheEnable", "false"},
      {"preempt predicateErrorCacheEnable", "false"},
      {"preempt topologyAwarePreemptWorkerNum", "3"},
      {"reclaim predicateErrorCacheEnable", "false"},
      {"gangpreempt maxDomains", "3"},
  };
  for (const Case& c : cases) {
    const std::vector<std::string> words = absl::StrSplit(c.entry, ' ');
    const auto& actions = BuiltinNames().actions;
    const bool of_action = std::find(actions.begin(), actions.end(), words[0]) != actions.end();
    const std::string arguments = StrCat("  arguments: {", words[1], ": ", c.value, "}\n");
    const std::string text =
        of_action ? StrCat("actions: ", words[0], "\ntiers: [{plugins: [{name: gang}]}]\n",
                           "configurations:\n- name: ", words[0], "\n", arguments)
                  : StrCat("actions: allocate\ntiers:\n- plugins:\n  - name: ", words[0], "\n  ",
                           arguments);
    CAPTURE(text);
    const std::vector<std::string> findings = FindingsOf(text);
    REQUIRE(findings.size() == 1);
    CHECK_THAT(findings[0], Catch::Contains("has no effect"));
    CHECK_FALSE(absl::EndsWith(findings[0], "has no effect"));  // Because …
    CHECK_THAT(findings[0], !Catch::Contains("unknown"));
  }
}

TEST_CASE("documents: every argument described is known, and its default is valid",
          "[conf][docs]") {
  int arguments = 0;
  for (const fs::path& path : Pages("docs/plugins")) {
    for (const auto& table : Tables(ReadFile(path), "Argument")) {
      const auto head = std::find(table[0].begin(), table[0].end(), "Default");
      REQUIRE(head != table[0].end());
      const auto column = static_cast<size_t>(head - table[0].begin());
      for (size_t row = 1; row < table.size(); ++row) {
        const std::vector<std::string> names = Quoted(table[row][0]);
        if (names.empty()) continue;
        const std::string name =
            absl::StrReplaceAll(names[0], {{"<name>", "example.com/x"}, {"<zone>", "night"}});
        std::string value = table[row][column];
        if (value == "none") {
          value = name == "sla-waiting-time"       ? "3m"
                  : absl::StartsWith(name, "tdm.") ? "'22:00-6:00'"
                                                   : "example.com/x";
        }
        std::string text =
            StrCat("actions: allocate\ntiers:\n- plugins:\n  - name: ", path.stem().string(),
                   "\n    arguments:\n");
        if (absl::StrContains(names[0], "<name>")) {
          const std::string list = names[0].substr(0, names[0].find(".<name>"));
          StrAppend(&text, "      ", list, ": example.com/x\n");
        }
        StrAppend(&text, "      ", name, ": ", value, "\n");
        CAPTURE(text);
        CHECK(absl::StrJoin(FindingsOf(text), "\n") == "");
        ++arguments;
      }
    }
  }
  CHECK(arguments >= 20);
}

TEST_CASE("documents: every switch described is one, and each is described", "[conf][docs]") {
  const std::string page = ReadFile(SourceRoot() / "docs" / "configuration.md");
  std::vector<std::string> described;
  for (const auto& table : Tables(page, "Hook")) {
    for (size_t row = 1; row < table.size(); ++row) {
      for (const std::string& key : Quoted(table[row][1])) {
        CAPTURE(key);
        CHECK(HookFlagByKey(key).has_value());
        described.push_back(key);
      }
    }
  }
  for (size_t i = 0; i < kHookFlags; ++i) {
    const std::string key(YamlKey(static_cast<HookFlag>(i)));
    CAPTURE(key);
    CHECK(std::count(described.begin(), described.end(), key) == 1);
  }
}

TEST_CASE("documents: a misspelled argument is named with the nearest one", "[conf][docs]") {
  struct Case {
    std::string plugin, argument, expect;
  };
  const Case c = GENERATE(values<Case>({
      {"binpack", "binpack.wieght: 1",
       "unknown argument, ignored (did you mean \"binpack.weight\"?)"},
      {"nodeorder", "leastrequest.weight: 1",
       "unknown argument, ignored (did you mean \"leastrequested.weight\"?)"},
      {"predicates", "predicate.NodeAfinityEnable: true",
       "unknown argument, ignored (did you mean \"predicate.NodeAffinityEnable\"?)"},
      {"overcommit", "overcomit-factor: 1.5",
       "unknown argument, ignored (did you mean \"overcommit-factor\"?)"},
      {"gang", "weight: 1", "unknown argument, ignored"},
      {"priority", "weight: 1", "unknown argument, ignored"},
      {"conformance", "weight: 1", "unknown argument, ignored"},
      {"drf", "weight: 1", "unknown argument, ignored"},
      {"proportion", "weight: 1", "unknown argument, ignored"},
      {"sla", "sla-wating-time: 3m",
       "unknown argument, ignored (did you mean \"sla-waiting-time\"?)"},
      {"nodegroup", "enablePreferedOrder: true",
       "unknown argument, ignored (did you mean \"enablePreferredOrder\"?)"},
      {"tdm", "tdm.evict.perod: 1m",
       "unknown argument, ignored (did you mean \"tdm.evict.period\"?)"},
      {"cdp", "weight: 1", "unknown argument, ignored"},
      {"pdb", "weight: 1", "unknown argument, ignored"},
      {"resourcequota", "weight: 1", "unknown argument, ignored"},
  }));
  const std::string text = StrCat("actions: allocate\ntiers:\n- plugins:\n  - name: ", c.plugin,
                                  "\n    arguments: {", c.argument, "}\n");
  const std::string key = c.argument.substr(0, c.argument.find(':'));
  CHECK(FindingsOf(text) == std::vector<std::string>{StrCat(
                                "line 5: tiers[0].plugins[0].arguments.", key, ": ", c.expect)});
}

TEST_CASE("documents: arguments of actions are checked too", "[conf][docs]") {
  struct Case {
    std::string action, argument, expect;
  };
  const Case c = GENERATE(values<Case>({
      {"allocate", "predicateErrorCacheEnabled: true",
       "unknown argument, ignored (did you mean \"predicateErrorCacheEnable\"?)"},
      {"backfill", "predicateErrorCacheEnabled: true",
       "unknown argument, ignored (did you mean \"predicateErrorCacheEnable\"?)"},
      {"enqueue", "anything: true", "unknown argument, ignored"},
  }));
  const std::string text = StrCat("actions: ", c.action,
                                  "\ntiers:\n- plugins: [{name: gang}]\nconfigurations:\n"
                                  "- name: ",
                                  c.action, "\n  arguments: {", c.argument, "}\n");
  const std::string key = c.argument.substr(0, c.argument.find(':'));
  CHECK(FindingsOf(text) == std::vector<std::string>{StrCat("line 6: configurations[0].arguments.",
                                                            key, ": ", c.expect)});
}

}  // namespace
}  // namespace bth::conf
