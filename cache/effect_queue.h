// The door between the scheduling thread and the I/O thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "cache/effect_writer.h"
#include "framework/effects.h"
#include "net/awaitable.h"

namespace bth::cache {

// Submit and Report are called on the scheduling thread and arrive at the writer on the I/O
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

 private:
  net::Executor& executor_;
  EffectWriter& writer_;
};

}  // namespace bth::cache
