// Any bytes as the answer of a fabric manager: no crash, and HyperNodes that the API accepts.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "controllers/hyper_node/ufm_discovery.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bth::controllers;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto ports = ParseUfmPorts(text);
  if (!ports.ok()) {
    BTH_CHECK(!ports.status().message().empty());
    return 0;
  }
  const auto made = HyperNodesOfLinks(ports->links);
  BTH_CHECK(made.empty() == ports->links.empty());
  size_t members = 0;
  for (const auto& object : made) {
    BTH_CHECK(!object.members.empty());
    for (const auto& member : object.members) {
      BTH_CHECK(!member.exact_name.empty() && member.exact_name.size() <= 253);
    }
    members += object.members.size();
  }
  // Each node once, each leaf group once.
  BTH_CHECK(made.empty() || members <= ports->links.size() + made.size() - 1);
  return 0;
}
