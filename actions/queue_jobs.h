// Queues in queue order, each with its jobs in job order: what most actions walk.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "base/heap.h"
#include "base/strings.h"
#include "framework/session/session.h"

namespace bth::actions {

// Why the jobs after `first` are not looked at in this cycle.
inline std::string TurnText(const framework::Session& session, model::JobId first) {
  return StrCat("queue ", *session.queue(session.job(first).queue).name,
                " serves its jobs strictly in order (dequeueStrategy fifo), and ",
                session.job(first).facts->Key(), " comes first");
}

// The orders are asked live: placing tasks moves shares, and the next push or pop follows them.
class QueueJobs {
 public:
  using JobLess = std::function<bool(model::JobId, model::JobId)>;
  using QueueLess = std::function<bool(model::QueueId, model::QueueId)>;
  using JobHeap = Heap<model::JobId, JobLess>;

  explicit QueueJobs(const framework::Session& session)
      : session_(session), queues_([&session](model::QueueId a, model::QueueId b) {
          return session.votes().CompareQueues(a, b) < 0;
        }) {}

  // Puts the queue in line when it is new.
  void AddQueue(model::QueueId queue) {
    if (jobs_.try_emplace(queue, MakeHeap()).second) queues_.Push(queue);
  }
  void Add(model::JobId job) {
    const model::QueueId queue = session_.job(job).queue;
    AddQueue(queue);
    jobs_.at(queue).Push(job);
  }
  bool empty() const { return queues_.empty(); }
  model::QueueId PopQueue() { return queues_.Pop(); }
  void PushQueue(model::QueueId queue) { queues_.Push(queue); }
  JobHeap& JobsOf(model::QueueId queue) { return jobs_.at(queue); }

 private:
  JobHeap MakeHeap() const {
    return JobHeap([&session = session_](model::JobId a, model::JobId b) {
      return session.votes().CompareJobs(a, b) < 0;
    });
  }

  const framework::Session& session_;
  Heap<model::QueueId, QueueLess> queues_;
  absl::flat_hash_map<model::QueueId, JobHeap> jobs_;
};

}  // namespace bth::actions
