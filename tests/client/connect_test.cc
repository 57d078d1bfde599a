#include "client/connect.h"

#include "net/io_context.h"
#include "net/server.h"
#include "tests/client/fake_server.h"
#include "tests/support/catch.h"

namespace bth::client {
namespace {

using testing::Answer;

// Runs `work` on a real event loop; gives up after ten seconds.
template <typename T>
std::optional<T> RunReal(net::IoContext& io, net::Awaitable<T> work) {
  std::optional<T> result;
  auto run = [](net::Awaitable<T> w, std::optional<T>* r,
                net::IoContext* loop) -> net::Awaitable<void> {
    r->emplace(co_await std::move(w));
    loop->Stop();
  };
  net::Spawn(io, run(std::move(work), &result, &io));
  io.Post([&io] { io.RunAfter(absl::Seconds(10), [&io] { io.Stop(); }); });
  io.Run();
  return result;
}

ClientConfig Loopback(uint16_t port) {
  ClientConfig config;
  config.server.host = "127.0.0.1";
  config.server.port = port;
  config.server.path_prefix = "/prefix";
  return config;
}

TEST_CASE("connect: a list and a watch go over a socket", "[client]") {
  const std::unique_ptr<net::IoContext> io = net::IoContext::Create();
  std::vector<std::string> targets;
  auto feed = std::make_shared<testing::Feed>(*io);
  auto handler = [&](net::Request request) -> net::Awaitable<net::Response> {
    targets.push_back(request.target);
    const bool watch = request.target.find("watch=true") != std::string::npos;
    co_return watch ? testing::Stream(feed) : Answer(200, "{\"items\":[]}");
  };
  auto server = net::StartServer(*io, {}, handler);
  REQUIRE(server.ok());
  auto api = Connect(*io, Loopback((*server)->port()), {});
  REQUIRE(api.ok());
  auto talk = [](ApiClient& client, testing::Feed& source) -> net::Awaitable<std::string> {
    ApiPath path{"pods", "/api/v1/pods"};
    ListOptions all;
    const ApiClient::Text list = co_await client.List(path, all);
    if (!list.ok()) co_return list.status().ToString();
    WatchOptions from_now;
    absl::StatusOr<WatchStream> stream = co_await client.Watch(path, from_now);
    if (!stream.ok()) co_return stream.status().ToString();
    source.Push("{\"one\"}\n{\"tw");
    source.Push("o\"}\n");
    std::string seen = *list;
    for (int i = 0; i < 2; ++i) {
      const absl::StatusOr<std::optional<std::string>> line = co_await stream->Next();
      seen += line.ok() ? line->value_or("end") : line.status().ToString();
    }
    co_return seen;
  };
  const auto seen = RunReal(*io, talk(**api, *feed));
  CHECK(seen == "{\"items\":[]}{\"one\"}{\"two\"}");
  CHECK(targets ==
        std::vector<std::string>{"/prefix/api/v1/pods?limit=500",
                                 "/prefix/api/v1/pods?watch=true&allowWatchBookmarks=true"});
}

TEST_CASE("connect: missing certificate files are told at once", "[client]") {
  const std::unique_ptr<net::IoContext> io = net::IoContext::Create();
  ClientConfig config = Loopback(1);
  config.server.tls = true;
  config.ca.file = "/nonexistent/ca.crt";
  const auto api = Connect(*io, config, {});
  CHECK_THAT(std::string(api.status().message()), Catch::Contains("/nonexistent/ca.crt"));
}

TEST_CASE("connect: a credential program runs beside the event loop", "[client]") {
  const std::unique_ptr<net::IoContext> io = net::IoContext::Create();
  ProcessRunner runner(*io);
  ProcessRequest request;
  request.command = "sh";
  request.args = {"-c", "echo token"};
  const auto output = RunReal(*io, runner.Run(request));
  REQUIRE(output.has_value());
  CHECK(output->value() == "token\n");
}

TEST_CASE("connect: going away while a credential program runs kills it", "[client]") {
  const std::unique_ptr<net::IoContext> io = net::IoContext::Create();
  const absl::Time begun = absl::Now();
  {
    ProcessRunner runner(*io);
    ProcessRequest request;
    request.command = "sleep";
    request.args = {"60"};
    net::Awaitable<absl::StatusOr<std::string>> run = runner.Run(request);
    run.await_suspend(std::noop_coroutine()).resume();
  }
  CHECK(absl::Now() - begun < absl::Seconds(30));
}

}  // namespace
}  // namespace bth::client
