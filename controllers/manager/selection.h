// Which controllers a process runs: the grammar of --controllers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace bth::controllers {

// "NAME" and "+NAME" select, "-NAME" excludes, "*" selects whatever else there is; the first entry
// that names it decides. An empty list selects all.
bool IsSelected(std::string_view name, const std::vector<std::string>& selection);

// Refuses a list that names a controller twice.
absl::Status CheckSelection(const std::vector<std::string>& selection);

// Refuses what is to run and does not exist.
absl::Status CheckNames(const std::vector<std::string>& selection,
                        const std::vector<std::string_view>& known);

// Entries that exclude a controller that does not exist:
// "--controllers: ENTRY: no such controller (did you mean X?)"
std::vector<std::string> UnknownNames(const std::vector<std::string>& selection,
                                      const std::vector<std::string_view>& known);

}  // namespace bth::controllers
