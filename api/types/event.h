// v1 Event.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "api/types/meta.h"
#include "api/types/time.h"

namespace bth::types {

struct Event {
  ObjectMeta meta;
  ObjectReference involved_object;
  std::string reason;
  std::string message;
  std::string type;              // Normal, Warning
  std::string source_component;  // source.component
  std::string source_host;       // source.host
  std::optional<absl::Time> first_time;
  std::optional<absl::Time> last_time;
  int32_t count = 0;
  std::optional<MicroTime> event_time;
  std::string action;
  std::string reporting_component;
  std::string reporting_instance;
  bool operator==(const Event&) const = default;
};

}  // namespace bth::types
