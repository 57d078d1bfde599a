// v1 Namespace.
#pragma once

#include <string>

#include "api/types/meta.h"

namespace bth::types {

struct Namespace {
  ObjectMeta meta;
  std::string phase;  // status.phase: Active, Terminating
  bool operator==(const Namespace&) const = default;
};

}  // namespace bth::types
