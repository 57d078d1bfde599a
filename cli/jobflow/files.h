// Creating and deleting job flows and job templates, all of a file or one by its name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/jobflow/kind.h"

namespace bth::cli {

// The pieces of a file between dashes, trimmed; empty ones are left out. Three dashes divide
// wherever they stand, as in Volcano: also within a value.
std::vector<std::string_view> PiecesOf(std::string_view text);

// One piece, complete but for kind and version.
absl::StatusOr<types::Json> FlowOf(const FlowKind& kind, std::string_view piece);

// What the API server refuses is told, and the next piece is looked at; a piece that cannot be read
// ends the command.
absl::Status CreateFlows(Session& session, const FlowKind& kind, const FlowFlags& flags);
absl::Status DeleteFlows(Session& session, const FlowKind& kind, const FlowFlags& flags);

}  // namespace bth::cli
