#include <algorithm>

#include "base/status.h"
#include "base/strings.h"
#include "net/client.h"
#include "net/detail/asio_executor.h"
#include "net/detail/http_format.h"
#include "net/detail/message.h"
#include "net/detail/pool.h"

namespace bth::net {

namespace {

using detail::BodyReader;
using detail::Channel;
using detail::Lease;
using detail::Pool;
using Piece = absl::StatusOr<std::optional<std::string>>;

constexpr int kInterimAnswersMax = 10;
constexpr size_t kPieceBytesMax = 256 << 10;

// What calls under way need and keep alive.
struct Client {
  Client(detail::AsioExecutor& e, ClientOptions o, std::unique_ptr<detail::ClientTls> tls)
      : origin(std::make_shared<Pool::Origin>(Pool::Origin{e, std::move(o), std::move(tls)})),
        fetches(std::make_shared<Pool>(origin, origin->options.connections_max)),
        streams(std::make_shared<Pool>(origin, origin->options.streams_max)) {
    const ClientOptions& options = origin->options;
    const bool v6 = options.host.find(':') != std::string::npos;
    host = v6 ? StrCat("[", options.host, "]") : options.host;
    if (options.port != (options.tls.enabled ? 443 : 80)) StrAppend(&host, ":", options.port);
  }
  Executor& executor() const { return origin->executor; }

  const std::shared_ptr<Pool::Origin> origin;
  const std::shared_ptr<Pool> fetches;
  const std::shared_ptr<Pool> streams;
  std::string host;  // As in the Host field.
};

// The body of an opened answer. It ends with the connection, with the token, or when dropped.
class HttpAnswerStream final : public ByteStream {
 public:
  HttpAnswerStream(Lease lease, BodyReader body, bool keep_alive, const CancelToken& token)
      : lease_(std::move(lease)), body_(std::move(body)), keep_alive_(keep_alive) {
    Channel* const channel = &lease_->channel();
    channel->SetDeadline(absl::InfiniteDuration());
    cancel_ =
        token.OnCancel([channel] { channel->Abort(absl::CancelledError("request cancelled")); });
  }

  Awaitable<Piece> Next() override {
    std::string piece;
    if (!lease_.has_value()) co_return std::optional<std::string>();
    const absl::StatusOr<bool> more =
        co_await body_.ReadPiece(lease_->channel(), kPieceBytesMax, piece);
    if (!more.ok()) co_return more.status();
    if (*more) co_return std::optional<std::string>(std::move(piece));
    cancel_ = CancelToken::Registration();
    if (keep_alive_ && lease_->channel().input().empty()) lease_->Keep();
    lease_.reset();
    co_return std::optional<std::string>();
  }

 private:
  std::optional<Lease> lease_;
  BodyReader body_;
  const bool keep_alive_;
  CancelToken::Registration cancel_;  // Before the lease in destruction.
};

// One request on one connection.
class HttpExchange {
 public:
  HttpExchange(const Client& client, const Request& request, absl::Duration deadline)
      : client_(client), request_(request), deadline_(deadline) {}

  Awaitable<absl::StatusOr<Response>> Run(Lease& lease, bool whole);
  // Whether the call may be sent once more, after it failed on a connection used before.
  bool MayRepeat(const Lease& lease) const {
    const bool idempotent = request_.method == "GET" || request_.method == "HEAD";
    return lease.reused() && !answered_ && (idempotent || !lease.channel().sent_any());
  }

 private:
  Awaitable<absl::StatusOr<detail::ResponseHead>> ReadHead(Channel& channel);
  Awaitable<absl::Status> ReadBody(Channel& channel, BodyReader& body, std::string& out);

