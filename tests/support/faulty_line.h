// A line to the API server on which requests, answers and streams go wrong as told.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "net/http.h"

namespace bth::test {

struct Fault {
  absl::Duration delay;                  // Before anything else happens.
  int code = 0;                          // Not 0: the answer, without asking the server.
  std::string reason;                    // Of that answer's Status object.
  std::string message = "told to fail";  // Likewise.
  std::string retry_after;               // Its header, when not empty.
  bool unsent = false;                   // The server cannot be reached.
  bool answer_lost = false;              // The server does as asked, but its answer never comes.
  absl::Duration answer_delay;           // The server does as asked, but its answer comes late.
  std::string body;                      // Instead of the server's body, when not empty.
  size_t stream_bytes = 0;               // Not 0: a stream breaks off after so many bytes.
  absl::Duration piece_delay;            // Of each piece of a stream.
};

// Asks `script` about each request; without an answer it goes through. Counts what it sees.
class FaultyLine final : public net::Transport {
 public:
  using Script = std::function<std::optional<Fault>(const net::Request&)>;

  FaultyLine(net::Executor& executor, std::shared_ptr<net::Transport> line)
      : executor_(executor), line_(std::move(line)) {}

  net::Awaitable<absl::StatusOr<net::Response>> Fetch(net::Request request) override {
    return Exchange(std::move(request), false);
  }
  net::Awaitable<absl::StatusOr<net::Response>> Open(net::Request request) override {
    return Exchange(std::move(request), true);
  }

  Script script;
  // Of every request that left us, faults or not.
  std::function<void(const net::Request&)> on_request;
  // Of what the server answered, heard or not: "METHOD target" and the code.
  std::function<void(const std::string&, int)> on_answer;

 private:
  class OnePiece final : public net::ByteStream {
   public:
    explicit OnePiece(std::string piece) : piece_(std::move(piece)) {}
    net::Awaitable<absl::StatusOr<std::optional<std::string>>> Next() override {
      co_return std::exchange(piece_, std::nullopt);
    }

   private:
    std::optional<std::string> piece_;
  };

  // Hands on the pieces of a stream late, or not to the end.
  class FaultyStream final : public net::ByteStream {
   public:
    FaultyStream(net::Executor& executor, std::unique_ptr<net::ByteStream> stream, Fault fault)
        : executor_(executor), stream_(std::move(stream)), fault_(std::move(fault)) {}

    net::Awaitable<absl::StatusOr<std::optional<std::string>>> Next() override {
      absl::StatusOr<std::optional<std::string>> piece = co_await stream_->Next();
      if (fault_.piece_delay > absl::ZeroDuration()) {
        co_await net::Sleep(executor_, fault_.piece_delay);
      }
      if (!piece.ok() || !piece->has_value() || fault_.stream_bytes == 0) co_return piece;
      if (left_ == 0) co_return absl::UnavailableError("connection reset by peer");
      if ((*piece)->size() > left_) (*piece)->resize(left_);
      left_ -= (*piece)->size();
      co_return piece;
    }

   private:
    net::Executor& executor_;
    const std::unique_ptr<net::ByteStream> stream_;
    const Fault fault_;
    size_t left_ = fault_.stream_bytes;
  };

  net::Awaitable<absl::StatusOr<net::Response>> Exchange(net::Request request, bool open) {
    if (on_request) on_request(request);
    Fault fault;
    if (script) fault = script(request).value_or(Fault());
    const absl::Duration timeout = request.timeout;
    const std::string asked = StrCat(request.method, " ", request.target);
    if (fault.delay > absl::ZeroDuration()) {
      co_await net::Sleep(executor_, std::min(fault.delay, timeout));
      if (fault.delay >= timeout) co_return absl::DeadlineExceededError("no answer in time");
    }
    if (fault.unsent) co_return absl::UnavailableError("not sent: connection refused");
    if (fault.code != 0) co_return Refusal(fault);
    absl::StatusOr<net::Response> response;
    if (open) {
      response = co_await line_->Open(std::move(request));
    } else {
      response = co_await line_->Fetch(std::move(request));
    }
    if (!response.ok()) co_return response;
    if (on_answer) on_answer(asked, response->status);
    if (fault.answer_delay > absl::ZeroDuration()) {
      co_await net::Sleep(executor_, fault.answer_delay);
    }
    if (fault.answer_lost) co_return absl::UnavailableError("connection reset by peer");
    if (!fault.body.empty()) {
      if (response->stream != nullptr) {
        response->stream = std::make_unique<OnePiece>(fault.body);
      } else {
        response->body = fault.body;
      }
    }
    const bool wrap = fault.stream_bytes > 0 || fault.piece_delay > absl::ZeroDuration();
    if (response->stream != nullptr && wrap) {
      response->stream =
          std::make_unique<FaultyStream>(executor_, std::move(response->stream), fault);
    }
    co_return response;
  }

  static absl::StatusOr<net::Response> Refusal(const Fault& fault) {
    net::Response out;
    out.status = fault.code;
    out.headers.Set("content-type", "application/json");
    if (!fault.retry_after.empty()) out.headers.Set("Retry-After", fault.retry_after);
    out.body =
        StrCat(R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":)", fault.code,
               R"(,"reason":")", fault.reason, R"(","message":")", fault.message, R"("})");
    return out;
  }

  net::Executor& executor_;
  const std::shared_ptr<net::Transport> line_;
};

}  // namespace bth::test
