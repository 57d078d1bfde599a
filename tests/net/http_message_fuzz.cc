// Bytes from the network: message heads, chunked bodies and request targets.
//
// The first byte chooses the parser, the second how a chunked body is cut into reads.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "net/detail/http_format.h"
#include "net/detail/http_parser.h"

namespace bth::net {
namespace {

// A request that was understood can be written again, and then reads the same.
void FuzzRequest(std::string_view bytes) {
  const std::optional<size_t> end = detail::FindHeadEnd(bytes, 0);
  if (!end.has_value()) return;
  const auto head = detail::ParseRequestHead(bytes.substr(0, *end));
  if (!head.ok()) return;
  Request request;
  request.method = head->method;
  request.target = head->target;
  request.headers = head->headers;
  const auto written = detail::FormatRequestHead(request, "host");
  BTH_CHECK(written.ok());
  const auto again = detail::ParseRequestHead(*written);
  BTH_CHECK(again.ok());
  BTH_CHECK(again->method == head->method && again->target == head->target);
  BTH_CHECK(head->framing != detail::Framing::kUntilClose);
}

void FuzzResponse(std::string_view bytes) {
  const std::optional<size_t> end = detail::FindHeadEnd(bytes, 0);
  if (!end.has_value()) return;
  const auto head = detail::ParseResponseHead(bytes.substr(0, *end), false);
  if (!head.ok()) return;
  BTH_CHECK(head->status >= 100 && head->status <= 999);
  BTH_CHECK(!(head->keep_alive && head->framing == detail::Framing::kUntilClose));
  const auto to_head = detail::ParseResponseHead(bytes.substr(0, *end), true);
  BTH_CHECK(to_head.ok() && to_head->framing == detail::Framing::kNone);
}

struct Decoded {
  bool ok = true;
  bool done = false;
  size_t used = 0;
  std::string body;
};

Decoded Decode(std::string_view bytes, size_t step, size_t body_max) {
  detail::ChunkDecoder decoder;
  Decoded out;
  while (out.used < bytes.size() && !decoder.done()) {
    const auto used = decoder.Decode(bytes.substr(out.used, step), body_max, out.body);
    BTH_CHECK(out.body.size() <= body_max);
    if (!used.ok()) {
      out.ok = false;
      return out;
    }
    out.used += *used;
    if (out.body.size() == body_max && *used == 0) break;
    BTH_CHECK(*used > 0);
  }
  out.done = decoder.done();
  return out;
}

// However the bytes are cut, the same body comes out.
void FuzzChunks(std::string_view bytes, size_t step) {
  const Decoded whole = Decode(bytes, bytes.size(), SIZE_MAX);
  const Decoded cut = Decode(bytes, std::max<size_t>(step, 1), SIZE_MAX);
  BTH_CHECK(whole.ok == cut.ok && whole.done == cut.done);
  BTH_CHECK(whole.body == cut.body);
  if (whole.ok) BTH_CHECK(whole.used == cut.used);
  const Decoded bounded = Decode(bytes, step + 1, 10);
  BTH_CHECK(whole.body.compare(0, bounded.body.size(), bounded.body) == 0);
}

void FuzzTarget(std::string_view bytes) {
  const auto target = ParseTarget(bytes);
  if (!target.ok()) return;
  BTH_CHECK(target->path.find('\0') == std::string::npos);
  // Encoded anew, it means the same.
  std::string again = "/";
  for (const auto& [name, value] : target->query) {
    again += (again.size() == 1 ? "?" : "&") + PercentEncode(name) + "=" + PercentEncode(value);
  }
  const auto parsed = ParseTarget(again);
  BTH_CHECK(parsed.ok() && parsed->query == target->query);
}

}  // namespace
}  // namespace bth::net

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  switch (data[0] % 4) {
    case 0:
      bth::net::FuzzRequest(bytes);
      break;
    case 1:
      bth::net::FuzzResponse(bytes);
      break;
    case 2:
      bth::net::FuzzChunks(bytes, data[1]);
      break;
    default:
      bth::net::FuzzTarget(bytes);
      break;
  }
  return 0;
}
