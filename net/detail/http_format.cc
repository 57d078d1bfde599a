// One of the two sources that see Boost.Beast, which is slow to compile (docs/decisions/0016).
#include "net/detail/http_format.h"

#include <array>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/message.hpp>
#include <cstddef>
#include <memory_resource>
#include <tuple>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "net/detail/http_parser.h"

namespace bth::net::detail {

namespace {

namespace http = boost::beast::http;
using BeastView = boost::beast::string_view;
using FieldAllocator = std::pmr::polymorphic_allocator<char>;
using Fields = http::basic_fields<FieldAllocator>;

constexpr size_t kArenaBytes = 4 << 10;
constexpr size_t kHeadBytesUsual = 512;
constexpr size_t kFieldBytesMax = UINT16_MAX - 2;  // What Beast can hold.

BeastView ToBeast(std::string_view text) {
  return {text.data(), text.size()};
}

bool FramesMessage(std::string_view name) {
  return SameWord(name, "Content-Length") || SameWord(name, "Transfer-Encoding") ||
         SameWord(name, "Connection");
}

// Whether it holds of every byte. All are looked at, without branches, so that the loop vectorises.
template <typename Holds>
bool AllBytes(std::string_view text, Holds holds) {
  unsigned odd = 0;
  for (const char c : text) odd |= static_cast<unsigned>(!holds(static_cast<unsigned char>(c)));
  return odd == 0;
}

bool IsPlainName(std::string_view name) {
  return !name.empty() && AllBytes(name, [](unsigned char byte) {
    return (byte > 0x20) & (byte < 0x7f) & (byte != ':');
  });
}

bool IsPlainValue(std::string_view value) {
  return AllBytes(
      value, [](unsigned char byte) { return (byte == '\t') | ((byte >= 0x20) & (byte != 0x7f)); });
}

bool IsPlainTarget(std::string_view target) {
  return !target.empty() &&
         AllBytes(target, [](unsigned char byte) { return (byte > 0x20) & (byte != 0x7f); });
}

// A message of Beast whose fields lie on the stack, unless they are unusually long.
template <bool kRequest>
class Message {
 public:
  using Head = http::message<kRequest, http::empty_body, Fields>;

  Head& head() { return head_; }
  void Add(http::field field, std::string_view value) { head_.insert(field, ToBeast(value)); }
  absl::Status Add(const Headers& headers) {
    for (const auto& [name, value] : headers.fields()) {
      if (FramesMessage(name)) continue;
      if (!IsPlainName(name) || !IsPlainValue(value)) {
        return absl::InvalidArgumentError(
            StrCat("header field \"", name.substr(0, 100),
                   "\" holds a character that HTTP forbids; encode it"));
      }
      if (name.size() > kFieldBytesMax || value.size() > kFieldBytesMax) {
        return absl::InvalidArgumentError(StrCat("header field \"", name.substr(0, 100),
                                                 "\" is longer than ", kFieldBytesMax, " bytes"));
      }
      // Which of the known fields it is matters to readers only.
      head_.insert(http::field::unknown, ToBeast(name), ToBeast(value));
    }
    return absl::OkStatus();
  }

  // By the writer of Beast's fields, which is what its serializer asks, too: a head always goes out
  // whole, and the serializer's account of what is left of it costs more than the bytes.
  std::string Bytes() {
    std::string out;
    out.reserve(kHeadBytesUsual);
    typename Fields::writer writer(head_, head_.version(), StartOf(head_));
    for (const boost::asio::const_buffer part : boost::beast::buffers_range(writer.get())) {
      out.append(static_cast<const char*>(part.data()), part.size());
    }
    return out;
  }

 private:
  static http::verb StartOf(const http::header<true, Fields>& head) { return head.method(); }
  static unsigned StartOf(const http::header<false, Fields>& head) { return head.result_int(); }

  std::array<std::byte, kArenaBytes> arena_;
  std::pmr::monotonic_buffer_resource memory_{arena_.data(), arena_.size()};
  Head head_{std::piecewise_construct, std::make_tuple(),
             std::make_tuple(FieldAllocator(&memory_))};
};

}  // namespace

absl::StatusOr<std::string> FormatRequestHead(const Request& request, std::string_view host) {
  if (!IsPlainName(request.method) || !IsPlainTarget(request.target)) {
    return absl::InvalidArgumentError(
        StrCat("request ", request.method.substr(0, 40), " \"", request.target.substr(0, 200),
               "\": method or target is empty or holds a character that must be encoded"));
  }
  Message<true> message;
  message.head().method_string(ToBeast(request.method));
  message.head().target(ToBeast(request.target));
  if (!request.headers.Has("Host")) message.Add(http::field::host, host);
  BTH_RETURN_IF_ERROR(message.Add(request.headers));
  const bool may_lack_body = request.method == "GET" || request.method == "HEAD" ||
                             request.method == "DELETE" || request.method == "OPTIONS";
  if (!request.body.empty() || !may_lack_body) message.head().content_length(request.body.size());
  return message.Bytes();
}

absl::StatusOr<std::string> FormatResponseHead(const Response& response,
                                               const ResponseFraming& framing) {
  if (response.status < 200 || response.status > 999) {
    return absl::InvalidArgumentError(
        StrCat("status ", response.status, " is not one of a final answer"));
  }
  Message<false> message;
  const auto status = static_cast<unsigned>(response.status);
  message.head().result(status);
  if (http::int_to_status(status) == http::status::unknown) message.head().reason("Status");
  BTH_RETURN_IF_ERROR(message.Add(response.headers));
  if (!response.headers.Has("Date")) message.Add(http::field::date, framing.date);
  if (framing.chunked) {
    message.head().chunked(true);
  } else if (framing.with_length) {
    message.head().content_length(response.body.size());
  }
  if (!framing.keep_alive) message.Add(http::field::connection, "close");
  if (framing.keep_alive && framing.http_1_0) message.Add(http::field::connection, "keep-alive");
  return message.Bytes();
}

}  // namespace bth::net::detail
