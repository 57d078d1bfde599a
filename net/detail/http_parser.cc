// One of the two sources that see Boost.Beast, which is slow to compile (docs/decisions/0016).
#include "net/detail/http_parser.h"

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "base/check.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::net::detail {

namespace {

namespace http = boost::beast::http;
using BeastView = boost::beast::string_view;
using BeastError = boost::beast::error_code;

constexpr size_t kFieldsMax = 200;
constexpr size_t kFieldsUsual = 10;
constexpr size_t kMethodBytesMax = 32;
constexpr size_t kLengthDigitsMax = 18;
constexpr size_t kSizeDigitsMax = 15;         // Sizes stay far below 2^63.
constexpr size_t kExtensionBytesMax = 1024;   // Per chunk.
constexpr size_t kTrailerBytesMax = 8 << 10;  // All trailers; they are read and dropped.
constexpr size_t kFramingPieceMax = 1024;

std::string_view Std(BeastView text) {
  return {text.data(), text.size()};
}

absl::Status Malformed(std::string_view what) {
  return absl::InvalidArgumentError(StrCat("malformed HTTP message: ", what));
}

absl::Status BadChunk() {
  return Malformed("bad chunked coding");
}

absl::Status Explain(const BeastError& error) {
  switch (static_cast<http::error>(error.value())) {
    case http::error::need_more:
      return Malformed("the head is not complete");
    case http::error::bad_line_ending:
      return Malformed("a line does not end with CR LF");
    case http::error::bad_target:
      return Malformed("the request target is empty or holds a forbidden character");
    case http::error::bad_version:
      return Malformed("the version is not HTTP/1.0 or HTTP/1.1");
    case http::error::bad_field:
      return Malformed("a header line has no colon, or its name holds a forbidden character");
    case http::error::bad_value:
      return Malformed("a header value holds a control character, or Connection is not a list");
    case http::error::bad_content_length:
      return Malformed(
          "Content-Length must be one number: no two different ones, none with Transfer-Encoding");
    case http::error::bad_transfer_encoding:
      return Malformed("Transfer-Encoding goes neither with Content-Length nor with another one");
    default:
      return Malformed(error.message());  // "bad method"
  }
}

// Beast's parser, which reads and bounds no more than it is given.
template <bool kRequest>
class BeastParser : public http::basic_parser<kRequest> {
 protected:
  BeastParser() {
    this->header_limit(UINT32_MAX);
    this->body_limit(UINT64_MAX);  // Boost 1.74 takes "none" for a limit that any length exceeds.
  }

  void on_request_impl(http::verb, BeastView, BeastView, int, BeastError&) override {}
  void on_response_impl(int, BeastView, int, BeastError&) override {}
  void on_field_impl(http::field, BeastView, BeastView, BeastError&) override {}
  void on_header_impl(BeastError&) override {}
  void on_body_init_impl(const boost::optional<uint64_t>&, BeastError&) override {}
  size_t on_body_impl(BeastView, BeastError&) override { return 0; }
  void on_chunk_header_impl(uint64_t, BeastView, BeastError&) override {}
  size_t on_chunk_body_impl(uint64_t, BeastView, BeastError&) override { return 0; }
  void on_finish_impl(BeastError&) override {}
};

// Takes a head apart, and refuses what Beast lets pass but two programs might read differently.
template <bool kRequest>
class HeadParser final : public BeastParser<kRequest> {
 public:
  explicit HeadParser(Headers& headers) : headers_(headers) { headers_.Reserve(kFieldsUsual); }

  absl::Status Parse(std::string_view head);

  std::string_view method() const { return method_; }
  std::string_view target() const { return target_; }
  int status() const { return status_; }
  bool http_1_0() const { return version_ == 10; }
  int hosts() const { return hosts_; }
  bool unknown_coding() const { return unknown_coding_; }
  bool expects_continue() const { return expects_continue_; }
  // Beast's keep_alive() listens to Proxy-Connection too, and lets HTTP/1.0 say "close" in vain.
  bool keeps_alive() const { return !close_ && (version_ == 11 || keep_alive_); }

