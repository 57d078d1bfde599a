#include <charconv>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "base/status.h"
#include "base/strings.h"
#include "client/client_config.h"

namespace bth::client {
namespace {

constexpr size_t kUrlBytesMax = 2048;

absl::Status BadUrl(std::string_view url, std::string_view reason) {
  // A password inside the URL must not reach a log.
  const size_t at = url.rfind('@');
  const std::string shown = at == std::string_view::npos
                                ? std::string(url.substr(0, 256))
                                : StrCat("<hidden>", url.substr(at).substr(0, 256));
  return absl::InvalidArgumentError(StrCat("server URL \"", shown, "\": ", reason));
}

bool HostByteAllowed(char c, bool ipv6) {
  if (absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_') {
    return true;
  }
  return ipv6 && (c == ':' || c == '%');
}

absl::StatusOr<uint16_t> ParsePort(std::string_view url, std::string_view text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port < 1 || port > 65535) {
    return BadUrl(url, "the port must be a number from 1 to 65535");
  }
  return static_cast<uint16_t>(port);
}

// "host", "host:port", "[v6]" or "[v6]:port" into `out`.
absl::Status ParseAuthority(std::string_view url, std::string_view authority, ServerUrl* out) {
  std::string_view port;
  const bool ipv6 = !authority.empty() && authority.front() == '[';
  if (ipv6) {
    const size_t close = authority.find(']');
    if (close == std::string_view::npos) return BadUrl(url, "\"[\" without \"]\"");
    out->host = std::string(authority.substr(1, close - 1));
    port = authority.substr(close + 1);
    if (!port.empty() && port.front() != ':') return BadUrl(url, "expected \":port\" after \"]\"");
  } else {
    const size_t colon = authority.find(':');
    out->host = std::string(authority.substr(0, colon));
    if (colon != std::string_view::npos) port = authority.substr(colon);
  }
  if (out->host.empty()) return BadUrl(url, "it has no host; write it as https://host:port");
  for (char c : out->host) {
    if (!HostByteAllowed(c, ipv6))
      return BadUrl(url, "the host holds a character not allowed there");
  }
  if (port.size() > 1) {
    BTH_ASSIGN_OR_RETURN(out->port, ParsePort(url, port.substr(1)));
  } else {
    out->port = out->tls ? 443 : 80;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ServerUrl> ParseServerUrl(std::string_view url, std::string_view scheme_default) {
  if (url.size() > kUrlBytesMax) return BadUrl(url, "longer than 2048 bytes");
  ServerUrl out;
  std::string_view scheme = scheme_default;
  std::string_view rest = url;
  if (const size_t mark = url.find("://"); mark != std::string_view::npos) {
    scheme = url.substr(0, mark);
    rest = url.substr(mark + 3);
  }
  if (EqualsIgnoreCase(scheme, "https")) {
    out.tls = true;
  } else if (!EqualsIgnoreCase(scheme, "http")) {
    return BadUrl(url, "the scheme must be https or http");
  }
  if (rest.find_first_of("?#") != std::string_view::npos) {
    return BadUrl(url, "a query or fragment is not allowed; give only scheme, host, port and path");
  }
  const size_t slash = rest.find('/');
  const std::string_view authority = rest.substr(0, slash);
  if (authority.find('@') != std::string_view::npos) {
    return BadUrl(url, "user and password do not belong into the URL; put them under users[]");
  }
  BTH_RETURN_IF_ERROR(ParseAuthority(url, authority, &out));
  if (slash != std::string_view::npos) {
    std::string_view path = rest.substr(slash);
    for (char c : path) {
      if (static_cast<unsigned char>(c) <= ' ' || static_cast<unsigned char>(c) >= 0x7f) {
        return BadUrl(url, "the path must be percent-encoded");
      }
    }
    while (!path.empty() && path.back() == '/') path.remove_suffix(1);
    out.path_prefix = std::string(path);
  }
  return out;
}

std::string ToText(const ServerUrl& url) {
  const bool v6 = url.host.find(':') != std::string::npos;
  return StrCat(url.tls ? "https" : "http", "://", v6 ? "[" : "", url.host, v6 ? "]:" : ":",
                url.port, url.path_prefix);
}

}  // namespace bth::client
