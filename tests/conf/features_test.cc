#include "conf/features.h"

#include "base/strings.h"
#include "tests/support/catch.h"

namespace bth::conf {
namespace {

FeatureGates Parse(const std::string& text) {
  const auto gates = FeatureGates::Parse(text);
  INFO(gates.status().ToString());
  REQUIRE(gates.ok());
  return *gates;
}

TEST_CASE("features: Volcano's defaults", "[conf]") {
  const FeatureGates gates;
  for (Gate gate : {Gate::kWorkLoadSupport, Gate::kVolcanoJobSupport, Gate::kCronVolcanoJobSupport,
                    Gate::kPodDisruptionBudgetsSupport, Gate::kQueueCommandSync,
                    Gate::kPriorityClass, Gate::kResourceTopology}) {
    CAPTURE(Name(gate));
    CHECK(gates.Enabled(gate));
  }
  CHECK(!gates.Enabled(Gate::kCsiStorage));
  CHECK(!gates.Enabled(Gate::kSchedulingGatesQueueAdmission));
}

TEST_CASE("features: names are those of the flag", "[conf]") {
  CHECK(Name(Gate::kWorkLoadSupport) == "WorkLoadSupport");
  CHECK(Name(Gate::kCsiStorage) == "CSIStorage");
  CHECK(Name(Gate::kSchedulingGatesQueueAdmission) == "SchedulingGatesQueueAdmission");
  CHECK(Name(Gate::kDynamicResourceAllocation) == "DynamicResourceAllocation");
  CHECK(Name(Gate::kDraSchedulerFilterTimeout) == "DRASchedulerFilterTimeout");
  CHECK(Name(Gate::kVolumeAttributesClass) == "VolumeAttributesClass");
}

TEST_CASE("features: explicit settings win, the last one of a name counts", "[conf]") {
  const FeatureGates gates =
      Parse(" PriorityClass=false, CSIStorage = True,,ResourceTopology=true,ResourceTopology=f");
  CHECK(!gates.Enabled(Gate::kPriorityClass));
  CHECK(gates.Enabled(Gate::kCsiStorage));
  CHECK(!gates.Enabled(Gate::kResourceTopology));
  CHECK(gates.Enabled(Gate::kQueueCommandSync));
}

TEST_CASE("features: AllAlpha reaches what is alpha and not set by name", "[conf]") {
  FeatureGates gates = Parse("AllAlpha=false,PriorityClass=true");
  CHECK(!gates.Enabled(Gate::kQueueCommandSync));
  CHECK(gates.Enabled(Gate::kPriorityClass));
  CHECK(gates.Enabled(Gate::kPodLevelResources));  // Beta.
  gates = Parse("AllAlpha=true,AllBeta=false");
  CHECK(gates.Enabled(Gate::kSchedulingGatesQueueAdmission));
  CHECK(gates.Enabled(Gate::kStorageCapacityScoring));
  CHECK(!gates.Enabled(Gate::kPodLevelResources));
  CHECK(gates.Enabled(Gate::kDynamicResourceAllocation));  // General.
}

TEST_CASE("features: Kubernetes gates follow the version of the API server", "[conf]") {
  struct Case {
    Gate gate;
    int minor;
    bool expect;
  };
  const Case c = GENERATE(values<Case>({
      {Gate::kDynamicResourceAllocation, 33, false},
      {Gate::kDynamicResourceAllocation, 34, true},
      {Gate::kDraConsumableCapacity, 35, false},
      {Gate::kDraConsumableCapacity, 36, true},
      {Gate::kDraDeviceTaintRules, 36, false},
      {Gate::kInPlacePodVerticalScaling, 32, false},
      {Gate::kInPlacePodVerticalScaling, 33, true},
      {Gate::kSidecarContainers, 28, false},
      {Gate::kSidecarContainers, 29, true},
      {Gate::kStorageCapacityScoring, 36, false},
      {Gate::kVolumeAttributesClass, 33, false},
      {Gate::kVolumeAttributesClass, 34, true},
  }));
  FeatureGates gates;
  gates.AlignWith({1, c.minor});
  CAPTURE(Name(c.gate), c.minor);
  CHECK(gates.Enabled(c.gate) == c.expect);
}

TEST_CASE("features: a gate cannot be set before it exists nor after it is locked", "[conf]") {
  FeatureGates gates = Parse("DynamicResourceAllocation=false,DRAConsumableCapacity=true");
  gates.AlignWith({1, 34});
  CHECK(!gates.Enabled(Gate::kDynamicResourceAllocation));
  CHECK(gates.Enabled(Gate::kDraConsumableCapacity));
  gates.AlignWith({1, 33});
  CHECK(!gates.Enabled(Gate::kDraConsumableCapacity));
  gates.AlignWith({1, 35});
  CHECK(gates.Enabled(Gate::kDynamicResourceAllocation));
}

TEST_CASE("features: what is wrong is named with the nearest name", "[conf]") {
  struct Case {
    std::string text, expect;
  };
  const Case c = GENERATE(values<Case>({
      {"PriorityClas=true",
       "--feature-gates: unrecognized feature gate: PriorityClas (did you mean "
       "\"PriorityClass\"?)"},
      {"Nothing=true", "--feature-gates: unrecognized feature gate: Nothing"},
      {"PriorityClass",
       "--feature-gates: missing bool value for PriorityClass; write PriorityClass=true"},
      {"PriorityClass=yes",
       "--feature-gates: invalid value of PriorityClass: \"yes\" is neither true nor false"},
      {"=true", "--feature-gates: unrecognized feature gate: "},
  }));
  CAPTURE(c.text);
  CHECK(FeatureGates::Parse(c.text).status().message() == c.expect);
  CHECK(!FeatureGates::Parse(std::string(20 << 10, 'x')).ok());
}

TEST_CASE("features: where a gate is not acted on, the programs that act on it are named",
          "[conf]") {
  struct Case {
    std::string setting, expect;
  };
  const Case c = GENERATE(values<Case>({
      {"WorkLoadSupport=false",
       "only vc-scheduler, vc-agent-scheduler and vc-controller-manager act on it"},
      {"VolcanoJobSupport=false", "only vc-controller-manager acts on it"},
      {"CronVolcanoJobSupport=false", "only vc-controller-manager acts on it"},
      {"QueueCommandSync=false", "only vc-controller-manager acts on it"},
      {"PriorityClass=false", "only vc-scheduler and vc-controller-manager act on it"},
      {"PodDisruptionBudgetsSupport=false", "only vc-scheduler acts on it"},
      {"ResourceTopology=false", "only vc-scheduler acts on it"},
      {"SchedulingGatesQueueAdmission=true", "only vc-scheduler and vc-webhook-manager act on it"},
      {"PodLevelResources=false",
       "only vc-scheduler, vc-agent-scheduler and vc-webhook-manager act on it"},
      {"MatchLabelKeysInPodTopologySpread=false",
       "only vc-scheduler and vc-agent-scheduler act on it"},
      {"DRADeviceTaintRules=true", "only vc-scheduler and vc-agent-scheduler act on it"},
      {"DRAExtendedResource=false", "only vc-scheduler and vc-agent-scheduler act on it"},
      {"StorageCapacityScoring=true", "only vc-scheduler and vc-agent-scheduler act on it"},
      {"SidecarContainers=false", "it is always on"},
      {"VolumeAttributesClass=false", "it is always on"},
  }));
  CAPTURE(c.setting);
  const std::vector<std::string> lines = Parse(c.setting).WithoutEffect({});
  CHECK(lines == std::vector<std::string>{StrCat("--feature-gates: ", c.setting, ": ", c.expect)});
}

TEST_CASE("features: the state is listed in order of names", "[conf]") {
  const std::string text = Parse("AllAlpha=true").ToString();
  CHECK(text.rfind("CSIStorage=true,CronVolcanoJobSupport=true,DRAAdminAccess=true,", 0) == 0);
  CHECK(Parse(text).ToString() == FeatureGates(Parse(text)).ToString());
}

}  // namespace
}  // namespace bth::conf
