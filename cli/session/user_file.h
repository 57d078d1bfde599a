// Files that a user names.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace bth::cli {

// At most 16 MiB. Errors have Go's words: `open x.yaml: no such file or directory`.
absl::StatusOr<std::string> ReadUserFile(const std::string& path);

}  // namespace bth::cli
