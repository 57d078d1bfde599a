// The arguments of the plugin mpi, as far as rules need them. Pure, any thread.
#pragma once

#include <string>
#include <vector>

namespace bth::admission {

// The task that --master names, or "master". Reading stops at a mistake, and what was read until
// then counts.
std::string MpiMaster(const std::vector<std::string>& arguments);

}  // namespace bth::admission
