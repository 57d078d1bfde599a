#include "plugins/predicates/device_turns.h"

#include <utility>

namespace bth::plugins::predicates {

void DeviceTurns::BeginSession() {
  JobsByNamespace waiting;
  for (auto& [ns, jobs] : cut_off_) {
    Jobs left;
    if (const auto before = waiting_.find(ns); before != waiting_.end()) {
      left = std::move(before->second);
      if (ns == turn_) left.erase(first_);
      std::erase_if(left, [&jobs = jobs](const std::string& job) { return !jobs.contains(job); });
    }
    waiting.emplace(ns, left.empty() ? std::move(jobs) : std::move(left));
  }
  waiting_ = std::move(waiting);
  cut_off_.clear();
  first_.clear();
  if (waiting_.empty()) return;
  auto next = waiting_.upper_bound(turn_);
  if (next == waiting_.end()) next = waiting_.begin();
  turn_ = next->first;
}

bool DeviceTurns::IsTurnOf(std::string_view ns, std::string_view job) {
  if (ns != turn_) return false;
  if (!first_.empty()) return true;
  const auto waiting = waiting_.find(ns);
  if (waiting == waiting_.end() || !waiting->second.contains(job)) return false;
  first_ = job;
  return true;
}

void DeviceTurns::CutOff(std::string_view ns, std::string_view job) {
  auto jobs = cut_off_.find(ns);
  if (jobs == cut_off_.end()) jobs = cut_off_.emplace(ns, Jobs()).first;
  if (!jobs->second.contains(job)) jobs->second.emplace(job);
}

}  // namespace bth::plugins::predicates
