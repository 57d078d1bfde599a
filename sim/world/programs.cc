#include "sim/world/programs.h"

#include <utility>

#include "actions/builtin.h"
#include "actions/single_pods/single_pods.h"
#include "base/check.h"
#include "base/rng.h"
#include "client/api_client.h"
#include "client/leader_election.h"
#include "controllers/manager/controller_set.h"
#include "metrics/controller_metrics.h"
#include "metrics/registry.h"
#include "metrics/scheduler_metrics.h"
#include "net/executor_clock.h"
#include "nodesim/claim_controller.h"
#include "nodesim/simulator.h"
#include "nodesim/volume_controller.h"
#include "plugins/builtin.h"
#include "scheduler/scheduler.h"

namespace bth::sim {
namespace {

// Cycles take time, in which the cluster goes on.
class SlowRunner final : public scheduler::CycleRunner {
 public:
  SlowRunner(Process& process, uint64_t seed, absl::Duration most)
      : process_(process), rng_(seed), most_(absl::ToInt64Microseconds(most)) {}
  void Run(Work work) override {
    process_.RunAfter(absl::Microseconds(rng_.Between(0, most_)), std::move(work));
  }

 private:
  Process& process_;
  Rng rng_;
  const int64_t most_;
};

// A daemon that acts while it leads, and ends when it does not any more.
class Candidate : public Program {
 public:
  Candidate(Site site, const std::string& program, const std::string& lease)
      : site_(std::move(site)),
        rng_(site_.seed),
        work_api_(Connect(site_, program, [this] { return elector_.is_leader(); })),
        lease_api_(Connect(site_, program, nullptr)),
        elector_(*lease_api_, rng_, Election(lease)) {}
  bool leads() const override { return elector_.is_leader(); }

 protected:
  virtual void Act() = 0;

  const Site site_;
  Rng rng_;
  const std::unique_ptr<client::ApiClient> work_api_;
  const std::unique_ptr<client::ApiClient> lease_api_;
  client::LeaderElector elector_;

 private:
  client::LeaderElectionOptions Election(const std::string& lease) {
    client::LeaderElectionOptions options;
    options.lease_name = lease;
    options.identity = site_.identity;
    // In the proportions of the default.
    if (site_.lease > absl::ZeroDuration()) {
      options.lease_duration = site_.lease;
      options.renew_deadline = site_.lease * 2 / 3;
      options.retry_period = site_.lease * 2 / 15;
    }
    options.on_started = [this] { Act(); };
    options.on_lost = [exit = site_.exit] { exit(); };
    return options;
  }
};

// What cmd/common/agent_scheduler.cc makes of a scheduler.
void ServeSinglePods(scheduler::SchedulerOptions* options) {
  options->scheduler_names = {std::string(kAgentName)};
  options->shard.name = kAgentName;
  options->numa_reports = false;
  options->single_pods = true;
  options->policy = {.path = "", .agent = true};
  options->pace = {.debounce = absl::ZeroDuration(),
                   .pause_factor = 1,
                   .pause_max = absl::Milliseconds(20),
                   .reserve = absl::Milliseconds(20)};
}

const framework::Registry& AgentRegistry() {
  static const framework::Registry& kRegistry = *[] {
    auto* const registry = new framework::Registry;
    plugins::RegisterBuiltinPlugins(*registry);
    actions::RegisterBuiltinActions(*registry);
    actions::KeepForSinglePods(*registry, {});
    return registry;
  }();
  return kRegistry;
}

// A look at the file is a system call, which takes no simulated time and much of ours.
constexpr absl::Duration kPolicyPoll = absl::Seconds(10);

struct SchedulerKind {
  std::string program;
  std::string lease;
  bool single_pods = false;
};

class SchedulerProgram final : public Candidate {
 public:
  SchedulerProgram(Site site, const SchedulerSetup& setup, const SchedulerKind& kind)
      : Candidate(std::move(site), kind.program, kind.lease),
        clock_(*site_.process),
        runner_(*site_.process, rng_.Next(), setup.cycle_most),
        scheduler_({.executor = *site_.process,
                    .api = *work_api_,
                    .registry = *setup.registry,
                    .runner = runner_,
                    .clock = clock_,
                    .metrics = &metrics_},
                   Options(setup, kind)) {}

  void Start() override {
    BTH_CHECK(scheduler_.LoadPolicy().ok());
    scheduler_.StartCache();
    elector_.Start();
  }
  bool idle() const override { return scheduler_.drained(); }
  std::vector<std::pair<std::string, size_t>> held() override {
    const cache::Mirror& mirror = scheduler_.mirror();
    return {{"pods", mirror.pods()}, {"nodes", mirror.nodes()}};
  }
  std::string complaint() const override {
    const auto& records = scheduler_.invariants().records();
    return records.empty() ? "" : scheduler_.invariants().Page().Dump();
  }

