// Batch jobs that the server has and nobody can read: they say so themselves.
#pragma once

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "api/types/batch_job.h"
#include "client/known_objects.h"
#include "controllers/core/controller.h"

namespace bth::controllers {

// Each waits until it was told of, is readable again, or is gone. Thread: the executor's.
class UnreadableJobs final {
 public:
  explicit UnreadableJobs(const ControllerContext& context) : context_(context) {}

  // False: it has no name that could be written to.
  bool Add(const Unreadable<types::BatchJob>& job);
  void Drop(const types::ObjectMeta& job);
  // `job`: "namespace/name".
  bool Has(const std::string& job) const { return waiting_.contains(job); }
  // By an event and in status.state; a job that had no phase yet is Pending. After a failure the
  // job still waits.
  net::Awaitable<absl::Status> Tell(std::string job);

 private:
  struct Waiting {
    client::ObjectKey key;
    std::string message;
    bool is_told = false;  // The event is out.
  };
  void TellOnce(const Waiting& what);
  net::Awaitable<absl::Status> WriteState(Waiting what);

  const ControllerContext context_;
  absl::flat_hash_map<std::string, Waiting> waiting_;
};

}  // namespace bth::controllers
