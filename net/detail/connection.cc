#include "net/detail/connection.h"

#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "net/detail/http_format.h"
#include "net/text_response.h"

namespace bth::net::detail {

namespace {

constexpr size_t kSliceBytes = 1 << 20;  // Each slice of a body has the write timeout to itself.
constexpr absl::Duration kLinger = absl::Seconds(2);
constexpr size_t kLingerBytesMax = 1 << 20;

int StatusForHead(const absl::Status& error) {
  switch (error.code()) {
    case absl::StatusCode::kResourceExhausted:
      return 431;
    case absl::StatusCode::kUnimplemented:
      return 501;
    case absl::StatusCode::kDeadlineExceeded:
      return 408;
    case absl::StatusCode::kInvalidArgument:
      return 400;
    default:
      return 0;  // Nobody is there to be told.
  }
}

int StatusForBody(const absl::Status& error) {
  if (error.code() == absl::StatusCode::kResourceExhausted) return 413;
  if (error.code() == absl::StatusCode::kAborted) return 503;
  return StatusForHead(error);
}

bool HasNoBody(int status) {
  return status == 204 || status == 304;
}

}  // namespace

Connection::Connection(ServerSide& side, AsioExecutor& executor, Accepted accepted)
    : side_(side),
      id_(accepted.id),
      refused_(accepted.refused),
      channel_(executor, accepted.fd, std::move(accepted.ssl)) {
  peer_.address = std::move(accepted.address);
}

void Connection::ExpireIn(absl::Duration time) {
  channel_.SetDeadline(side_.executor().Monotonic() + time);
}

void Connection::ReleaseBody() {
  if (body_bytes_ > 0) side_.AddBodyBytes(-std::exchange(body_bytes_, 0));
}

Awaitable<void> Connection::Run() {
  co_await Serve();
  side_.Drop(id_);
}

Awaitable<void> Connection::Serve() {
  if (channel_.ssl() != nullptr) {
    ExpireIn(side_.options().header_timeout);
    const absl::Status secured = co_await channel_.Handshake();
    if (!secured.ok()) {
      Log(LogLevel::kDebug, "http.handshake_failed", {{"peer", peer_.address}, {"error", secured}});
      co_return;
    }
    DescribePeer(channel_.ssl(), peer_);
  }
  bool first = true;
  while (co_await ServeOne(first)) first = false;
}

Awaitable<bool> Connection::ServeOne(bool first) {
  absl::StatusOr<RequestHead> head = co_await ReadHead(first);
  if (!head.ok()) {
    const int status = StatusForHead(head.status());
    if (status != 0) co_await Reject(status, std::string(head.status().message()));
    co_return false;
  }
  if (refused_) {
    co_await Reject(503, "too many connections; try again later");
    co_return false;
  }
  Request request;
  const absl::Status body = co_await ReadBody(*head, request.body);
  ReleaseBody();
  if (!body.ok()) {
    const int status = StatusForBody(body);
    if (status != 0) co_await Reject(status, std::string(body.message()));
    co_return false;
  }
  request.method = head->method;
  request.target = head->target;
  request.headers = std::move(head->headers);
  request.peer = peer_;
  channel_.SetDeadline(absl::InfiniteDuration());
  channel_.WatchPeer([this] { side_.Drop(id_); });
  Response response = co_await Handle(std::move(request));
  const bool goes_on = co_await Answer(*head, std::move(response));
  channel_.StopWatching();
  co_return goes_on;
}

Awaitable<Response> Connection::Handle(Request request) {
  try {
    Awaitable<Response> work = side_.handler()(std::move(request));
    co_return co_await std::move(work);
  } catch (...) {
    side_.executor().barrier().Caught("http.handler", Consequence::kFailed);
  }
  co_return TextResponse(500, "internal error\n");
}

Awaitable<absl::StatusOr<RequestHead>> Connection::ReadHead(bool first) {
  // Empty lines before a request are skipped, as old clients send them after a body.
  for (;;) {
    while (absl::string_view(channel_.input().data(), channel_.input().size()).substr(0, 2) ==
           "\r\n") {
      channel_.Consume(2);
    }
    if (!channel_.input().empty() && channel_.input() != "\r") break;
    if (side_.draining()) co_return absl::UnavailableError("no further request");
    ExpireIn(first ? side_.options().header_timeout : side_.options().idle_timeout);
    idle_ = true;
    const absl::StatusOr<bool> more = co_await channel_.Fill();
    idle_ = false;
    // Silence is no error worth an answer.
    if (!more.ok() || !*more) co_return absl::UnavailableError("no further request");
  }
  ExpireIn(side_.options().header_timeout);
  const absl::StatusOr<size_t> length =
      co_await AwaitHead(channel_, side_.options().header_bytes_max);
  if (!length.ok()) co_return length.status();
  absl::StatusOr<RequestHead> head = ParseRequestHead(channel_.input().substr(0, *length));
  channel_.Consume(*length);
  co_return head;
}

Awaitable<absl::Status> Connection::ReadBody(const RequestHead& head, std::string& out) {
  const size_t bytes_max = side_.options().body_bytes_max;
  BodyReader body(head.framing, head.content_length);
  if (body.done()) co_return absl::OkStatus();
  const std::string& said = side_.options().body_too_large;
  const absl::Status too_large = absl::ResourceExhaustedError(
      said.empty() ? StrCat("body is larger than ", bytes_max, " bytes") : said);
  if (head.framing == Framing::kLength && head.content_length > bytes_max) co_return too_large;
  ExpireIn(side_.options().read_timeout);
  if (head.expects_continue && channel_.input().empty()) {
    const Channel::Parts go_on{"HTTP/1.1 100 Continue\r\n\r\n", {}, {}};
    const absl::Status written = co_await channel_.Write(go_on);
    if (!written.ok()) co_return written;
  }
  for (;;) {
    const size_t before = out.size();
    const absl::StatusOr<bool> more = co_await body.ReadPiece(channel_, bytes_max + 1, out);
    if (!more.ok()) co_return more.status();
    if (!*more) co_return absl::OkStatus();
    if (out.size() > bytes_max) co_return too_large;
    const auto grown = static_cast<int64_t>(out.size() - before);
    body_bytes_ += grown;
    if (!side_.AddBodyBytes(grown)) {
      co_return absl::AbortedError("too many large requests at once; try again later");
    }
  }
}

Awaitable<bool> Connection::Answer(const RequestHead& head, Response response) {
  const bool to_head = head.method == "HEAD";
  const bool bodiless = to_head || HasNoBody(response.status);
  ResponseFraming framing;
  framing.chunked = response.stream != nullptr && !head.http_1_0 && !HasNoBody(response.status);
  framing.with_length = response.stream == nullptr && !HasNoBody(response.status);
  framing.http_1_0 = head.http_1_0;
  const bool until_close = response.stream != nullptr && head.http_1_0 && !bodiless;
  framing.keep_alive = head.keep_alive && !until_close && !side_.draining();
  framing.date = side_.date();
  absl::StatusOr<std::string> bytes = FormatResponseHead(response, framing);
  if (!bytes.ok()) {
    Log(LogLevel::kError, "http.bad_answer", {{"target", head.target}, {"error", bytes.status()}});
    response = Response();
    response.status = 500;
    response.body = "the answer could not be written as HTTP\n";
    framing.chunked = false;
    framing.with_length = true;
    bytes = FormatResponseHead(response, framing);
  }
  if (response.stream != nullptr && !bodiless) {
    ExpireIn(side_.options().write_timeout);
    const Channel::Parts parts{*bytes, {}, {}};
    const absl::Status written = co_await channel_.Write(parts);
    if (!written.ok()) co_return false;
    const bool whole = co_await WriteStream(*response.stream, framing.chunked);
    co_return whole&& framing.keep_alive;
  }
  const std::string_view body = bodiless ? std::string_view() : response.body;
  const absl::Status written = co_await WriteSliced(*bytes, body);
  co_return written.ok() && framing.keep_alive;
}

Awaitable<absl::Status> Connection::WriteSliced(std::string_view head, std::string_view body) {
  for (;;) {
    ExpireIn(side_.options().write_timeout);
    const Channel::Parts parts{head, body.substr(0, kSliceBytes), {}};
    const absl::Status written = co_await channel_.Write(parts);
    if (!written.ok()) co_return written;
    head = {};
    body.remove_prefix(parts[1].size());
    if (body.empty()) co_return absl::OkStatus();
  }
}

Awaitable<bool> Connection::WriteStream(ByteStream& stream, bool chunked) {
  for (;;) {
    channel_.SetDeadline(absl::InfiniteDuration());
    const absl::StatusOr<std::optional<std::string>> piece = co_await stream.Next();
    // Breaking off without the last chunk is how the client learns of an error.
    if (!piece.ok()) co_return false;
    if (piece->has_value() && (*piece)->empty()) continue;
    ExpireIn(side_.options().write_timeout);
    Channel::Parts parts;
    std::string size;
    if (piece->has_value()) {
      if (chunked) size = StrCat(absl::Hex((*piece)->size()), "\r\n");
      parts = {size, **piece, chunked ? "\r\n" : ""};
    } else {
      parts = {chunked ? "0\r\n\r\n" : "", {}, {}};
    }
    const absl::Status written = co_await channel_.Write(parts);
    if (!written.ok()) co_return false;
    if (!piece->has_value()) co_return true;
  }
}

Awaitable<void> Connection::Reject(int status, std::string text) {
  Log(LogLevel::kDebug, "http.rejected",
      {{"peer", peer_.address}, {"status", status}, {"reason", text}});
  Response response;
  response.status = status;
  response.headers.Set("Content-Type", "text/plain; charset=utf-8");
  if (status == 503) response.headers.Set("Retry-After", "1");
  response.body = std::move(text) + "\n";
  ResponseFraming framing;
  framing.keep_alive = false;
  framing.date = side_.date();
  const absl::StatusOr<std::string> head = FormatResponseHead(response, framing);
  BTH_CHECK(head.ok());
  const absl::Status written = co_await WriteSliced(*head, response.body);
  if (!written.ok()) co_return;
  // Closing with unread bytes would make the kernel reset the connection, and the client might
  // never see the answer: it is heard out for a moment.
  channel_.ShutdownWrite();
  ExpireIn(kLinger);
  for (size_t heard = 0; heard < kLingerBytesMax;) {
    heard += channel_.input().size();
    channel_.Consume(channel_.input().size());
    const absl::StatusOr<bool> more = co_await channel_.Fill();
    if (!more.ok() || !*more) co_return;
  }
}

}  // namespace bth::net::detail
