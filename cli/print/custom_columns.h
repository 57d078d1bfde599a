// `-o custom-columns=NAME:.metadata.name,CPU:.spec.cpu`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/types/json.h"
#include "cli/print/jsonpath/template.h"

namespace bth::cli {

inline constexpr size_t kCustomColumnsMax = 256;

struct CustomColumn {
  std::string header;
  jsonpath::Template path;
};

// Both fail with kInvalidArgument and kubectl's text. A column's path may leave out braces and dot.
absl::StatusOr<std::vector<CustomColumn>> ParseCustomColumns(std::string_view spec);
// The file's two lines: headers, and the paths below them, both with blanks between.
absl::StatusOr<std::vector<CustomColumn>> ParseCustomColumnsFile(std::string_view text);

// One object as cells with tabs between, and a line break: `<none>` for what is not there, several
// values with commas between.
absl::Status AppendCustomRow(const std::vector<CustomColumn>& columns, const types::Json& object,
                             std::string* out);

}  // namespace bth::cli
