// The sink of tests that look at what a session decided.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "framework/session/effects.h"

namespace bth::test {

// Keeps what it is given, and accepts it unless told otherwise.
class RecordingSink final : public framework::EffectSink {
 public:
  absl::Status Submit(framework::EffectBatch batch) override {
    if (!answer.ok()) return answer;
    if (look) look(batch);
    batches.push_back(std::move(batch));
    return absl::OkStatus();
  }
  void Report(framework::CycleReport cycle_report) override { report = std::move(cycle_report); }

  absl::Status answer;
  // Sees each batch while its statement stands; may be empty.
  std::function<void(const framework::EffectBatch&)> look;
  std::vector<framework::EffectBatch> batches;
  framework::CycleReport report;
};

}  // namespace bth::test
