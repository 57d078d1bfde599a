// A sink that counts, for cycles of which nothing else matters.
#pragma once

#include <cstddef>

#include "framework/session/effects.h"

namespace bth::test {

class CountingSink final : public framework::EffectSink {
 public:
  absl::Status Submit(framework::EffectBatch batch) override {
    binds_ += batch.binds.size();
    evictions_ += batch.evictions.size();
    return absl::OkStatus();
  }
  void Report(framework::CycleReport) override {}

  size_t binds() const { return binds_; }
  size_t evictions() const { return evictions_; }

 private:
  size_t binds_ = 0;
  size_t evictions_ = 0;
};

}  // namespace bth::test
