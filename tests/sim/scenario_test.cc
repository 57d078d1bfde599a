#include "sim/scenario.h"

#include <algorithm>
#include <string>
#include <vector>

#include "sim/short_form.h"
#include "tests/support/catch.h"
#include "tests/support/files.h"

namespace bth::sim {
namespace {

using types::Json;

constexpr const char* kHead = R"(name: x
given:
- node n1 cpu=1
- job a min=1 tasks=2 cpu=1
conf: {actions: "enqueue, allocate", tiers: ["gang", "predicates"]}
)";

std::vector<std::string> Failures(const std::string& tail) {
  const auto outcomes = RunScenarios(kHead + tail);
  INFO(outcomes.status().message());
  REQUIRE(outcomes.ok());
  return outcomes->front().failures;
}

TEST_CASE("scenario: an expectation may say less, but lists binds whole", "[sim][scenario]") {
  CHECK(Failures("expect: {binds: {default/a-0: n1}}").empty());
  CHECK(Failures("expect: {podgroups: {default/a: Inqueue}}").empty());
  CHECK(Failures("expect: {pending: {default/a-1: ~}}").empty());
  CHECK(Failures("expect: {binds: {}}") ==
        std::vector<std::string>{"expect.binds.default/a-0: not expected, found \"n1\""});
  CHECK(Failures("expect: {binds: {default/a-0: n2}}").size() == 1);
  CHECK(Failures("expect: {pending: {}}").size() == 1);
  CHECK(Failures("expect: {podgroups: {default/b: Inqueue}}").size() == 1);
  CHECK(Failures("expect: {bindings: {}}").size() == 1);
  CHECK(Failures("expect:\n- {binds: {default/a-0: n1}}\n- {binds: {}}").size() == 1);
}

TEST_CASE("scenario: mistakes are errors, not passes", "[sim][scenario]") {
  for (const char* tail : {"expects: {}", "cycles: 0\nexpect: {binds: {}}", "given: []\ngiven: []",
                           "steps: [{put: [robot x]}]", "steps: [{advance: soon}]",
                           "steps: [{delete: [pod default/none]}]", "steps: [{conf: {a: b}}]"}) {
    CAPTURE(tail);
    CHECK_FALSE(RunScenarios(std::string(kHead) + tail).ok());
  }
  CHECK_FALSE(RunScenarios("given: []\n").ok());
}

TEST_CASE("scenario: blessing rewrites what differs and keeps the rest", "[sim][scenario]") {
  const std::string text = std::string("# A comment.\n") + kHead +
                           "expect:\n  binds: {default/z: n9}\n  # gone\nsteps:\n- cycles: 1\n"
                           "  expect: {pending: {default/a-1: old words}}\n- advance: 1s\n";
  const auto outcomes = RunScenarios(text);
  REQUIRE(outcomes.ok());
  CHECK(outcomes->front().failures.size() == 3);
  const auto blessed = Bless(text, *outcomes);
  REQUIRE(blessed.ok());
  CHECK(blessed->starts_with("# A comment.\n"));
  CHECK(blessed->find("\n- advance: 1s\n") != std::string::npos);
  const auto again = RunScenarios(*blessed);
  REQUIRE(again.ok());
  CHECK(again->front().failures.empty());
  CHECK(*Bless(*blessed, *again) == *blessed);
}

TEST_CASE("short form: lines become whole objects", "[sim][scenario]") {
  const auto node = ExpandShortForm("node n1,n2 cpu=4 gpu=2 label.a.b/c=d taint=k=v:NoSchedule");
  REQUIRE(node.ok());
  REQUIRE(node->size() == 2);
  CHECK((*node)[1].Dump() ==
        R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n2","labels":{"a.b/c":"d"}},)"
        R"("status":{"allocatable":{"pods":"110","cpu":"4","nvidia.com/gpu":"2"}},)"
        R"("spec":{"taints":[{"key":"k","value":"v","effect":"NoSchedule"}]}})");
  const auto job = ExpandShortForm("job a ns=x min=2 tasks=2 cpu=1 created=5");
  REQUIRE(job.ok());
  REQUIRE(job->size() == 3);
  CHECK((*job)[0].At({"spec", "minMember"}).AsInt() == 2);
  CHECK((*job)[2].At({"metadata", "name"}).AsString() == "a-1");
  CHECK((*job)[2].At({"metadata", "namespace"}).AsString() == "x");
  CHECK((*job)[2].At({"metadata", "creationTimestamp"}).AsString() == "2026-01-01T00:00:05Z");
}

TEST_CASE("short form: words about other pods", "[sim][scenario]") {
  const auto text = [](const char* words, const char* part) {
    const auto pods = ExpandShortForm(std::string("pod p ") + words);
    INFO(words << ": " << pods.status().message());
    REQUIRE(pods.ok());
    return (*pods)[0]["spec"][part].Dump();
  };
  CHECK(text("anti.h.x/y=app:a", "affinity") ==
        R"({"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
        R"([{"topologyKey":"h.x/y","labelSelector":{"matchLabels":{"app":"a"}}}]}})");
  CHECK(text("affinity.zone=app:a:7", "affinity") ==
        R"({"podAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":)"
        R"([{"weight":7,"podAffinityTerm":{"topologyKey":"zone",)"
        R"("labelSelector":{"matchLabels":{"app":"a"}}}}]}})");
  CHECK(text("spread.zone=app:a", "topologySpreadConstraints") ==
        R"([{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule",)"
        R"("labelSelector":{"matchLabels":{"app":"a"}}}])");
  CHECK(text("spread.zone=app:a:3:soft", "topologySpreadConstraints") ==
        R"([{"maxSkew":3,"topologyKey":"zone","whenUnsatisfiable":"ScheduleAnyway",)"
        R"("labelSelector":{"matchLabels":{"app":"a"}}}])");
  for (const char* bad : {"anti.h=app", "affinity.h=app:a:b", "anti.h=app:a:1:2", "spread.z=app",
                          "spread.z=app:a:x", "spread.z=app:a:1:hard"}) {
    CHECK_FALSE(ExpandShortForm(std::string("pod p ") + bad).ok());
  }
}

