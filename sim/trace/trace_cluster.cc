#include "sim/trace/trace_cluster.h"

#include <utility>

#include "api/types/crd/generate.h"
#include "base/check.h"
#include "base/status.h"

namespace bth::trace {
namespace {

using types::Json;

// No watch ends but with the replay, and nobody asks whether it is still there.
constexpr absl::Duration kLongWatch = absl::Hours(24 * 3'650);
constexpr absl::Duration kRewordDelay = absl::Hours(6);
// A large gang is made, bound and started within one moment.
constexpr size_t kTasksOfMomentMax = 200'000'000;

// The way of a program to the server: requests are counted, evictions told, and events, which
// nobody reads here, answered as if they were kept.
class CountedTransport final : public net::Transport {
 public:
  CountedTransport(std::shared_ptr<net::Transport> way, uint64_t* requests,
                   std::function<void(std::string_view)> on_eviction)
      : way_(std::move(way)), requests_(requests), on_eviction_(std::move(on_eviction)) {}

  net::Awaitable<absl::StatusOr<net::Response>> Fetch(net::Request request) override {
    ++*requests_;
    if (IsEvent(request)) return Accept(request.method == "POST" ? 201 : 200);
    if (on_eviction_ && request.target.ends_with("/eviction")) return Evict(std::move(request));
    return way_->Fetch(std::move(request));
  }
  net::Awaitable<absl::StatusOr<net::Response>> Open(net::Request request) override {
    ++*requests_;
    return way_->Open(std::move(request));
  }

 private:
  static bool IsEvent(const net::Request& request) {
    return (request.method == "POST" || request.method == "PATCH") &&
           request.target.find("/events") != std::string::npos;
  }

  static net::Awaitable<absl::StatusOr<net::Response>> Accept(int code) {
    absl::StatusOr<net::Response> answer = net::Response();
    answer->status = code;
    answer->headers.Set("content-type", "application/json");
    answer->body = "{}";
    co_return answer;
  }

  net::Awaitable<absl::StatusOr<net::Response>> Evict(net::Request request) {
    std::string pod = request.target.substr(0, request.target.rfind('/'));
    pod.erase(0, pod.rfind('/') + 1);
    absl::StatusOr<net::Response> response = co_await way_->Fetch(std::move(request));
    if (response.ok() && response->status < 300) on_eviction_(pod);
    co_return response;
  }

  const std::shared_ptr<net::Transport> way_;
  uint64_t* const requests_;
  const std::function<void(std::string_view)> on_eviction_;
};

net::Awaitable<void> CallServer(std::shared_ptr<net::Transport> server, net::Request request,
                                std::shared_ptr<TraceCluster::Answer> answer) {
  absl::StatusOr<net::Response> response = co_await server->Fetch(std::move(request));
  BTH_CHECK(response.ok());
  answer->code = response->status;
  if (response->status < 300) co_return;  // Only refusals are read.
  absl::StatusOr<Json> body = Json::Parse(response->body);
  if (body.ok()) answer->body = *std::move(body);
}

scheduler::SchedulerOptions OptionsOfScheduler(const TraceClusterOptions& options, Rng& rng) {
  scheduler::SchedulerOptions out;
  out.policy.path = options.policy_path;
  out.seed = rng.Next();
  // Half of what a month of waiting jobs costs otherwise: nobody reads the numbers meanwhile.
  out.reword_delay = kRewordDelay;
  return out;
}

controllers::ControllerTools ToolsOfControllers() {
  controllers::ControllerTools tools;
  tools.job_plugins.make_ssh_keys = []() -> absl::StatusOr<controllers::SshKeys> {
    return controllers::SshKeys{"private", "public"};
  };
  return tools;
}

nodesim::SimulatorOptions OptionsOfNodes() {
  nodesim::SimulatorOptions options;  // Without heartbeats.
  options.timing.start_delay = absl::ZeroDuration();
  return options;
}

}  // namespace

TraceCluster::TraceCluster(TraceClusterOptions options)
    : options_(std::move(options)),
      rng_(options_.seed),
      timeline_(options_.start, rng_.Next(), kTasksOfMomentMax),
      process_(std::make_shared<sim::Process>(timeline_, "cluster")),
      clock_(*process_),
      runner_(*process_),
      scheduler_api_(Connect("vc-scheduler")),
      controllers_api_(Connect("vc-controller-manager")),
      nodes_api_(Connect("nodesim")),
      scheduler_({.executor = *process_,
                  .api = *scheduler_api_,
                  .registry = *options_.registry,
                  .runner = runner_,
                  .clock = clock_,
                  .metrics = &scheduler_metrics_},
                 OptionsOfScheduler(options_, rng_)),
      controllers_(*controllers_api_, controller_metrics_, rng_, controllers::ManagerOptions(),
                   ToolsOfControllers()),
      nodes_(*nodes_api_, rng_, OptionsOfNodes()) {}

TraceCluster::~TraceCluster() {
  // What is under way ends before those whom it would call.
  timeline_.RunUntilIdle();
  process_->Die();
}

absl::StatusOr<std::unique_ptr<TraceCluster>> TraceCluster::Create(TraceClusterOptions options) {
  std::unique_ptr<TraceCluster> made(new TraceCluster(std::move(options)));
  BTH_RETURN_IF_ERROR(made->scheduler_.LoadPolicy());
  return made;
}

std::unique_ptr<client::ApiClient> TraceCluster::Connect(const char* program) {
  if (server_ == nullptr) BTH_CHECK(StartServer().ok());
  client::ApiClientOptions options;
  options.user_agent = program;
  options.qps = 0;
  options.watch_min = options.watch_stall = kLongWatch;
  auto way = std::make_shared<CountedTransport>(transport_, &requests_, options_.on_eviction);
  return std::make_unique<client::ApiClient>(*process_, std::move(way), std::move(options));
}

absl::Status TraceCluster::StartServer() {
  apiserver::Options options;
  options.seed = rng_.Next();
  BTH_ASSIGN_OR_RETURN(std::vector<types::crd::Definition> definitions,
                       types::crd::GenerateDefinitions());
  for (types::crd::Definition& definition : definitions) {
    options.crds.push_back(std::move(definition.object));
  }
  options.watch_timeout = kLongWatch;
  options.bookmark_period = kLongWatch;
  options.store.watch.items_max = 10'000'000;
  BTH_ASSIGN_OR_RETURN(server_, apiserver::ApiServer::Create(*process_, std::move(options)));
  if (options_.extend) options_.extend(*server_);
  server_->store().OnCommit(
      [this](apiserver::Collection& collection, const apiserver::StoreEvent& event) {
        if (options_.on_event) options_.on_event(collection, event);
      });
  transport_ = net::MakeInProcessTransport(*process_, server_->handler());
  return absl::OkStatus();
}

TraceCluster::Answer TraceCluster::Call(const std::string& method, const std::string& target,
                                        const std::string& body) {
  net::Request request;
  request.method = method;
  request.target = target;
  request.body = body;
  if (!body.empty()) request.headers.Set("content-type", "application/json");
  const auto answer = std::make_shared<Answer>();
  net::Spawn(*process_, CallServer(transport_, std::move(request), answer));
  timeline_.RunUntilIdle();
  return *answer;
}

void TraceCluster::StartPrograms() {
  scheduler_.StartCache();
  scheduler_.Lead();
  controllers_.Start();
  nodes_.Start();
}

std::string TraceCluster::complaint() const {
  return scheduler_.invariants().records().empty() ? "" : scheduler_.invariants().Page().Dump();
}

}  // namespace bth::trace
