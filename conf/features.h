// Feature gates: `--feature-gates=Name=true,Other=false`.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace bth::conf {

// Gates that influence some decision of Volcano: its own, then those of Kubernetes. Each program of
// ours acts on some of them and says of the others that they change nothing.
enum class Gate : uint8_t {
  kWorkLoadSupport,
  kVolcanoJobSupport,
  kCronVolcanoJobSupport,
  kPodDisruptionBudgetsSupport,
  kQueueCommandSync,
  kPriorityClass,
  kCsiStorage,
  kResourceTopology,
  kSchedulingGatesQueueAdmission,
  kDynamicResourceAllocation,
  kDraAdminAccess,
  kDraConsumableCapacity,
  kDraDeviceBindingConditions,
  kDraDeviceTaintRules,
  kDraDeviceTaints,
  kDraExtendedResource,
  kDraPartitionableDevices,
  kDraPrioritizedList,
  kDraResourceClaimDeviceStatus,
  kDraSchedulerFilterTimeout,
  kInPlacePodLevelResourcesVerticalScaling,
  kInPlacePodVerticalScaling,
  kMatchLabelKeysInPodTopologySpread,
  kNodeInclusionPolicyInPodTopologySpread,
  kPodLevelResources,
  kPodSchedulingReadiness,
  kSidecarContainers,
  kStorageCapacityScoring,
  kVolumeAttributesClass,
};
inline constexpr size_t kGates = 29;

// The name as written in the flag.
std::string_view Name(Gate gate);

// The version of an API server, which decides the defaults of Kubernetes' gates.
struct KubeVersion {
  int major = 1;
  int minor = 36;
};

// Explicit settings over defaults. A value; copy it freely.
class FeatureGates {
 public:
  FeatureGates() = default;

  // Comma-separated Name=true|false pairs; blanks around them are ignored, the last setting of a
  // name wins. `AllAlpha` and `AllBeta` set every gate of that stage that is not set by name.
  // kInvalidArgument for an unknown name (with the nearest known one) or a value that is no
  // boolean.
  static absl::StatusOr<FeatureGates> Parse(std::string_view text);

  // Called once the API server's version is known; explicit settings stay.
  void AlignWith(const KubeVersion& version) { version_ = version; }

  bool Enabled(Gate gate) const;
  // What the flag asks for other than the default although the caller, who acts on the gates of
  // `acted_on` only, does the same in any case: `--feature-gates: Name=false: why`, one line each.
  std::vector<std::string> WithoutEffect(absl::Span<const Gate> acted_on) const;
  // Every gate with its state, `Name=true,…` in order of names.
  std::string ToString() const;

 private:
  std::bitset<kGates> set_;
  std::bitset<kGates> value_;
  int all_alpha_ = -1;  // -1: not given.
  int all_beta_ = -1;
  KubeVersion version_;
};

}  // namespace bth::conf