  const Client& client_;
  const Request& request_;
  const absl::Duration deadline_;
  bool answered_ = false;
};

Awaitable<absl::StatusOr<Response>> HttpExchange::Run(Lease& lease, bool whole) {
  Channel& channel = lease.channel();
  const absl::StatusOr<std::string> head = detail::FormatRequestHead(request_, client_.host);
  if (!head.ok()) co_return head.status();
  channel.SetDeadline(deadline_);
  channel.ForgetSent();
  CancelToken::Registration cancel;
  if (request_.cancel.shared()) {
    auto abort = [&channel] { channel.Abort(absl::CancelledError("request cancelled")); };
    cancel = request_.cancel.OnCancel(std::move(abort));
  }
  if (request_.may_send && !request_.may_send()) {
    if (channel.input().empty()) lease.Keep();
    co_return absl::FailedPreconditionError("the caller may not send it any more; not sent");
  }

  const Channel::Parts parts{*head, request_.body, {}};
  const absl::Status written = co_await channel.Write(parts);
  if (!written.ok() && written.code() != absl::StatusCode::kUnavailable) co_return written;
  // A server may answer and close before it has read everything: look for that answer.
  absl::StatusOr<detail::ResponseHead> answer = co_await ReadHead(channel);
  if (!answer.ok()) co_return written.ok() ? answer.status() : written;

  Response response;
  response.status = answer->status;
  response.headers = std::move(answer->headers);
  BodyReader body(answer->framing, answer->content_length);
  const bool keep_alive = answer->keep_alive && written.ok();
  if (!whole) {
    cancel = CancelToken::Registration();
    response.stream = std::make_unique<HttpAnswerStream>(std::move(lease), std::move(body),
                                                         keep_alive, request_.cancel);
    co_return response;
  }
  const absl::Status read = co_await ReadBody(channel, body, response.body);
  if (!read.ok()) co_return read;
  if (keep_alive && channel.input().empty()) lease.Keep();
  co_return response;
}

Awaitable<absl::StatusOr<detail::ResponseHead>> HttpExchange::ReadHead(Channel& channel) {
  for (int interim = 0; interim <= kInterimAnswersMax; ++interim) {
    const absl::StatusOr<size_t> length =
        co_await detail::AwaitHead(channel, client_.origin->options.header_bytes_max);
    answered_ = answered_ || !channel.input().empty();
    if (!length.ok()) co_return Annotate(length.status(), "waiting for the answer");
    absl::StatusOr<detail::ResponseHead> head =
        detail::ParseResponseHead(channel.input().substr(0, *length), request_.method == "HEAD");
    if (!head.ok()) co_return head.status();
    channel.Consume(*length);
    if (head->status >= 200) co_return head;
    if (head->status == 101) {
      co_return absl::InvalidArgumentError("the server switched protocols without being asked");
    }
  }
  co_return absl::InvalidArgumentError("too many interim answers");
}

Awaitable<absl::Status> HttpExchange::ReadBody(Channel& channel, BodyReader& body,
                                               std::string& out) {
  const size_t bytes_max = std::min(request_.response_bytes_max, SIZE_MAX - 1);
  for (;;) {
    const absl::StatusOr<bool> more = co_await body.ReadPiece(channel, bytes_max + 1, out);
    if (!more.ok()) co_return Annotate(more.status(), "reading the answer");
    if (!*more) co_return absl::OkStatus();
    if (out.size() > bytes_max) {
      co_return absl::ResourceExhaustedError(StrCat("answer is larger than ", bytes_max, " bytes"));
    }
  }
}

Awaitable<absl::StatusOr<Response>> Call(std::shared_ptr<const Client> client, Request request,
                                         bool whole) {
  if (request.cancel.cancelled()) co_return absl::CancelledError("request cancelled; not sent");
  Pool::Call call;
  call.deadline = client->executor().Monotonic() + request.timeout;
  if (request.cancel.shared()) call.cancel = request.cancel;
  for (;;) {
    Pool& pool = whole ? *client->fetches : *client->streams;
    absl::StatusOr<Lease> lease = co_await pool.Acquire(call);
    if (!lease.ok()) co_return lease.status();
    HttpExchange exchange(*client, request, call.deadline);
    absl::StatusOr<Response> response = co_await exchange.Run(*lease, whole);
    if (response.ok()) co_return response;
    if (response.status().code() == absl::StatusCode::kDeadlineExceeded) {
      co_return absl::DeadlineExceededError(
          StrCat("no answer within ", absl::FormatDuration(request.timeout)));
    }
    const bool broken = response.status().code() == absl::StatusCode::kUnavailable;
    if (call.fresh || !broken || !exchange.MayRepeat(*lease)) co_return response;
    call.fresh = true;
  }
}

class HttpClient final : public Transport {
 public:
  explicit HttpClient(std::shared_ptr<const Client> client) : client_(std::move(client)) {}
  ~HttpClient() override {
    client_->fetches->Close();
    client_->streams->Close();
  }
  Awaitable<absl::StatusOr<Response>> Fetch(Request request) override {
    return Call(client_, std::move(request), true);
  }
  Awaitable<absl::StatusOr<Response>> Open(Request request) override {
    return Call(client_, std::move(request), false);
  }

 private:
  const std::shared_ptr<const Client> client_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Transport>> MakeHttpClient(Executor& executor,
                                                          ClientOptions options) {
  BTH_ASSIGN_OR_RETURN(detail::AsioExecutor * asio_executor, detail::RequireAsio(executor));
  if (options.host.empty() || options.port == 0) {
    return absl::InvalidArgumentError("host and port: both must be given");
  }
  if (options.connections_max < 1 || options.streams_max < 1) {
    return absl::InvalidArgumentError("connections_max and streams_max: must be >= 1");
  }
  std::unique_ptr<detail::ClientTls> tls;
  if (options.tls.enabled) {
    absl::StatusOr<std::unique_ptr<detail::ClientTls>> made =
        detail::ClientTls::Create(options.tls, options.host);
    if (!made.ok()) return Annotate(made.status(), "TLS of the client");
    tls = *std::move(made);
  }
  auto client = std::make_shared<const Client>(*asio_executor, std::move(options), std::move(tls));
  return std::make_unique<HttpClient>(std::move(client));
}

}  // namespace bth::net
