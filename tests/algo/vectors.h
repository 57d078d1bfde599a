// Vectors of the resource tests, which have three dimensions beside cpu, memory and pods.
#pragma once

#include <cstdint>
#include <vector>

#include "api/model/resource_vec.h"

namespace bth::algo {

inline constexpr int kGpu = 3;
inline constexpr int kRdma = 4;
inline constexpr int kFpga = 5;

inline model::ResourceVec Vec(int64_t cpu, int64_t memory, int64_t gpu = 0, int64_t rdma = 0,
                              int64_t fpga = 0) {
  model::ResourceVec vec;
  vec[model::kCpu] = cpu;
  vec[model::kMemory] = memory;
  vec[kGpu] = gpu;
  vec[kRdma] = rdma;
  vec[kFpga] = fpga;
  return vec;
}

inline model::ResourceVec PodsVec(int64_t cpu, int64_t memory, int64_t pods) {
  model::ResourceVec vec = Vec(cpu, memory);
  vec[model::kPods] = pods;
  return vec;
}

inline model::DimMask Bits(const std::vector<int>& dims) {
  model::DimMask mask = 0;
  for (int dim : dims) mask |= model::DimMask{1} << dim;
  return mask;
}

}  // namespace bth::algo
