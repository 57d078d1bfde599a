// Streamed answers from a real server to a real client.
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/net/loopback.h"

namespace bth::net {
namespace {

using test::Drain;
using test::Drained;
using test::Get;
using test::Loopback;

struct Script {
  std::vector<std::string> pieces;
  absl::Status end;
  bool waits_at_end = false;
};

class ScriptedStream final : public ByteStream {
 public:
  ScriptedStream(Executor& executor, const Script& script, Promised<bool> gone)
      : executor_(executor), script_(script), gone_(gone) {}
  ~ScriptedStream() override { gone_.Set(true); }
  Awaitable<absl::StatusOr<std::optional<std::string>>> Next() override {
    co_await Sleep(executor_, absl::Microseconds(10));
    if (next_ < script_.pieces.size()) {
      co_return std::optional<std::string>(script_.pieces[next_++]);
    }
    while (script_.waits_at_end) co_await Sleep(executor_, absl::Hours(1));
    if (!script_.end.ok()) co_return script_.end;
    co_return std::optional<std::string>();
  }

 private:
  Executor& executor_;
  const Script& script_;
  const Promised<bool> gone_;
  size_t next_ = 0;
};

struct StreamWorld {
  explicit StreamWorld(bool tls) : gone(*loopback.io) {
    ServerOptions options;
    options.tls = tls;
    loopback.Serve(options, [this](Request) -> Awaitable<Response> {
      Response response;
      response.stream = std::make_unique<ScriptedStream>(*loopback.io, script, gone);
      co_return response;
    });
    client = loopback.Client();
  }
  Loopback loopback;
  Script script;
  Promised<bool> gone;
  std::unique_ptr<Transport> client;
};

TEST_CASE("stream: every byte arrives, then the end", "[net]") {
  StreamWorld world(GENERATE(false, true));
  std::string all;
  for (int i = 0; i < 300; ++i) {
    const std::string piece(static_cast<size_t>(1 + i * i % 5000), static_cast<char>('a' + i % 26));
    world.script.pieces.push_back(piece);
    all += piece;
  }
  world.script.pieces.push_back(std::string(1 << 20, 'z'));
  all += world.script.pieces.back();
  auto work = [&]() -> Awaitable<void> {
    absl::StatusOr<Response> opened = co_await world.client->Open(Get("/"));
    REQUIRE(opened.ok());
    const Drained drained = co_await Drain(*opened->stream);
    CHECK(drained.end.ok());
    CHECK((drained.bytes == all));
    absl::StatusOr<Response> fetched = co_await world.client->Fetch(Get("/"));
    REQUIRE(fetched.ok());
    CHECK((fetched->body == all));
  };
  world.loopback.Run(work());
}

TEST_CASE("stream: pieces are handed on as they come", "[net]") {
  StreamWorld world(GENERATE(false, true));
  world.script.pieces = {"first"};
  world.script.waits_at_end = true;
  auto work = [&]() -> Awaitable<void> {
    Request request = Get("/");
    request.timeout = absl::Seconds(30);
    const CancelToken token = request.cancel;
    absl::StatusOr<Response> opened = co_await world.client->Open(std::move(request));
    REQUIRE(opened.ok());
    const absl::StatusOr<std::optional<std::string>> piece = co_await opened->stream->Next();
    CHECK(piece.ok());
    CHECK(**piece == "first");
    world.loopback.io->RunAfter(absl::ZeroDuration(), [token] { token.Cancel(); });
    const absl::StatusOr<std::optional<std::string>> end = co_await opened->stream->Next();
    CHECK(end.status().code() == absl::StatusCode::kCancelled);
    opened->stream.reset();
    co_await world.gone.Wait();  // Else the test runs into its time limit.
  };
  world.loopback.Run(work());
}

TEST_CASE("stream: dropping it at the client destroys it at the server", "[net]") {
  StreamWorld world(GENERATE(false, true));
  world.script.waits_at_end = true;
  auto work = [&]() -> Awaitable<void> {
    absl::StatusOr<Response> opened = co_await world.client->Open(Get("/"));
    REQUIRE(opened.ok());
    opened->stream.reset();
    co_await world.gone.Wait();  // Else the test runs into its time limit.
  };
  world.loopback.Run(work());
}

TEST_CASE("stream: an error at the server breaks it off", "[net]") {
  StreamWorld world(GENERATE(false, true));
  world.script.pieces = {"some"};
  world.script.end = absl::InternalError("lost the thread");
  auto work = [&]() -> Awaitable<void> {
    absl::StatusOr<Response> opened = co_await world.client->Open(Get("/"));
    REQUIRE(opened.ok());
    const Drained drained = co_await Drain(*opened->stream);
    CHECK(drained.bytes == "some");
    CHECK(drained.end.code() == absl::StatusCode::kUnavailable);
  };
  world.loopback.Run(work());
}

TEST_CASE("stream: streams do not take the connections of calls", "[net]") {
  Loopback loopback;
  Script script;
  script.waits_at_end = true;
  const Promised<bool> gone(*loopback.io);
  loopback.Serve(ServerOptions(), [&](Request request) -> Awaitable<Response> {
    Response response;
    if (request.target == "/stream") {
      response.stream = std::make_unique<ScriptedStream>(*loopback.io, script, gone);
    }
    co_return response;
  });
  ClientOptions options;
  options.connections_max = 1;
  options.streams_max = 3;
  const std::unique_ptr<Transport> client = loopback.Client(options);
  auto work = [&]() -> Awaitable<void> {
    std::vector<absl::StatusOr<Response>> opened;
    for (int i = 0; i < 3; ++i) opened.push_back(co_await client->Open(Get("/stream")));
    for (const auto& response : opened) CHECK(response.ok());
    const absl::StatusOr<Response> fetched = co_await client->Fetch(Get("/"));
    CHECK(fetched.ok());
    Request one_more = Get("/stream");
    one_more.timeout = absl::Milliseconds(10);
    const absl::StatusOr<Response> queued = co_await client->Open(std::move(one_more));
    CHECK(queued.status().code() == absl::StatusCode::kDeadlineExceeded);
    opened.pop_back();
    const absl::StatusOr<Response> freed = co_await client->Open(Get("/stream"));
    CHECK(freed.ok());
  };
  loopback.Run(work());
}

}  // namespace
}  // namespace bth::net
