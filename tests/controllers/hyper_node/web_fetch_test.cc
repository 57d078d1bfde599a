// How the process asks servers for its controllers, on a real loop.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "base/strings.h"
#include "cmd/common/controller_tools.h"
#include "net/io_context.h"
#include "net/server.h"
#include "tests/support/catch.h"

namespace bth::controllers {
namespace {

constexpr absl::Duration kHang = absl::Milliseconds(200);

class FetchBed {
 public:
  FetchBed() {
    net::ServerOptions options;
    options.address = "127.0.0.1";
    auto started = net::StartServer(
        *io_, options, [this](net::Request request) { return Serve(std::move(request)); });
    REQUIRE(started.status().ToString() == "OK");
    server_ = *std::move(started);
  }
  absl::StatusOr<std::string> Ask(const std::string& path) {
    WebRequest request;
    request.url = StrCat("http://127.0.0.1:", server_->port(), path);
    request.username = "admin";
    request.password = "hush";
    request.timeout = absl::Milliseconds(50);
    request.response_bytes_max = 100;
    std::optional<absl::StatusOr<std::string>> answer;
    net::Spawn(*io_, AskAndStop(std::move(request), &answer));
    io_->Run();
    REQUIRE(answer.has_value());
    return *answer;
  }

 private:
  net::Awaitable<void> AskAndStop(WebRequest request,
                                  std::optional<absl::StatusOr<std::string>>* answer) {
    const ControllerTools tools = cmd::MakeControllerTools(*io_);
    absl::StatusOr<std::string> got = co_await tools.fetch(std::move(request));
    *answer = std::move(got);
    if (!(*answer)->ok()) co_await net::Sleep(*io_, kHang);  // The server is done, too.
    io_->Stop();
  }
  net::Awaitable<net::Response> Serve(net::Request request) {
    net::Response response;
    if (request.target == "/hang") co_await net::Sleep(*io_, kHang);
    if (request.target == "/flood") response.body = std::string(200, 'x');
    if (request.target == "/broken") response.status = 500;
    if (request.target == "/echo") {
      response.body =
          StrCat(request.method, " ", std::string(request.headers.Get("authorization")));
    }
    co_return std::move(response);
  }

  std::unique_ptr<net::IoContext> io_ = net::IoContext::Create();
  std::unique_ptr<net::Server> server_;
};

TEST_CASE("web fetch: a GET with the login", "[controllers][hyper_node]") {
  FetchBed bed;
  const auto answer = bed.Ask("/echo");
  INFO(answer.status().ToString());
  REQUIRE(answer.ok());
  CHECK(*answer == StrCat("GET Basic ", absl::Base64Escape("admin:hush")));
}

TEST_CASE("web fetch: each failure has its code", "[controllers][hyper_node]") {
  struct Case {
    std::string path;
    absl::StatusCode code;
  };
  const Case c = GENERATE(values<Case>({
      {"/hang", absl::StatusCode::kDeadlineExceeded},
      {"/flood", absl::StatusCode::kResourceExhausted},
      {"/broken", absl::StatusCode::kFailedPrecondition},
  }));
  FetchBed bed;
  const auto answer = bed.Ask(c.path);
  CAPTURE(c.path, answer.status().ToString());
  CHECK(answer.status().code() == c.code);
  CHECK_FALSE(absl::StrContains(answer.status().ToString(), "hush"));
}

}  // namespace
}  // namespace bth::controllers