 private:
  void Act() override { scheduler_.Lead(); }
  scheduler::SchedulerOptions Options(const SchedulerSetup& setup, const SchedulerKind& kind) {
    scheduler::SchedulerOptions options;
    options.shard = {.mode = setup.sharding, .name = "volcano"};
    options.policy.path = setup.policy_path;
    options.policy.poll = kPolicyPoll;
    options.gate_removals = setup.gate_removals;
    options.check_invariants_every = 1;
    options.may_lead = [this] { return elector_.is_leader(); };
    options.seed = rng_.Next();
    if (kind.single_pods) ServeSinglePods(&options);
    return options;
  }

  metrics::Registry registry_;
  metrics::SchedulerMetrics metrics_{registry_};
  const net::ExecutorClock clock_;
  SlowRunner runner_;
  scheduler::Scheduler scheduler_;
};

class ControllersProgram final : public Candidate {
 public:
  ControllersProgram(Site site, const ControllersSetup& setup)
      : Candidate(std::move(site), "vc-controller-manager", "vc-controller-manager"),
        setup_(setup) {}

  void Start() override { elector_.Start(); }
  bool idle() const override { return controllers_ == nullptr || controllers_->idle(); }

 private:
  void Act() override {
    controllers::ControllerTools tools;
    tools.job_plugins.make_ssh_keys = []() -> absl::StatusOr<controllers::SshKeys> {
      return controllers::SshKeys{"private", "public"};
    };
    controllers::ManagerOptions options;
    if (setup_.shards) options.controllers = {"*", "sharding-controller"};
    controllers_ = std::make_unique<controllers::ControllerSet>(
        *work_api_, metrics_, rng_, std::move(options), std::move(tools));
    controllers_->Start();
  }

  const ControllersSetup setup_;
  metrics::Registry registry_;
  metrics::ControllerMetrics metrics_{registry_};
  std::unique_ptr<controllers::ControllerSet> controllers_;  // Null until we lead.
};

class NodesProgram final : public Program {
 public:
  explicit NodesProgram(Site site)
      : site_(std::move(site)),
        rng_(site_.seed),
        api_(Connect(site_, "nodesim", nullptr)),
        nodes_(*api_, rng_, Options()),
        volumes_(*api_, rng_, nodesim::VolumeControllerOptions()),
        claims_(*api_, rng_, nodesim::ClaimControllerOptions()) {}

  void Start() override {
    nodes_.Start();
    volumes_.Start();
    claims_.Start();
  }
  bool idle() const override { return nodes_.idle(); }
  std::vector<std::pair<std::string, size_t>> held() override {
    return {{"pods", nodes_.pods()}, {"nodes", nodes_.nodes()}};
  }

 private:
  static nodesim::SimulatorOptions Options() {
    nodesim::SimulatorOptions options;
    options.heartbeat = absl::Minutes(5);
    return options;
  }

  const Site site_;
  Rng rng_;
  const std::unique_ptr<client::ApiClient> api_;
  nodesim::Simulator nodes_;
  nodesim::VolumeController volumes_;
  nodesim::ClaimController claims_;
};

}  // namespace

std::unique_ptr<client::ApiClient> Connect(const Site& site, std::string program,
                                           std::function<bool()> may_write) {
  client::ApiClientOptions options;
  options.user_agent = std::move(program);
  options.may_write = std::move(may_write);
  return std::make_unique<client::ApiClient>(*site.process, site.line, std::move(options));
}

std::unique_ptr<Program> MakeSchedulerProgram(Site site, SchedulerSetup setup) {
  return std::make_unique<SchedulerProgram>(std::move(site), setup,
                                            SchedulerKind{"vc-scheduler", "volcano"});
}

std::unique_ptr<Program> MakeAgentProgram(Site site, SchedulerSetup setup) {
  setup.registry = &AgentRegistry();
  setup.gate_removals = 0;
  return std::make_unique<SchedulerProgram>(
      std::move(site), setup, SchedulerKind{"vc-agent-scheduler", std::string(kAgentName), true});
}

std::unique_ptr<Program> MakeControllersProgram(Site site, ControllersSetup setup) {
  return std::make_unique<ControllersProgram>(std::move(site), setup);
}

std::unique_ptr<Program> MakeNodesProgram(Site site) {
  return std::make_unique<NodesProgram>(std::move(site));
}

}  // namespace bth::sim
