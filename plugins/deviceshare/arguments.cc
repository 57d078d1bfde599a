#include "plugins/deviceshare/arguments.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "devices/config.h"

namespace bth::plugins::deviceshare {
namespace {

using model::DeviceSettings;

constexpr std::string_view kRules = "deviceshare.GPUExclusiveRules";

absl::Status Refused(std::string_view key, std::string_view why) {
  return absl::InvalidArgumentError(StrCat(key, ": ", why));
}

absl::Status ReadFamilies(const conf::Arguments& args, DeviceSettings* out) {
  BTH_ASSIGN_OR_RETURN(out->gpu_memory, args.Bool("deviceshare.GPUSharingEnable", false));
  BTH_ASSIGN_OR_RETURN(out->gpu_number, args.Bool("deviceshare.GPUNumberEnable", false));
  BTH_ASSIGN_OR_RETURN(out->vgpu, args.Bool("deviceshare.VGPUEnable", false));
  BTH_ASSIGN_OR_RETURN(out->hami_ascend, args.Bool("deviceshare.AscendHAMiVNPUEnable", false));
  BTH_ASSIGN_OR_RETURN(out->mind_cluster,
                       args.Bool("deviceshare.AscendMindClusterVNPUEnable", false));
  if (out->gpu_memory && out->gpu_number) {
    return absl::InvalidArgumentError("can not define true in both gpu sharing and gpu number");
  }
  if ((out->gpu_memory || out->gpu_number) && out->vgpu) {
    return absl::InvalidArgumentError("gpu-share and vgpu can't be used together");
  }
  return absl::OkStatus();
}

// A map of labels, of which a pod has all; one that is empty, or has a value that is no text, makes
// no rule.
std::vector<std::pair<std::string, std::string>> ReadRule(const conf::Value& rule) {
  std::vector<std::pair<std::string, std::string>> labels;
  for (const conf::Value::Member& member : rule.members()) {
    if (!member.value.is_string()) return {};
    labels.emplace_back(member.key, member.value.text());
  }
  std::sort(labels.begin(), labels.end());
  return labels;
}

absl::Status ReadRules(const conf::Arguments& args, DeviceSettings* out) {
  const conf::Value* rules = args.Find(kRules);
  if (rules == nullptr || rules->is_null()) return absl::OkStatus();
  if (!rules->is_list()) {
    args.Report(kRules, "is no list of maps of labels; no rule is read from it");
    return absl::OkStatus();
  }
  for (const conf::Value& item : rules->items()) {
    auto labels = item.is_map() ? ReadRule(item) : decltype(ReadRule(item))();
    if (labels.empty()) {
      args.Report(kRules, "a rule that is no map of labels to texts is left out");
      continue;
    }
    if (out->exclusive_rules.size() == DeviceSettings::kExclusiveRulesMax) {
      return Refused(kRules, StrCat("more than ", DeviceSettings::kExclusiveRulesMax, " rules"));
    }
    out->exclusive_rules.push_back(std::move(labels));
  }
  return absl::OkStatus();
}

devices::Policy PolicyNamed(const conf::Arguments& args, const std::string& name) {
  constexpr std::string_view kKey = "deviceshare.SchedulePolicy";
  if (name == "binpack") return devices::Policy::kBinpack;
  if (name == "spread") return devices::Policy::kSpread;
  if (!name.empty()) args.Report(kKey, "is neither binpack nor spread; devices are taken in order");
  return devices::Policy::kNone;
}

}  // namespace

absl::StatusOr<Options> ReadOptions(const conf::Arguments& args) {
  Options out;
  auto settings = std::make_shared<DeviceSettings>();
  devices::UseBuiltinConfig(settings.get());
  BTH_RETURN_IF_ERROR(ReadFamilies(args, settings.get()));
  BTH_ASSIGN_OR_RETURN(settings->config_name, args.String("deviceshare.KnownGeometriesCMName",
                                                          "volcano-vgpu-device-config"));
  BTH_ASSIGN_OR_RETURN(settings->config_namespace,
                       args.String("deviceshare.KnownGeometriesCMNamespace", "kube-system"));
  BTH_RETURN_IF_ERROR(ReadRules(args, settings.get()));
  BTH_ASSIGN_OR_RETURN(out.node_lock, args.Bool("deviceshare.NodeLockEnable", false));
  BTH_ASSIGN_OR_RETURN(const std::string policy, args.String("deviceshare.SchedulePolicy", ""));
  out.policy = PolicyNamed(args, policy);
  BTH_ASSIGN_OR_RETURN(out.weight, args.Int("deviceshare.ScheduleWeight", 0));
  constexpr int64_t kWeightMax = 1'000'000;
  if (out.weight > kWeightMax) {
    return Refused("deviceshare.ScheduleWeight", StrCat("larger than ", kWeightMax));
  }
  out.weight = std::max<int64_t>(out.weight, 0);
  out.settings = std::move(settings);
  return out;
}

}  // namespace bth::plugins::deviceshare