TEST_CASE("short form: unknown words are refused with the nearest one", "[sim][scenario]") {
  CHECK(ExpandShortForm("node n1 cordned").status().message() ==
        "unknown word \"cordned\" of node (did you mean \"cordoned\"?)");
  CHECK_FALSE(ExpandShortForm("node").ok());
  CHECK_FALSE(ExpandShortForm("robot x").ok());
  CHECK_FALSE(ExpandShortForm("job a tasks=-1").ok());
  CHECK_FALSE(ExpandShortForm("pod a prefer.x=y").ok());
}

// The row of a table of the manual that begins with `name`.
std::string RowOf(const std::string& page, const std::string& name) {
  const size_t start = page.find("\n| `" + name + "` |");
  return start == page.npos ? "" : page.substr(start + 1, page.find('\n', start + 1) - start - 1);
}

TEST_CASE("scenarios: the manual has every word that is understood", "[sim][scenario]") {
  const std::string page = test::ReadFile(test::SourceRoot() / "docs/vc-sim.md");
  const auto words = ShortFormWords();
  CHECK(words.size() == 6);
  for (const auto& [kind, known] : words) {
    const std::string row = RowOf(page, kind);
    for (const std::string& word : known) {
      CAPTURE(kind, word);
      const bool whole = row.find("`" + word + "`") != row.npos;
      const bool with_value = row.find("`" + word + "=") != row.npos;
      const bool with_key = word.back() == '.' && row.find("`" + word) != row.npos;
      CHECK((whole || with_value || with_key));
    }
  }
  for (const std::string_view member : kScenarioMembers) {
    CAPTURE(member);
    CHECK_FALSE(RowOf(page, std::string(member)).empty());
  }
  for (const std::string_view member : kStepMembers) {
    CAPTURE(member);
    const std::string quoted = "`" + std::string(member) + "`";
    CHECK(page.find(quoted, page.find("| Member of a step |")) != page.npos);
  }
  for (const std::string_view member : kConfMembers) {
    CAPTURE(member);
    CHECK(RowOf(page, "conf").find("`" + std::string(member) + "`") != std::string::npos);
  }
}

TEST_CASE("scenarios: the words that the manual shows are understood", "[sim][scenario]") {
  const std::string page = test::ReadFile(test::SourceRoot() / "docs/vc-sim.md");
  const auto words = ShortFormWords();
  for (const auto& [kind, known] : words) {
    const std::string row = RowOf(page, kind);
    size_t shown = 0;
    for (size_t at = row.find('`', 4 + kind.size()); at != row.npos; at = row.find('`', at + 1)) {
      const size_t end = row.find('`', at + 1);
      const std::string text = row.substr(at + 1, end - at - 1);
      at = end;
      const size_t stop = text.find_first_of(".=");
      // Names that explain a word, such as `pod` or `J-0`.
      if (stop == text.npos && std::find(known.begin(), known.end(), text) == known.end()) continue;
      const std::string word =
          text.substr(0, stop == text.npos || text[stop] == '=' ? stop : stop + 1);
      CAPTURE(kind, text, word);
      CHECK(std::find(known.begin(), known.end(), word) != known.end());
      ++shown;
    }
    CHECK(shown >= known.size());
  }
}

}  // namespace
}  // namespace bth::sim
