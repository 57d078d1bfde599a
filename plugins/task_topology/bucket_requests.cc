#include "plugins/task_topology/bucket_requests.h"

#include <bit>

namespace bth::plugins::task_topology {
namespace {

model::ResourceVec WithoutPods(model::ResourceVec request) {
  request[model::kPods] = 0;
  return request;
}

}  // namespace

size_t BucketRequests::Append(const model::ResourceVec& request) {
  const model::ResourceVec counted = WithoutPods(request);
  tree_.push_back({.request = counted, .count = 1});
  there_.push_back(true);
  sum_ += counted;
  ++count_;
  return there_.size() - 1;
}

void BucketRequests::Finish() {
  for (size_t i = 1; i < tree_.size(); ++i) {
    const size_t above = i + (i & (~i + 1));
    if (above >= tree_.size()) continue;
    tree_[above].request += tree_[i].request;
    tree_[above].count += tree_[i].count;
  }
}

void BucketRequests::Set(size_t position, const model::ResourceVec& request, bool there) {
  if (there_[position] == there) return;
  there_[position] = there;
  const model::ResourceVec counted = WithoutPods(request);
  const auto change = [&](model::ResourceVec& sum, int64_t& count) {
    there ? sum += counted : sum -= counted;
    count += there ? 1 : -1;
  };
  change(sum_, count_);
  for (size_t i = position + 1; i < tree_.size(); i += i & (~i + 1)) {
    change(tree_[i].request, tree_[i].count);
  }
}

int64_t BucketRequests::CountFitting(const model::ResourceVec& beside,
                                     const model::ResourceVec& room) const {
  model::ResourceVec sum = WithoutPods(beside);
  if ((sum + sum_).FitsIn(room)) return count_;
  int64_t fitting = 0;
  size_t at = 0;
  for (size_t step = std::bit_floor(tree_.size()); step > 0; step /= 2) {
    if (at + step >= tree_.size()) continue;
    const Sum& next = tree_[at + step];
    const model::ResourceVec with = sum + next.request;
    if (!with.FitsIn(room)) continue;
    at += step;
    sum = with;
    fitting += next.count;
  }
  return fitting;
}

}  // namespace bth::plugins::task_topology
