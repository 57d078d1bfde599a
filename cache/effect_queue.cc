#include "cache/effect_queue.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"

namespace bth::cache {

absl::Status EffectQueue::Submit(framework::EffectBatch batch) {
  const auto binds = static_cast<int64_t>(batch.binds.size());
  if (writer_.binds_under_way() + binds > kBindsMax) {
    writer_.CountRefusedBatch();
    return absl::ResourceExhaustedError(
        absl::StrCat("more than ", kBindsMax, " bindings are under way"));
  }
  writer_.AddUnderWay(binds);
  executor_.Post(
      [&writer = writer_, batch = std::move(batch)]() mutable { writer.Take(std::move(batch)); });
  return absl::OkStatus();
}

void EffectQueue::Report(framework::CycleReport report) {
  executor_.Post([&writer = writer_, report = std::move(report)]() mutable {
    writer.statuses().Take(std::move(report));
  });
}

}  // namespace bth::cache
