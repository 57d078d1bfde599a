#include "controllers/job/eviction_news.h"

#include <string_view>
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

void EvictionNews::Note(const std::string& job, const std::string& uid, const std::string& pod_uid,
                        const types::Condition& why) {
  const auto [at, is_new] = bursts_.try_emplace(job);
  Burst& burst = at->second;
  if (is_new) {
    burst.uid = uid;
    burst.timer = executor_.RunAfter(kBurst, [this, job] { Fire(job); });
  }
  if (burst.uid != uid) return;
  burst.pods[pod_uid] = &*burst.reasons.insert(WhyText(why)).first;
}

void EvictionNews::Withdraw(const std::string& job, const std::string& pod_uid) {
  const auto found = bursts_.find(job);
  if (found != bursts_.end()) found->second.pods.erase(pod_uid);
}

void EvictionNews::Fire(const std::string& job) {
  const auto node = bursts_.extract(job);
  if (node.empty() || node.mapped().pods.empty()) return;
  std::map<std::string_view, int> counts;
  for (const auto& [pod, why] : node.mapped().pods) ++counts[*why];
  std::string text;
  size_t shown = 0;
  int more = 0;
  for (const auto& [why, pods] : counts) {
    if (shown++ < kReasonsShown) {
      StrAppend(&text, text.empty() ? "" : "; ", PodsText(pods), " evicted: ", why);
    } else {
      more += pods;
    }
  }
  if (more > 0) StrAppend(&text, "; and ", PodsText(more), " for other reasons");
  tell_(node.key(), node.mapped().uid, std::move(text));
}

void EvictionNews::DropJob(const std::string& job) {
  const auto found = bursts_.find(job);
  if (found == bursts_.end()) return;
  executor_.CancelTimer(found->second.timer);
  bursts_.erase(found);
}

}  // namespace bth::controllers
