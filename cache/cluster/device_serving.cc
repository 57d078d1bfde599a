#include "cache/cluster/device_serving.h"

namespace bth::cache {

void DeviceServing::Publish(DeviceClaimMirror& claims, NodeTable& nodes,
                            const Vocabulary& vocabulary) {
  claims.CatchUp();
  Served served;
  const model::DimensionTable& dims = vocabulary.dims();
  if (const auto* extended = claims.extended(); extended != nullptr) {
    for (int d = model::kFixedDims; d < dims.size(); ++d) {
      const auto known = extended->find(dims.name(d));
      if (known != extended->end()) served.emplace_back(known->first, known->second);
    }
  }
  if (served.empty() && served_.empty()) return;
  if (served == served_ && claims.offers() == offers_ && nodes.changes() == nodes_) return;
  served_ = std::move(served);
  offers_ = claims.offers();
  nodes_ = nodes.changes();
  nodes.Serve([&](const model::NodeFacts& node) {
    constexpr int64_t kMilli = 1000;
    NamedAmounts amounts;
    for (const auto& [resource, device_class] : served_) {
      const int64_t count = claims.DevicesOf(device_class, node);
      if (count > 0) amounts.emplace_back(resource, count * kMilli);
    }
    return amounts;
  });
}

}  // namespace bth::cache
