// The transport without sockets: both sides of an exchange live on one executor.
#include <map>

#include "base/status.h"
#include "base/strings.h"
#include "net/detail/owned_task.h"
#include "net/http.h"

namespace bth::net {

namespace {

using Piece = absl::StatusOr<std::optional<std::string>>;

class InProcessExchange;

// What outlives the transport while calls are under way: the handler, whose captures a running
// coroutine may use, and the calls to break off when the transport goes.
struct Side {
  Side(Executor& e, Handler h) : executor(e), handler(std::move(h)) {}
  Executor& executor;
  const Handler handler;
  bool closed = false;
  uint64_t next_id = 1;
  std::map<uint64_t, InProcessExchange*> exchanges;
};

// One call seen from the server: the handler's coroutine, then the stream it returned. It ends
// when the client abandons it, at its deadline, when cancelled, or with the transport.
class InProcessExchange : public std::enable_shared_from_this<InProcessExchange> {
 public:
  InProcessExchange(std::shared_ptr<Side> side, bool whole)
      : side_(std::move(side)), whole_(whole), id_(side_->next_id++), result_(side_->executor) {
    side_->exchanges.emplace(id_, this);
  }
  InProcessExchange(const InProcessExchange&) = delete;
  InProcessExchange& operator=(const InProcessExchange&) = delete;
  ~InProcessExchange() { side_->exchanges.erase(id_); }

  void Start(Request request);
  Promised<absl::StatusOr<Response>>& result() { return result_; }
  Executor& executor() { return side_->executor; }

  // Why nothing more will come; OK while the exchange lives.
  const absl::Status& over() const { return over_; }
  // Asks the stream for its next piece; the answer arrives in `piece`.
  void Pull(const Promised<Piece>& piece);
  // The client lost interest. What runs is destroyed from the event loop, because this call may
  // come from inside it.
  void Abandon();
  // Ends now with `why`. Never called from inside the handler or the stream.
  void TearDown(absl::Status why);
  bool has_stream() const { return stream_ != nullptr; }

 private:
  Awaitable<void> Answer(Request request);
  Awaitable<void> Produce();
  Awaitable<absl::Status> Collect(Response& response);
  void Fail(const absl::Status& why);
  detail::OwnedTask::Guard CutOff();
  void StopTimer();

  const std::shared_ptr<Side> side_;
  const bool whole_;
  const uint64_t id_;
  size_t response_bytes_max_ = 0;
  bool head_only_ = false;
  absl::Status over_;
  Promised<absl::StatusOr<Response>> result_;
  std::optional<Promised<Piece>> piece_;
  Executor::TimerId timer_ = 0;
  CancelToken::Registration cancel_;
  std::unique_ptr<ByteStream> stream_;
  detail::OwnedTask task_;  // Last: its coroutine uses the members above.
};

void InProcessExchange::Start(Request request) {
  response_bytes_max_ = request.response_bytes_max;
  head_only_ = request.method == "HEAD";
  request.peer.address = "in-process";
  const std::weak_ptr<InProcessExchange> weak = weak_from_this();
  if (request.timeout != absl::InfiniteDuration()) {
    timer_ = executor().RunAfter(request.timeout, [weak, timeout = request.timeout] {
      const std::shared_ptr<InProcessExchange> self = weak.lock();
      if (self == nullptr) return;
      self->timer_ = 0;
      self->TearDown(
          absl::DeadlineExceededError(StrCat("no answer within ", absl::FormatDuration(timeout))));
    });
  }
  const CancelToken token = request.cancel;
  // The handler must not see the client's token: it is stopped by destruction, as over a socket.
  request.cancel = CancelToken();
  request.may_send = nullptr;
  executor().Post([weak, request = std::move(request)]() mutable {
    const std::shared_ptr<InProcessExchange> self = weak.lock();
    if (self == nullptr || !self->over_.ok()) return;
    self->task_.Start(self->CutOff(), self->Answer(std::move(request)));
  });
  cancel_ = token.OnCancel([weak] {
    const std::shared_ptr<InProcessExchange> self = weak.lock();
    if (self == nullptr) return;
    self->Fail(absl::CancelledError("request cancelled"));
    self->Abandon();
  });
}

Awaitable<void> InProcessExchange::Answer(Request request) {
  Awaitable<Response> work = side_->handler(std::move(request));
  Response response = co_await std::move(work);
  if (whole_) {
    const absl::Status collected = co_await Collect(response);
    if (!collected.ok()) {
      Fail(collected);
      co_return;
    }
  } else {
    stream_ = std::move(response.stream);
  }
  if (head_only_) {
    response.body.clear();
    stream_.reset();
  }
  StopTimer();
  result_.Set(std::move(response));
}

Awaitable<absl::Status> InProcessExchange::Collect(Response& response) {
  if (response.stream != nullptr && head_only_) response.stream.reset();
  if (response.stream != nullptr) {
    response.body.clear();
    stream_ = std::move(response.stream);  // Kept here so that TearDown reaches it.
    while (response.body.size() <= response_bytes_max_) {
      Piece piece = co_await stream_->Next();
      if (!piece.ok()) co_return Annotate(piece.status(), "answer broke off");
      if (!piece->has_value()) break;
      response.body.append(**piece);
    }
    stream_.reset();
  }
  if (response.body.size() > response_bytes_max_) {
    co_return absl::ResourceExhaustedError(
        StrCat("answer is larger than ", response_bytes_max_, " bytes"));
  }
  co_return absl::OkStatus();
}

void InProcessExchange::Pull(const Promised<Piece>& piece) {
  piece_ = piece;
  task_.Start(CutOff(), Produce());
}

Awaitable<void> InProcessExchange::Produce() {
  Piece piece = co_await stream_->Next();
  const bool last = !piece.ok() || !piece->has_value();
  if (last) {
    stream_.reset();
    cancel_ = CancelToken::Registration();
  }
  if (!piece.ok()) piece = absl::UnavailableError(piece.status().message());
  piece_->Set(std::move(piece));
}

// Over a socket the client would see an answer that breaks off.
detail::OwnedTask::Guard InProcessExchange::CutOff() {
  return {executor(), "in_process.handler",
          [this] { Fail(absl::UnavailableError("the handler failed with an exception")); }};
}

void InProcessExchange::Fail(const absl::Status& why) {
  if (over_.ok()) over_ = why;
  StopTimer();
  result_.Set(over_);
  if (piece_.has_value()) piece_->Set(over_);
}

void InProcessExchange::StopTimer() {
  if (timer_ != 0) executor().CancelTimer(std::exchange(timer_, 0));
}

void InProcessExchange::Abandon() {
  if (over_.ok()) over_ = absl::CancelledError("request abandoned");
  StopTimer();
  if (!task_.active()) {
    stream_.reset();
    return;
  }
  executor().Post([self = shared_from_this()] { self->TearDown(self->over_); });
}

void InProcessExchange::TearDown(absl::Status why) {
  // A stream's destructor may drop the last other reference to this exchange.
  const std::shared_ptr<InProcessExchange> self = shared_from_this();
  Fail(why);
  task_.Reset();
  stream_.reset();
}

// The client's hold on an exchange.
class Hold {
 public:
  explicit Hold(std::shared_ptr<InProcessExchange> exchange) : exchange_(std::move(exchange)) {}
  Hold(Hold&&) noexcept = default;
  Hold& operator=(Hold&&) = delete;
  ~Hold() {
    if (exchange_ != nullptr) exchange_->Abandon();
  }
  InProcessExchange* operator->() const { return exchange_.get(); }

