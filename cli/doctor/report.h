// What `vcctl doctor` prints. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "cli/doctor/points.h"

namespace bth::cli {

// By area in the order in which they are looked at, then by subject.
void SortPoints(std::vector<Point>* points);
bool HasFault(const std::vector<Point>& points);

// A line for the whole, a table of areas, and each point that is not in order; with `all` the
// others too.
std::string DoctorText(const std::string& server, const std::vector<Point>& points, bool all);
// {"server", "faults", "warnings", "ok", "notChecked", "points": [{"area", "subject", "level",
// "found", "remedy"}]}; levels are ok, warning, fault and notChecked.
types::Json DoctorJson(const std::string& server, const std::vector<Point>& points);

}  // namespace bth::cli
