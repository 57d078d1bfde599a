#include "cli/session/user_file.h"

#include "absl/strings/ascii.h"
#include "base/strings.h"
#include "client/file.h"

namespace bth::cli {
namespace {

constexpr size_t kFileBytesMax = size_t{16} << 20;

}  // namespace

absl::StatusOr<std::string> ReadUserFile(const std::string& path) {
  absl::StatusOr<std::string> text = client::ReadSmallFile(path, kFileBytesMax);
  if (text.ok()) return text;
  const absl::Status& status = text.status();
  const std::string prefix = StrCat(path, ": ");
  const std::string_view message = ToStd(status.message());
  std::string why(message.starts_with(prefix) ? message.substr(prefix.size()) : message);
  // What the system says has a capital letter there, and none here.
  if (!why.empty()) why[0] = absl::ascii_tolower(static_cast<unsigned char>(why[0]));
  if (why.starts_with("is a directory"))
    return absl::Status(status.code(), StrCat("read ", path, ": is a directory"));
  return absl::Status(status.code(), StrCat("open ", path, ": ", why));
}

}  // namespace bth::cli
