#include "controllers/job/eviction_news.h"

#include <utility>

#include "base/strings.h"

namespace bth::controllers {
namespace {

constexpr absl::Duration kBurst = absl::Seconds(2);
constexpr size_t kReasonsShown = 3;

std::string PodsText(int count) {
  return StrCat(count, count == 1 ? " pod" : " pods");
}

std::string WhyText(const types::Condition& why) {
  std::string text = why.reason;
  if (!why.message.empty()) StrAppend(&text, text.empty() ? "" : ": ", why.message);
  return text.empty() ? "nobody said why" : text;
}

}  // namespace

const types::Condition* DisruptionOf(const types::Pod& pod) {
  const types::Condition* found = types::FindCondition(pod.status.conditions, "DisruptionTarget");
  return found != nullptr && found->status == "True" ? found : nullptr;
}

EvictionNews::~EvictionNews() {
  for (const auto& [job, burst] : bursts_) executor_.CancelTimer(burst.timer);
}

void EvictionNews::Note(const std::string& job, const std::string& uid,
                        const types::Condition& why) {
  const auto [at, is_new] = bursts_.try_emplace(job);
  Burst& burst = at->second;
  if (is_new) {
    burst.uid = uid;
    burst.timer = executor_.RunAfter(kBurst, [this, job] { Fire(job); });
  }
  if (burst.uid != uid) return;
  const std::string text = WhyText(why);
  if (burst.pods.contains(text) || burst.pods.size() < kReasonsShown) {
    ++burst.pods[text];
  } else {
    ++burst.more;
  }
}

void EvictionNews::Fire(const std::string& job) {
  auto node = bursts_.extract(job);
  if (node.empty()) return;
  const Burst& burst = node.mapped();
  std::string text;
  for (const auto& [why, pods] : burst.pods) {
    StrAppend(&text, text.empty() ? "" : "; ", PodsText(pods), " evicted: ", why);
  }
  if (burst.more > 0) {
    StrAppend(&text, "; and ", PodsText(burst.more), " for other reasons");
  }
  tell_(node.key(), burst.uid, std::move(text));
}

void EvictionNews::DropJob(const std::string& job) {
  const auto found = bursts_.find(job);
  if (found == bursts_.end()) return;
  executor_.CancelTimer(found->second.timer);
  bursts_.erase(found);
}

}  // namespace bth::controllers
