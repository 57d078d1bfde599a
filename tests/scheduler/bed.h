// A scheduler and an API server in one process, on virtual time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "actions/builtin.h"
#include "apiserver/api_server.h"
#include "cmd/common/embedded_crds.h"
#include "metrics/registry.h"
#include "net/virtual_executor.h"
#include "plugins/builtin.h"
#include "scheduler/scheduler.h"
#include "tests/scheduler/faults.h"
#include "tests/support/catch.h"

namespace bth::scheduler::testing {

using types::Json;

inline framework::Registry BuiltinRegistry() {
  framework::Registry registry;
  plugins::RegisterBuiltinPlugins(registry);
  actions::RegisterBuiltinActions(registry);
  return registry;
}

class ExecutorClock final : public Clock {
 public:
  explicit ExecutorClock(net::Executor& executor) : executor_(executor) {}
  absl::Time Now() const override { return executor_.Now(); }
  absl::Duration Monotonic() const override { return executor_.Monotonic(); }

 private:
  net::Executor& executor_;
};

// Requests of tests go to the server directly; those of the scheduler are counted on their way.
class Bed {
 public:
  Bed() {
    apiserver::Options options;
    options.seed = 1;
    auto crds = cmd::EmbeddedCrds();
    REQUIRE(crds.ok());
    options.crds = *std::move(crds);
    auto made = apiserver::ApiServer::Create(executor, std::move(options));
    REQUIRE(made.status().ToString() == "OK");
    server = *std::move(made);
    direct_ = net::MakeInProcessTransport(executor, server->handler());
    client::ApiClientOptions client;
    client.qps = 0;
    client.on_call = [this](const client::CallRecord& call) {
      if (call.verb != "get" && call.verb != "list" && call.verb != "watch" && call.verb != "GET" &&
          call.verb != "LIST" && call.verb != "WATCH") {
        ++writes;
      }
      ++calls;
    };
    line = std::make_shared<FaultyLine>(executor,
                                        net::MakeInProcessTransport(executor, server->handler()));
    api = std::make_unique<client::ApiClient>(executor, line, client);
  }
  ~Bed() {
    scheduler.reset();
    api.reset();
    server.reset();
    executor.RunUntilIdle();
  }

  void MakeScheduler(SchedulerOptions options = {}) {
    options.check_invariants_every = 1;
    scheduler = std::make_unique<Scheduler>(
        SchedulerContext{executor, *api, registry, runner, clock, &metrics}, options);
  }
  void Start(SchedulerOptions options = {}) {
    MakeScheduler(std::move(options));
    REQUIRE(scheduler->LoadPolicy().ToString() == "OK");
    scheduler->StartCache();
    scheduler->Lead();
    Settle();
  }
  void Settle() { executor.Advance(absl::Seconds(30)); }

  struct Answer {
    int code = 0;
    std::string text;
    Json json;
  };
  Answer Call(const std::string& method, const std::string& target, const std::string& body = "") {
    return Fetch(*direct_, method, target, body);
  }
  Answer Fetch(net::Transport& transport, const std::string& method, const std::string& target,
               const std::string& body = "") {
    net::Request request;
    request.method = method;
    request.target = target;
    request.body = body;
    if (!body.empty()) request.headers.Set("content-type", "application/json");
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

  void Node(const std::string& name, int cpu) {
    Create("/api/v1/nodes", absl::StrCat(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")",
                                         name, R"("},"status":{"allocatable":{"cpu":")", cpu,
                                         R"(","memory":"16Gi","pods":"110"},"conditions":[)",
                                         R"({"type":"Ready","status":"True"}]}})"));
  }
  void Group(const std::string& name, int min_member) {
    Create("/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups",
           absl::StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup",)",
                        R"("metadata":{"name":")", name, R"("},"spec":{"minMember":)", min_member,
                        R"(,"queue":"default"}})"));
  }
  void Pod(const std::string& name, const std::string& group, int cpu,
           const std::string& scheduler_name = "volcano") {
    const std::string annotations =
        group.empty() ? "{}" : absl::StrCat(R"({"scheduling.k8s.io/group-name":")", group, R"("})");
    Create("/api/v1/namespaces/default/pods",
           absl::StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")", name,
                        R"(","annotations":)", annotations, R"(},"spec":{"schedulerName":")",
                        scheduler_name, R"(","containers":[{"name":"c",)",
                        R"("image":"i","resources":{"requests":{"cpu":")", cpu, R"("}}}]}})"));
  }
  std::string NodeOf(const std::string& pod) {
    return std::string(
        Get("/api/v1/namespaces/default/pods/" + pod).At({"spec", "nodeName"}).AsString());
  }
  // "status reason: message" of a condition of the object; empty when it has none of that type.
  std::string Condition(const std::string& target, std::string_view type) {
    const Json conditions = Get(target).At({"status", "conditions"});
    for (size_t i = 0; conditions.is_array() && i < conditions.size(); ++i) {
      const Json& condition = conditions[i];
      if (condition["type"].AsString() != type) continue;
      return absl::StrCat(std::string(condition["status"].AsString()), " ",
                          std::string(condition["reason"].AsString()), ": ",
                          std::string(condition["message"].AsString()));
    }
    return "";
  }
  std::string PodCondition(const std::string& pod) {
    return Condition("/api/v1/namespaces/default/pods/" + pod, "PodScheduled");
  }
  // Value of the series with that name and labels; -1: there is none.
  double Metric(const std::string& series) const {
    const std::string text = metric_registry.RenderText();
    const size_t at = text.find("\n" + series + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + series.size() + 2));
  }
  static std::string GroupPath(const std::string& name) {
    return "/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups/" + name;
  }

  net::VirtualExecutor executor{absl::FromUnixSeconds(1'767'225'600)};
  ExecutorClock clock{executor};
  framework::Registry registry = BuiltinRegistry();
  InlineRunner runner{executor};
  metrics::Registry metric_registry;
  metrics::SchedulerMetrics metrics{metric_registry};
  std::unique_ptr<apiserver::ApiServer> server;
  std::shared_ptr<FaultyLine> line;  // Of `api`.
  std::unique_ptr<client::ApiClient> api;
  std::unique_ptr<Scheduler> scheduler;
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

}  // namespace bth::scheduler::testing
