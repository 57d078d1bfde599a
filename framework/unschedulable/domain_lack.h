// What HyperNodes lack for a gang that waits for one of them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "api/model/ids.h"
#include "api/model/resource_vec.h"

namespace bth::framework {

class GangDemand;
class Session;

// Of a gang without sub-groups. Equal ones are waited for together.
struct DomainLack {
  // What waits of it, by shape and role.
  struct Kind {
    model::ShapeId shape;
    int32_t tasks = 0;
    bool best_effort = false;  // There is room for them everywhere.

    friend bool operator==(const Kind&, const Kind&) = default;
    template <typename H>
    friend H AbslHashValue(H state, const Kind& kind) {
      return H::combine(std::move(state), kind.shape, kind.tasks, kind.best_effort);
    }
  };
  std::vector<Kind> kinds;
  // So many of each kind were placed together somewhere, and were not enough.
  std::vector<absl::InlinedVector<int32_t, 4>> not_enough;
  model::QueueId queue;           // Invalid where no filter goes by it.
  int32_t tier = 0;               // The highest that it may span.
  model::HyperNodeId within;      // What of it has a place is in here; invalid: it has none.
  model::ResourceVec of_job;      // What sums must hold for it to be tried at all,
  model::ResourceVec of_sub_job;  // now or when releasing pods have left.

  void TakeOver(const GangDemand& demand);

  friend bool operator==(const DomainLack&, const DomainLack&) = default;
  template <typename H>
  friend H AbslHashValue(H state, const DomainLack& lack) {
    return H::combine(std::move(state), lack.kinds, lack.not_enough, lack.queue, lack.tier,
                      lack.within, lack.of_job.q, lack.of_sub_job.q);
  }
};

// The gang may be there, as far as tiers and what has a place already go.
bool IsInBounds(const Session& session, const DomainLack& lack, model::HyperNodeId id);

// False: the gang finds no place in the HyperNode, in whatever order and wherever inside of it its
// pods are tried: it is out of bounds, sums do not hold what they must, or it has room for no more
// than was not enough. Thread: scheduling. Cost: the nodes of the HyperNode, per kind, unless they
// are counted already.
bool MayHold(const Session& session, const DomainLack& lack, model::HyperNodeId id);

}  // namespace bth::framework