 private:
  std::shared_ptr<InProcessExchange> exchange_;
};

// What the client reads: a body that was whole from the start, or the server's stream.
class InProcessAnswerStream final : public ByteStream {
 public:
  InProcessAnswerStream(Hold hold, std::string body)
      : hold_(std::move(hold)), body_(std::move(body)) {}

  Awaitable<Piece> Next() override {
    if (!body_.empty()) co_return std::optional<std::string>(std::exchange(body_, {}));
    if (!hold_->over().ok()) co_return hold_->over();
    if (!hold_->has_stream()) co_return std::optional<std::string>();
    Promised<Piece> piece(hold_->executor());
    hold_->Pull(piece);
    co_return co_await piece.Wait();
  }

 private:
  Hold hold_;
  std::string body_;
};

Awaitable<absl::StatusOr<Response>> CallHandler(std::shared_ptr<Side> side, Request request,
                                                bool whole) {
  if (side->closed) co_return absl::UnavailableError("transport is closed; request not sent");
  if (request.cancel.cancelled()) co_return absl::CancelledError("request cancelled");
  Hold hold(std::make_shared<InProcessExchange>(side, whole));
  hold->Start(std::move(request));
  absl::StatusOr<Response> response = co_await hold->result().Wait();
  if (response.ok() && !whole) {
    std::string body = std::exchange(response->body, {});
    response->stream = std::make_unique<InProcessAnswerStream>(std::move(hold), std::move(body));
  }
  co_return response;
}

class InProcessTransport final : public Transport {
 public:
  InProcessTransport(Executor& executor, Handler handler)
      : side_(std::make_shared<Side>(executor, std::move(handler))) {}
  ~InProcessTransport() override {
    side_->closed = true;
    while (!side_->exchanges.empty()) {
      const std::shared_ptr<InProcessExchange> first =
          side_->exchanges.begin()->second->shared_from_this();
      side_->exchanges.erase(side_->exchanges.begin());
      first->TearDown(absl::UnavailableError("server is gone"));
    }
  }
  Awaitable<absl::StatusOr<Response>> Fetch(Request request) override {
    return CallHandler(side_, std::move(request), true);
  }
  Awaitable<absl::StatusOr<Response>> Open(Request request) override {
    return CallHandler(side_, std::move(request), false);
  }

 private:
  const std::shared_ptr<Side> side_;
};

}  // namespace

std::unique_ptr<Transport> MakeInProcessTransport(Executor& executor, Handler handler) {
  return std::make_unique<InProcessTransport>(executor, std::move(handler));
}

}  // namespace bth::net
