#include "tests/hostile/whole_system.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "actions/builtin.h"
#include "base/check.h"
#include "base/strings.h"
#include "cmd/common/embedded_crds.h"
#include "plugins/builtin.h"

namespace bth::hostile {
namespace {

// 2026-01-01.
constexpr int64_t kStart = 1'767'225'600;
// Of one moment: what takes more is a loop that time does not end.
constexpr size_t kTasksMax = 300'000;
constexpr char kPolicyFile[] = "scheduler.conf";

framework::Registry AllBuiltin() {
  framework::Registry registry;
  plugins::RegisterBuiltinPlugins(registry);
  actions::RegisterBuiltinActions(registry);
  return registry;
}

// Definitions that take every object of their kind.
void Loosen(Json* definition) {
  for (Json& version : (*definition)["spec"]["versions"].MutableItems()) {
    Json schema = Json::MakeObject({{"type", "object"}});
    schema["x-kubernetes-preserve-unknown-fields"] = true;
    version["schema"]["openAPIV3Schema"] = schema;
  }
}

controllers::ControllerTools Tools() {
  controllers::ControllerTools tools;
  tools.job_plugins.make_ssh_keys = []() -> absl::StatusOr<controllers::SshKeys> {
    return controllers::SshKeys{"private", "public"};
  };
  return tools;
}

net::Awaitable<void> Fetch(net::Transport& transport, net::Request request,
                           std::shared_ptr<WholeSystem::Answer> answer) {
  absl::StatusOr<net::Response> response = co_await transport.Fetch(std::move(request));
  BTH_CHECK(response.ok());
  answer->code = response->status;
  absl::StatusOr<Json> body = Json::Parse(response->body);
  if (body.ok()) answer->body = *std::move(body);
}

}  // namespace

WholeSystem::WholeSystem(SystemOptions options)
    : options_(std::move(options)),
      policy_path_(folder_.Write(kPolicyFile, options_.policy)),
      executor_(absl::FromUnixSeconds(kStart)),
      rng_(options_.seed),
      registry_(AllBuiltin()) {
  apiserver::Options made;
  made.seed = options_.seed;
  // So that watches end, and faults get at those that follow.
  made.watch_timeout = absl::Seconds(40);
  auto crds = cmd::EmbeddedCrds();
  BTH_CHECK(crds.ok());
  if (options_.lax) {
    for (Json& crd : *crds) Loosen(&crd);
  }
  made.crds = *std::move(crds);
  auto server = apiserver::ApiServer::Create(executor_, std::move(made));
  BTH_CHECK(server.ok());
  server_ = *std::move(server);
  direct_ = net::MakeInProcessTransport(executor_, server_->handler());
  scheduler_part_ = MakePart();
  controllers_part_ = MakePart();
  nodes_part_ = MakePart();
  RestartScheduler();
  RestartControllers();
  nodes_ =
      std::make_unique<nodesim::Simulator>(*nodes_part_.api, rng_, nodesim::SimulatorOptions());
  volumes_ = std::make_unique<nodesim::VolumeController>(*nodes_part_.api, rng_,
                                                         nodesim::VolumeControllerOptions());
  claims_ = std::make_unique<nodesim::ClaimController>(*nodes_part_.api, rng_,
                                                       nodesim::ClaimControllerOptions());
  nodes_->Start();
  volumes_->Start();
  claims_->Start();
}

WholeSystem::~WholeSystem() {
  claims_.reset();
  volumes_.reset();
  nodes_.reset();
  controllers_.reset();
  scheduler_.reset();
  executor_.RunUntilIdle(kTasksMax);
  scheduler_part_ = Part();
  controllers_part_ = Part();
  nodes_part_ = Part();
  server_.reset();
  executor_.RunUntilIdle(kTasksMax);
}

WholeSystem::Part WholeSystem::MakePart() {
  Part part;
  part.line = std::make_shared<test::FaultyLine>(
      executor_, net::MakeInProcessTransport(executor_, server_->handler()));
  part.line->script = [this](const net::Request& request) {
    tally_.Add(request.method, request.target);
    return DrawFault(request);
  };
  client::ApiClientOptions options;
  options.qps = 0;
  part.api = std::make_unique<client::ApiClient>(executor_, part.line, std::move(options));
  return part;
}

void WholeSystem::RestartScheduler() {
  Rest();
  scheduler_.reset();
  Rest();
  scheduler::SchedulerOptions options;
  options.check_invariants_every = 1;
  options.gate_removals = options_.gate_removals;
  options.device_taint_rules = true;
  options.policy.path = policy_path_;
  if (options_.shards) options.shard = {.mode = model::ShardMode::kSoft, .name = "shard0"};
  options.seed = options_.seed;
  scheduler_ = std::make_unique<scheduler::Scheduler>(
      scheduler::SchedulerContext{executor_, *scheduler_part_.api, registry_, runner_, clock_,
                                  &scheduler_metrics_},
      options);
  if (!scheduler_->LoadPolicy().ok()) {
    folder_.Write(kPolicyFile, "actions: \"enqueue, allocate\"\ntiers: []\n");
    BTH_CHECK(scheduler_->LoadPolicy().ok());
  }
  scheduler_->StartCache();
  scheduler_->Lead();
}

void WholeSystem::RestartControllers() {
  Rest();
  controllers_.reset();
  Rest();
  controllers::ManagerOptions options;
  options.controllers = {"*"};
  controllers_ = std::make_unique<controllers::ControllerSet>(
      *controllers_part_.api, controller_metrics_, rng_, std::move(options), Tools());
  controllers_->Start();
}

void WholeSystem::SetPolicy(const std::string& text) {
  folder_.Write(kPolicyFile, text);
  scheduler_->ReloadPolicy();
}

WholeSystem::Answer WholeSystem::Call(const std::string& method, const std::string& target,
                                      const std::string& body, const std::string& type) {
  net::Request request;
  request.method = method;
  request.target = target;
  request.body = body;
  if (!body.empty()) request.headers.Set("content-type", type);
  auto answer = std::make_shared<Answer>();
  net::Spawn(executor_, Fetch(*direct_, std::move(request), answer));
  Rest();
  return *answer;
}

bool WholeSystem::Pass(absl::Duration time) {
  constexpr absl::Duration kSlice = absl::Seconds(1);
  for (; time > absl::ZeroDuration(); time -= kSlice) {
    if (!Rest(std::min(time, kSlice))) return false;
  }
  return Rest();
}

bool WholeSystem::Forget() {
  if (!Pass(absl::Hours(3))) return false;
  const int64_t now = server_->store().revision();
  for (const auto& [name, collection] : server_->store().collections()) {
    collection->ForgetHistoryUpTo(now);
  }
  return Rest();
}

bool WholeSystem::Rest(absl::Duration time) {
  if (!unrest_.empty()) return false;
  tally_.Clear();
  if (executor_.RunUntilIdle(kTasksMax) && executor_.Advance(time, kTasksMax)) return true;
  unrest_ = StrCat("no rest after ", kTasksMax, " tasks of one moment: ", tally_.Most(4));
  return false;
}

void WholeSystem::MakeFaults(uint64_t seed, absl::Duration time) {
  fault_rng_ = Rng(seed);
  faults_end_ = executor_.Monotonic() + time + absl::Seconds(5);
}

std::optional<test::Fault> WholeSystem::DrawFault(const net::Request& request) {
  if (executor_.Monotonic() >= faults_end_ || !fault_rng_.Chance(0.4)) return std::nullopt;
  test::Fault fault;
  if (absl::StrContains(request.target, "watch=")) {
    switch (fault_rng_.Below(3)) {
      case 0:
        fault.code = 410;
        fault.reason = "Expired";
        break;
      case 1:
        fault.stream_bytes = 1 + fault_rng_.Below(3000);
        break;
      default:
        fault.piece_delay = absl::Milliseconds(fault_rng_.Between(1, 3000));
    }
    return fault;
  }
  switch (fault_rng_.Below(5)) {
    case 0:
      fault.code = request.method == "GET" ? 500 : 409;
      fault.reason = request.method == "GET" ? "InternalError" : "Conflict";
      break;
    case 1:
      fault.code = 429;
      fault.reason = "TooManyRequests";
      fault.retry_after = "1";
      break;
    case 2:
      fault.answer_lost = true;
      break;
    case 3:
      fault.unsent = true;
      break;
    default:
      fault.delay = absl::Milliseconds(fault_rng_.Between(1, 4000));
  }
  return fault;
}

}  // namespace bth::hostile
