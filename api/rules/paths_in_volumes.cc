#include "api/rules/paths_in_volumes.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_split.h"
#include "base/strings.h"

namespace bth::rules {

using types::Json;

void CheckNoBacksteps(const Part& holder, std::string_view key, std::string_view path) {
  for (const absl::string_view element : SplitText(path, '/')) {
    if (element == "..") return holder.Invalid(key, Json(path), "must not contain '..'");
  }
}

void CheckDescendingPath(const Part& holder, std::string_view key, std::string_view path) {
  if (path.starts_with('/')) holder.Invalid(key, Json(path), "must be a relative path");
  CheckNoBacksteps(holder, key, path);
}

void CheckLocalPath(const Part& holder, std::string_view key, std::string_view path) {
  CheckDescendingPath(holder, key, path);
  if (path.starts_with("..") && !path.starts_with("../") && path != "..") {
    holder.Invalid(key, Json(path), "must not start with '..'");
  }
}

void CheckFileMode(const Part& holder, const Part& source, std::string_view key) {
  constexpr int64_t kModeMax = 0777;
  const std::optional<int64_t> mode = source.Number(key);
  if (!mode || (*mode >= 0 && *mode <= kModeMax)) return;
  holder.Invalid(key, Json(*mode), "must be a number between 0 and 0777 (octal), both inclusive");
}

}  // namespace bth::rules
