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

// Lets the answer travel back.
void Return(const std::shared_ptr<Voyage>& voyage, Result result) {
  if (voyage->given_up) return;
  voyage->from->RunAfter(voyage->fate.back, [voyage, result = std::move(result)]() mutable {
    if (!voyage->given_up) voyage->result.Set(std::move(result));
  });
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

// On the server's process.
net::Awaitable<void> Serve(std::shared_ptr<Voyage> voyage) {
  Harbour& harbour = *voyage->harbour;
  net::Request request = voyage->request;
  request.cancel = net::CancelToken();
  request.timeout = absl::InfiniteDuration();
  if (voyage->fate.overtaken) {
    const int64_t now = absl::ToInt64Microseconds(harbour.process->Monotonic());
    absl::StatusOr<net::Response> first = co_await harbour.server->Fetch(Overtaking(request, now));
  }
  if (harbour.on_arrival) harbour.on_arrival(*voyage->from, request, voyage->sent_at);
  Result response = absl::UnknownError("");
  if (voyage->streams) {
    response = co_await harbour.server->Open(std::move(request));
  } else {
    response = co_await harbour.server->Fetch(std::move(request));
  }
  if (response.ok() && harbour.on_answer) {
    harbour.on_answer(*voyage->from, voyage->request, response->status);
  }
  if (response.ok() && response->stream != nullptr) OpenWire(voyage, &*response);
  if (voyage->fate.answer_lost) response = Reset();
  Return(voyage, std::move(response));
}

void Depart(const std::shared_ptr<Voyage>& voyage) {
  const Fate& fate = voyage->fate;
  if (fate.refused) return Return(voyage, absl::UnavailableError("not sent: connection refused"));
  if (fate.lost) return;
  if (fate.code != 0) return Return(voyage, Refusal(fate));
  Process& server = *voyage->harbour->process;
  server.RunAfter(fate.there, [voyage, &server] { net::Spawn(server, Serve(voyage)); });
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
  Fate fate = harbour_.weather->FateOf(from_->name(), request, streams, from_->Monotonic());
  const auto voyage = std::shared_ptr<Voyage>(
      new Voyage{from_, &harbour_, std::move(request), fate, streams, from_->Monotonic(),
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

void Line::CutStreams() {
  for (const std::weak_ptr<Wire>& weak : wires_) {
    if (const std::shared_ptr<Wire> wire = weak.lock()) Close(wire, true);
  }
  wires_.clear();
}

}  // namespace bth::sim
