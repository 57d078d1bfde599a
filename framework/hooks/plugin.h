// What a policy plugin and an action are, and where they are registered.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conf/arguments.h"
#include "conf/load.h"
#include "conf/policy.h"
#include "framework/hooks/hooks.h"

namespace bth::framework {

class Session;

// Adds the hooks of one plugin at its place among the tiers, by a function for each kind; a hook
// whose flag is off in the configuration is not added. Lives while the session opens.
class HookRegistrar {
 public:
  HookRegistrar(HookTable& table, HookOrigin origin, const conf::PluginOption& option)
      : table_(table), origin_(origin), option_(option) {}
  HookRegistrar(const HookRegistrar&) = delete;

  bool hierarchy_enabled() const;

#define BTH_HOOK(Kind, list, flag, asks, ...) void Kind(__VA_ARGS__::Fn hook);
#include "framework/hooks/hook_kinds.inc.h"
#undef BTH_HOOK

 private:
  template <typename List>
  void Add(List& list, std::optional<HookFlag> flag, typename List::Fn hook);

  HookTable& table_;
  const HookOrigin origin_;
  const conf::PluginOption& option_;
};

// What plugins read of the cluster beyond what every snapshot shows.
struct PluginNeeds {
  // Amounts of these on nodes count though no pod asks for them.
  std::vector<std::string> resources;
  // Pods and nodes as JSON.
  bool documents = false;
  // Reports on the CPUs of nodes (Numatopology).
  bool numa_reports = false;
  // Shared devices of these; null: none.
  std::shared_ptr<const model::DeviceSettings> devices;
};

// Lives until the policy is reloaded; its hooks live for one session. Thread: scheduling.
class Plugin {
 public:
  virtual ~Plugin() = default;
  virtual std::string_view name() const = 0;
  // Adds hooks and computes what they need. What it captures must live as long as the session.
  virtual absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) = 0;
  // True when its answers change as time passes, though nothing else does: while jobs wait, or with
  // action shuffle at any time, a cycle then starts every --schedule-period.
  virtual bool follows_clock() const { return false; }
  // What its refusals follow from. With kAnything, every job that waits is looked at in each cycle.
  // Preemptable, Reclaimable and their like need not be told of, nor orders and scores.
  virtual AnswerSources answers_follow() const { return Bit(AnswerSource::kAnything); }
  virtual void AddNeeds(PluginNeeds& needs) const { static_cast<void>(needs); }
};

// Orders, tries, and commits or lets go; asks the session, never a plugin.
class Action {
 public:
  virtual ~Action() = default;
  virtual std::string_view name() const = 0;
  virtual absl::Status Execute(Session& session) = 0;
  // It makes room by evictions: its answers follow everything that holds room.
  virtual bool evicts() const { return false; }
  // How one that evicts looks for victims, if it does so for jobs that wait, and leaves alone whom
  // VictimProspects rules out for them. Nothing: it may evict anybody.
  virtual std::optional<VictimKind> victim_kind() const { return std::nullopt; }
};

// Makes an instance from its configured arguments. Errors name the argument.
using PluginFactory =
    std::function<absl::StatusOr<std::unique_ptr<Plugin>>(const conf::Arguments&)>;
using ActionFactory =
    std::function<absl::StatusOr<std::unique_ptr<Action>>(const conf::Arguments&)>;

// An argument that does nothing in this process, and why: a feature gate that is off.
struct IdleArgument {
  std::string_view plugin;
  std::string_view key;
  std::string_view why;
};

// Filled at start from the tables in plugins/builtin.cc and actions/builtin.cc, then constant.
struct Registry {
  std::map<std::string, PluginFactory, std::less<>> plugins;
  std::map<std::string, ActionFactory, std::less<>> actions;
  std::vector<IdleArgument> idle_arguments;  // Told of policies that give one.

  // What a policy may name; valid while the registry does not change.
  conf::KnownNames Names() const;
};

}  // namespace bth::framework
