// bus.volcano.sh/v1alpha1 Command: a message to a batch job or a queue. Whoever acts
// on it, deletes it.
#pragma once

#include <optional>
#include <string>

#include "api/types/bus.h"
#include "api/types/meta.h"

namespace bth::types {

struct Command {
  ObjectMeta meta;
  Word<BusAction> action;  // An unknown action is passed on.
  std::optional<OwnerReference> target;
  std::string reason;
  std::string message;
  bool operator==(const Command&) const = default;
};

}  // namespace bth::types
