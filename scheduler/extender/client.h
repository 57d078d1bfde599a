// Asks extenders over HTTP.
#pragma once

#include <string>
#include <vector>

#include "framework/session/extender_port.h"
#include "framework/session/http_port.h"
#include "scheduler/extender/wire.h"

namespace bth::scheduler::extender {

// Lives as long as the scheduling thread uses it; `http` outlives it. Thread: scheduling.
class ExtenderClient final : public framework::ExtenderPort {
 public:
  // Larger requests are not sent: kResourceExhausted.
  static constexpr size_t kRequestBytesMax = size_t{64} << 20;
  // Requests of one call of Filter that exist at the same time.
  static constexpr size_t kBatch = 64;

  explicit ExtenderClient(framework::HttpPort& http) : http_(http) {}

  absl::Status OpenSession(const Call& call, const framework::Session& session) override;
  absl::Status CloseSession(const Call& call) override;
  std::vector<absl::StatusOr<FilterAnswer>> Filter(const Call& call,
                                                   const framework::Session& session,
                                                   model::TaskId task,
                                                   absl::Span<const model::NodeId> nodes) override;
  absl::StatusOr<ScoreAnswer> Score(const Call& call, const framework::Session& session,
                                    model::TaskId task,
                                    absl::Span<const model::NodeId> nodes) override;
  absl::StatusOr<VictimAnswer> ChooseVictims(const Call& call, const framework::Session& session,
                                             model::TaskId evictor,
                                             absl::Span<const model::TaskId> evictees) override;
  absl::StatusOr<int64_t> JobVote(const Call& call, const framework::Session& session,
                                  model::JobId job) override;
  absl::Status TellJob(const Call& call, const framework::Session& session,
                       model::JobId job) override;
  absl::StatusOr<bool> JobReady(const Call& call, const framework::Session& session,
                                model::JobId job) override;
  absl::StatusOr<bool> QueueOverused(const Call& call, const framework::Session& session,
                                     model::QueueId queue) override;
  absl::Status TaskEvent(const Call& call, const framework::Session& session,
                         model::TaskId task) override;

 private:
  using Answer = framework::HttpPort::Answer;
  Answer Ask(const Call& call, std::string body);

  framework::HttpPort& http_;
  NodeTasks node_tasks_;
};

}  // namespace bth::scheduler::extender
