// Files in use with Volcano, read with the plugins and actions that this version has: accepted
// without a word, or refused with the name of what is missing.
#include <string>
#include <vector>

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

std::string ConfFile(const std::string& name) {
  return test::ReadFile(test::SourceRoot() / "tests/conf/corpus/scheduler_conf" / name);
}

// The error, or what file and plugins have found, one in each line; empty: all is well.
std::string FindingsText(const std::string& text) {
  framework::Registry registry;
  plugins::RegisterBuiltinPlugins(registry);
  actions::RegisterBuiltinActions(registry);
  auto loaded = ParsePolicy(text, registry.Names());
  if (!loaded.ok()) return std::string(loaded.status().message());
  std::vector<Finding> findings = std::move(loaded->findings);
  const auto policy = framework::PolicyInstance::Create(
      std::make_shared<const Policy>(std::move(loaded->policy)), registry, &findings);
  if (!policy.ok()) return std::string(policy.status().message());
  std::vector<std::string> words;
  for (const Finding& finding : findings) words.push_back(ToString(finding));
  return absl::StrJoin(words, "\n");
}

TEST_CASE("volcano's files: the built-in one and the chart's are accepted without a word",
          "[conf]") {
  const std::string file = GENERATE(values<std::string>({"default.yaml", "helm.yaml"}));
  CAPTURE(file);
  CHECK(FindingsText(ConfFile(file)) == "");
}

TEST_CASE("volcano's files: every plugin of Volcano is there", "[conf]") {
  CHECK(BuiltinNames().plugins.size() >= 24);
  for (const std::string_view plugin : BuiltinNames().plugins) {
    CAPTURE(plugin);
    const std::string found =
        FindingsText(StrCat("actions: allocate\ntiers:\n- plugins:\n  - name: ", plugin, "\n"));
    CHECK_FALSE(absl::StrContains(found, "Failed to get plugin"));
  }
}

TEST_CASE("volcano's files: plugins are known by the names of their folders too", "[conf]") {
  struct Case {
    std::string written, proper;
  };
  const Case c = GENERATE(values<Case>({{"resourcestrategyfit", "resource-strategy-fit"},
                                        {"resource_strategy_fit", "resource-strategy-fit"},
                                        {"resource-quota", "resourcequota"},
                                        {"NodeOrder", "nodeorder"}}));
  CAPTURE(c.written);
  const std::string text =
      StrCat("actions: allocate\ntiers:\n- plugins:\n  - name: ", c.written, "\n");
  framework::Registry registry;
  plugins::RegisterBuiltinPlugins(registry);
  actions::RegisterBuiltinActions(registry);
  const auto loaded = ParsePolicy(text, registry.Names());
  REQUIRE(loaded.ok());
  CHECK(loaded->policy.tiers.at(0).plugins.at(0).name == c.proper);
  REQUIRE(loaded->findings.size() == 1);
  CHECK(loaded->findings[0].severity == Severity::kNote);
  CHECK(absl::StrContains(ToString(loaded->findings[0]), StrCat(c.written, " is taken for ")));
}

// A plugin of somebody's own keeps its name, however much it is like another one.
TEST_CASE("volcano's files: a name that is known is never taken for another one", "[conf]") {
  KnownNames known = BuiltinNames();
  known.plugins.push_back("numaaware");
  const auto loaded =
      ParsePolicy("actions: allocate\ntiers:\n- plugins:\n  - name: numaaware\n", known);
  REQUIRE(loaded.ok());
  CHECK(loaded->policy.tiers.at(0).plugins.at(0).name == "numaaware");
  CHECK(loaded->findings.empty());
}

// The arguments about which something is said.
std::vector<std::string> Named(const std::string& text) {
  constexpr absl::string_view kBefore = ".arguments.";
  std::vector<std::string> out;
  for (const absl::string_view line : absl::StrSplit(FindingsText(text), '\n')) {
    CAPTURE(std::string(line));
    const size_t begin = line.find(kBefore);
    REQUIRE(begin != absl::string_view::npos);
    const absl::string_view rest = line.substr(begin + kBefore.size());
    out.emplace_back(rest.substr(0, rest.find(": ")));
    CHECK_FALSE(absl::StrContains(rest, "unknown"));
  }
  return out;
}

TEST_CASE("volcano's files: every argument of its plugins is known, or said to have no effect",
          "[conf]") {
  using Names = std::vector<std::string>;
  CHECK(FindingsText(ConfFile("all_flags.yaml")) == "");
  CHECK(Named(ConfFile("ci.yaml")) == Names{"predicate.DynamicResourceAllocationEnable"});
  CHECK(Named(ConfFile("arguments_policy.yaml")) ==
        Names{"strategies[0].params.thresholds.pod", "strategies[0].params.targetThresholds.pod",
              "predicateErrorCacheEnable", "maxDomains"});
  CHECK(Named(ConfFile("arguments_placement.yaml")) == Names{"binpack.resources.example.com/foo"});
}

}  // namespace
}  // namespace bth::conf
