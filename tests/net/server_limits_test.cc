// The server against clients that are slow, wrong, greedy or gone.
#include <vector>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "tests/net/loopback.h"

namespace bth::net {
namespace {

using test::Get;
using test::Loopback;
using test::MustFetch;
using test::OnThread;
using test::RawSocket;

Awaitable<Response> EchoInBrackets(Request request) {
  Response response;
  response.body = StrCat("<", request.method, " ", request.target, " ", request.body, ">");
  co_return response;
}

// Sends `bytes` and returns what came back until the server closed.
std::string Converse(uint16_t port, const std::string& bytes) {
  RawSocket socket(port);
  socket.Send(bytes);
  return socket.ReadAll();
}

TEST_CASE("server: what is wrong with a request decides the answer", "[net]") {
  struct Case {
    std::string name, sent, begins, contains;
  };
  const std::string host = "Host: a\r\n";
  const std::string close = "Connection: close\r\n";
  const std::string chunked = "Transfer-Encoding: chunked\r\n";
  const Case c = GENERATE_COPY(values<Case>({
      {"plain", "GET /x HTTP/1.1\r\n" + host + close + "\r\n", "HTTP/1.1 200 OK\r\n", "<GET /x >"},
      {"old version", "GET /x HTTP/1.0\r\n\r\n", "HTTP/1.1 200", "Connection: close"},
      {"empty line first", "\r\n\r\nGET /x HTTP/1.1\r\n" + host + close + "\r\n", "HTTP/1.1 200",
       "<GET /x >"},
      {"absolute target", "GET http://a/b?c HTTP/1.1\r\n" + host + close + "\r\n", "HTTP/1.1 200",
       "<GET /b?c >"},
      {"two at once",
       "GET /1 HTTP/1.1\r\n" + host + "\r\nPOST /2 HTTP/1.1\r\n" + host + close +
           "Content-Length: 2\r\n\r\nhi",
       "HTTP/1.1 200", "<POST /2 hi>"},
      {"chunks",
       "POST /x HTTP/1.1\r\n" + host + close + chunked +
           "\r\n3\r\nabc\r\n2;ext=1\r\nde\r\n0\r\nTrailer: x\r\n\r\n",
       "HTTP/1.1 200", "<POST /x abcde>"},
      {"not HTTP", "hello\r\n\r\n", "HTTP/1.1 400", "malformed"},
      {"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP/1.1 400", "version"},
      {"no host", "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400", "Host"},
      {"two hosts", "GET / HTTP/1.1\r\n" + host + host + "\r\n", "HTTP/1.1 400", "Host"},
      {"space before colon", "GET / HTTP/1.1\r\n" + host + "A : b\r\n\r\n", "HTTP/1.1 400", "name"},
      {"folded line", "GET / HTTP/1.1\r\n" + host + "A: b\r\n c\r\n\r\n", "HTTP/1.1 400", "colon"},
      {"two lengths",
       "POST / HTTP/1.1\r\n" + host + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
       "HTTP/1.1 400", "two different"},
      {"negative length", "POST / HTTP/1.1\r\n" + host + "Content-Length: -1\r\n\r\n",
       "HTTP/1.1 400", "number"},
      {"length and chunks",
       "POST / HTTP/1.1\r\n" + host + chunked + "Content-Length: 1\r\n\r\n0\r\n\r\n",
       "HTTP/1.1 400", "Transfer-Encoding"},
      {"unknown coding", "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip\r\n\r\n",
       "HTTP/1.1 501", "chunked"},
      {"bad chunk", "POST / HTTP/1.1\r\n" + host + chunked + "\r\nxyz\r\n", "HTTP/1.1 400",
       "chunked coding"},
      {"endless chunk size", "POST / HTTP/1.1\r\n" + host + chunked + "\r\n" + std::string(40, '1'),
       "HTTP/1.1 400", "chunked coding"},
      {"large head", "GET / HTTP/1.1\r\n" + host + "A: " + std::string(3000, 'x') + "\r\n\r\n",
       "HTTP/1.1 431", "larger than 2000"},
      {"endless head", "GET / HTTP/1.1\r\nA: " + std::string(3000, 'x'), "HTTP/1.1 431",
       "larger than 2000"},
      {"large body", "POST / HTTP/1.1\r\n" + host + "Content-Length: 101\r\n\r\n", "HTTP/1.1 413",
       "larger than 100"},
      {"large chunks",
       "POST / HTTP/1.1\r\n" + host + chunked + "\r\n80\r\n" + std::string(128, 'x') + "\r\n",
       "HTTP/1.1 413", "larger than 100"},
  }));
  CAPTURE(c.name);
  Loopback loopback;
  ServerOptions options;
  options.header_bytes_max = 2000;
  options.body_bytes_max = 100;
  loopback.Serve(options, EchoInBrackets);
  std::string got;
  auto work = [&]() -> Awaitable<void> {
    auto talk = [&] { return Converse(loopback.server->port(), c.sent); };
    got = co_await OnThread(*loopback.io, talk);
  };
  loopback.Run(work());
  CAPTURE(got);
  CHECK(absl::StartsWith(got, c.begins));
  CHECK(absl::StrContains(got, c.contains));
}

TEST_CASE("server: a client that waits for 100 Continue gets it", "[net]") {
  Loopback loopback;
  loopback.Serve(ServerOptions(), EchoInBrackets);
  std::string got;
  auto work = [&]() -> Awaitable<void> {
    auto talk = [&] {
      RawSocket socket(loopback.server->port());
      socket.Send(
          "PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n"
          "Connection: close\r\n\r\n");
      const std::string interim = socket.ReadUntil("\r\n\r\n");
      socket.Send("body");
      return interim + "|" + socket.ReadAll();
    };
    got = co_await OnThread(*loopback.io, talk);
  };
  loopback.Run(work());
  CHECK(absl::StartsWith(got, "HTTP/1.1 100 Continue\r\n\r\n|HTTP/1.1 200 OK\r\n"));
  CHECK(absl::StrContains(got, "<PUT /x body>"));
}

TEST_CASE("server: slow clients are cut off", "[net]") {
  struct Case {
    std::string name, sent, begins;
  };
  const Case c = GENERATE(values<Case>({
      {"silent from the start", "", ""},
      {"half a head", "GET / HTTP/1.1\r\nHost:", "HTTP/1.1 408"},
      {"half a body", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc", "HTTP/1.1 408"},
      {"silent after a request", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200"},
  }));
  CAPTURE(c.name);
  Loopback loopback;
  ServerOptions options;
  options.header_timeout = absl::Milliseconds(30);
  options.read_timeout = absl::Milliseconds(30);
  options.idle_timeout = absl::Milliseconds(30);
  loopback.Serve(options, EchoInBrackets);
  std::string got;
  auto work = [&]() -> Awaitable<void> {
    auto talk = [&] { return Converse(loopback.server->port(), c.sent); };
    got = co_await OnThread(*loopback.io, talk);
  };
  loopback.Run(work());
  CAPTURE(got);
  CHECK(c.begins.empty() == got.empty());
  CHECK(absl::StartsWith(got, c.begins));
}

TEST_CASE("server: one connection too many is told so", "[net]") {
  const bool tls = GENERATE(false, true);
  Loopback loopback;
  ServerOptions options;
  options.connections_max = 2;
  options.tls = tls;
  loopback.Serve(options, EchoInBrackets);
  std::vector<std::unique_ptr<Transport>> clients;
  for (int i = 0; i < 3; ++i) clients.push_back(loopback.Client());
  auto work = [&]() -> Awaitable<void> {
    for (const int i : {0, 1}) {
      const Response served = co_await MustFetch(*clients[static_cast<size_t>(i)], Get("/"));
      CHECK(served.status == 200);
    }
    const Response refused = co_await MustFetch(*clients[2], Get("/"));
    CHECK(refused.status == 503);
    CHECK(refused.headers.Get("Retry-After") == "1");
    clients[0].reset();
    // The server notices the closed connection at some turn of the loop.
    int status = 503;
    for (int i = 0; i < 1000 && status == 503; ++i) {
      const Response later = co_await MustFetch(*clients[2], Get("/"));
      status = later.status;
    }
    CHECK(status == 200);
  };
  loopback.Run(work());
}

// Sets a promise when it ends.
class TellsItsEnd {
 public:
  explicit TellsItsEnd(const Promised<bool>& ended) : ended_(ended) {}
  TellsItsEnd(TellsItsEnd&& other) noexcept : ended_(std::exchange(other.ended_, std::nullopt)) {}
  ~TellsItsEnd() {
    if (ended_) ended_->Set(true);
  }

 private:
  std::optional<Promised<bool>> ended_;
};

class EndlessStream final : public ByteStream {
 public:
  EndlessStream(Executor& executor, Promised<bool> ended, size_t quiet_after, size_t& pieces)
      : executor_(executor), ended_(ended), quiet_after_(quiet_after), pieces_(pieces) {}
  Awaitable<absl::StatusOr<std::optional<std::string>>> Next() override {
    while (pieces_ >= quiet_after_) co_await Sleep(executor_, absl::Hours(1));
    ++pieces_;
    co_return std::optional<std::string>(std::string(1 << 16, 'x'));
  }

 private:
  Executor& executor_;
  TellsItsEnd ended_;
  const size_t quiet_after_;
  size_t& pieces_;
};

TEST_CASE("server: a handler ends when its client goes", "[net]") {
  Loopback loopback;
  Executor& executor = *loopback.io;
  const Promised<bool> started(executor);
  const Promised<bool> ended(executor);
  loopback.Serve(ServerOptions(), [&](Request) -> Awaitable<Response> {
    TellsItsEnd tells(ended);
    started.Set(true);
    co_await Sleep(executor, absl::Hours(1));
    co_return Response();
  });
  auto work = [&]() -> Awaitable<void> {
    RawSocket socket(loopback.server->port());
    socket.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    co_await started.Wait();
    CHECK_FALSE(ended.is_set());
    socket.Close();
    co_await ended.Wait();  // Else the test runs into its time limit.
  };
  loopback.Run(work());
}

TEST_CASE("server: a stream ends when its client goes, also between two pieces", "[net]") {
  Loopback loopback;
  Executor& executor = *loopback.io;
  const Promised<bool> ended(executor);
  size_t pieces = 0;
  const size_t quiet_after = GENERATE(size_t{0}, size_t{1}, SIZE_MAX);
  loopback.Serve(ServerOptions(), [&](Request) -> Awaitable<Response> {
    Response response;
    response.stream = std::make_unique<EndlessStream>(executor, ended, quiet_after, pieces);
    co_return response;
  });
  auto work = [&]() -> Awaitable<void> {
    auto talk = [&] {
      RawSocket socket(loopback.server->port());
      socket.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      return socket.ReadUntil("\r\n\r\n");
    };
    const std::string head = co_await OnThread(*loopback.io, talk);
    CHECK(absl::StrContains(head, "Transfer-Encoding: chunked"));
    co_await ended.Wait();  // Else the test runs into its time limit.
  };
  loopback.Run(work());
}

TEST_CASE("server: a client that does not read holds the stream back, then loses it", "[net]") {
  Loopback loopback;
  Executor& executor = *loopback.io;
  const Promised<bool> ended(executor);
  size_t pieces = 0;
  ServerOptions options;
  options.write_timeout = absl::Milliseconds(50);
  loopback.Serve(options, [&](Request) -> Awaitable<Response> {
    Response response;
    response.stream = std::make_unique<EndlessStream>(executor, ended, SIZE_MAX, pieces);
    co_return response;
  });
  auto work = [&]() -> Awaitable<void> {
    RawSocket socket(loopback.server->port());
    socket.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    co_await ended.Wait();  // Else the test runs into its time limit.
  };
  loopback.Run(work());
  CHECK(pieces < 1000);  // What the kernel buffers, some megabytes; never without bound.
}

TEST_CASE("server: streams to old clients end with the connection", "[net]") {
  Loopback loopback;
  loopback.Serve(ServerOptions(), [](Request) -> Awaitable<Response> {
    class Once final : public ByteStream {
     public:
      Awaitable<absl::StatusOr<std::optional<std::string>>> Next() override {
        if (std::exchange(done_, true)) co_return std::optional<std::string>();
        co_return std::optional<std::string>("piece");
      }

     private:
      bool done_ = false;
    };
    Response response;
    response.stream = std::make_unique<Once>();
    co_return response;
  });
  std::string got;
  auto work = [&]() -> Awaitable<void> {
    auto talk = [&] {
      return Converse(loopback.server->port(), "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    };
    got = co_await OnThread(*loopback.io, talk);
  };
  loopback.Run(work());
  CHECK(absl::StrContains(got, "Connection: close\r\n\r\npiece"));
  CHECK_FALSE(absl::StrContains(got, "chunked"));
}

TEST_CASE("server: its end destroys handlers, and clients hear of it", "[net]") {
  const bool tls = GENERATE(false, true);
  Loopback loopback;
  Executor& executor = *loopback.io;
  const Promised<bool> started(executor);
  const Promised<bool> ended(executor);
  ServerOptions options;
  options.tls = tls;
  loopback.Serve(options, [&](Request) -> Awaitable<Response> {
    TellsItsEnd tells(ended);
    started.Set(true);
    co_await Sleep(executor, absl::Hours(1));
    co_return Response();
  });
  const std::unique_ptr<Transport> client = loopback.Client();
  auto stops = [&]() -> Awaitable<void> {
    co_await started.Wait();
    loopback.server.reset();
    CHECK(ended.is_set());
  };
  auto work = [&]() -> Awaitable<void> {
    Spawn(executor, stops());
    const absl::StatusOr<Response> response = co_await client->Fetch(Get("/"));
    CHECK(response.status().code() == absl::StatusCode::kUnavailable);
    const absl::StatusOr<Response> later = co_await client->Fetch(Get("/"));
    CHECK(later.status().code() == absl::StatusCode::kUnavailable);
    CHECK(absl::StrContains(later.status().message(), "not sent"));
  };
  loopback.Run(work());
}

}  // namespace
}  // namespace bth::net
