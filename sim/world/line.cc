#include "sim/world/line.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "client/background.h"

namespace bth::sim {

using Piece = absl::StatusOr<std::optional<std::string>>;

struct Wire {
  std::shared_ptr<Process> from;
  std::shared_ptr<Process> server;
  Weather* weather = nullptr;
  std::unique_ptr<net::ByteStream> source;
  int64_t left = -1;       // Bytes before it breaks; negative: it does not.
  bool ended = false;      // The last piece is on its way.
  absl::Duration arrival;  // Of the last piece: none overtakes another.
  std::deque<Piece> arrived;
  std::optional<net::Promised<bool>> reader;
  net::CancelToken::Registration cancel;
  client::Background pump;  // Last: it uses the rest.
};

absl::Status Refused() {
  return absl::UnavailableError("not sent: connection refused");
}

namespace {

absl::Status Reset() {
  return absl::UnavailableError("connection reset by peer");
}

void Send(const std::shared_ptr<Wire>& wire, Piece piece) {
  if (wire->ended) return;
  wire->ended = !piece.ok() || !piece->has_value();
  const absl::Duration now = wire->server->Monotonic();
  wire->arrival = std::max(wire->arrival, now + wire->weather->PieceDelay(wire->from->name(), now));
  wire->from->RunAfter(wire->arrival - now,
                       [weak = std::weak_ptr<Wire>(wire), piece = std::move(piece)]() mutable {
                         const std::shared_ptr<Wire> held = weak.lock();
                         if (held == nullptr) return;
                         held->arrived.push_back(std::move(piece));
                         if (held->reader.has_value()) held->reader->Set(true);
                       });
}

// Hands on what the server writes. The wire owns this coroutine.
net::Awaitable<void> Pump(std::weak_ptr<Wire> weak, net::ByteStream* source) {
  for (;;) {
    Piece piece = co_await source->Next();
    const std::shared_ptr<Wire> wire = weak.lock();
    if (wire == nullptr) co_return;
    const bool last = !piece.ok() || !piece->has_value();
    if (!last && wire->left >= 0) {
      const bool breaks = static_cast<int64_t>((*piece)->size()) > wire->left;
      if (breaks) (*piece)->resize(static_cast<size_t>(wire->left));
      wire->left -= static_cast<int64_t>((*piece)->size());
      if (!(*piece)->empty()) Send(wire, std::move(piece));
      if (!breaks) continue;
      Send(wire, Reset());
      co_return;
    }
    Send(wire, std::move(piece));
    if (last) co_return;
  }
}

// The server's side of a stream ends, from its own process.
void Close(const std::shared_ptr<Wire>& wire, bool tell) {
  wire->server->Post([wire, tell] {
    wire->pump.Stop();
    wire->source.reset();
    if (tell) Send(wire, Reset());
  });
}

class WireEnd final : public net::ByteStream {
 public:
  explicit WireEnd(std::shared_ptr<Wire> wire) : wire_(std::move(wire)) {}
  ~WireEnd() override { Close(wire_, false); }

  net::Awaitable<Piece> Next() override {
    while (wire_->arrived.empty()) {
      net::Promised<bool> woken(*wire_->from);
      wire_->reader = woken;
      co_await woken.Wait();
    }
    Piece piece = std::move(wire_->arrived.front());
    wire_->arrived.pop_front();
    co_return piece;
  }

 private:
  const std::shared_ptr<Wire> wire_;
};

using Result = absl::StatusOr<net::Response>;

// One request on its way; both sides hold it.
struct Voyage {
  std::shared_ptr<Process> from;
  Harbour* harbour = nullptr;
  net::Request request;
  Fate fate;
  bool streams = false;
  absl::Duration sent_at;
  net::Promised<Result> result;
  bool given_up = false;
  std::shared_ptr<Wire> wire;
};

net::Response Refusal(const Fate& fate) {
  net::Response out;
  out.status = fate.code;
  out.headers.Set("content-type", "application/json");
  if (fate.retry_after_s > 0) out.headers.Set("Retry-After", std::to_string(fate.retry_after_s));
  out.body = StrCat(R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":)", fate.code,
                    R"(,"reason":")", fate.reason, R"(","message":"the weather is bad"})");
  return out;
}

// Lets the answer travel back. Who died does not hear it.
void Return(const std::shared_ptr<Voyage>& voyage, Result result) {
  if (voyage->given_up) return;
  voyage->from->RunAfter(voyage->fate.back, [voyage, result = std::move(result)]() mutable {
    if (!voyage->given_up) voyage->result.Set(std::move(result));
  });
}

// An answer that is owed: when its server dies first, the caller hears that the connection broke.
class Debt final {
 public:
  explicit Debt(std::shared_ptr<Voyage> voyage) : voyage_(std::move(voyage)) {}
  Debt(Debt&& other) noexcept : voyage_(std::exchange(other.voyage_, nullptr)) {}
  Debt& operator=(Debt&&) = delete;
  ~Debt() {
    if (voyage_ != nullptr) Return(voyage_, Reset());
  }
  const std::shared_ptr<Voyage>& voyage() const { return voyage_; }
  void Pay(Result result) { Return(std::exchange(voyage_, nullptr), std::move(result)); }

