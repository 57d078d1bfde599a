// What MindCluster's daemons tell of the chips of nodes, in ConfigMaps.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "api/types/json.h"
#include "base/status.h"
#include "base/strings.h"
#include "devices/mindcluster/mindcluster.h"
#include "devices/numbers.h"

namespace bth::devices::mindcluster {
namespace {

using model::ChipNews;
using model::ChipReport;
using types::ConfigMap;
using types::Json;

constexpr std::string_view kOwnNs = "mindx-dl";
constexpr std::string_view kPluginNs = "kube-system";
constexpr std::string_view kDevicesOfNode = "mindx-dl-deviceinfo-";
constexpr std::string_view kStatusOfNode = "mindx-dl-nodeinfo-";
constexpr std::string_view kDevicesOfCluster = "cluster-info-device-";
constexpr std::string_view kStatusOfCluster = "cluster-info-node-cm";
constexpr std::string_view kChipPrefix = "Ascend310P-";
constexpr size_t kNodesMax = 20'000;  // That one ConfigMap, of 1 MiB at most, has room to name.

// "Ascend310P-0,Ascend310P-3"; names of parts are others.
std::vector<int32_t> ChipsNamed(std::string_view text) {
  std::vector<int32_t> out;
  for (const absl::string_view item : SplitText(text, ',')) {
    std::string_view name = ToStd(item);
    if (!name.starts_with(kChipPrefix)) continue;
    const auto number = ReadNumber<int32_t>(name.substr(kChipPrefix.size()));
    if (number && *number >= 0 && *number <= model::kChipNumberMax) out.push_back(*number);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// Of {"DeviceList": {…}, "UpdateTime": …}.
ChipNews DevicesOf(std::string_view node, const Json& info) {
  ChipNews out{.node = std::string(node), .told_at = info["UpdateTime"].AsInt()};
  const Json& list = info["DeviceList"];
  const Json& free = list["huawei.com/Ascend310P"];
  if (!free.is_string()) return out;
  out.chips = ChipReport{.free = ChipsNamed(free.AsString()),
                         .broken = ChipsNamed(list["huawei.com/Ascend310P-Unhealthy"].AsString())};
  return out;
}

// Of {"NodeStatus": …}; there is none where there are no faults.
ChipNews StatusOf(std::string_view node, const Json& info) {
  ChipNews out{.node = std::string(node)};
  out.set_apart = info["NodeStatus"].AsString() == "PreSeparate";
  return out;
}

// Null: the key is not there, or says nothing.
absl::StatusOr<Json> ParsedData(const ConfigMap& object, std::string_view key) {
  const std::string* text = object.data.Find(key);
  if (text == nullptr || text->empty()) return Json();
  absl::StatusOr<Json> parsed = Json::Parse(*text);
  if (!parsed.ok()) return Annotate(parsed.status(), StrCat("data[", key, "]"));
  return parsed;
}

// Nodes by the names of their own ConfigMaps.
template <typename Read>
absl::StatusOr<std::vector<ChipNews>> ReadAll(const ConfigMap& object, std::string_view prefix,
                                              const Read& read) {
  BTH_ASSIGN_OR_RETURN(const Json all, ParsedData(object, object.meta.name));
  std::vector<ChipNews> out;
  for (const auto& [name, info] : all.members()) {
    const std::string_view node = name;
    if (!node.starts_with(prefix) || node.size() == prefix.size()) continue;
    if (out.size() == kNodesMax) break;
    out.push_back(read(node.substr(prefix.size()), info));
  }
  return out;
}

template <typename Read>
absl::StatusOr<std::vector<ChipNews>> ReadOne(
    const ConfigMap& object, std::string_view prefix,
    const std::pair<std::string_view, std::string_view>& at, const Read& read) {
  const std::string_view node = std::string_view(object.meta.name).substr(prefix.size());
  if (node.empty()) return std::vector<ChipNews>();
  BTH_ASSIGN_OR_RETURN(const Json data, ParsedData(object, at.first));
  return std::vector<ChipNews>{read(node, data[at.second])};
}

}  // namespace

absl::StatusOr<std::vector<ChipNews>> ReadReports(const ConfigMap& object, bool by_cluster) {
  const std::string_view name = object.meta.name;
  const bool own = object.meta.ns == kOwnNs;
  if (by_cluster && own && name.starts_with(kDevicesOfCluster)) {
    return ReadAll(object, kDevicesOfNode, DevicesOf);
  }
  if (by_cluster && own && name == kStatusOfCluster) {
    return ReadAll(object, kStatusOfNode, StatusOf);
  }
  if (!by_cluster && object.meta.ns == kPluginNs && name.starts_with(kDevicesOfNode)) {
    return ReadOne(object, kDevicesOfNode, {"DeviceInfoCfg", "DeviceInfo"}, DevicesOf);
  }
  if (!by_cluster && own && name.starts_with(kStatusOfNode)) {
    return ReadOne(object, kStatusOfNode, {"NodeInfo", "NodeInfo"}, StatusOf);
  }
  return std::vector<ChipNews>();
}

absl::Span<const ChipSource> SourcesOf(bool by_cluster) {
  static constexpr std::array<ChipSource, 1> kClusterD = {{{kOwnNs, "mx-consumer-volcano=true"}}};
  static constexpr std::array<ChipSource, 2> kPlugins = {
      {{kPluginNs, "mx-consumer-cim=true"}, {kOwnNs, "mx-consumer-cim=true"}}};
  if (by_cluster) return kClusterD;
  return kPlugins;
}

}  // namespace bth::devices::mindcluster
