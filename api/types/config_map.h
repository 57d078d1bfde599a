// v1 ConfigMap and Secret.
#pragma once

#include <optional>
#include <string>

#include "api/types/meta.h"

namespace bth::types {

struct ConfigMap {
  ObjectMeta meta;
  SortedMap<std::string> data;
  std::optional<bool> immutable;
  bool operator==(const ConfigMap&) const = default;
};

struct Secret {
  ObjectMeta meta;
  std::string type;
  SortedMap<std::string> data;  // base64, as on the wire
  std::optional<bool> immutable;
  bool operator==(const Secret&) const = default;
};

}  // namespace bth::types
