// Which nodes of a run have room for a request, from arrays by dimension.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "api/model/ids.h"
#include "api/model/resource_vec.h"
#include "framework/nodes/node_follower.h"
#include "framework/session/session.h"

namespace bth::framework {

// Only the dimensions that a request names are read, one array each, instead of the whole rows of
// idle and leaving resources. Lives for one session.
// Thread: scheduling.
class RoomColumns {
 public:
  explicit RoomColumns(const Session& session) : session_(session), follower_(session) {}

  void CatchUp();
  // True when the answers below are exact for the request as things stand.
  bool Covers(const model::ResourceVec& request) const;

  // out[i] = 1 when the request fits in what is idle; in what will be, once the leaving have left.
  void FitsIdle(const model::ResourceVec& request, model::NodeRange run,
                absl::Span<uint8_t> out) const {
    Fits(idle_, request, run, out);
  }
  void FitsFuture(const model::ResourceVec& request, model::NodeRange run,
                  absl::Span<uint8_t> out) const {
    Fits(future_, request, run, out);
  }

 private:
  using Columns = std::array<std::vector<int64_t>, model::kDims>;  // [dimension][node].

  void Read(model::NodeId node);
  void Fits(const Columns& columns, const model::ResourceVec& request, model::NodeRange run,
            absl::Span<uint8_t> out) const;

  const Session& session_;
  NodeFollower follower_;
  Columns idle_;
  Columns future_;  // Empty while it would be the same as idle_.
};

}  // namespace bth::framework
