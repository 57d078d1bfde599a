// Small files from outside (certificates, tokens, kubeconfig) with a size limit.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace bth::client {

// The whole content. Errors name the path: kNotFound, kPermissionDenied, kInvalidArgument (not a
// regular file or pipe, larger than `bytes_max`), kUnavailable (everything else). Blocks for the
// read; callers use it for files of some kilobytes only.
absl::StatusOr<std::string> ReadSmallFile(const std::string& path, size_t bytes_max);

}  // namespace bth::client
