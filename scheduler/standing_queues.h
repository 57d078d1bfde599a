// The queues that every cluster has: `root`, and the one for jobs that name none.
#pragma once

#include <array>
#include <string>

#include "base/spaced_lines.h"
#include "client/api_client.h"
#include "client/background.h"
#include "client/event_recorder.h"
#include "net/awaitable.h"

namespace bth::scheduler {

// Sees to it that they exist: makes what is missing when it starts, and anew what somebody deletes,
// with an event on the new queue. All parameters outlive it. Thread: I/O.
class StandingQueues {
 public:
  StandingQueues(net::Executor& executor, client::ApiClient& api, client::EventRecorder& events,
                 std::string default_queue);

  void Start();
  void Stop();
  // The watch told that a queue is gone. Counts while started.
  void NoteGone(const std::string& name);

 private:
  struct Queue {
    std::string name;
    bool reclaimable = false;
    bool deleted = false;
    client::Background maker;
  };

  void Ensure(Queue& queue);
  net::Awaitable<void> Make(Queue* queue);

  net::Executor& executor_;
  client::ApiClient& api_;
  client::EventRecorder& events_;
  SpacedLines failures_;
  bool started_ = false;
  std::array<Queue, 2> queues_;
};

}  // namespace bth::scheduler
