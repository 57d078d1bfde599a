#include "base/status.h"

#include "absl/strings/str_cat.h"

namespace bth {

absl::Status Annotate(const absl::Status& status, std::string_view doing) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(absl::string_view(doing.data(), doing.size()),
                                                  ": ", status.message()));
}

}  // namespace bth
