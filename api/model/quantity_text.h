// Amounts as people write them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/model/resource_vec.h"

namespace bth::model {

// An amount of that dimension as a Kubernetes quantity: "8", "500m", "16Gi". Bytes in whichever of
// the two notations is shorter.
std::string QuantityText(const DimensionTable& dims, int dim, int64_t amount);

// cpu, memory and pods first, the rest by name, because the numbers of the others depend on who
// asked first.
std::vector<int> DimsByName(DimMask mask, const DimensionTable& dims);
// "8 cpu, 16Gi memory".
std::string AmountsText(DimMask mask, const ResourceVec& amounts, const DimensionTable& dims);
// "6 of 8 cpu, 1Gi of 16Gi memory"; what is below zero counts as zero.
std::string UseText(DimMask mask, const ResourceVec& held, const ResourceVec& most,
                    const DimensionTable& dims);

}  // namespace bth::model
