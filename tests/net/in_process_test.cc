#include <deque>
#include <string>
#include <vector>

#include "net/virtual_executor.h"
#include "tests/net/loopback.h"
#include "tests/support/catch.h"

namespace bth::net {
namespace {

using test::Get;
using Piece = absl::StatusOr<std::optional<std::string>>;

struct StreamState {
  std::deque<std::string> pieces;
  bool endless = false;  // Waits for ever once the pieces are out.
  absl::Status at_end;
  int alive = 0;
  int waits_alive = 0;
};

struct Counted {
  int& count;
  explicit Counted(int& c) : count(c) { ++count; }
  ~Counted() { --count; }
};

class PacedStream final : public ByteStream {
 public:
  PacedStream(Executor& executor, StreamState& state)
      : executor_(executor), state_(state), counted_(state.alive) {}
  Awaitable<Piece> Next() override {
    Counted waiting(state_.waits_alive);
    co_await Sleep(executor_, absl::Seconds(1));
    if (!state_.pieces.empty()) {
      std::string piece = std::move(state_.pieces.front());
      state_.pieces.pop_front();
      co_return std::optional<std::string>(std::move(piece));
    }
    while (state_.endless) co_await Sleep(executor_, absl::Hours(1));
    if (!state_.at_end.ok()) co_return state_.at_end;
    co_return std::optional<std::string>();
  }

 private:
  Executor& executor_;
  StreamState& state_;
  Counted counted_;
};

struct InProcessWorld {
  VirtualExecutor executor{absl::UnixEpoch()};
  StreamState stream;
  int handlers_alive = 0;
  Peer seen_peer;
  std::unique_ptr<Transport> transport;

