#include "net/detail/message.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::net::detail {

namespace {

constexpr size_t kPieceBytes = 64 << 10;
constexpr size_t kReserveBytesMax = 1 << 20;  // What a declared length alone can make us reserve.

bool FramesMessage(std::string_view name) {
  return SameWord(name, "Content-Length") || SameWord(name, "Transfer-Encoding") ||
         SameWord(name, "Connection");
}

bool IsPlainName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(),
                                      [](char c) { return c > 0x20 && c < 0x7f && c != ':'; });
}

bool IsPlainValue(std::string_view value) {
  return std::all_of(value.begin(), value.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
  });
}

}  // namespace

absl::Status AppendFields(const Headers& headers, std::string& out) {
  for (const auto& [name, value] : headers.fields()) {
    if (FramesMessage(name)) continue;
    if (!IsPlainName(name) || !IsPlainValue(value)) {
      return absl::InvalidArgumentError(
          absl::StrCat("header field \"", name.substr(0, 100),
                       "\" holds a character that HTTP forbids; encode it"));
    }
    out.append(name).append(": ").append(value).append("\r\n");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> FormatRequestHead(const Request& request, std::string_view host) {
  const bool plain = IsPlainName(request.method) && !request.target.empty() &&
                     std::all_of(request.target.begin(), request.target.end(), [](char c) {
                       const auto byte = static_cast<unsigned char>(c);
                       return byte > 0x20 && byte != 0x7f;
                     });
  if (!plain) {
    return absl::InvalidArgumentError(
        absl::StrCat("request ", request.method.substr(0, 40), " \"", request.target.substr(0, 200),
                     "\": method or target is empty or holds a character that must be encoded"));
  }
  std::string out;
  out.reserve(512);
  out.append(request.method).append(" ").append(request.target).append(" HTTP/1.1\r\n");
  if (!request.headers.Has("Host")) out.append("Host: ").append(host).append("\r\n");
  BTH_RETURN_IF_ERROR(AppendFields(request.headers, out));
  const bool may_lack_body = request.method == "GET" || request.method == "HEAD" ||
                             request.method == "DELETE" || request.method == "OPTIONS";
  if (!request.body.empty() || !may_lack_body) {
    absl::StrAppend(&out, "Content-Length: ", request.body.size(), "\r\n");
  }
  out.append("\r\n");
  return out;
}

absl::StatusOr<std::string> FormatResponseHead(const Response& response,
                                               const ResponseFraming& framing) {
  if (response.status < 200 || response.status > 999) {
    return absl::InvalidArgumentError(
        absl::StrCat("status ", response.status, " is not one of a final answer"));
  }
  std::string out;
  out.reserve(512);
  absl::StrAppend(&out, "HTTP/1.1 ", response.status, " ", ToAbsl(ReasonPhrase(response.status)),
                  "\r\n");
  BTH_RETURN_IF_ERROR(AppendFields(response.headers, out));
  if (!response.headers.Has("Date")) {
    absl::StrAppend(&out, "Date: ", ToAbsl(framing.date), "\r\n");
  }
  if (framing.chunked) {
    out.append("Transfer-Encoding: chunked\r\n");
  } else if (framing.with_length) {
    absl::StrAppend(&out, "Content-Length: ", response.body.size(), "\r\n");
  }
  if (!framing.keep_alive) out.append("Connection: close\r\n");
  if (framing.keep_alive && framing.http_1_0) out.append("Connection: keep-alive\r\n");
  out.append("\r\n");
  return out;
}

std::string_view ReasonPhrase(int status) {
  struct Phrase {
    int status;
    std::string_view text;
  };
  static constexpr Phrase kPhrases[] = {
      {200, "OK"},
      {201, "Created"},
      {202, "Accepted"},
      {204, "No Content"},
      {301, "Moved Permanently"},
      {302, "Found"},
      {304, "Not Modified"},
      {307, "Temporary Redirect"},
      {400, "Bad Request"},
      {401, "Unauthorized"},
      {403, "Forbidden"},
      {404, "Not Found"},
      {405, "Method Not Allowed"},
      {406, "Not Acceptable"},
      {408, "Request Timeout"},
      {409, "Conflict"},
      {410, "Gone"},
      {412, "Precondition Failed"},
      {413, "Content Too Large"},
      {415, "Unsupported Media Type"},
      {422, "Unprocessable Content"},
      {429, "Too Many Requests"},
      {431, "Request Header Fields Too Large"},
      {500, "Internal Server Error"},
      {501, "Not Implemented"},
      {502, "Bad Gateway"},
      {503, "Service Unavailable"},
      {504, "Gateway Timeout"},
  };
  const auto* found =
      std::lower_bound(std::begin(kPhrases), std::end(kPhrases), status,
                       [](const Phrase& phrase, int wanted) { return phrase.status < wanted; });
  return found != std::end(kPhrases) && found->status == status ? found->text : "Status";
}

Awaitable<absl::StatusOr<size_t>> AwaitHead(Channel& channel, size_t bytes_max) {
  size_t searched = 0;
  for (;;) {
    const std::string_view input = channel.input();
    const std::optional<size_t> length = FindHeadEnd(input, searched);
    if (length.value_or(input.size()) > bytes_max) {
      co_return absl::ResourceExhaustedError(
          absl::StrCat("HTTP header is larger than ", bytes_max, " bytes"));
    }
    if (length.has_value()) co_return *length;
    searched = input.size();
    const absl::StatusOr<bool> more = co_await channel.Fill();
    if (!more.ok()) co_return more.status();
    if (!*more) co_return absl::UnavailableError("connection closed");
  }
}

bool BodyReader::done() const {
  switch (framing_) {
    case Framing::kNone:
      return true;
    case Framing::kLength:
      return left_ == 0;
    case Framing::kChunked:
      return chunks_.done();
    case Framing::kUntilClose:
      return closed_;
  }
  return true;
}

Awaitable<absl::StatusOr<bool>> BodyReader::ReadPiece(Channel& channel, size_t out_max,
                                                      std::string& out) {
  const size_t before = out.size();
  BTH_CHECK(before < out_max);
  const size_t room = out_max - before;
  while (!done()) {
    const std::string_view input = channel.input();
    if (!input.empty()) {
      size_t used = 0;
      if (framing_ == Framing::kChunked) {
        const absl::StatusOr<size_t> decoded = chunks_.Decode(input, out_max, out);
        if (!decoded.ok()) co_return decoded.status();
        used = *decoded;
      } else {
        used = std::min(input.size(), room);
        if (framing_ == Framing::kLength) used = std::min<uint64_t>(used, left_);
        if (framing_ == Framing::kLength && before == 0) {
          out.reserve(std::min({static_cast<size_t>(left_), kReserveBytesMax, room}));
        }
        out.append(input.substr(0, used));
        left_ -= std::min<uint64_t>(left_, used);
      }
      channel.Consume(used);
      if (out.size() > before) co_return true;
      continue;
    }
    if (framing_ == Framing::kLength) {
      // Straight from the socket into the body.
      const size_t size = std::min<uint64_t>({left_, kPieceBytes, room});
      out.resize(before + size);
      const absl::StatusOr<size_t> got = co_await channel.Read(out.data() + before, size);
      out.resize(before + (got.ok() ? *got : 0));
      if (!got.ok()) co_return got.status();
      if (*got == 0) break;
      left_ -= *got;
      co_return true;
    }
    const absl::StatusOr<bool> more = co_await channel.Fill();
    if (!more.ok()) co_return more.status();
    if (*more) continue;
    closed_ = true;
    if (framing_ == Framing::kUntilClose) co_return false;
    break;
  }
  if (done()) co_return false;
  co_return absl::UnavailableError("connection closed in the middle of a body");
}

}  // namespace bth::net::detail
