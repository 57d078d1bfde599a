// The programs of a cluster, wired as their daemons wire them, but for sockets, files and threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "api/model/shard_mode.h"
#include "client/api_client.h"
#include "framework/hooks/plugin.h"
#include "sim/world/line.h"
#include "sim/world/timeline.h"

namespace bth::sim {

// Where the programs themselves are.
inline constexpr std::string_view kWorldNamespace = "volcano-system";
inline constexpr std::string_view kAdmissionService = "volcano-admission-service";
inline constexpr std::string_view kAgentName = "agent-scheduler";  // Of scheduler, lease and shard.

// Where a program runs: from its start to its death.
struct Site {
  std::shared_ptr<Process> process;
  std::shared_ptr<Line> line;
  uint64_t seed = 0;
  std::string identity;  // Of a candidate for a lease.
  absl::Duration lease;  // For how long it leads unrenewed; zero: by default.
  // The program ends by itself, and is to be started again.
  std::function<void()> exit;
};

struct Door;

// `may_write`: see client::ApiClientOptions.
std::unique_ptr<client::ApiClient> Connect(const Site& site, std::string program,
                                           std::function<bool()> may_write);

// Destroyed when its process dies; what it left posted does not run any more. Thread: the
// timeline's.
class Program {
 public:
  virtual ~Program() = default;
  virtual void Start() = 0;
  // Nothing is under way.
  virtual bool idle() const = 0;
  virtual bool leads() const { return false; }
  // What it serves, once it listens; null: nothing.
  virtual const Door* door() const { return nullptr; }
  // What it holds of the cluster, as "name number" each; nothing where it does not tell.
  virtual std::vector<std::pair<std::string, size_t>> held() { return {}; }
  // What the program itself found to be wrong with it.
  virtual std::string complaint() const { return ""; }
};

struct SchedulerSetup {
  const framework::Registry* registry = nullptr;  // Outlives the program.
  std::string policy_path;                        // Empty: the built-in one.
  absl::Duration cycle_most;                      // What a cycle takes at most.
  int gate_removals = 0;
  model::ShardMode sharding = model::ShardMode::kNone;
};

struct ControllersSetup {
  bool shards = false;  // With the sharding controller.
};

std::unique_ptr<Program> MakeSchedulerProgram(Site site, SchedulerSetup setup);
// vc-agent-scheduler, whose registry is its own.
std::unique_ptr<Program> MakeAgentProgram(Site site, SchedulerSetup setup);
std::unique_ptr<Program> MakeControllersProgram(Site site, ControllersSetup setup);
std::unique_ptr<Program> MakeWebhooksProgram(Site site);
// Simulated kubelets, and the controllers of volumes and claims beside them.
std::unique_ptr<Program> MakeNodesProgram(Site site);

}  // namespace bth::sim
