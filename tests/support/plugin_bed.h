// Runs plugins and whole cycles on small clusters.
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "conf/policy.h"
#include "framework/hooks/plugin.h"
#include "framework/nodes/static_fit.h"
#include "framework/session/cycle.h"
#include "framework/session/session.h"
#include "tests/support/cluster_builder.h"
#include "tests/support/recording_sink.h"

namespace bth::test {

// Arguments from a YAML map. Throws std::invalid_argument when it is none.
conf::Arguments MakeArguments(std::string_view yaml);

// A policy in short. `actions`: "enqueue,allocate". `tiers`: plugins by tier, as in
// "priority,gang!enablePreemptable;drf+enableHierarchy,predicates": '+' sets flags, '!' clears
// them. `arguments`: YAML by plugin name. Throws std::invalid_argument for unknown flags.
conf::Policy MakePolicy(std::string_view actions, std::string_view tiers,
                        const std::map<std::string, std::string>& arguments = {});

// A session of its own with the plugins of a policy opened in it; no action runs.
class PluginBed {
 public:
  // Throws std::runtime_error when a plugin cannot be made or does not open.
  PluginBed(const framework::Registry& registry, conf::Policy policy, const World& world);
  ~PluginBed();

  framework::Session& session() { return *session_; }
  const World& world() const { return world_; }
  RecordingSink& sink() { return sink_; }
  // Stands at the epoch; a session sees the time at which it is opened.
  ManualClock& clock() { return clock_; }
  // Runs the hooks for the end of the session.
  void Close();
  // Opens the next session on another snapshot, with the same plugins.
  void Reopen(const World& world);
  // The sum of all usage scores of `task` on `node`, as they come: unnormalised.
  double UsageScore(std::string_view task, std::string_view node);
  // Names, in the order given.
  std::vector<std::string> NamesOf(const std::vector<model::TaskId>& tasks) const;
  std::vector<model::TaskId> TasksNamed(const std::vector<std::string>& names) const;

 private:
  void Open();

  conf::Policy policy_;
  World world_;
  ManualClock clock_{absl::UnixEpoch()};
  RecordingSink sink_;
  framework::StaticFitCache static_fits_;
  framework::ReasonTable reasons_;
  std::vector<std::pair<int, const conf::PluginOption*>> places_;
  std::vector<std::unique_ptr<framework::Plugin>> plugins_;
  std::unique_ptr<framework::Session> session_;
};

// What one cycle did, in names.
struct CycleOutcome {
  std::map<std::string, std::string> binds;      // Task, node.
  std::map<std::string, std::string> pipelined;  // Task, node.
  std::set<std::string> evictions;
  std::map<std::string, model::PodGroupPhase> phases;  // Of reported jobs.
  // Of reported jobs: condition type, "reason: message".
  std::map<std::string, std::map<std::string, std::string>> conditions;
  std::map<std::string, std::vector<std::string>> events;  // Of reported jobs: messages.
};

// Runs one cycle of `policy`. Throws std::runtime_error when it fails.
CycleOutcome RunCycle(const framework::Registry& registry, conf::Policy policy, const World& world);

}  // namespace bth::test
