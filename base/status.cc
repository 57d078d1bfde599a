#include "base/status.h"

#include "base/strings.h"

namespace bth {

absl::Status Annotate(const absl::Status& status, std::string_view doing) {
  if (status.ok()) return status;
  return absl::Status(
      status.code(), StrCat(absl::string_view(doing.data(), doing.size()), ": ", status.message()));
}

}  // namespace bth
