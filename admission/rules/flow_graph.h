// Can a job flow come to its end? Used by the webhook and by the controller. Pure, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/job_flow.h"

namespace bth::admission {

// Of flows that have the same name, who counts.
enum class SameName : uint8_t {
  kLast,  // The last one alone, as in Volcano's webhook.
  kEach,  // All: each of them may start the job of that name.
};

// The texts refer to the flows that were looked at.
struct FlowFault {
  std::string_view flow;     // Depends on what is no flow:
  std::string_view missing;  // Empty: the flow waits for itself in the end.
  bool is_circle = false;
  std::vector<std::string_view> circle;  // The first few that do.
};

// Nothing: it can. Missing targets go first, in the order of the flows. Cost: n log n in flows and
// targets together.
std::optional<FlowFault> FindFlowFault(const std::vector<types::Flow>& flows, SameName same_name);

// What a flow depends on; empty when it depends on nothing.
const std::vector<std::string>& TargetsOf(const types::Flow& flow);

}  // namespace bth::admission
