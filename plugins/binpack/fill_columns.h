// How full nodes are, as plain arrays: binpack scores of many nodes at once.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "framework/nodes/node_follower.h"
#include "framework/session/session.h"

namespace bth::plugins::binpack {

// A resource that counts for the shape at hand.
struct Part {
  int dim = 0;
  int64_t request = 0;
  double weight = 0;
};

struct Parts {
  absl::Span<const Part> parts;
  double weight_sum = 0;
  double plugin_weight = 0;
};

// Adds the same scores as one node at a time gets. Lives for one session.
// Thread: scheduling.
class FillColumns {
 public:
  // `counted` are the resources that can count for some shape; at most one per dimension.
  FillColumns(const framework::Session& session, absl::Span<const Part> counted)
      : session_(session), follower_(session), counted_(counted.begin(), counted.end()) {}

  // Cost: the changed nodes, all of them the first time.
  void CatchUp();
  // True when `block` can be scored here for `parts`.
  bool Covers(model::NodeRange block, absl::Span<const Part> parts) const;
  void Add(const Parts& asked, model::NodeRange block, absl::Span<double> sum) const;

 private:
  // Of one dimension, by node index. A node without the resource has infinite capacity, so that
  // the resource adds nothing and is never exceeded.
  struct Column {
    std::vector<double> capacity;
    std::vector<double> held;
  };

  void Read(model::NodeId node);

  const framework::Session& session_;
  framework::NodeFollower follower_;
  const std::vector<Part> counted_;
  std::array<Column, model::kDims> columns_;
  std::vector<uint8_t> odd_;  // Nodes with quantities that a double may not hold exactly.
};

}  // namespace bth::plugins::binpack
