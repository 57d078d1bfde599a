// Batch jobs that wait for another object to appear or to vanish.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace bth::controllers {

// What is waited for has a name of the caller's choice ("pod ns/name"). Thread: the executor's.
class WakeList final {
 public:
  void Wait(const std::string& job, const std::string& what) {
    jobs_[what].insert(job);
    waits_[job].insert(what);
  }
  // The job no longer waits for anything.
  void Forget(const std::string& job) {
    const auto found = waits_.find(job);
    if (found == waits_.end()) return;
    for (const std::string& what : found->second) {
      const auto at = jobs_.find(what);
      at->second.erase(job);
      if (at->second.empty()) jobs_.erase(at);
    }
    waits_.erase(found);
  }
  // The jobs that wait for it, in order.
  std::vector<std::string> WaitingFor(const std::string& what) const {
    const auto found = jobs_.find(what);
    if (found == jobs_.end()) return {};
    return {found->second.begin(), found->second.end()};
  }

 private:
  std::map<std::string, std::set<std::string>> jobs_;   // By what they wait for.
  std::map<std::string, std::set<std::string>> waits_;  // By job.
};

}  // namespace bth::controllers
