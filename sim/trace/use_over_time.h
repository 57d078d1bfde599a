// Who uses, and waits for, how much of a cluster: sums over time, and their course.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "algo/fair_share.h"
#include "api/model/resource_vec.h"

namespace bth::trace {

// Amounts times milliseconds; exact.
using AmountTime = std::array<__int128, model::kDims>;

struct QueueUse {
  AmountTime used{};      // What its tasks held.
  AmountTime deserved{};  // What weights give it of the cluster, as long as it asks for that much.
  int64_t waiting = 0;    // Jobs that were submitted and have not started, at this moment.
};

// Of all queues.
AmountTime UsedInAll(const std::vector<QueueUse>& queues);

// State between two moments does not change, so sums are exact. What queues deserve is worked out
// anew when something changed, but not more often than once in a bin. Thread: one owner.
class UseOverTime {
 public:
  // As many bins as there are at most; then two become one.
  static constexpr size_t kBinsMax = 1024;

  // Of what a span of `bin_ms()` held.
  struct Bin {
    AmountTime used{};
    std::vector<int64_t> waiting_ms;  // Jobs times milliseconds, by queue.
  };

  // `claims`: weights, limits and guarantees of the queues; their requests are ignored.
  UseOverTime(const model::ResourceVec& capacity, std::vector<algo::QueueClaim> claims);

  // Moments never go back.
  void Submit(int64_t now_ms, size_t queue, const model::ResourceVec& shape, int64_t tasks);
  void Start(int64_t now_ms, size_t queue);  // One job does not wait any more.
  void Bind(int64_t now_ms, size_t queue, const model::ResourceVec& shape);
  void Release(int64_t now_ms, size_t queue, const model::ResourceVec& shape);
  // So many tasks are not asked for any more (or, negative, are again).
  void Withdraw(int64_t now_ms, size_t queue, const model::ResourceVec& shape, int64_t tasks);
  void EndJob(int64_t now_ms);  // One job has ended.
  void End(int64_t now_ms) { Advance(now_ms); }

  const model::ResourceVec& capacity() const { return capacity_; }
  const std::vector<QueueUse>& queues() const { return queues_; }
  // As they were when a job ended last; what never starts may be waited for after that.
  const std::vector<QueueUse>& queues_at_last_end() const { return queues_at_last_end_; }
  const std::vector<Bin>& bins() const { return bins_; }
  // In one bin: share of the cluster's capacity, 0 where there is none; jobs that waited.
  double MeanUse(size_t bin, int dim) const;
  double MeanWaiting(size_t bin, size_t queue) const;
  int64_t bin_ms() const { return bin_ms_; }
  int64_t now_ms() const { return now_ms_; }
  // Tasks that hold room at this moment.
  int64_t bound() const { return bound_; }

 private:
  using Demand = std::array<__int128, model::kDims>;

  void Advance(int64_t now_ms);
  double SpanOf(size_t bin) const;  // The last one is not whole.
  void AddToBins(int64_t from_ms, int64_t to_ms);
  void MergeBins();
  void Divide();

  const model::ResourceVec capacity_;
  std::vector<algo::QueueClaim> claims_;
  std::vector<QueueUse> queues_;
  std::vector<QueueUse> queues_at_last_end_;
  std::vector<model::ResourceVec> used_;      // By queue, at this moment.
  std::vector<Demand> demand_;                // Likewise; with what is used.
  std::vector<model::ResourceVec> deserved_;  // Likewise, when it was worked out last.
  model::ResourceVec used_in_all_;
  std::vector<Bin> bins_;
  int64_t bin_ms_ = 1000;
  int64_t now_ms_ = 0;
  int64_t divided_at_ms_ = 0;
  bool changed_ = false;  // Since then.
  int64_t bound_ = 0;
};

}  // namespace bth::trace
