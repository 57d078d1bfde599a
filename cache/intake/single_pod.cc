#include "cache/intake/single_pod.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>

#include "cache/intake/whole_number.h"

namespace bth::cache {
namespace {

constexpr std::string_view kSinglePodQueueName = "single-pods";

}  // namespace

int32_t UrgencyOf(std::string_view annotation) {
  using Limits = std::numeric_limits<int32_t>;
  const int64_t level = WholeNumber(annotation).value_or(0);
  return static_cast<int32_t>(std::clamp<int64_t>(level, Limits::min(), Limits::max()));
}

CompiledQueue SinglePodQueue() {
  CompiledQueue queue;
  queue.row.name = std::make_shared<const std::string>(kSinglePodQueueName);
  return queue;
}

CompiledPodGroup MakeSingle(CompiledPod& pod) {
  CompiledPodGroup group;
  group.facts = std::make_shared<model::JobFacts>();
  group.facts->ns = pod.names.ns;
  group.facts->name = pod.names.name;
  group.facts->uid = pod.names.uid;
  group.facts->created_us = pod.names.created_us;
  group.queue = kSinglePodQueueName;
  group.min_member = 1;
  group.single_pod = true;
  group.urgency = pod.urgency;
  group.shown.phase = model::PodGroupPhase::kInqueue;
  pod.job_key = group.facts->Key();
  pod.names.role.clear();
  return group;
}

}  // namespace bth::cache
