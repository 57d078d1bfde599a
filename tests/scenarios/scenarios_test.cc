#include <string>
#include <vector>

#include "sim/run.h"
#include "sim/scenario.h"
#include "tests/support/catch.h"

namespace bth::sim {
namespace {

// Every file of the folder, run as `options` say. A failure is followed by `vc-sim test --bless`,
// and reviewed.
void RunAll(const ScenarioOptions& options) {
  const auto files = FilesOf(BTH_SCENARIOS);
  REQUIRE(files.ok());
  size_t scenarios = 0;
  for (const std::string& file : *files) {
    const auto text = ReadText(file);
    REQUIRE(text.ok());
    const auto outcomes = RunScenarios(*text, options);
    INFO(file << ": " << outcomes.status().message());
    CHECK(outcomes.ok());
    if (!outcomes.ok()) continue;
    for (const ScenarioOutcome& outcome : *outcomes) {
      ++scenarios;
      INFO(outcome.name);
      CHECK(outcome.failures == std::vector<std::string>());
    }
  }
  CHECK(scenarios >= 20);
}

TEST_CASE("scenarios: every expectation is met", "[sim][scenario]") {
  RunAll({});
}

TEST_CASE("scenarios: the order of objects changes nothing", "[sim][scenario][property]") {
  RunAll({.reversed = true});
}

}  // namespace
}  // namespace bth::sim