 private:
  std::shared_ptr<Voyage> voyage_;
};

// What has ended is let go of now and then.
void Own(std::list<std::unique_ptr<client::Background>>* at_work,
         std::unique_ptr<client::Background> one) {
  constexpr size_t kSweepFrom = 32;
  if (at_work->size() >= kSweepFrom) {
    std::erase_if(*at_work, [](const auto& other) { return !other->running(); });
  }
  at_work->push_back(std::move(one));
}

void OpenWire(const std::shared_ptr<Voyage>& voyage, net::Response* response) {
  const auto wire = std::make_shared<Wire>();
  wire->from = voyage->from;
  wire->server = voyage->harbour->process;
  wire->weather = voyage->harbour->weather;
  wire->left = voyage->fate.cut_after;
  wire->arrival = wire->server->Monotonic() + voyage->fate.back;
  wire->source = std::move(response->stream);
  wire->pump.Start(*wire->server, Pump(wire, wire->source.get()));
  voyage->wire = wire;
  std::vector<std::weak_ptr<Wire>>& all = voyage->harbour->wires;
  std::erase_if(all, [](const std::weak_ptr<Wire>& other) { return other.expired(); });
  all.push_back(wire);
  response->stream = std::make_unique<WireEnd>(wire);
}

// A write of somebody else to the object that a request is about: an API server answers 409 to what
// is outdated, never without a reason.
net::Request Overtaking(const net::Request& request, int64_t number) {
  net::Request out;
  out.method = "PATCH";
  out.target = request.target.substr(0, request.target.find('?'));
  for (const char* part : {"/status", "/binding", "/eviction"}) {
    if (absl::EndsWith(out.target, part)) out.target.resize(out.target.rfind('/'));
  }
  out.headers.Set("content-type", "application/merge-patch+json");
  out.body = R"({"metadata":{"annotations":{"storm":")";
  StrAppend(&out.body, number, R"("}}})");
  return out;
}

// A body as a stream.
class WholeBody final : public net::ByteStream {
 public:
  explicit WholeBody(std::string body) : body_(std::move(body)) {}
  net::Awaitable<Piece> Next() override {
    if (body_.empty()) co_return std::optional<std::string>();
    co_return std::optional<std::string>(std::exchange(body_, {}));
  }

 private:
  std::string body_;
};

// Keeps the answer for later, and gives one that is as old as it may be instead.
net::Response Recall(const Voyage& voyage, net::Response response) {
  constexpr size_t kFormerMax = 4;
  const absl::Duration now = voyage.harbour->process->Monotonic();
  if (response.status == 200) {
    std::deque<Harbour::Former>& former = voyage.harbour->former[voyage.request.target];
    former.push_back({now, response.headers, response.body});
    if (former.size() > kFormerMax) former.pop_front();
    const auto old = std::find_if(former.begin(), former.end(), [&](const Harbour::Former& one) {
      return one.at >= now - voyage.fate.stale;
    });
    response.headers = old->headers;
    response.body = old->body;
  }
  if (voyage.streams) {
    response.stream = std::make_unique<WholeBody>(std::exchange(response.body, {}));
  }
  return response;
}

// On the server's process.
net::Awaitable<void> Serve(Debt debt) {
  const std::shared_ptr<Voyage> voyage = debt.voyage();
  Harbour& harbour = *voyage->harbour;
  const std::shared_ptr<net::Transport> server = harbour.server;
  net::Request request = voyage->request;
  request.cancel = net::CancelToken();
  request.timeout = absl::InfiniteDuration();
  if (voyage->fate.overtaken) {
    const int64_t now = absl::ToInt64Microseconds(harbour.process->Monotonic());
    absl::StatusOr<net::Response> first = co_await server->Fetch(Overtaking(request, now));
  }
  const Transit transit{.sent_at = voyage->sent_at,
                        .is_given_up = voyage->given_up,
                        .is_overtaken = voyage->fate.overtaken};
  if (harbour.on_arrival) harbour.on_arrival(*voyage->from, request, transit);
  Result response = absl::UnknownError("");
  const bool recalls = harbour.remembers && MayBeOld(request);
  if (voyage->streams && !recalls) {
    response = co_await server->Open(std::move(request));
  } else {
    response = co_await server->Fetch(std::move(request));
  }
  if (response.ok() && harbour.on_answer) {
    harbour.on_answer(*voyage->from, voyage->request, response->status);
  }
  if (response.ok() && recalls) response = Recall(*voyage, *std::move(response));
  if (response.ok() && response->stream != nullptr) OpenWire(voyage, &*response);
  if (voyage->fate.answer_lost) response = Reset();
  debt.Pay(std::move(response));
}

