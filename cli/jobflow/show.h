// Showing job flows and job templates: as a table, and whole.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "cli/jobflow/kind.h"
#include "cli/print/terminal.h"
#include "cli/print/times.h"

namespace bth::cli {

std::string FlowTable(const FlowKind& kind, const std::vector<types::Json>& flows,
                      const TimeStyle& times, const Terminal& terminal = {});

// `format`: yaml or json; of others it says so. What every such object has is there, empty or not.
std::string FlowText(const FlowKind& kind, types::Json flow, std::string_view format);

absl::Status ListFlows(Session& session, const FlowKind& kind, const FlowFlags& flags);
absl::Status GetFlow(Session& session, const FlowKind& kind, const FlowFlags& flags);
absl::Status DescribeFlows(Session& session, const FlowKind& kind, const FlowFlags& flags);

}  // namespace bth::cli
