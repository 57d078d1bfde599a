// What HyperNodes lack for a gang that waits for one of them.
#pragma once

#include <cstdint>
#include <utility>

#include "api/model/ids.h"
#include "api/model/resource_vec.h"

namespace bth::framework {

// Of a gang whose pods are all alike: it finds no place in a HyperNode of which any of this is
// true. Equal ones are waited for together.
struct DomainLack {
  model::ShapeId shape;
  model::QueueId queue;           // Invalid where no filter goes by it.
  int32_t tier = 0;               // It is of a higher one,
  model::HyperNodeId within;      // or not inside of this one (invalid: it may be anywhere),
  int64_t too_few = -1;           // or has room for so many pods and no more (below zero: unknown),
  model::ResourceVec of_job;      // or for less than that,
  model::ResourceVec of_sub_job;  // or that, now and when releasing pods have left.

  friend bool operator==(const DomainLack&, const DomainLack&) = default;
  template <typename H>
  friend H AbslHashValue(H state, const DomainLack& lack) {
    return H::combine(std::move(state), lack.shape, lack.queue, lack.tier, lack.within,
                      lack.too_few, lack.of_job.q, lack.of_sub_job.q);
  }
};

}  // namespace bth::framework
