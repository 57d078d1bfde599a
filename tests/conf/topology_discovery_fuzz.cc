// Any bytes as volcano-controller.conf: no crash, and what is accepted is within its limits.
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/check.h"
#include "conf/map_reader.h"
#include "conf/topology_discovery.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bth::conf;
  const auto read =
      ParseTopologyDiscovery(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!read.ok()) {
    BTH_CHECK(!read.status().message().empty());
    return 0;
  }
  std::set<std::string> sources;
  for (const TopologySource& source : read->sources) {
    BTH_CHECK(source.source == kLabelSource || source.source == kUfmSource);
    BTH_CHECK(sources.insert(source.source).second);
    BTH_CHECK(source.interval > absl::ZeroDuration());
    BTH_CHECK(source.types.size() <= kTopologyTypesMax);
    for (const TopologyType& type : source.types) {
      BTH_CHECK(!type.name.empty() && type.name.size() <= kTopologyTypeNameMax);
      BTH_CHECK(!type.labels.empty() && type.labels.size() <= kTopologyTiersMax);
      BTH_CHECK(std::set<std::string>(type.labels.begin(), type.labels.end()).size() ==
                type.labels.size());
    }
  }
  BTH_CHECK(read->findings.size() <= MapReader::kFindingsMax);
  for (const Finding& finding : read->findings) BTH_CHECK(!ToString(finding).empty());
  return 0;
}
