#include "conf/finding.h"

#include "base/strings.h"

namespace bth::conf {

std::string ToString(const Finding& finding) {
  std::string out;
  if (finding.line > 0) StrAppend(&out, "line ", finding.line, ": ");
  if (!finding.path.empty()) StrAppend(&out, finding.path, ": ");
  StrAppend(&out, finding.text);
  if (!finding.nearest.empty()) {
    StrAppend(&out, " (did you mean \"", finding.nearest, "\"?)");
  }
  return out;
}

}  // namespace bth::conf