 private:
  void on_request_impl(http::verb, BeastView method, BeastView target, int version,
                       BeastError&) override {
    method_ = Std(method);
    target_ = Std(target);
    version_ = version;
  }
  void on_response_impl(int status, BeastView, int version, BeastError&) override {
    status_ = status;
    version_ = version;
  }
  void on_field_impl(http::field field, BeastView name, BeastView value,
                     BeastError& error) override {
    refusal_ = Check(field, name, value);
    if (!refusal_.ok()) {
      error = http::error::bad_field;  // Any error stops the parser.
      return;
    }
    headers_.Add(std::string(Std(name)), std::string(Std(value)));
  }
  absl::Status Check(http::field field, BeastView name, BeastView value);

  Headers& headers_;
  std::string_view method_, target_;  // Point into the head.
  int status_ = 0;
  int version_ = 0;
  int hosts_ = 0;
  int codings_ = 0;
  bool unknown_coding_ = false;
  bool close_ = false;
  bool keep_alive_ = false;
  bool expects_continue_ = false;
  absl::Status refusal_;
};

// Beast joins folded lines; a value that stood on its name's line begins behind colon and blanks.
bool IsFolded(BeastView name, BeastView value) {
  const char* at = name.data() + name.size() + 1;
  while (at != value.data() && (*at == ' ' || *at == '\t')) ++at;
  return at != value.data();
}

template <bool kRequest>
absl::Status HeadParser<kRequest>::Check(http::field field, BeastView name, BeastView value) {
  if (IsFolded(name, value)) return Malformed("a header line is folded: one has no colon");
  if (headers_.fields().size() == kFieldsMax) {
    return absl::ResourceExhaustedError(
        StrCat("HTTP message has more than ", kFieldsMax, " header fields"));
  }
  switch (field) {
    case http::field::host:
      ++hosts_;
      break;
    case http::field::expect:
      expects_continue_ |= SameWord(Std(value), "100-continue");
      break;
    case http::field::connection:
      for (const BeastView option : http::opt_token_list(value)) {
        close_ |= SameWord(Std(option), "close");
        keep_alive_ |= SameWord(Std(option), "keep-alive");
      }
      break;
    case http::field::content_length:  // Beast takes lists such as "5, 5".
      if (value.size() > kLengthDigitsMax ||
          !std::all_of(value.begin(), value.end(), absl::ascii_isdigit)) {
        return Malformed("Content-Length is not a number");
      }
      break;
    case http::field::transfer_encoding:  // Beast takes any codings before "chunked".
      if (++codings_ > 1) return Malformed("more than one Transfer-Encoding");
      unknown_coding_ = !SameWord(Std(value), "chunked");
      break;
    default:
      break;
  }
  return absl::OkStatus();
}

template <bool kRequest>
absl::Status HeadParser<kRequest>::Parse(std::string_view head) {
  if (!head.ends_with("\r\n\r\n")) return Malformed("the head is not complete");
  BeastError error;
  constexpr size_t kVersionAndCode = 12;
  if (!kRequest && head.substr(std::min(head.size(), kVersionAndCode), 2) == "\r\n") {
    // "HTTP/1.1 200": Beast insists on the space before the reason, even if there is none.
    std::array<char, kVersionAndCode + 3> line;
    std::memcpy(line.data(), head.data(), kVersionAndCode);
    std::memcpy(line.data() + kVersionAndCode, " \r\n", 3);
    this->put(boost::asio::buffer(line), error);
    if (error != http::error::need_more) return Explain(error);
    head.remove_prefix(kVersionAndCode + 2);
  }
  const size_t used = this->put(boost::asio::buffer(head.data(), head.size()), error);
  BTH_RETURN_IF_ERROR(refusal_);
  if (error) return Explain(error);
  return used == head.size() ? absl::OkStatus() : Malformed("an empty line within the head");
}

// "http://host/path" -> "/path": servers must understand what clients send to proxies.
absl::StatusOr<std::string> OriginForm(std::string_view target) {
  if (target == "*" || target.front() == '/') return std::string(target);
  const size_t scheme = target.find("://");
  const auto of_scheme = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '+' || c == '-' || c == '.';
  };
  if (scheme != std::string_view::npos && scheme > 0 &&
      std::all_of(target.begin(), target.begin() + static_cast<ptrdiff_t>(scheme), of_scheme)) {
    const size_t path = target.find_first_of("/?", scheme + 3);
    if (path == std::string_view::npos) return std::string("/");
    if (target[path] == '?') return StrCat("/", target.substr(path));
    return std::string(target.substr(path));
  }
  return Malformed("the request target is neither a path nor an absolute URL");
}

