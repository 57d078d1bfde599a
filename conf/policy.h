// The scheduling policy as read from scheduler.conf: plain data, complete with all defaults.
#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conf/arguments.h"

namespace bth::conf {

// The switches of a plugin. Their YAML keys begin with `enable` or `enabled`, as history has it.
enum class HookFlag : uint8_t {
  kJobOrder,
  kHierarchy,
  kJobReady,
  kJobPipelined,
  kTaskOrder,
  kPreemptable,
  kReclaimable,
  kPreemptive,
  kQueueOrder,
  kClusterOrder,
  kPredicate,
  kBestNode,
  kNodeOrder,
  kTargetJob,
  kReservedNodes,
  kJobEnqueued,
  kVictim,
  kJobStarving,
  kOverused,
  kAllocatable,
  kHyperNodeOrder,
  kSubJobReady,
  kSubJobPipelined,
  kSubJobOrder,
  kHyperNodeGradient,
};
inline constexpr size_t kHookFlags = 25;

// The exact YAML key, such as `enableJobOrder` or `enabledVictim`.
std::string_view YamlKey(HookFlag flag);
std::optional<HookFlag> HookFlagByKey(std::string_view key);
// What an unset flag means: true but for kHierarchy and kClusterOrder.
bool DefaultOf(HookFlag flag);

// One boolean per flag, all at their defaults at first.
class HookFlags {
 public:
  HookFlags();
  static HookFlags AllOff();
  bool operator[](HookFlag flag) const { return bits_[static_cast<size_t>(flag)]; }
  void Set(HookFlag flag, bool on) { bits_[static_cast<size_t>(flag)] = on; }
  friend bool operator==(const HookFlags& a, const HookFlags& b) = default;

 private:
  std::bitset<kHookFlags> bits_;
};

// A plugin at its place. The same name may appear more than once.
struct PluginOption {
  std::string name;
  HookFlags flags;
  Arguments arguments;
  int line = 0;
  // Compares everything but the line.
  friend bool operator==(const PluginOption& a, const PluginOption& b) {
    return a.name == b.name && a.flags == b.flags && a.arguments == b.arguments;
  }
};

struct Tier {
  std::vector<PluginOption> plugins;
  friend bool operator==(const Tier&, const Tier&) = default;
};

// An entry of `configurations`: the arguments of an action, or of the session as a whole (see
// kSessionConfiguration).
struct ActionArguments {
  std::string name;
  Arguments arguments;
  int line = 0;
  friend bool operator==(const ActionArguments& a, const ActionArguments& b) {
    return a.name == b.name && a.arguments == b.arguments;
  }
};

// The name of the `configurations` entry that is about no single action. Known arguments:
// `victimVeto`: `tier` (default) or `strict`.
inline constexpr std::string_view kSessionConfiguration = "session";

// Another, about MindCluster's daemons, as these call it. Known arguments:
// `useClusterInfoManager`: true (default) or false; others that they document have no effect here.
inline constexpr std::string_view kMindClusterConfiguration = "init-params";

// What an empty answer to "who may be evicted" means for later tiers.
enum class VictimVeto : uint8_t {
  kTier,    // The next tier decides.
  kStrict,  // Nobody: the answer is final.
};

struct Policy {
  std::vector<std::string> actions;  // In the order of execution; all known.
  std::vector<Tier> tiers;
  std::vector<ActionArguments> configurations;
  std::map<std::string, std::string> metrics;  // Where node load comes from. Holds a password.
  VictimVeto victim_veto = VictimVeto::kTier;
  bool cluster_reports =
      true;  // ClusterD tells of the chips of all nodes; else each node's plugin.

  bool HasAction(std::string_view name) const;
  // The arguments of the first entry of that name; without one, arguments that are all absent.
  Arguments ActionArgumentsOf(std::string_view name) const;
  // The first option of that name in tier order, or null.
  const PluginOption* FirstPlugin(std::string_view name) const;
  // An entry of `metrics`, or empty.
  std::string_view Metric(std::string_view key) const;

  friend bool operator==(const Policy&, const Policy&) = default;
};

// The policy as YAML that parses back to an equal policy. Only flags that differ from their
// default are written.
std::string CanonicalText(const Policy& policy);
// The same for logs and debug pages: the values of password-like keys are replaced by "<hidden>".
std::string PrintableText(const Policy& policy);

}  // namespace bth::conf
