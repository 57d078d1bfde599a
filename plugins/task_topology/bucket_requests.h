// What the tasks of a bucket ask for together, and how many of them a node could take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "api/model/resource_vec.h"

namespace bth::plugins::task_topology {

// Requests in a fixed order, each there or not (a Fenwick tree). Pods are not counted as a
// resource. Every call but the first ones costs the logarithm of the number of requests.
class BucketRequests {
 public:
  // Before anything else; returns its position.
  size_t Append(const model::ResourceVec& request);
  void Finish();

  int64_t count() const { return count_; }
  const model::ResourceVec& sum() const { return sum_; }
  bool Has(size_t position) const { return there_[position]; }
  void Set(size_t position, const model::ResourceVec& request, bool there);

  // How many of those that are there fit into `room` beside `beside`, the first ones first, up to
  // the first that does not.
  int64_t CountFitting(const model::ResourceVec& beside, const model::ResourceVec& room) const;

 private:
  struct Sum {
    model::ResourceVec request;
    int64_t count = 0;
  };

  std::vector<Sum> tree_ = std::vector<Sum>(1);  // From 1 on.
  std::vector<bool> there_;
  model::ResourceVec sum_;
  int64_t count_ = 0;
};

}  // namespace bth::plugins::task_topology