// Whether a line that may still grow holds no CR or LF but those of its end.
bool EndsRight(std::string_view line) {
  const size_t cr = line.find('\r');
  if (line.back() == '\n') return line.size() > 1 && cr == line.size() - 2;
  return cr == std::string_view::npos || cr == line.size() - 1;
}

// Whether `framing` is complete: line end of the chunk before, size, extensions, line end, and
// behind the last size the trailers and an empty line. Grows at most to the end of a line between
// two calls. What no continuation could make right is refused at once, and what has no end soon.
absl::StatusOr<bool> IsComplete(std::string_view framing, bool after_chunk) {
  constexpr absl::string_view kLineEnd = "\r\n";
  const size_t size = framing.size();
  if (!EndsRight(framing.substr(size < 2 ? 0 : framing.rfind('\n', size - 2) + 1))) {
    return BadChunk();
  }
  if (after_chunk) {
    if (!absl::StartsWith(kLineEnd, ToAbsl(framing.substr(0, 2)))) return BadChunk();
    if (framing.size() < 2) return false;
    framing.remove_prefix(2);
  }
  const auto* const after_size =
      std::find_if_not(framing.begin(), framing.end(), absl::ascii_isxdigit);
  const auto digits = static_cast<size_t>(after_size - framing.begin());
  if (digits > kSizeDigitsMax) return BadChunk();
  if (digits == framing.size()) return false;
  if (digits == 0 || std::string_view("\r; \t").find(framing[digits]) == std::string_view::npos) {
    return BadChunk();
  }
  const size_t line = std::min(framing.find('\n', digits), framing.size());
  if (line - digits > kExtensionBytesMax) return BadChunk();
  if (line == framing.size()) return false;
  if (framing.find_first_not_of('0') < digits) return true;
  if (framing.size() - line > kTrailerBytesMax) return BadChunk();
  return framing.ends_with("\r\n\r\n");
}

}  // namespace

bool SameWord(std::string_view a, std::string_view b) {
  return EqualsIgnoreCase(a, b);
}

std::optional<size_t> FindHeadEnd(std::string_view bytes, size_t searched) {
  const size_t from = searched > 3 ? searched - 3 : 0;
  const size_t at = bytes.find("\r\n\r\n", from);
  if (at == std::string_view::npos) return std::nullopt;
  return at + 4;
}

absl::StatusOr<RequestHead> ParseRequestHead(std::string_view head) {
  RequestHead out;
  HeadParser<true> parser(out.headers);
  BTH_RETURN_IF_ERROR(parser.Parse(head));
  if (parser.method().size() > kMethodBytesMax) return Malformed("bad method");
  out.method = parser.method();
  out.http_1_0 = parser.http_1_0();
  BTH_ASSIGN_OR_RETURN(out.target, OriginForm(parser.target()));
  if (parser.hosts() > 1 || (parser.hosts() == 0 && !out.http_1_0)) {
    return Malformed("exactly one Host field is needed");
  }
  if (parser.unknown_coding()) {
    return absl::UnimplementedError("only the transfer coding \"chunked\" is understood");
  }
  if (parser.chunked() && out.http_1_0) {
    return Malformed("Transfer-Encoding does not go with HTTP/1.0");
  }
  out.keep_alive = parser.keeps_alive();
  out.expects_continue = parser.expects_continue() && !out.http_1_0;
  const uint64_t length = parser.content_length().value_or(0);
  if (parser.chunked()) {
    out.framing = Framing::kChunked;
  } else if (length > 0) {
    out.framing = Framing::kLength;
    out.content_length = length;
  }
  return out;
}

