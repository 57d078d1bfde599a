// The API server itself, and the nodes. Pure functions.
#pragma once

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "cli/doctor/points.h"
#include "cli/doctor/queues.h"

namespace bth::cli {

// `version`: what /version answers.
void CheckServerVersion(const types::Json& version, std::vector<Point>* points);

// `date`: of the head of an answer; none when it has no such line, or one that cannot be read.
std::optional<absl::Time> ParseServerDate(const std::string& date);
void CheckClock(std::optional<absl::Time> server, absl::Time here, std::vector<Point>* points);

void CheckNodes(const ObjectsRead& nodes, std::vector<Point>* points);
// Of all nodes together.
Amounts AllocatableOf(const ObjectsRead& nodes);

}  // namespace bth::cli
