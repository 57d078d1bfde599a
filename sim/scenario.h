// Scenarios: a cluster, a policy, what happens, and what must come of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/types/json.h"

namespace bth::sim {

// One document of a scenario file:
//
//   name: a gang binds its minimum or nothing
//   given: [objects, in short (see short_form.h) or in full]
//   conf: text of a scheduler.conf, or {actions: "…", tiers: ["priority, gang", …],
//         arguments: {<plugin>: {…}}, configurations: […]}; absent: the built-in policy
//   sharding: hard     # none, hard or soft: the nodes of NodeShard volcano
//   features: StorageCapacityScoring=true    # the only one that scenarios know
//   apply: true        # as --apply; false by default
//   cycles: 1          # then
//   expect: …          # what the last cycle must show, or a list with one entry for each cycle
//   steps:             # instead of the last two, or after them
//   - {put: [objects], delete: [pod ns/name], advance: 10s, conf: …, cycles: 1, expect: …}
//
// An expectation is compared with a cycle of `vc-sim run -o json`. Objects may say less than the
// cycle shows, null agrees with everything; but binds, pipelined, evictions and pending name every
// entry. A text stands for the message of a pending pod or for the phase of a PodGroup, and
// `conditions` may be a map from type to message.

// Members of a document, of its `conf` and of a step.
inline constexpr std::string_view kScenarioMembers[] = {
    "name", "given", "conf", "sharding", "features", "apply", "cycles", "expect", "steps"};
inline constexpr std::string_view kConfMembers[] = {"actions", "tiers", "arguments",
                                                    "configurations"};
inline constexpr std::string_view kStepMembers[] = {"put",  "delete", "advance",
                                                    "conf", "cycles", "expect"};

struct ScenarioOutcome {
  std::string name;
  std::vector<std::string> failures;      // Each names its place; empty: as expected.
  std::vector<types::Json> expectations;  // As the cycles would have them, in order of the text.
};

// What must make no difference.
struct ScenarioOptions {
  bool reversed = false;  // Objects are given last first.
};

// Runs every document. kInvalidArgument names the document and the place; kInternal: a bug.
absl::StatusOr<std::vector<ScenarioOutcome>> RunScenarios(std::string_view text,
                                                          const ScenarioOptions& options = {});

// The text with each `expect:` replaced by what came out, as detailed as it was before.
absl::StatusOr<std::string> Bless(std::string_view text,
                                  const std::vector<ScenarioOutcome>& outcomes);

}  // namespace bth::sim
