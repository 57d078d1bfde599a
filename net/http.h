// HTTP messages, the client side (Transport) and the server side (Handler) of an exchange.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "net/awaitable.h"

namespace bth::net {

// Header fields in order of arrival; names compare without case.
class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<std::pair<std::string, std::string>> fields) : fields_(fields) {}
  // The first value of `name`, or an empty view.
  std::string_view Get(std::string_view name) const;
  bool Has(std::string_view name) const;
  // Replaces every field of that name.
  void Set(std::string_view name, std::string value);
  void Add(std::string name, std::string value) {
    fields_.emplace_back(std::move(name), std::move(value));
  }
  void Reserve(size_t fields) { fields_.reserve(fields); }
  const std::vector<std::pair<std::string, std::string>>& fields() const { return fields_; }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

// Who is on the other side, as far as the connection proves it.
struct Peer {
  std::string address;                  // "127.0.0.1:4711", "in-process".
  std::string certificate_common_name;  // Of a verified client certificate, else empty.
  std::vector<std::string> certificate_organizations;
};

struct Request {
  std::string method = "GET";
  std::string target = "/";  // Path and query, percent-encoded.
  Headers headers;
  std::string body;
  // Client: from the call to the last byte of the answer's head (Open) or body (Fetch).
  absl::Duration timeout = absl::Seconds(30);
  // Client: an answer with a larger body fails with kResourceExhausted.
  size_t response_bytes_max = size_t{256} << 20;
  CancelToken cancel;
  // Client, over a socket: asked once a connection is there, right before the first byte goes out,
  // and again before the request is repeated. Where it says no, nothing is sent. Empty: yes. In
  // process nobody asks, as nothing is waited for between the call and the handler.
  std::function<bool()> may_send;
  Peer peer;  // Server only.
};

// Bytes that arrive, or are produced, over time. Destroying the stream ends the exchange.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // The next piece (never empty), nothing at the orderly end, or kUnavailable when the other side
  // broke off in the middle. Not called again after an end or an error.
  virtual Awaitable<absl::StatusOr<std::optional<std::string>>> Next() = 0;
};

// `stream`, when set, is the body; `body` is then empty. Sent with chunked encoding.
struct Response {
  int status = 200;
  Headers headers;
  std::string body;
  std::unique_ptr<ByteStream> stream;
};

// The client side. An HTTP answer with any status code is a success here; errors:
// kUnavailable: could not connect, or the connection broke; the request may have been executed
//   unless the message says "not sent".
// kDeadlineExceeded: `timeout` passed; kCancelled: `cancel`; kResourceExhausted: answer too large;
// kInvalidArgument: the answer is not HTTP; kFailedPrecondition: `may_send` said no.
// Thread: the executor it was made for.
class Transport {
 public:
  virtual ~Transport() = default;
  // Waits for the whole answer.
  virtual Awaitable<absl::StatusOr<Response>> Fetch(Request request) = 0;
  // Returns when the head of the answer is there; its body follows through `Response::stream`,
  // which has no deadline of its own but ends when `request.cancel` fires.
  virtual Awaitable<absl::StatusOr<Response>> Open(Request request) = 0;
};

// The server side: a coroutine that answers one request. When the client goes away, the coroutine
// and the stream it returned are destroyed at their next suspension point.
using Handler = std::function<Awaitable<Response>(Request)>;

// A Transport that calls `handler` on the same executor, without sockets: for vc-standalone,
// simulation and tests. Deadlines, cancellation and limits hold as over a socket.
std::unique_ptr<Transport> MakeInProcessTransport(Executor& executor, Handler handler);

// "/api/v1/pods?limit=5" -> path, and query parameters in order, percent-decoded.
struct Target {
  std::string path;
  std::vector<std::pair<std::string, std::string>> query;
  // The first value of `name`, or an empty view.
  std::string_view Query(std::string_view name) const;
  bool HasQuery(std::string_view name) const;
};
absl::StatusOr<Target> ParseTarget(std::string_view target);
std::string PercentEncode(std::string_view text);

}  // namespace bth::net
