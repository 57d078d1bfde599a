// Addresses of servers, as flags give them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace bth::cmd {

struct Endpoint {
  std::string host;  // A numeric address.
  uint16_t port = 0;
};
// ":8080" (every address), "127.0.0.1:80", "[::1]:80", "localhost:80".
absl::StatusOr<Endpoint> ParseEndpoint(std::string_view text);

// "127.0.0.1:80", "[::1]:80".
std::string ToText(const Endpoint& endpoint);

// 127.0.0.0/8 or ::1: reached from this machine, or this pod, alone.
bool IsLoopback(const Endpoint& endpoint);

}  // namespace bth::cmd
