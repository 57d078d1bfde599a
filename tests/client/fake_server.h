// A scripted API server for the tests of the client: answers are taken from a function or a list.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "net/awaitable.h"
#include "net/http.h"
#include "net/virtual_executor.h"

namespace bth::client::testing {

inline absl::Time StartTime() {
  return absl::FromUnixSeconds(1'700'000'000);
}

// A watch that the test feeds: pieces arrive as they are pushed.
class Feed {
 public:
  explicit Feed(net::Executor& executor) : executor_(executor) {}

  void Push(std::string piece) {
    pieces_.push_back(std::move(piece));
    Wake();
  }
  // The orderly end, or an error.
  void End(absl::Status status = absl::OkStatus()) {
    end_ = std::move(status);
    Wake();
  }
  net::Awaitable<absl::StatusOr<std::optional<std::string>>> Next() {
    while (pieces_.empty() && !end_.has_value()) {
      woken_.emplace(executor_);
      const net::Promised<bool> woken = *woken_;
      co_await woken.Wait();
    }
    if (!pieces_.empty()) {
      std::optional<std::string> piece = std::move(pieces_.front());
      pieces_.pop_front();
      co_return piece;
    }
    if (!end_->ok()) co_return *end_;
    co_return std::optional<std::string>();
  }

 private:
  void Wake() {
    if (woken_.has_value()) woken_->Set(true);
  }
  net::Executor& executor_;
  std::deque<std::string> pieces_;
  std::optional<absl::Status> end_;
  std::optional<net::Promised<bool>> woken_;
};

class FeedStream final : public net::ByteStream {
 public:
  explicit FeedStream(std::shared_ptr<Feed> feed) : feed_(std::move(feed)) {}
  net::Awaitable<absl::StatusOr<std::optional<std::string>>> Next() override {
    return feed_->Next();
  }

 private:
  std::shared_ptr<Feed> feed_;
};

inline net::Response Answer(int status, std::string body) {
  net::Response out;
  out.status = status;
  out.body = std::move(body);
  return out;
}
inline net::Response Stream(std::shared_ptr<Feed> feed) {
  net::Response out;
  out.stream = std::make_unique<FeedStream>(std::move(feed));
  return out;
}

// Answers through `script` and keeps what was asked. `delay` passes before each answer.
struct FakeServer {
  explicit FakeServer(net::Executor& e) : executor(e) {}
  net::Executor& executor;
  std::function<net::Response(const net::Request&)> script;
  absl::Duration delay;
  std::vector<net::Request> requests;

  std::shared_ptr<net::Transport> Transport() {
    return net::MakeInProcessTransport(
        executor, [this](net::Request request) { return Serve(std::move(request)); });
  }
  size_t Count(const std::string& method) const {
    size_t count = 0;
    for (const net::Request& request : requests) count += request.method == method;
    return count;
  }

 private:
  net::Awaitable<net::Response> Serve(net::Request request) {
    requests.push_back(request);
    if (delay > absl::ZeroDuration()) co_await net::Sleep(executor, delay);
    co_return script(request);
  }
};

// Runs `work` until it has a result, for at most an hour of virtual time.
template <typename T>
T Await(net::VirtualExecutor& executor, net::Awaitable<T> work) {
  auto result = std::make_shared<std::optional<T>>();
  auto run = [](net::Awaitable<T> w, std::shared_ptr<std::optional<T>> r) -> net::Awaitable<void> {
    r->emplace(co_await std::move(w));
  };
  net::Spawn(executor, run(std::move(work), result));
  executor.RunUntil([&] { return result->has_value(); }, absl::Hours(1));
  if (!result->has_value()) std::abort();
  return std::move(**result);
}

}  // namespace bth::client::testing
