// Any bytes as ConfigMaps of MindCluster's daemons: no crash, and chips within their bounds. The
// first byte says which ConfigMap it is.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "devices/mindcluster/mindcluster.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bth;
  struct Source {
    const char* ns;
    const char* name;
    const char* key;
    bool by_cluster;
  };
  static constexpr std::array<Source, 4> kSources = {
      {{"mindx-dl", "cluster-info-device-0", "cluster-info-device-0", true},
       {"mindx-dl", "cluster-info-node-cm", "cluster-info-node-cm", true},
       {"kube-system", "mindx-dl-deviceinfo-n", "DeviceInfoCfg", false},
       {"mindx-dl", "mindx-dl-nodeinfo-n", "NodeInfo", false}}};
  if (size == 0) return 0;
  const Source& source = kSources[data[0] % kSources.size()];
  types::ConfigMap object;
  object.meta.ns = source.ns;
  object.meta.name = source.name;
  object.data.Set(source.key, std::string(reinterpret_cast<const char*>(data + 1), size - 1));
  const auto news = devices::mindcluster::ReadReports(object, source.by_cluster);
  if (!news.ok()) return 0;
  BTH_CHECK(devices::mindcluster::ReadReports(object, !source.by_cluster)->empty());
  for (const model::ChipNews& one : *news) {
    BTH_CHECK(!one.node.empty());
    if (!one.chips) continue;
    for (const auto* chips : {&one.chips->free, &one.chips->broken}) {
      BTH_CHECK(std::is_sorted(chips->begin(), chips->end()));
      BTH_CHECK(chips->empty() || (chips->front() >= 0 && chips->back() <= model::kChipNumberMax));
    }
    model::NodeDevices node;
    node.layout = {.chips = 8, .cores = 8, .cpus = 7};
    const auto devices =
        model::WithChips(std::make_shared<const model::NodeDevices>(node), &*one.chips, false);
    BTH_CHECK(devices->pools.at(0).devices.size() <= devices::kDevicesMax + 8);
  }
  return 0;
}
