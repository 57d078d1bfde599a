#include "cache/cluster/pod_record.h"

#include <string_view>
#include <vector>

#include "api/model/device_claims.h"

namespace bth::cache {

bool operator==(const ClaimsOfPod& a, const ClaimsOfPod& b) {
  if (a.claims == nullptr || b.claims == nullptr) return a.claims == b.claims;
  return *a.claims == *b.claims;
}

void PodRecord::SetNews(const CompiledPod& pod) {
  news = PackedTexts({pod.nominated_node, pod.scheduled_reason, pod.scheduled_message});
}

PodTraits PodTraits::Of(const CompiledPod& pod, const PackedTexts& selected_by) {
  return {.uid = pod.names.uid,
          .created_us = pod.names.created_us,
          .role = pod.names.role,
          .job = pod.job_key,
          .nominated_node = pod.nominated_node,
          .ours = pod.ours,
          .task = static_cast<const model::TaskTraits&>(pod),
          .requests = pod.requests,
          .nonzero = pod.nonzero,
          .constraints_key = pod.constraints_key,
          .device_claims = {pod.device_claims.get()},
          .selected_by = selected_by.bytes()};
}

// The owner, then keys and values in turn.
PackedTexts PackSelected(const PodIdentity& pod) {
  std::vector<std::string_view> texts;
  texts.reserve(1 + 2 * pod.labels.size());
  texts.push_back(pod.owner);
  for (const auto& [key, value] : pod.labels) {
    texts.push_back(key);
    texts.push_back(value);
  }
  return PackedTexts(texts);
}

void UnpackSelected(const PackedTexts& packed, PodIdentity* pod) {
  pod->owner.clear();
  pod->labels.clear();
  size_t index = 0;
  packed.ForEach([&](std::string_view text) {
    if (index == 0) {
      pod->owner = text;
    } else if (index % 2 == 1) {
      pod->labels.emplace_back(text, "");
    } else {
      pod->labels.back().second = text;
    }
    ++index;
  });
}

}  // namespace bth::cache