absl::StatusOr<ResponseHead> ParseResponseHead(std::string_view head, bool to_head) {
  ResponseHead out;
  HeadParser<false> parser(out.headers);
  BTH_RETURN_IF_ERROR(parser.Parse(head));
  if (parser.status() < 100) return Malformed("bad status line");
  if (parser.unknown_coding()) {
    return Malformed("the answer's transfer coding is not \"chunked\"");
  }
  out.status = parser.status();
  out.keep_alive = parser.keeps_alive();
  if (to_head || out.status < 200 || out.status == 204 || out.status == 304) return out;
  if (parser.chunked()) {
    out.framing = Framing::kChunked;
  } else if (parser.content_length().has_value()) {
    out.content_length = *parser.content_length();
    out.framing = out.content_length > 0 ? Framing::kLength : Framing::kNone;
  } else {
    out.framing = Framing::kUntilClose;
    out.keep_alive = false;
  }
  return out;
}

// Beast's parser in the middle of a chunked message. It is given framing that is complete, so that
// it never waits for more.
class ChunkDecoder::Parser final : public BeastParser<false> {
 public:
  Parser() {
    constexpr std::string_view kHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    BTH_CHECK(TakeFraming(kHead).ok());
  }
  // Bytes of the current chunk still to come.
  uint64_t left() const { return left_; }
  bool after_chunk() const { return after_chunk_; }

  absl::Status TakeFraming(std::string_view framing) {
    BeastError error;
    const size_t used = put(boost::asio::buffer(framing.data(), framing.size()), error);
    return !error && used == framing.size() ? absl::OkStatus() : BadChunk();
  }
  // Appends up to `room` bytes of data and returns how many.
  size_t TakeData(std::string_view in, size_t room, std::string& out) {
    out_ = &out;
    room_ = room;
    BeastError error;
    const size_t used = put(boost::asio::buffer(in.data(), in.size()), error);
    BTH_CHECK(!error);
    return used;
  }

 private:
  void on_chunk_header_impl(uint64_t size, BeastView, BeastError&) override {
    left_ = size;
    after_chunk_ = true;
  }
  size_t on_chunk_body_impl(uint64_t, BeastView body, BeastError&) override {
    const size_t taken = std::min(body.size(), room_);
    out_->append(body.data(), taken);
    left_ -= taken;
    return taken;
  }

  uint64_t left_ = 0;
  bool after_chunk_ = false;
  std::string* out_ = nullptr;
  size_t room_ = 0;
};

ChunkDecoder::ChunkDecoder() = default;
ChunkDecoder::ChunkDecoder(ChunkDecoder&&) noexcept = default;
ChunkDecoder::~ChunkDecoder() = default;

bool ChunkDecoder::done() const {
  return parser_ != nullptr && parser_->is_done();
}

absl::StatusOr<size_t> ChunkDecoder::Decode(std::string_view in, size_t out_max, std::string& out) {
  if (parser_ == nullptr) parser_ = std::make_unique<Parser>();
  size_t used = 0;
  while (used < in.size() && !parser_->is_done()) {
    const std::string_view rest = in.substr(used);
    if (parser_->left() > 0) {
      const size_t room = out_max > out.size() ? out_max - out.size() : 0;
      if (room == 0) break;
      used += parser_->TakeData(rest, room, out);
      continue;
    }
    const std::string_view piece = rest.substr(0, kFramingPieceMax);
    const size_t line = piece.find('\n');
    framing_.append(piece.substr(0, line == std::string_view::npos ? line : line + 1));
    used += line == std::string_view::npos ? piece.size() : line + 1;
    BTH_ASSIGN_OR_RETURN(const bool complete, IsComplete(framing_, parser_->after_chunk()));
    if (!complete) continue;
    BTH_RETURN_IF_ERROR(parser_->TakeFraming(framing_));
    framing_.clear();
  }
  return used;
}

}  // namespace bth::net::detail
