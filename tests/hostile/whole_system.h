// API server, scheduler, controllers and simulated nodes in one process, on virtual time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "apiserver/api_server.h"
#include "client/api_client.h"
#include "controllers/manager/controller_set.h"
#include "framework/hooks/plugin.h"
#include "metrics/controller_metrics.h"
#include "metrics/registry.h"
#include "net/executor_clock.h"
#include "net/virtual_executor.h"
#include "nodesim/claim_controller.h"
#include "nodesim/simulator.h"
#include "nodesim/volume_controller.h"
#include "scheduler/scheduler.h"
#include "tests/hostile/dice.h"
#include "tests/hostile/request_tally.h"
#include "tests/support/faulty_line.h"
#include "tests/support/temp_folder.h"

namespace bth::hostile {

struct SystemOptions {
  uint64_t seed = 1;
  bool lax = false;  // Custom objects are taken as they come.
  int gate_removals = 0;
  bool shards = false;  // The scheduler likes the nodes of NodeShard shard0.
  std::string policy;
};

// Cycles on the executor's thread.
class CountingRunner final : public scheduler::CycleRunner {
 public:
  explicit CountingRunner(net::Executor& executor) : executor_(executor) {}
  void Run(Work work) override {
    ++cycles_;
    executor_.Post(std::move(work));
  }
  uint64_t cycles() const { return cycles_; }

 private:
  net::Executor& executor_;
  uint64_t cycles_ = 0;
};

// Made of the parts of vc-standalone, but for sockets and threads. Each part has a line of its own
// to the API server, on which faults are made. Thread: one.
class WholeSystem {
 public:
  explicit WholeSystem(SystemOptions options);
  ~WholeSystem();
  WholeSystem(const WholeSystem&) = delete;

  struct Answer {
    int code = 0;
    Json body;
  };
  // Directly to the server, past all faults. Code 0: the system finds no rest.
  Answer Call(const std::string& method, const std::string& target, const std::string& body = "",
              const std::string& type = "application/json");
  // False: the system finds no rest.
  bool Pass(absl::Duration time);
  // Empty: all is well. Else some moment took more tasks than any should, and nothing runs any
  // more: which requests it made most of.
  const std::string& unrest() const { return unrest_; }
  // What is kept for a time, or up to a number, is dropped: Events and history of the server, and
  // whatever goes with time. False: the system finds no rest.
  bool Forget();

  // A new policy for the running scheduler. A bad one is refused, and the old one stays.
  void SetPolicy(const std::string& text);
  void RestartScheduler();
  void RestartControllers();
  // Requests of all parts fail in many ways for so long.
  void MakeFaults(uint64_t seed, absl::Duration time);
  void EndFaults() { faults_end_ = absl::ZeroDuration(); }

  scheduler::Scheduler& scheduler() { return *scheduler_; }
  uint64_t cycles() const { return runner_.cycles(); }

 private:
  struct Part {
    std::shared_ptr<test::FaultyLine> line;
    std::unique_ptr<client::ApiClient> api;
  };
  Part MakePart();
  // Runs what is to be done at this moment; then lets `time` pass. False: see unrest().
  bool Rest(absl::Duration time = absl::ZeroDuration());
  std::optional<test::Fault> DrawFault(const net::Request& request);

  const SystemOptions options_;
  test::TempFolder folder_;
  std::string policy_path_;
  net::VirtualExecutor executor_;
  net::ExecutorClock clock_{executor_};
  Rng fault_rng_{1};
  absl::Duration faults_end_;
  RequestTally tally_;  // Since the last rest.
  std::string unrest_;
  Rng rng_{1};
  framework::Registry registry_;
  CountingRunner runner_{executor_};
  metrics::Registry metric_registry_;
  metrics::SchedulerMetrics scheduler_metrics_{metric_registry_};
  metrics::ControllerMetrics controller_metrics_{metric_registry_};
  std::unique_ptr<apiserver::ApiServer> server_;
  std::shared_ptr<net::Transport> direct_;
  Part scheduler_part_;
  Part controllers_part_;
  Part nodes_part_;
  std::unique_ptr<scheduler::Scheduler> scheduler_;
  std::unique_ptr<controllers::ControllerSet> controllers_;
  std::unique_ptr<nodesim::Simulator> nodes_;
  std::unique_ptr<nodesim::VolumeController> volumes_;
  std::unique_ptr<nodesim::ClaimController> claims_;
};

}  // namespace bth::hostile
