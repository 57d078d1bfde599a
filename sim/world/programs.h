// The programs of a cluster, wired as their daemons wire them, but for sockets, files and threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "framework/hooks/plugin.h"
#include "sim/world/line.h"
#include "sim/world/timeline.h"

namespace bth::sim {

// Where a program runs: from its start to its death.
struct Site {
  std::shared_ptr<Process> process;
  std::shared_ptr<Line> line;
  uint64_t seed = 0;
  std::string identity;  // Of a candidate for a lease.
  // The program ends by itself, and is to be started again.
  std::function<void()> exit;
};

// Destroyed when its process dies; what it left posted does not run any more. Thread: the
// timeline's.
class Program {
 public:
  virtual ~Program() = default;
  virtual void Start() = 0;
  // Nothing is under way.
  virtual bool idle() const = 0;
  virtual bool leads() const { return false; }
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
};

std::unique_ptr<Program> MakeSchedulerProgram(Site site, SchedulerSetup setup);
std::unique_ptr<Program> MakeControllersProgram(Site site);
// Simulated kubelets, and the controllers of volumes and claims beside them.
std::unique_ptr<Program> MakeNodesProgram(Site site);

}  // namespace bth::sim
