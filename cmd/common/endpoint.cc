#include "cmd/common/endpoint.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "absl/strings/numbers.h"
#include "base/strings.h"

namespace bth::cmd {

absl::StatusOr<Endpoint> ParseEndpoint(std::string_view text) {
  const auto wrong = [text] {
    return absl::InvalidArgumentError(
        StrCat("\"", text, "\" is not an address such as :8080, 127.0.0.1:8080 or [::1]:8080"));
  };
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return wrong();
  Endpoint out;
  out.host = std::string(text.substr(0, colon));
  uint32_t port = 0;
  if (!SimpleAtoi(text.substr(colon + 1), &port) || port > 65535) return wrong();
  out.port = static_cast<uint16_t>(port);
  if (out.host.size() > 2 && out.host.front() == '[' && out.host.back() == ']') {
    out.host = out.host.substr(1, out.host.size() - 2);
  } else if (out.host.find(':') != std::string::npos) {
    return wrong();
  }
  if (out.host.empty()) out.host = "::";
  if (out.host == "localhost") out.host = "127.0.0.1";
  return out;
}

std::string ToText(const Endpoint& endpoint) {
  const bool v6 = endpoint.host.find(':') != std::string::npos;
  return StrCat(v6 ? "[" : "", endpoint.host, v6 ? "]:" : ":", endpoint.port);
}

bool IsLoopback(const Endpoint& endpoint) {
  in_addr v4{};
  if (inet_pton(AF_INET, endpoint.host.c_str(), &v4) == 1) {
    return ntohl(v4.s_addr) >> 24 == IN_LOOPBACKNET;
  }
  in6_addr v6{};
  return inet_pton(AF_INET6, endpoint.host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

}  // namespace bth::cmd
