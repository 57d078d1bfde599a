// Workers that decide side by side on one snapshot.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "actions/single_pods/single_pods.h"
#include "api/model/ids.h"
#include "framework/hooks/plugin.h"
#include "framework/session/cycle.h"

namespace bth::actions {

// Each worker has plugins and a session of its own, sees no placements but its own, and writes
// nothing: what it chose is a proposal. The answer follows from snapshot, policy, tasks and the
// number of workers, not from who is faster. Thread: scheduling, which is one of the workers.
class SideDeciders {
 public:
  // `plugins` makes the policies of the workers.
  SideDeciders(const SinglePodOptions& options, std::shared_ptr<const framework::Registry> plugins);
  SideDeciders(const SideDeciders&) = delete;
  ~SideDeciders();

  // For each task, in their order, a node that would take it now; invalid: the worker found none.
  // A defect in a worker is thrown here, as one of the task's job.
  absl::StatusOr<std::vector<model::NodeId>> Propose(framework::Session& session,
                                                     const std::vector<model::TaskId>& tasks);

 private:
  struct Round {
    const framework::Session* session = nullptr;
    const std::vector<model::TaskId>* tasks = nullptr;
    std::vector<model::NodeId>* nodes = nullptr;
  };
  struct Worker {
    std::unique_ptr<framework::PolicyInstance> policy;
    std::thread thread;  // None: the scheduling thread's.
    absl::Status status;
    std::exception_ptr defect;
    model::TaskId culprit;
  };

  absl::Status MakePolicies(const framework::Session& session);
  void Start();
  void Serve(size_t index);
  void Decide(size_t index);
  absl::Status TryDecide(size_t index, Worker& worker);

  const SinglePodOptions options_;
  const std::shared_ptr<const framework::Registry> plugins_;
  std::vector<Worker> workers_;
  Round round_;  // Changes only while no worker is at work.
  std::mutex mutex_;
  std::condition_variable begins_;
  std::condition_variable ended_;
  uint64_t rounds_ = 0;
  size_t at_work_ = 0;  // Threads.
  bool stop_ = false;
};

}  // namespace bth::actions
