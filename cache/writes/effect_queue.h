// The door between the scheduling thread and the I/O thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "cache/writes/effect_writer.h"
#include "cache/writes/write_stops.h"
#include "framework/session/effects.h"
#include "net/awaitable.h"

namespace bth::cache {

// All methods are called on the scheduling thread; what they give arrives at the writer on the I/O
// thread, in order, before anything posted later (the request for the next snapshot). The writer
// outlives it.
class EffectQueue final : public framework::EffectSink {
 public:
  // More bindings under way than this refuse a batch: the API server is not keeping up.
  static constexpr int64_t kBindsMax = 50'000;

  EffectQueue(net::Executor& executor, EffectWriter& writer)
      : executor_(executor), writer_(writer) {}

  absl::Status Submit(framework::EffectBatch batch) override;
  void Report(framework::CycleReport report) override;

  // From now on batches that `stops` forbid are refused, and what they concern is not reported.
  // `buffers`: what comes stays here until EndCycle, so that the closed session can be checked
  // before anything of it is written.
  void BeginCycle(WriteStops stops, bool buffers);
  const std::vector<framework::EffectBatch>& buffered_batches() const { return buffered_; }
  const std::optional<framework::CycleReport>& buffered_report() const { return buffered_report_; }
  // Lets go of what was buffered, but for what `stops` forbid by now. Returns how many bindings and
  // evictions were dropped.
  int64_t EndCycle(WriteStops stops);

 private:
  void Send(framework::EffectBatch batch);
  void Filter(framework::CycleReport* report) const;

  net::Executor& executor_;
  EffectWriter& writer_;
  WriteStops stops_;
  bool buffers_ = false;
  std::vector<framework::EffectBatch> buffered_;
  std::optional<framework::CycleReport> buffered_report_;
  absl::flat_hash_set<model::JobId> dropped_jobs_;  // Of this cycle; their statuses would be lies.
};

}  // namespace bth::cache