void Arrive(Debt debt) {
  Harbour& harbour = *debt.voyage()->harbour;
  if (harbour.server == nullptr) return debt.Pay(Refused());
  auto work = std::make_unique<client::Background>();
  work->Start(*harbour.process, Serve(std::move(debt)));
  Own(&harbour.at_work, std::move(work));
}

void Depart(const std::shared_ptr<Voyage>& voyage) {
  const Fate& fate = voyage->fate;
  if (fate.refused || voyage->harbour->server == nullptr) return Return(voyage, Refused());
  if (fate.lost) return;
  if (fate.code != 0) return Return(voyage, Refusal(fate));
  voyage->harbour->process->RunAfter(fate.there,
                                     [debt = Debt(voyage)]() mutable { Arrive(std::move(debt)); });
}

// The caller's deadline and cancellation, while it waits.
class Patience {
 public:
  explicit Patience(std::shared_ptr<Voyage> voyage) : voyage_(std::move(voyage)) {
    const net::Request& request = voyage_->request;
    const std::weak_ptr<Voyage> weak = voyage_;
    if (request.timeout != absl::InfiniteDuration()) {
      const auto late = [weak, timeout = request.timeout] {
        if (const std::shared_ptr<Voyage> held = weak.lock()) {
          held->result.Set(absl::DeadlineExceededError(
              StrCat("no answer within ", absl::FormatDuration(timeout))));
        }
      };
      timer_ = voyage_->from->RunAfter(request.timeout, late);
    }
    cancel_ = request.cancel.OnCancel([weak] {
      if (const std::shared_ptr<Voyage> held = weak.lock()) {
        held->result.Set(absl::CancelledError("request cancelled"));
      }
    });
  }
  Patience(const Patience&) = delete;
  ~Patience() {
    voyage_->given_up = true;
    if (timer_ != 0) voyage_->from->CancelTimer(timer_);
  }

 private:
  const std::shared_ptr<Voyage> voyage_;
  net::Executor::TimerId timer_ = 0;
  net::CancelToken::Registration cancel_;
};

}  // namespace

net::Awaitable<absl::StatusOr<net::Response>> Line::Exchange(net::Request request, bool streams) {
  if (request.cancel.cancelled()) co_return absl::CancelledError("request cancelled");
  if (harbour_.on_departure) harbour_.on_departure(*from_, request);
  const std::string& known_as = harbour_.name.empty() ? from_->name() : harbour_.name;
  Fate fate = harbour_.weather->FateOf(known_as, request, streams, from_->Monotonic());
  const auto voyage = std::make_shared<Voyage>(
      Voyage{from_, &harbour_, std::move(request), fate, streams, from_->Monotonic(),
             net::Promised<Result>(*from_), false, nullptr});
  const Patience patience(voyage);
  Depart(voyage);
  Result response = co_await voyage->result.Wait();
  if (const std::shared_ptr<Wire> wire = voyage->wire; wire != nullptr && response.ok()) {
    const std::weak_ptr<Wire> weak = wire;
    net::CancelToken::Action stop = [weak] {
      const std::shared_ptr<Wire> held = weak.lock();
      if (held == nullptr) return;
      held->arrived.emplace_back(absl::CancelledError("request cancelled"));
      if (held->reader.has_value()) held->reader->Set(true);
    };
    wire->cancel = voyage->request.cancel.OnCancel(std::move(stop));
    std::erase_if(wires_, [](const std::weak_ptr<Wire>& other) { return other.expired(); });
    wires_.push_back(wire);
  }
  co_return response;
}

void Sink(Harbour* harbour) {
  harbour->at_work.clear();
  harbour->server.reset();
  for (const std::weak_ptr<Wire>& weak : harbour->wires) {
    const std::shared_ptr<Wire> wire = weak.lock();
    if (wire == nullptr) continue;
    wire->pump.Stop();
    wire->source.reset();
    Send(wire, Reset());
  }
  harbour->wires.clear();
}

void Line::CutStreams() {
  for (const std::weak_ptr<Wire>& weak : wires_) {
    if (const std::shared_ptr<Wire> wire = weak.lock()) Close(wire, true);
  }
  wires_.clear();
}

}  // namespace bth::sim
