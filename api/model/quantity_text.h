// Amounts as people write them.
#pragma once

#include <cstdint>
#include <string>

#include "api/model/resource_vec.h"

namespace bth::model {

// An amount of that dimension as a Kubernetes quantity: "8", "500m", "16Gi". Bytes in whichever of
// the two notations is shorter.
std::string QuantityText(const DimensionTable& dims, int dim, int64_t amount);

}  // namespace bth::model
