// Groups in short forms: their roles, their sub-groups, and what they ask of the network;
// HyperNodes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "api/types/json.h"

namespace bth::sim {

// Minimums by role: `<role>:<minimum>,…`.
absl::Status AddRoles(types::Json* group, const std::string& value);
// `hard:<tier>`, `hard:<tier name>` or `soft`, as networkTopology of `spec`, a PodGroup's or a
// policy's.
absl::Status SetTopology(types::Json* spec, std::string_view value);

// A policy of sub-jobs: `<size>:<least sub-groups>:<label key>[:<topology>]`.
absl::Status AddSubGroup(types::Json* group, const std::string& name, const std::string& value);

// Members of a HyperNode: by names `a|b`, by a regular expression, with the label `key`.
void AddNodeMembers(types::Json* hyper_node, const std::string& key, const std::string& names);
void AddHyperNodeMembers(types::Json* hyper_node, const std::string& key, const std::string& names);
void AddPatternMember(types::Json* hyper_node, const std::string& key, const std::string& pattern);
void AddLabelMember(types::Json* hyper_node, const std::string& key, const std::string& value);

}  // namespace bth::sim
