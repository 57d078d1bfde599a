#include "plugins/predicates/arguments.h"

#include <algorithm>
#include <string_view>

#include "base/status.h"
#include "base/strings.h"

namespace bth::plugins::predicates {
namespace {

// Says that a present argument changes nothing, and why.
void ReportIdle(const conf::Arguments& args, std::string_view key, std::string_view why) {
  if (args.Find(key) != nullptr && args.Has(key)) args.Report(key, std::string(why));
}

absl::Status CheckIdleArguments(const conf::Arguments& args) {
  BTH_ASSIGN_OR_RETURN(const bool cache, args.Bool("predicate.CacheEnable", false));
  if (cache) {
    args.Report("predicate.CacheEnable",
                "has no effect: verdicts are always kept, and always exact");
  }
  ReportIdle(args, "predicate.DynamicResourceAllocationEnable",
             "has no effect: devices are allocated wherever pods claim some");
  // Of older versions of Volcano, and of guides that speak of them.
  for (const std::string_view gpu : {"predicate.GPUSharingEnable", "predicate.GPUNumberEnable"}) {
    ReportIdle(args, gpu,
               "has no effect: plugin deviceshare shares GPUs, by arguments of the same names");
  }
  for (const std::string_view key : args.Keys()) {
    if (!key.starts_with("predicate.Proportional") && !key.starts_with("predicate.resources")) {
      continue;
    }
    ReportIdle(args, key, "has no effect: plugin resource-strategy-fit does that now");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Switches> ReadSwitches(const conf::Arguments& args) {
  struct Key {
    std::string_view name;
    bool Switches::*value;
  };
  constexpr Key kKeys[] = {
      {"predicate.NodeAffinityEnable", &Switches::node_affinity},
      {"predicate.NodePortsEnable", &Switches::node_ports},
      {"predicate.TaintTolerationEnable", &Switches::taints},
      {"predicate.PodAffinityEnable", &Switches::pod_affinity},
      {"predicate.NodeVolumeLimitsEnable", &Switches::volume_limits},
      {"predicate.VolumeZoneEnable", &Switches::volume_zone},
      {"predicate.PodTopologySpreadEnable", &Switches::topology_spread},
      {"predicate.VolumeBindingEnable", &Switches::volume_binding},
      {"predicate.VolumeRestrictionsEnable", &Switches::volume_restrictions},
  };
  Switches switches;
  for (const Key& key : kKeys) {
    BTH_ASSIGN_OR_RETURN(switches.*key.value, args.Bool(key.name, true));
  }
  constexpr std::string_view kTimeout = "volumebinding.bindTimeoutSeconds";
  BTH_ASSIGN_OR_RETURN(const int64_t seconds, args.Int(kTimeout, 600));
  if (seconds < 0 || seconds > 86'400) {
    return absl::InvalidArgumentError(StrCat(kTimeout, ": must be from 0 to 86400, is ", seconds));
  }
  switches.volume_bind_timeout = absl::Seconds(seconds);
  constexpr std::string_view kWeight = "volumebinding.weight";
  constexpr int64_t kWeightMax = 1'000'000;
  BTH_ASSIGN_OR_RETURN(switches.volume_weight, args.Int(kWeight, 1));
  if (switches.volume_weight < -kWeightMax || switches.volume_weight > kWeightMax) {
    return absl::InvalidArgumentError(StrCat(kWeight, ": beyond ", kWeightMax));
  }
  BTH_ASSIGN_OR_RETURN(switches.volume_shape, ReadShape(args));
  BTH_ASSIGN_OR_RETURN(const int64_t device_seconds,
                       args.Int("dynamicresources.filterTimeoutSeconds", 10));
  // Volcano ignores negative ones.
  if (device_seconds >= 0) switches.device_seconds = std::min<int64_t>(device_seconds, 3600);
  BTH_RETURN_IF_ERROR(CheckIdleArguments(args));
  return switches;
}

}  // namespace bth::plugins::predicates
