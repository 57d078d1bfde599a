// Files that hold credentials.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace bth::cmd {

// Writes a file that only we may read, whole or not at all, by way of a file beside it whose name
// nobody can know before. What has the name `path` is replaced, never followed or written into: a
// link that belongs to another user is refused (kPermissionDenied). Other errors are kUnavailable;
// all of them name the file. Blocks until the bytes are on the disk.
absl::Status WritePrivateFile(const std::string& path, std::string_view text);

}  // namespace bth::cmd
