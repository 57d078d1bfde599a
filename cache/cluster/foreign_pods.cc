#include "cache/cluster/foreign_pods.h"

#include <utility>

namespace bth::cache {

bool ForeignPods::Knows(const std::string& key, const std::string& job_key) const {
  const auto known = jobs_.find(key);
  return known != jobs_.end() && known->second == job_key;
}

void ForeignPods::Add(const std::string& key, const std::string& job_key) {
  jobs_[key] = job_key;
  ++waiting_[job_key];
}

std::string ForeignPods::Remove(const std::string& key) {
  const auto known = jobs_.find(key);
  if (known == jobs_.end()) return {};
  std::string job = std::move(known->second);
  jobs_.erase(known);
  const auto waiting = waiting_.find(job);
  if (--waiting->second > 0) return {};
  waiting_.erase(waiting);
  return job;
}

}  // namespace bth::cache
