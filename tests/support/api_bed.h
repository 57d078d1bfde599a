// An API server in the test's own process, on virtual time.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "apiserver/api_server.h"
#include "client/api_client.h"
#include "cmd/common/embedded_crds.h"
#include "net/executor_clock.h"
#include "net/virtual_executor.h"
#include "tests/support/catch.h"
#include "tests/support/faulty_line.h"

namespace bth::test {

// Requests of tests go to the server directly; those through `api` pass `line`, where faults are
// made, and are counted. Whoever uses `api` is destroyed before the bed.
class ApiBed {
 public:
  using Json = types::Json;

  explicit ApiBed(absl::Time start = absl::FromUnixSeconds(1'767'225'600)) : executor(start) {
    apiserver::Options options;
    options.seed = 1;
    static const auto crds = cmd::EmbeddedCrds();
    REQUIRE(crds.ok());
    options.crds = *crds;
    auto made = apiserver::ApiServer::Create(executor, std::move(options));
    REQUIRE(made.status().ToString() == "OK");
    server = *std::move(made);
    direct_ = net::MakeInProcessTransport(executor, server->handler());
    line = std::make_shared<FaultyLine>(executor,
                                        net::MakeInProcessTransport(executor, server->handler()));
    api = MakeClient(line);
  }
  ApiBed(const ApiBed&) = delete;
  ~ApiBed() {
    api.reset();
    server.reset();
    executor.RunUntilIdle();
    CHECK(executor.barrier().caught() == escapes_expected);
  }

  // A client whose calls are counted.
  std::unique_ptr<client::ApiClient> MakeClient(std::shared_ptr<net::Transport> transport) {
    client::ApiClientOptions options;
    options.qps = 0;
    options.on_call = [this](const client::CallRecord& call) {
      ++calls;
      if (call.verb != "get" && call.verb != "list" && call.verb != "watch") ++writes;
    };
    return std::make_unique<client::ApiClient>(executor, std::move(transport), options);
  }

  void Settle() { executor.Advance(absl::Seconds(30)); }

  struct Answer {
    int code = 0;
    std::string text;
    Json json;
  };
  Answer Call(const std::string& method, const std::string& target, const std::string& body = "",
              const std::string& content_type = "application/json") {
    return Fetch(*direct_, method, target, body, content_type);
  }
  Answer Fetch(net::Transport& transport, const std::string& method, const std::string& target,
               const std::string& body = "", const std::string& content_type = "application/json") {
    net::Request request;
    request.method = method;
    request.target = target;
    request.body = body;
    if (!body.empty()) request.headers.Set("content-type", content_type);
    auto answer = std::make_shared<Answer>();
    net::Spawn(executor, Run(transport, std::move(request), answer));
    executor.RunUntilIdle();
    REQUIRE(answer->code != 0);
    return *answer;
  }
  Json Get(const std::string& target) { return Call("GET", target).json; }
  void Create(const std::string& target, const std::string& body) {
    const Answer answer = Call("POST", target, body);
    INFO(answer.text);
    REQUIRE(answer.code == 201);
  }

  int64_t escapes_expected = 0;  // Exceptions that end at the barrier.
  net::VirtualExecutor executor;
  net::ExecutorClock clock{executor};
  std::unique_ptr<apiserver::ApiServer> server;
  std::shared_ptr<FaultyLine> line;  // Of `api`.
  std::unique_ptr<client::ApiClient> api;
  size_t writes = 0;
  size_t calls = 0;

 private:
  static net::Awaitable<void> Run(net::Transport& transport, net::Request request,
                                  std::shared_ptr<Answer> answer) {
    absl::StatusOr<net::Response> response = co_await transport.Fetch(std::move(request));
    BTH_CHECK(response.ok());
    answer->code = response->status;
    answer->text = response->body;
    absl::StatusOr<Json> json = Json::Parse(response->body);
    if (json.ok()) answer->json = *std::move(json);
  }

  std::shared_ptr<net::Transport> direct_;
};

}  // namespace bth::test
