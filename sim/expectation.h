// Compares what a cycle shows with what a scenario wants it to show. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "api/types/json.h"

namespace bth::sim {

// Adds a line to `failures` for each difference; `path` says where this is.
void CompareCycle(const types::Json& expected, const types::Json& cycle, const std::string& path,
                  std::vector<std::string>* failures);

// The expectation that `cycle` meets, with the members and in the detail of `expected`.
types::Json Reworded(const types::Json& expected, const types::Json& cycle);

}  // namespace bth::sim