  InProcessWorld() {
    transport = MakeInProcessTransport(
        executor, [this](Request request) { return Answer(std::move(request)); });
  }
  Awaitable<Response> Answer(Request request) {
    Counted alive(handlers_alive);
    seen_peer = request.peer;
    if (request.target == "/slow") co_await Sleep(executor, absl::Seconds(10));
    Response response;
    response.status = 201;
    response.headers.Set("X-Method", request.method);
    if (request.target == "/stream") {
      response.stream = std::make_unique<PacedStream>(executor, stream);
    } else {
      response.body = request.body + "!";
    }
    co_return response;
  }
};

struct Outcome {
  std::optional<absl::StatusOr<Response>> answer;
  std::vector<std::string> pieces;
  std::optional<absl::Status> end;
};

Awaitable<void> RunFetch(Transport& transport, Request request, Outcome& out) {
  out.answer = co_await transport.Fetch(std::move(request));
}

Awaitable<void> RunOpen(Transport& transport, Request request, Outcome& out) {
  absl::StatusOr<Response> response = co_await transport.Open(std::move(request));
  if (!response.ok()) {
    out.end = response.status();
    co_return;
  }
  for (;;) {
    Piece piece = co_await response->stream->Next();
    if (!piece.ok()) {
      out.end = piece.status();
      break;
    }
    if (!piece->has_value()) {
      out.end = absl::OkStatus();
      break;
    }
    out.pieces.push_back(**piece);
  }
}

TEST_CASE("in process: an answer arrives whole", "[net]") {
  InProcessWorld world;
  Outcome out;
  Request request = Get("/echo");
  request.method = "POST";
  request.body = "hello";
  Spawn(world.executor, RunFetch(*world.transport, std::move(request), out));
  world.executor.RunUntilIdle();
  REQUIRE(out.answer.has_value());
  REQUIRE(out.answer->ok());
  CHECK((*out.answer)->status == 201);
  CHECK((*out.answer)->body == "hello!");
  CHECK((*out.answer)->headers.Get("x-method") == "POST");
  CHECK(world.seen_peer.address == "in-process");
  CHECK(world.handlers_alive == 0);
  CHECK(world.executor.NextTimer() == absl::InfiniteDuration());  // No deadline left behind.
}

TEST_CASE("in process: Fetch collects a stream, Open hands it through", "[net]") {
  InProcessWorld world;
  world.stream.pieces = {"a", "bc"};
  Outcome out;
  const bool open = GENERATE(false, true);
  if (open) {
    Spawn(world.executor, RunOpen(*world.transport, Get("/stream"), out));
    CHECK(world.executor.RunUntil([&] { return out.end.has_value(); }, absl::Seconds(5)));
    CHECK(out.end == absl::OkStatus());
    CHECK(out.pieces == std::vector<std::string>{"a", "bc"});
  } else {
    Spawn(world.executor, RunFetch(*world.transport, Get("/stream"), out));
    CHECK(world.executor.RunUntil([&] { return out.answer.has_value(); }, absl::Seconds(5)));
    CHECK((*out.answer)->body == "abc");
  }
  CHECK(world.stream.alive == 0);
}

TEST_CASE("in process: Open shows a plain body as a stream", "[net]") {
  InProcessWorld world;
  Outcome out;
  Spawn(world.executor, RunOpen(*world.transport, Get("/plain"), out));
  world.executor.RunUntilIdle();
  CHECK(out.end == absl::OkStatus());
  CHECK(out.pieces == std::vector<std::string>{"!"});
}

TEST_CASE("in process: HEAD has no body", "[net]") {
  InProcessWorld world;
  Outcome out;
  Request request = Get("/stream");
  request.method = "HEAD";
  Spawn(world.executor, RunFetch(*world.transport, std::move(request), out));
  world.executor.RunUntilIdle();
  REQUIRE(out.answer.has_value());
  CHECK((*out.answer)->body.empty());
  CHECK(world.stream.alive == 0);
}

TEST_CASE("in process: the deadline ends the handler", "[net]") {
  InProcessWorld world;
  Outcome out;
  Request request = Get("/slow");
  request.timeout = absl::Seconds(3);
  Spawn(world.executor, RunFetch(*world.transport, std::move(request), out));
  world.executor.Advance(absl::Seconds(2));
  CHECK(world.handlers_alive == 1);
  world.executor.Advance(absl::Seconds(1));
  REQUIRE(out.answer.has_value());
  CHECK(out.answer->status().code() == absl::StatusCode::kDeadlineExceeded);
  CHECK(world.handlers_alive == 0);
  CHECK(world.executor.NextTimer() == absl::InfiniteDuration());
}

TEST_CASE("in process: the deadline of Open ends with the head", "[net]") {
  InProcessWorld world;
  world.stream.pieces = {"a", "b", "c"};
  Outcome out;
  Request request = Get("/stream");
  request.timeout = absl::Milliseconds(1500);
  Spawn(world.executor, RunOpen(*world.transport, std::move(request), out));
  world.executor.Advance(absl::Seconds(10));
  CHECK(out.end == absl::OkStatus());
  CHECK(out.pieces.size() == 3);
}

TEST_CASE("in process: a larger answer than allowed is refused", "[net]") {
  InProcessWorld world;
  const std::string target = GENERATE(std::string("/plain"), std::string("/stream"));
  world.stream.pieces = {"ab", "cd", "ef"};
  Outcome out;
  Request request = Get(target);
  request.body = "1234";
  request.response_bytes_max = 4;
  Spawn(world.executor, RunFetch(*world.transport, std::move(request), out));
  world.executor.Advance(absl::Seconds(10));
  REQUIRE(out.answer.has_value());
  CHECK(out.answer->status().code() == absl::StatusCode::kResourceExhausted);
  CHECK(world.stream.alive == 0);
}

TEST_CASE("in process: cancel ends Fetch and its handler", "[net]") {
  InProcessWorld world;
  Outcome out;
  Request request = Get("/slow");
  const CancelToken token = request.cancel;
  Spawn(world.executor, RunFetch(*world.transport, std::move(request), out));
  world.executor.Advance(absl::Seconds(1));
  CHECK(world.handlers_alive == 1);
  token.Cancel();
  world.executor.RunUntilIdle();
  REQUIRE(out.answer.has_value());
  CHECK(out.answer->status().code() == absl::StatusCode::kCancelled);
  CHECK(world.handlers_alive == 0);
}

TEST_CASE("in process: a cancelled token sends nothing", "[net]") {
  InProcessWorld world;
  Outcome out;
  Request request = Get("/plain");
  request.cancel.Cancel();
  Spawn(world.executor, RunFetch(*world.transport, std::move(request), out));
  world.executor.RunUntilIdle();
  CHECK(out.answer->status().code() == absl::StatusCode::kCancelled);
  CHECK(world.seen_peer.address.empty());
}

TEST_CASE("in process: cancel ends a waiting stream on both sides", "[net]") {
  InProcessWorld world;
  world.stream.pieces = {"a"};
  world.stream.endless = true;
  Outcome out;
  Request request = Get("/stream");
  const CancelToken token = request.cancel;
  Spawn(world.executor, RunOpen(*world.transport, std::move(request), out));
  world.executor.Advance(absl::Minutes(5));
  CHECK(out.pieces == std::vector<std::string>{"a"});
  CHECK(world.stream.waits_alive == 1);
  token.Cancel();
  world.executor.RunUntilIdle();
  REQUIRE(out.end.has_value());
  CHECK(out.end->code() == absl::StatusCode::kCancelled);
  CHECK(world.stream.alive == 0);
  CHECK(world.stream.waits_alive == 0);
}

TEST_CASE("in process: the stream breaks off when the transport goes", "[net]") {
  InProcessWorld world;
  world.stream.endless = true;
  Outcome streaming, waiting;
  Spawn(world.executor, RunOpen(*world.transport, Get("/stream"), streaming));
  Spawn(world.executor, RunFetch(*world.transport, Get("/slow"), waiting));
  world.executor.Advance(absl::Seconds(2));
  CHECK(world.stream.alive == 1);
  world.transport.reset();
  CHECK(world.stream.alive == 0);
  CHECK(world.handlers_alive == 0);
  world.executor.RunUntilIdle();
  CHECK(streaming.end->code() == absl::StatusCode::kUnavailable);
  CHECK(waiting.answer->status().code() == absl::StatusCode::kUnavailable);
}

TEST_CASE("in process: an error of the server's stream reads as a broken connection", "[net]") {
  InProcessWorld world;
  world.stream.pieces = {"a"};
  world.stream.at_end = absl::InternalError("disk on fire");
  Outcome out;
  Spawn(world.executor, RunOpen(*world.transport, Get("/stream"), out));
  world.executor.Advance(absl::Seconds(5));
  CHECK(out.end->code() == absl::StatusCode::kUnavailable);
  CHECK(world.stream.alive == 0);
}

// Opens the stream, keeps it in `held`, and reads once more while nobody waits for the result.
Awaitable<void> OpenAndHold(Transport& transport, std::unique_ptr<ByteStream>& held) {
  absl::StatusOr<Response> response = co_await transport.Open(Get("/stream"));
  held = std::move(response->stream);
}

TEST_CASE("in process: dropping the stream destroys the server's", "[net]") {
  InProcessWorld world;
  world.stream.endless = true;
  std::unique_ptr<ByteStream> held;
  Spawn(world.executor, OpenAndHold(*world.transport, held));
  world.executor.RunUntilIdle();
  REQUIRE(held != nullptr);
  CHECK(world.stream.alive == 1);
  SECTION("while nobody reads") {
    held.reset();
    CHECK(world.stream.alive == 0);
  }
  SECTION("in the middle of a read") {
    {
      Awaitable<Piece> reading = held->Next();
      reading.await_suspend(std::noop_coroutine()).resume();
      CHECK(world.stream.waits_alive == 1);
    }
    held.reset();
    world.executor.RunUntilIdle();
    CHECK(world.stream.waits_alive == 0);
    CHECK(world.stream.alive == 0);
  }
}

TEST_CASE("in process: dropping the caller destroys the handler", "[net]") {
  InProcessWorld world;
  {
    Awaitable<absl::StatusOr<Response>> call = world.transport->Fetch(Get("/slow"));
    call.await_suspend(std::noop_coroutine()).resume();
    world.executor.RunUntilIdle();
    CHECK(world.handlers_alive == 1);
  }
  world.executor.RunUntilIdle();
  CHECK(world.handlers_alive == 0);
  CHECK(world.executor.NextTimer() == absl::InfiniteDuration());
}

}  // namespace
}  // namespace bth::net
