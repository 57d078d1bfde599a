// The client against servers that are slow, wrong or gone, and its deadlines and cancellation.
#include <optional>
#include <vector>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "tests/net/loopback.h"

namespace bth::net {
namespace {

using test::Drain;
using test::Drained;
using test::Get;
using test::Loopback;
using test::MustFetch;
using test::OnThread;
using test::Post;
using test::RawListener;
using test::RawSocket;

std::unique_ptr<Transport> ClientOf(IoContext& io, uint16_t port, int connections_max = 32) {
  ClientOptions options;
  options.host = "127.0.0.1";
  options.port = port;
  options.connections_max = connections_max;
  options.header_bytes_max = 1000;
  absl::StatusOr<std::unique_ptr<Transport>> client = MakeHttpClient(io, options);
  REQUIRE(client.ok());
  return *std::move(client);
}

// Runs `serve` on a thread while `work` runs on the loop.
void RunWith(Loopback& loopback, std::function<std::string()> serve, Awaitable<void> work) {
  auto both = [&]() -> Awaitable<void> {
    const Promised<bool> served(*loopback.io);
    auto threaded = [&]() -> Awaitable<void> {
      co_await OnThread(*loopback.io, serve);
      served.Set(true);
    };
    Spawn(*loopback.io, threaded());
    co_await std::move(work);
    co_await served.Wait();
  };
  loopback.Run(both());
}

TEST_CASE("client: what a server answers decides the outcome", "[net]") {
  struct Case {
    std::string name, answer;
    absl::StatusCode code;
    std::string body;
  };
  using Code = absl::StatusCode;
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const Case c = GENERATE_COPY(values<Case>({
      {"plain", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", Code::kOk, "hi"},
      {"no reason", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nhi", Code::kOk, "hi"},
      {"until close", "HTTP/1.1 200 OK\r\n\r\nall of it", Code::kOk, "all of it"},
      {"old version", "HTTP/1.0 200 OK\r\n\r\nold", Code::kOk, "old"},
      {"no content", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", Code::kOk, ""},
      {"interim answers",
       "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n"
       "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
       Code::kOk, "x"},
      {"chunks", chunked + "3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n", Code::kOk, "abc0123456789"},
      {"nothing", "", Code::kUnavailable, ""},
      {"half a head", "HTTP/1.1 200 OK\r\nContent-", Code::kUnavailable, ""},
      {"half a body", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhi", Code::kUnavailable, ""},
      {"half a chunk", chunked + "5\r\nab", Code::kUnavailable, ""},
      {"no last chunk", chunked + "2\r\nab\r\n", Code::kUnavailable, ""},
      {"not HTTP", "SSH-2.0-OpenSSH\r\n\r\n", Code::kInvalidArgument, ""},
      {"bad status", "HTTP/1.1 2x0 OK\r\n\r\n", Code::kInvalidArgument, ""},
      {"bad chunk", chunked + "zz\r\n", Code::kInvalidArgument, ""},
      {"chunk without line end", chunked + "2\r\nabc\r\n", Code::kInvalidArgument, ""},
      {"length and chunks",
       "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n",
       Code::kInvalidArgument, ""},
      {"switching", "HTTP/1.1 101 Switching Protocols\r\n\r\n", Code::kInvalidArgument, ""},
      {"large head", "HTTP/1.1 200 OK\r\nA: " + std::string(1100, 'x') + "\r\n\r\n",
       Code::kResourceExhausted, ""},
  }));
  CAPTURE(c.name);
  Loopback loopback;
  RawListener listener;
  const std::unique_ptr<Transport> client = ClientOf(*loopback.io, listener.port());
  auto serve = [&] {
    RawSocket socket = listener.Accept();
    socket.ReadUntil("\r\n\r\n");
    socket.Send(c.answer);
    return std::string();
  };
  const bool open = GENERATE(false, true);
  auto fetch = [&]() -> Awaitable<void> {
    const absl::StatusOr<Response> response = co_await client->Fetch(Get("/"));
    CHECK(response.status().code() == c.code);
    if (response.ok()) CHECK(response->body == c.body);
  };
  auto stream = [&]() -> Awaitable<void> {
    absl::StatusOr<Response> response = co_await client->Open(Get("/"));
    Drained drained;
    drained.end = response.status();
    if (response.ok()) drained = co_await Drain(*response->stream);
    CHECK(drained.end.code() == c.code);
    if (drained.end.ok()) CHECK(drained.bytes == c.body);
  };
  RunWith(loopback, serve, open ? stream() : fetch());
}

// Answers one request on a kept-alive connection, takes a second one and closes without a word;
// then serves what comes on a new connection, if anything does before the listener's test ends.
TEST_CASE("client: only what may be repeated is sent again on a fresh connection", "[net]") {
  struct Case {
    std::string method;
    bool repeated;
  };
  const Case c = GENERATE(values<Case>({{"GET", true}, {"HEAD", true}, {"POST", false}}));
  CAPTURE(c.method);
  Loopback loopback;
  RawListener listener;
  const std::unique_ptr<Transport> client = ClientOf(*loopback.io, listener.port());
  const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  auto serve = [&] {
    {
      RawSocket socket = listener.Accept();
      socket.ReadUntil("\r\n\r\n");
      socket.Send(answer);
      socket.ReadUntil("\r\n\r\n");
    }
    if (c.repeated) {
      RawSocket socket = listener.Accept();
      socket.ReadUntil("\r\n\r\n");
      socket.Send(answer);
    }
    return std::string();
  };
  auto work = [&]() -> Awaitable<void> {
    const Response first = co_await MustFetch(*client, Get("/1"));
    CHECK(first.status == 200);
    Request again = Get("/2");
    again.method = c.method;
    const absl::StatusOr<Response> second = co_await client->Fetch(std::move(again));
    CHECK(second.status().code() ==
          (c.repeated ? absl::StatusCode::kOk : absl::StatusCode::kUnavailable));
  };
  RunWith(loopback, serve, work());
}

TEST_CASE("client: a connection found closed is not used, whatever the method", "[net]") {
  Loopback loopback;
  RawListener listener;
  const std::unique_ptr<Transport> client = ClientOf(*loopback.io, listener.port());
  const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  auto serve_one = [&] {
    RawSocket socket = listener.Accept();
    socket.ReadUntil("\r\n\r\n");
    socket.Send(answer);
    return std::string();
  };
  auto work = [&]() -> Awaitable<void> {
    for (int i = 0; i < 3; ++i) {
      const Promised<bool> served(*loopback.io);
      auto threaded = [&]() -> Awaitable<void> {
        co_await OnThread(*loopback.io, serve_one);
        served.Set(true);
      };
      Spawn(*loopback.io, threaded());
      const Response response = co_await MustFetch(*client, Post("/", "x"));
      CHECK(response.status == 200);
      co_await served.Wait();  // The server has closed the connection that the pool still holds.
    }
  };
  loopback.Run(work());
}

// A server that never answers /wait, and a client with one connection to it.
struct PatientBed {
  explicit PatientBed(bool tls = false) {
    ServerOptions server;
    server.tls = tls;
    loopback.Serve(server, [this](Request request) -> Awaitable<Response> {
      targets.push_back(request.target);
      if (request.target == "/wait") {
        started.Set(true);
        co_await Sleep(*loopback.io, absl::Hours(1));
      }
      co_return Response();
    });
    ClientOptions options;
    options.connections_max = 1;
    client = loopback.Client(options);
  }

  Loopback loopback;
  Promised<bool> started{*loopback.io};  // Somebody waits.
  std::vector<std::string> targets;      // Of what came to the server.
  std::unique_ptr<Transport> client;
};

TEST_CASE("client: the deadline holds for the answer and in the queue", "[net]") {
  const bool tls = GENERATE(false, true);
  PatientBed bed(tls);
  const Promised<bool> first_done(*bed.loopback.io);
  auto waits = [&]() -> Awaitable<void> {
    Request request = Get("/wait");
    request.timeout = absl::Milliseconds(100);
    const absl::StatusOr<Response> response = co_await bed.client->Fetch(std::move(request));
    CHECK(response.status().code() == absl::StatusCode::kDeadlineExceeded);
    CHECK(absl::StrContains(response.status().message(), "100ms"));
    first_done.Set(true);
  };
  auto work = [&]() -> Awaitable<void> {
    Spawn(*bed.loopback.io, waits());
    co_await bed.started.Wait();
    Request queued = Get("/");
    queued.timeout = absl::Milliseconds(10);
    const absl::StatusOr<Response> late = co_await bed.client->Fetch(std::move(queued));
    CHECK(late.status().code() == absl::StatusCode::kDeadlineExceeded);
    CHECK(absl::StrContains(late.status().message(), "not sent"));
    co_await first_done.Wait();
    const Response after = co_await MustFetch(*bed.client, Get("/"));  // The place is free again.
    CHECK(after.status == 200);
  };
  bed.loopback.Run(work());
}

TEST_CASE("client: cancel ends a call in the queue, in flight and in its stream", "[net]") {
  const bool tls = GENERATE(false, true);
  PatientBed bed(tls);
  std::vector<absl::StatusCode> ends;
  const Promised<bool> all_done(*bed.loopback.io);
  auto fetch = [&](Request request) -> Awaitable<void> {
    const absl::StatusOr<Response> response = co_await bed.client->Fetch(std::move(request));
    ends.push_back(response.status().code());
    if (ends.size() == 2) all_done.Set(true);
  };
  auto work = [&]() -> Awaitable<void> {
    Request flying = Get("/wait"), queued = Get("/wait");
    const CancelToken flying_token = flying.cancel, queued_token = queued.cancel;
    Spawn(*bed.loopback.io, fetch(std::move(flying)));
    co_await bed.started.Wait();
    Spawn(*bed.loopback.io, fetch(std::move(queued)));
    co_await Sleep(*bed.loopback.io, absl::ZeroDuration());
    queued_token.Cancel();
    flying_token.Cancel();
    CHECK(ends.empty());  // Nobody is resumed inside Cancel.
    co_await all_done.Wait();
    CHECK(ends == std::vector<absl::StatusCode>(2, absl::StatusCode::kCancelled));
    const Response after = co_await MustFetch(*bed.client, Get("/"));
    CHECK(after.status == 200);
  };
  bed.loopback.Run(work());
}

TEST_CASE("client: nobody listening is unavailable and not sent", "[net]") {
  Loopback loopback;
  uint16_t port = 0;
  {
    RawListener listener;
    port = listener.port();
  }
  const std::unique_ptr<Transport> client = ClientOf(*loopback.io, port);
  auto work = [&]() -> Awaitable<void> {
    const absl::StatusOr<Response> response = co_await client->Fetch(Get("/"));
    CHECK(response.status().code() == absl::StatusCode::kUnavailable);
    CHECK(absl::StrContains(response.status().message(), "not sent"));
    CHECK(absl::StrContains(response.status().message(), StrCat("127.0.0.1:", port)));
  };
  loopback.Run(work());
}

TEST_CASE("client: a server that accepts but never shakes hands runs into the limit", "[net]") {
  Loopback loopback;
  RawListener listener;
  ClientOptions options;
  options.host = "127.0.0.1";
  options.port = listener.port();
  options.tls = test::TlsForClient();
  options.connect_timeout = absl::Milliseconds(30);
  absl::StatusOr<std::unique_ptr<Transport>> client = MakeHttpClient(*loopback.io, options);
  REQUIRE(client.ok());
  auto work = [&]() -> Awaitable<void> {
    const absl::StatusOr<Response> response = co_await (*client)->Fetch(Get("/"));
    CHECK(response.status().code() == absl::StatusCode::kUnavailable);
    CHECK(absl::StrContains(response.status().message(), "no connection within 30ms"));
  };
  loopback.Run(work());
}

TEST_CASE("client: its end ends every call", "[net]") {
  const bool tls = GENERATE(false, true);
  PatientBed bed(tls);
  std::vector<absl::StatusCode> ends;
  const Promised<bool> all_done(*bed.loopback.io);
  auto fetch = [&]() -> Awaitable<void> {
    const absl::StatusOr<Response> response = co_await bed.client->Fetch(Get("/wait"));
    ends.push_back(response.status().code());
    if (ends.size() == 3) all_done.Set(true);
  };
  auto work = [&]() -> Awaitable<void> {
    for (int i = 0; i < 3; ++i) Spawn(*bed.loopback.io, fetch());
    co_await bed.started.Wait();
    bed.client.reset();
    co_await all_done.Wait();
    CHECK(ends == std::vector<absl::StatusCode>(3, absl::StatusCode::kUnavailable));
  };
  bed.loopback.Run(work());
}

TEST_CASE("client: a dropped call frees its connection's place", "[net]") {
  PatientBed bed;
  auto work = [&]() -> Awaitable<void> {
    std::optional<Awaitable<absl::StatusOr<Response>>> call = bed.client->Fetch(Get("/wait"));
    call->await_suspend(std::noop_coroutine()).resume();
    co_await bed.started.Wait();
    call.reset();
    const Response after = co_await MustFetch(*bed.client, Get("/"));
    CHECK(after.status == 200);
  };
  bed.loopback.Run(work());
}

TEST_CASE("client: who may not send any more once its turn has come sends nothing", "[net]") {
  struct Case {
    std::string waits_for;
    std::vector<std::string> targets;
  };
  const Case c = GENERATE(values<Case>({
      {"its connection", {"/after"}},
      {"another call", {"/wait", "/after"}},
  }));
  CAPTURE(c.waits_for);
  PatientBed bed(true);
  bool may = true;
  Request other = Get("/wait");
  const CancelToken other_token = other.cancel;
  auto wait = [&]() -> Awaitable<void> {
    const absl::StatusOr<Response> response = co_await bed.client->Fetch(std::move(other));
    CHECK(absl::IsCancelled(response.status()));
  };
  auto turn = [&]() -> Awaitable<void> {
    may = false;
    other_token.Cancel();
    co_return;
  };
  auto work = [&]() -> Awaitable<void> {
    if (c.waits_for == "another call") {
      Spawn(*bed.loopback.io, wait());
      co_await bed.started.Wait();
    }
    Spawn(*bed.loopback.io, turn());
    Request held = Post("/held", "x");
    held.may_send = [&may] { return may; };
    const absl::StatusOr<Response> response = co_await bed.client->Fetch(std::move(held));
    CHECK(absl::IsFailedPrecondition(response.status()));
    CHECK(absl::EndsWith(response.status().message(), "not sent"));
    const Response after = co_await MustFetch(*bed.client, Get("/after"));
    CHECK(after.status == 200);
    CHECK(bed.targets == c.targets);
  };
  bed.loopback.Run(work());
}

TEST_CASE("client: a connection whose request was held back serves the next one", "[net]") {
  Loopback loopback;
  RawListener listener;
  const std::unique_ptr<Transport> client = ClientOf(*loopback.io, listener.port());
  std::string got;
  auto serve = [&] {
    RawSocket socket = listener.Accept();  // The only one.
    got = socket.ReadUntil("\r\n\r\n");
    socket.Send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    return std::string();
  };
  auto work = [&]() -> Awaitable<void> {
    int asked = 0;
    for (int i = 0; i < 2; ++i) {
      const bool may = i == 1;
      Request request = Post(may ? "/sent" : "/held", "");
      request.timeout = absl::Seconds(20);
      request.may_send = [&asked, may] {
        ++asked;
        return may;
      };
      const absl::StatusOr<Response> response = co_await client->Fetch(std::move(request));
      CHECK(response.status().code() ==
            (may ? absl::StatusCode::kOk : absl::StatusCode::kFailedPrecondition));
    }
    CHECK(asked == 2);
  };
  RunWith(loopback, serve, work());
  CHECK(got.substr(0, got.find(' ', 5)) == "POST /sent");
}

TEST_CASE("client: whether it may be sent is asked again before it is repeated", "[net]") {
  Loopback loopback;
  RawListener listener;
  const std::unique_ptr<Transport> client = ClientOf(*loopback.io, listener.port());
  auto serve = [&] {
    RawSocket socket = listener.Accept();
    socket.ReadUntil("\r\n\r\n");
    socket.Send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    socket.ReadUntil("\r\n\r\n");
    return std::string();
  };
  auto work = [&]() -> Awaitable<void> {
    const Response first = co_await MustFetch(*client, Get("/1"));
    CHECK(first.status == 200);
    int asked = 0;
    Request second = Get("/2");
    second.may_send = [&asked] { return ++asked == 1; };
    const absl::StatusOr<Response> response = co_await client->Fetch(std::move(second));
    CHECK(absl::IsFailedPrecondition(response.status()));
    CHECK(asked == 2);
  };
  RunWith(loopback, serve, work());
}

}  // namespace
}  // namespace bth::net
