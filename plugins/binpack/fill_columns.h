// How full nodes are: binpack's scores, of many nodes at once from plain arrays.
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

// Reads blocks from columns while these are up to date, and otherwise the session; the formula is
// the same. Lives for one session. Thread: scheduling.
class FillColumns {
 public:
  // `counted` are the resources that can count for some shape; at most one per dimension.
  FillColumns(const framework::Session& session, absl::Span<const Part> counted)
      : session_(session), follower_(session), counted_(counted.begin(), counted.end()) {}

  // Cost: the changed nodes, all of them the first time.
  void CatchUp();
  // Scores are 0 to 100, times the plugin's weight. A node that would be over its allocatable in a
  // resource that counts gets 0.
  void Add(const Parts& asked, model::NodeRange block, absl::Span<double> sum) const;

 private:
  // Of one dimension. A node without the resource has infinite capacity, so that the resource adds
  // nothing and is never exceeded.
  struct Fill {
    double capacity = 1;
    double held = 0;
  };
  // By node index.
  struct Column {
    std::vector<double> capacity;
    std::vector<double> held;
  };
  // Of the nodes at hand.
  struct Lane {
    const double* capacity = nullptr;
    const double* held = nullptr;
  };
  using Lanes = std::array<Lane, model::kDims>;  // By part.

  static void AddScores(const Parts& asked, const Lanes& lanes, absl::Span<double> sum);
  Fill FillOf(model::NodeId node, int dim) const;

  const framework::Session& session_;
  framework::NodeFollower follower_;
  const std::vector<Part> counted_;
  std::array<Column, model::kDims> columns_;
};

}  // namespace bth::plugins::binpack
