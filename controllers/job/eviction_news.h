// Which pods of batch jobs are being evicted, and why.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "api/types/pod.h"
#include "client/api_client.h"

namespace bth::controllers {

// What Kubernetes says of a pod that is being evicted; null: nothing. Pure, any thread.
const types::Condition* DisruptionOf(const types::Pod& pod);

// A job that loses several pods at once is told once: what comes within two seconds after the
// first one counts as one burst. In memory only: a burst that a restart cuts short is not told (the
// scheduler told the PodGroup), and none is told twice.
// Thread: the executor's.
class EvictionNews final {
 public:
  // Hears of a burst: key and uid of the job, and the text.
  using Tell = std::function<void(const std::string& job, const std::string& uid, std::string)>;

  EvictionNews(net::Executor& executor, Tell tell) : executor_(executor), tell_(std::move(tell)) {}
  EvictionNews(const EvictionNews&) = delete;
  ~EvictionNews();

  // A pod of the job has got this condition.
  void Note(const std::string& job, const std::string& uid, const std::string& pod_uid,
            const types::Condition& why);
  // The pod may stay after all: a budget protects it.
  void Withdraw(const std::string& job, const std::string& pod_uid);
  void DropJob(const std::string& job);

  size_t size() const { return bursts_.size(); }

 private:
  struct Burst {
    std::string uid;
    std::set<std::string> reasons;
    std::map<std::string, const std::string*> pods;  // By uid; among the reasons.
    net::Executor::TimerId timer = 0;
  };

  void Fire(const std::string& job);

  net::Executor& executor_;
  const Tell tell_;
  std::map<std::string, Burst> bursts_;
};

}  // namespace bth::controllers
