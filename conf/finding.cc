#include "conf/finding.h"

#include "absl/strings/str_cat.h"

namespace bth::conf {

std::string ToString(const Finding& finding) {
  std::string out;
  if (finding.line > 0) absl::StrAppend(&out, "line ", finding.line, ": ");
  if (!finding.path.empty()) absl::StrAppend(&out, finding.path, ": ");
  absl::StrAppend(&out, finding.text);
  if (!finding.nearest.empty()) {
    absl::StrAppend(&out, " (did you mean \"", finding.nearest, "\"?)");
  }
  return out;
}

}  // namespace bth::conf
