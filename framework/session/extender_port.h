// How plugins ask an extender: a service outside that takes part in decisions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "api/model/ids.h"

namespace bth::framework {

class Session;

// Turns questions about a session into the extender's wire form and its answers back into ids.
// Each call is one exchange (Filter: one per node, side by side) and blocks the calling thread for
// at most the timeout. Errors are those of HttpPort, kInvalidArgument for an answer that cannot be
// understood, and kOutOfRange for a question that is too large to be sent: nobody was asked. Names
// in answers that nobody asked about are left out and counted in `unknown`. Thread: scheduling.
class ExtenderPort {
 public:
  virtual ~ExtenderPort() = default;

  struct Call {
    std::string url;  // With the verb.
    absl::Duration timeout = absl::Seconds(1);
  };
  struct FilterAnswer {
    std::string status;  // Empty: the node will do.
    int64_t code = 0;
  };
  struct ScoreAnswer {
    std::vector<double> scores;  // By position in `nodes`; 0 for those that the answer leaves out.
    int64_t unknown = 0;
  };
  struct VictimAnswer {
    int64_t status = 0;
    std::vector<model::TaskId> victims;  // In the order of the answer, each once.
    int64_t unknown = 0;
  };

  virtual absl::Status OpenSession(const Call& call, const Session& session) = 0;
  virtual absl::Status CloseSession(const Call& call) = 0;
  virtual std::vector<absl::StatusOr<FilterAnswer>> Filter(
      const Call& call, const Session& session, model::TaskId task,
      absl::Span<const model::NodeId> nodes) = 0;
  virtual absl::StatusOr<ScoreAnswer> Score(const Call& call, const Session& session,
                                            model::TaskId task,
                                            absl::Span<const model::NodeId> nodes) = 0;
  virtual absl::StatusOr<VictimAnswer> ChooseVictims(const Call& call, const Session& session,
                                                     model::TaskId evictor,
                                                     absl::Span<const model::TaskId> evictees) = 0;
  virtual absl::StatusOr<int64_t> JobVote(const Call& call, const Session& session,
                                          model::JobId job) = 0;
  virtual absl::Status TellJob(const Call& call, const Session& session, model::JobId job) = 0;
  virtual absl::StatusOr<bool> JobReady(const Call& call, const Session& session,
                                        model::JobId job) = 0;
  virtual absl::StatusOr<bool> QueueOverused(const Call& call, const Session& session,
                                             model::QueueId queue) = 0;
  // kAborted carries the extender's own words against it.
  virtual absl::Status TaskEvent(const Call& call, const Session& session, model::TaskId task) = 0;
};

}  // namespace bth::framework
