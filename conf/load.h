// From the text of scheduler.conf to a policy.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "conf/finding.h"
#include "conf/policy.h"
#include "conf/value.h"

namespace bth::conf {

// The names a policy may use: those of the registry, which outlive the call.
struct KnownNames {
  std::vector<std::string_view> actions;
  std::vector<std::string_view> plugins;
};

// Every action and plugin of Volcano. Of these, one that the registry lacks is refused as missing,
// not as misspelled.
const KnownNames& BuiltinNames();

struct LoadedPolicy {
  Policy policy;
  std::vector<Finding> findings;  // In order of lines.
};

// Limits beyond those of YAML.
inline constexpr size_t kActionsMax = 64;
inline constexpr size_t kTiersMax = 64;
inline constexpr size_t kPluginsPerTierMax = 64;
inline constexpr size_t kConfigurationsMax = 64;
inline constexpr size_t kLoadFindingsMax = 256;

// Parses, checks and fills in defaults.
//
// kInvalidArgument, naming line, path and the nearest valid name, for: YAML errors, a value of the
// wrong type where the schema fixes one, an unknown action or plugin, and drf with hierarchy
// beside proportion in one tier. Findings for: unknown or misspelled keys, keys given twice (the
// last one counts), entries that have no effect. What a plugin thinks of its arguments comes from
// Arguments::Findings() once it is made.
absl::StatusOr<LoadedPolicy> ParsePolicy(std::string_view yaml, const KnownNames& known,
                                         const YamlLimits& limits = {});

// Everything that is to be said of a file at once, for those who check one.
struct PolicyReview {
  std::vector<std::string> refusals;  // Empty: the file is accepted. The first ten of them.
  std::vector<Finding> findings;      // Of refused files too, as far as they were read.
  Policy policy;                      // Likewise.
};
PolicyReview ReviewPolicy(std::string_view yaml, const KnownNames& known,
                          const YamlLimits& limits = {});

// The policy in force when no file is given, and its text.
std::string_view DefaultPolicyText();
Policy DefaultPolicy();
// The same for the agent scheduler.
std::string_view AgentPolicyText();
Policy AgentPolicy();

}  // namespace bth::conf
