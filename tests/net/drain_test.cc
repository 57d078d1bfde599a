// The orderly end of a server.
#include <memory>
#include <optional>
#include <string>

#include "tests/net/loopback.h"

namespace bth::net {
namespace {

using test::Get;
using test::Loopback;
using test::MustFetch;

ServerOptions DrainOptions(bool tls) {
  ServerOptions options;
  options.tls = tls;
  return options;
}

TEST_CASE("server: an orderly end waits for the answers under way", "[net][drain]") {
  const bool tls = GENERATE(false, true);
  Loopback loopback;
  Executor& io = *loopback.io;
  Promised<bool> begun(io);
  Promised<bool> go_on(io);
  loopback.Serve(DrainOptions(tls), [&](Request) -> Awaitable<Response> {
    begun.Set(true);
    co_await go_on.Wait();
    Response response;
    response.body = "whole";
    co_return response;
  });
  const std::unique_ptr<Transport> client = loopback.Client();
  std::optional<Response> answer;
  const auto fetch = [&]() -> Awaitable<void> {
    Request request = Get("/slow");
    answer = co_await MustFetch(*client, std::move(request));
  };
  const auto work = [&]() -> Awaitable<void> {
    Spawn(io, fetch());
    co_await begun.Wait();
    io.Post([&] { go_on.Set(true); });
    const bool drained = co_await loopback.server->Drain(absl::Seconds(30));
    CHECK(drained);
    while (!answer.has_value()) co_await Sleep(io, absl::Milliseconds(1));
  };
  loopback.Run(work());
  REQUIRE(answer.has_value());
  CHECK(answer->body == "whole");
  CHECK(answer->headers.Get("Connection") == "close");
}

TEST_CASE("server: an orderly end closes idle connections and takes no others", "[net][drain]") {
  Loopback loopback;
  loopback.Serve(DrainOptions(false), [](Request) -> Awaitable<Response> { co_return Response(); });
  const std::unique_ptr<Transport> client = loopback.Client();
  const auto work = [&]() -> Awaitable<void> {
    Request request = Get("/");
    const Response first = co_await MustFetch(*client, std::move(request));
    CHECK(first.status == 200);
    const bool drained = co_await loopback.server->Drain(absl::Seconds(30));
    CHECK(drained);
    Request again = Get("/");
    const absl::StatusOr<Response> refused = co_await client->Fetch(std::move(again));
    CHECK(refused.status().code() == absl::StatusCode::kUnavailable);
  };
  loopback.Run(work());
}

TEST_CASE("server: an orderly end has a limit", "[net][drain]") {
  Loopback loopback;
  Executor& io = *loopback.io;
  Promised<bool> begun(io);
  loopback.Serve(DrainOptions(false), [&](Request) -> Awaitable<Response> {
    begun.Set(true);
    co_await Sleep(io, absl::Minutes(10));
    co_return Response();
  });
  const std::unique_ptr<Transport> client = loopback.Client();
  const auto fetch = [&]() -> Awaitable<void> {
    Request request = Get("/");
    const absl::StatusOr<Response> lost = co_await client->Fetch(std::move(request));
    CHECK_FALSE(lost.ok());
  };
  const auto work = [&]() -> Awaitable<void> {
    Spawn(io, fetch());
    co_await begun.Wait();
    const bool drained = co_await loopback.server->Drain(absl::Milliseconds(20));
    CHECK_FALSE(drained);
    loopback.server.reset();
    co_await Sleep(io, absl::Milliseconds(5));
  };
  loopback.Run(work());
}

TEST_CASE("server: a body that is too large is told of in the words that were given",
          "[net][limits]") {
  Loopback loopback;
  ServerOptions options = DrainOptions(false);
  options.body_bytes_max = 10;
  options.body_too_large = "request body too large";
  loopback.Serve(options, [](Request) -> Awaitable<Response> { co_return Response(); });
  const std::unique_ptr<Transport> client = loopback.Client();
  const auto work = [&]() -> Awaitable<void> {
    Request request = test::Post("/", std::string(11, 'x'));
    const Response response = co_await MustFetch(*client, std::move(request));
    CHECK(response.status == 413);
    CHECK(response.body == "request body too large\n");
  };
  loopback.Run(work());
}

}  // namespace
}  // namespace bth::net
