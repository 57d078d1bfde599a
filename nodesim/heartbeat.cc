#include "nodesim/heartbeat.h"

#include <cstdint>

#include "base/digest.h"

namespace bth::nodesim {

absl::Time NextHeartbeat(std::string_view node, absl::Duration period, absl::Time now) {
  Digest digest;
  digest.Add(node);
  const int64_t length = absl::ToInt64Nanoseconds(period);
  const int64_t moment = static_cast<int64_t>(digest.value() % static_cast<uint64_t>(length));
  const int64_t since = (absl::ToUnixNanos(now) - moment) % length;
  return now + absl::Nanoseconds(since < 0 ? -since : length - since);
}

}  // namespace bth::nodesim
