// meta/v1 Status as it is on the wire. Private to this folder's .cc files.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "api/types/type_ops.h"

namespace bth::types {

struct StatusBody {
  int32_t code = 0;
  std::string reason;
  std::string message;
  int32_t retry_after_seconds = 0;
};

const TypeOps& StatusBodyOps();
absl::Status ToStatus(const StatusBody& body);

}  // namespace bth::types
