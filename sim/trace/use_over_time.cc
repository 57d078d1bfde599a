#include "sim/trace/use_over_time.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace bth::trace {
namespace {

void AddTimes(const model::ResourceVec& amounts, int64_t ms, AmountTime* sums) {
  for (size_t d = 0; d < model::kDims; ++d) (*sums)[d] += __int128{amounts.q[d]} * ms;
}

}  // namespace

AmountTime UsedInAll(const std::vector<QueueUse>& queues) {
  AmountTime sum{};
  for (const QueueUse& queue : queues) {
    for (size_t d = 0; d < model::kDims; ++d) sum[d] += queue.used[d];
  }
  return sum;
}

UseOverTime::UseOverTime(const model::ResourceVec& capacity, std::vector<algo::QueueClaim> claims)
    : capacity_(capacity),
      claims_(std::move(claims)),
      queues_(claims_.size()),
      queues_at_last_end_(claims_.size()),
      used_(claims_.size()),
      demand_(claims_.size()),
      deserved_(claims_.size()) {
  for (algo::QueueClaim& claim : claims_) {
    // These are never absent from a limit, so that no limit is a large one.
    for (const int dim : {model::kCpu, model::kMemory}) {
      if (claim.limit.v[dim] <= 0) claim.limit.Set(dim, std::numeric_limits<int64_t>::max());
    }
  }
}

void UseOverTime::Submit(int64_t now_ms, size_t queue, const model::ResourceVec& shape,
                         int64_t tasks) {
  Advance(now_ms);
  ++queues_[queue].waiting;
  Withdraw(now_ms, queue, shape, -tasks);
}

void UseOverTime::Start(int64_t now_ms, size_t queue) {
  Advance(now_ms);
  --queues_[queue].waiting;
}

void UseOverTime::Bind(int64_t now_ms, size_t queue, const model::ResourceVec& shape) {
  Advance(now_ms);
  used_[queue] += shape;
  used_in_all_ += shape;
  ++bound_;
}

void UseOverTime::Release(int64_t now_ms, size_t queue, const model::ResourceVec& shape) {
  Advance(now_ms);
  used_[queue] -= shape;
  used_in_all_ -= shape;
  --bound_;
}

void UseOverTime::Withdraw(int64_t now_ms, size_t queue, const model::ResourceVec& shape,
                           int64_t tasks) {
  Advance(now_ms);
  for (size_t d = 0; d < model::kDims; ++d) {
    demand_[queue][d] -= __int128{shape.q[d]} * tasks;
  }
  changed_ = true;
}

void UseOverTime::EndJob(int64_t now_ms) {
  Advance(now_ms);
  queues_at_last_end_ = queues_;
}

double UseOverTime::MeanUse(size_t bin, int dim) const {
  if (capacity_[dim] <= 0) return 0;
  const auto used = static_cast<double>(bins_[bin].used[static_cast<size_t>(dim)]);
  return used / static_cast<double>(capacity_[dim]) / SpanOf(bin);
}

double UseOverTime::MeanWaiting(size_t bin, size_t queue) const {
  return static_cast<double>(bins_[bin].waiting_ms[queue]) / SpanOf(bin);
}

double UseOverTime::SpanOf(size_t bin) const {
  const int64_t from_ms = static_cast<int64_t>(bin) * bin_ms_;
  return static_cast<double>(std::min(now_ms_ - from_ms, bin_ms_));
}

void UseOverTime::Advance(int64_t now_ms) {
  if (now_ms <= now_ms_) return;
  const int64_t ms = now_ms - now_ms_;
  if (changed_ && now_ms - divided_at_ms_ >= bin_ms_) Divide();
  for (size_t i = 0; i < queues_.size(); ++i) {
    AddTimes(used_[i], ms, &queues_[i].used);
    AddTimes(deserved_[i], ms, &queues_[i].deserved);
  }
  AddToBins(now_ms_, now_ms);
  now_ms_ = now_ms;
}

void UseOverTime::AddToBins(int64_t from_ms, int64_t to_ms) {
  while (to_ms > bin_ms_ * static_cast<int64_t>(kBinsMax)) MergeBins();
  while (from_ms < to_ms) {
    const auto at = static_cast<size_t>(from_ms / bin_ms_);
    if (at >= bins_.size()) bins_.resize(at + 1, Bin{{}, std::vector<int64_t>(queues_.size())});
    const int64_t end_ms = std::min(to_ms, static_cast<int64_t>(at + 1) * bin_ms_);
    AddTimes(used_in_all_, end_ms - from_ms, &bins_[at].used);
    for (size_t i = 0; i < queues_.size(); ++i) {
      bins_[at].waiting_ms[i] += queues_[i].waiting * (end_ms - from_ms);
    }
    from_ms = end_ms;
  }
}

void UseOverTime::MergeBins() {
  bin_ms_ *= 2;
  for (size_t i = 0; i < bins_.size(); ++i) {
    if (i % 2 == 0) {
      if (i > 0) bins_[i / 2] = std::move(bins_[i]);
      continue;
    }
    Bin& into = bins_[i / 2];
    for (size_t d = 0; d < model::kDims; ++d) into.used[d] += bins_[i].used[d];
    for (size_t q = 0; q < queues_.size(); ++q) into.waiting_ms[q] += bins_[i].waiting_ms[q];
  }
  bins_.resize((bins_.size() + 1) / 2);
}

void UseOverTime::Divide() {
  changed_ = false;
  divided_at_ms_ = now_ms_;
  for (size_t i = 0; i < claims_.size(); ++i) {
    for (size_t d = 0; d < model::kDims; ++d) {
      // Nobody can have more than all there is.
      claims_[i].request.q[d] =
          static_cast<int64_t>(std::clamp<__int128>(demand_[i][d], 0, capacity_.q[d]));
    }
  }
  deserved_ = algo::DivideFairly(capacity_, claims_).deserved;
}

}  // namespace bth::trace
