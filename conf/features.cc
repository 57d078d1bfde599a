#include "conf/features.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "base/strings.h"
#include "base/suggest.h"
#include "conf/arguments.h"
#include "conf/text.h"

namespace bth::conf {
namespace {

constexpr int kNever = std::numeric_limits<int>::max();

// Life of a gate in minor versions of Kubernetes 1: from which on it exists, is beta, is on when
// nobody sets it, is general, and can no longer be set.
struct GateLife {
  std::string_view name;
  int alpha = 0;
  int beta = kNever;
  int on = kNever;
  int general = kNever;
  int locked = kNever;
};

// By Gate. Those of Volcano are alpha in every version.
constexpr std::array<GateLife, kGates> kLives = {{
    {"WorkLoadSupport", 0, kNever, 0},
    {"VolcanoJobSupport", 0, kNever, 0},
    {"CronVolcanoJobSupport", 0, kNever, 0},
    {"PodDisruptionBudgetsSupport", 0, kNever, 0},
    {"QueueCommandSync", 0, kNever, 0},
    {"PriorityClass", 0, kNever, 0},
    {"CSIStorage", 0, kNever, kNever},
    {"ResourceTopology", 0, kNever, 0},
    {"SchedulingGatesQueueAdmission", 0, kNever, kNever},
    {"DynamicResourceAllocation", 26, 32, 34, 34, 35},
    {"DRAAdminAccess", 32, 34, 34, 36, 36},
    {"DRAConsumableCapacity", 34, 36, 36},
    {"DRADeviceBindingConditions", 34, 36, 36},
    {"DRADeviceTaintRules", 35, 36, kNever},
    {"DRADeviceTaints", 33, 36, 36},
    {"DRAExtendedResource", 34, 36, 36},
    {"DRAPartitionableDevices", 33, 36, 36},
    {"DRAPrioritizedList", 33, 34, 34, 36},
    {"DRAResourceClaimDeviceStatus", 32, 33, 33},
    {"DRASchedulerFilterTimeout", 34, 34, 34},
    {"InPlacePodLevelResourcesVerticalScaling", 35, 36, 36},
    {"InPlacePodVerticalScaling", 27, 33, 33, 35, 35},
    {"MatchLabelKeysInPodTopologySpread", 25, 27, 27},
    {"NodeInclusionPolicyInPodTopologySpread", 25, 26, 26, 33, 33},
    {"PodLevelResources", 32, 34, 34},
    {"PodSchedulingReadiness", 26, 27, 27, 30, 30},
    {"SidecarContainers", 28, 29, 29, 33, 33},
    {"StorageCapacityScoring", 33},
    {"VolumeAttributesClass", 29, 31, 34, 34, 36},
}};

constexpr std::string_view kOfManager = "only vc-controller-manager acts on it";
constexpr std::string_view kOfScheduler = "only vc-scheduler acts on it";
constexpr std::string_view kOfSchedulers = "only vc-scheduler and vc-agent-scheduler act on it";
constexpr std::string_view kOfSchedulerAndManager =
    "only vc-scheduler and vc-controller-manager act on it";
constexpr std::string_view kOfSchedulersAndManager =
    "only vc-scheduler, vc-agent-scheduler and vc-controller-manager act on it";
constexpr std::string_view kOfSchedulerAndWebhooks =
    "only vc-scheduler and vc-webhook-manager act on it";
constexpr std::string_view kOfSchedulersAndWebhooks =
    "only vc-scheduler, vc-agent-scheduler and vc-webhook-manager act on it";
constexpr std::string_view kAlwaysOn = "it is always on";

// By Gate: what to say where it is not acted on.
constexpr std::array<std::string_view, kGates> kIdle = {{
    kOfSchedulersAndManager,                        // WorkLoadSupport
    kOfManager,                                     // VolcanoJobSupport
    kOfManager,                                     // CronVolcanoJobSupport
    kOfScheduler,                                   // PodDisruptionBudgetsSupport
    kOfManager,                                     // QueueCommandSync
    kOfSchedulerAndManager,                         // PriorityClass
    "no program acts on it: see --csi-storage",     // CSIStorage
    kOfScheduler,                                   // ResourceTopology
    kOfSchedulerAndWebhooks,                        // SchedulingGatesQueueAdmission
    kAlwaysOn,                                      // DynamicResourceAllocation
    kAlwaysOn,                                      // DRAAdminAccess
    kAlwaysOn,                                      // DRAConsumableCapacity
    kAlwaysOn,                                      // DRADeviceBindingConditions
    kOfSchedulers,                                  // DRADeviceTaintRules
    kAlwaysOn,                                      // DRADeviceTaints
    kOfSchedulers,                                  // DRAExtendedResource
    kAlwaysOn,                                      // DRAPartitionableDevices
    kAlwaysOn,                                      // DRAPrioritizedList
    kAlwaysOn,                                      // DRAResourceClaimDeviceStatus
    kAlwaysOn,                                      // DRASchedulerFilterTimeout
    "resizes of pods as a whole are not followed",  // InPlacePodLevelResourcesVerticalScaling
    kAlwaysOn,                                      // InPlacePodVerticalScaling
    kOfSchedulers,                                  // MatchLabelKeysInPodTopologySpread
    kAlwaysOn,                                      // NodeInclusionPolicyInPodTopologySpread
    kOfSchedulersAndWebhooks,                       // PodLevelResources
    kAlwaysOn,                                      // PodSchedulingReadiness
    kAlwaysOn,                                      // SidecarContainers
    kOfSchedulers,                                  // StorageCapacityScoring
    kAlwaysOn,                                      // VolumeAttributesClass
}};

constexpr absl::string_view kAllAlpha = "AllAlpha";
constexpr absl::string_view kAllBeta = "AllBeta";

std::vector<std::string_view> KnownGateNames() {
  std::vector<std::string_view> names = {ToStd(kAllAlpha), ToStd(kAllBeta)};
  for (const GateLife& life : kLives) names.push_back(life.name);
  return names;
}

size_t GateIndex(absl::string_view name) {
  const auto found = std::find_if(kLives.begin(), kLives.end(), [name](const GateLife& life) {
    return ToAbsl(life.name) == name;
  });
  return static_cast<size_t>(found - kLives.begin());
}

}  // namespace

std::string_view Name(Gate gate) {
  return kLives[static_cast<size_t>(gate)].name;
}

absl::StatusOr<FeatureGates> FeatureGates::Parse(std::string_view text) {
  constexpr size_t kBytesMax = 16 << 10;
  if (text.size() > kBytesMax) {
    return absl::InvalidArgumentError(StrCat("--feature-gates: longer than ", kBytesMax, " bytes"));
  }
  FeatureGates gates;
  for (absl::string_view part : SplitText(text, ',')) {
    part = absl::StripAsciiWhitespace(part);
    if (part.empty()) continue;
    const size_t equals = part.find('=');
    const std::string name(absl::StripAsciiWhitespace(part.substr(0, equals)));
    if (equals == absl::string_view::npos) {
      return absl::InvalidArgumentError(StrCat("--feature-gates: missing bool value for ",
                                               Clip(name), "; write ", Clip(name), "=true"));
    }
    const std::string value(absl::StripAsciiWhitespace(part.substr(equals + 1)));
    const absl::StatusOr<bool> on = ParseGoBool(value);
    if (!on.ok()) {
      return Annotate(on.status(), StrCat("--feature-gates: invalid value of ", Clip(name)));
    }
    const size_t index = GateIndex(name);
    if (name == kAllAlpha) {
      gates.all_alpha_ = *on ? 1 : 0;
    } else if (name == kAllBeta) {
      gates.all_beta_ = *on ? 1 : 0;
    } else if (index == kGates) {
      return absl::InvalidArgumentError(StrCat("--feature-gates: unrecognized feature gate: ",
                                               Clip(name), DidYouMean(name, KnownGateNames())));
    } else {
      gates.set_[index] = true;
      gates.value_[index] = *on;
    }
  }
  return gates;
}

bool FeatureGates::Enabled(Gate gate) const {
  const size_t index = static_cast<size_t>(gate);
  const GateLife& life = kLives[index];
  const int minor = version_.major > 1 ? kNever - 1 : version_.minor;
  const bool by_default = minor >= life.on;
  // A gate is not there before its alpha and cannot be set once it is locked.
  if (minor < life.alpha || minor >= life.locked) return by_default;
  if (set_[index]) return value_[index];
  if (minor >= life.general) return by_default;
  const int all = minor >= life.beta ? all_beta_ : all_alpha_;
  return all < 0 ? by_default : all == 1;
}

std::vector<std::string> FeatureGates::WithoutEffect(absl::Span<const Gate> acted_on) const {
  const auto is_acted_on = [acted_on](Gate gate) {
    return std::find(acted_on.begin(), acted_on.end(), gate) != acted_on.end();
  };
  FeatureGates defaults;
  defaults.AlignWith(version_);
  std::vector<std::string> lines;
  for (size_t i = 0; i < kGates; ++i) {
    const auto gate = static_cast<Gate>(i);
    if (!set_[i] || value_[i] == defaults.Enabled(gate) || is_acted_on(gate)) continue;
    lines.push_back(StrCat("--feature-gates: ", kLives[i].name, "=", value_[i] ? "true" : "false",
                           ": ", kIdle[i]));
  }
  const std::pair<absl::string_view, int FeatureGates::*> stages[] = {
      {kAllAlpha, &FeatureGates::all_alpha_}, {kAllBeta, &FeatureGates::all_beta_}};
  for (const auto& [name, stage] : stages) {
    if (this->*stage < 0) continue;
    FeatureGates without = *this;
    without.*stage = -1;
    const bool acts = std::any_of(acted_on.begin(), acted_on.end(), [&](Gate gate) {
      return Enabled(gate) != without.Enabled(gate);
    });
    if (acts) continue;
    lines.push_back(StrCat("--feature-gates: ", name, "=", this->*stage == 1 ? "true" : "false",
                           ": it changes no gate that is acted on"));
  }
  return lines;
}

std::string FeatureGates::ToString() const {
  std::vector<std::string> states;
  for (size_t i = 0; i < kGates; ++i) {
    states.push_back(StrCat(kLives[i].name, "=", Enabled(static_cast<Gate>(i)) ? "true" : "false"));
  }
  std::sort(states.begin(), states.end());
  return absl::StrJoin(states, ",");
}

}  // namespace bth::conf
