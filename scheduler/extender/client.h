// Asks extenders over HTTP.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "framework/session/extender_port.h"
#include "framework/session/http_port.h"
#include "scheduler/extender/wire.h"

namespace bth::scheduler::extender {

// Lives as long as the scheduling thread uses it; `http` outlives it. Nobody is asked what is too
// large: kOutOfRange, which no extender causes. Of the pods on nodes, of the nodes and of a whole
// session the largest documents are left out rather; what is asked about is always whole.
// Thread: scheduling.
class ExtenderClient final : public framework::ExtenderPort {
 public:
  // Larger requests are not sent.
  static constexpr size_t kRequestBytesMax = size_t{64} << 20;
  // Where documents must be left out, no more are kept than a request of that size has room for:
  // one of just under kRequestBytesMax would be sent whole each time, and hardly be read within the
  // second that extenders have by default.
  static constexpr size_t kTrimmedBytesMax = size_t{8} << 20;
  // Requests of one call of Filter that exist at the same time.
  static constexpr size_t kBatch = 64;

  explicit ExtenderClient(framework::HttpPort& http,
                          TextBounds bounds = {kRequestBytesMax, kTrimmedBytesMax})
      : http_(http), bounds_(bounds) {}

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
  // `subject`: what the question is about, in words.
  Answer Ask(const Call& call, std::string_view subject, std::string body);
  Answer AskAboutJob(const Call& call, const framework::Session& session, model::JobId job);
  // {"task": `task`, `key`: what `write` gives}; empty when it is too large.
  std::string WithTask(const Call& call, const framework::Session& session, const std::string& task,
                       std::string_view key, absl::FunctionRef<std::string(Documents&)> write);
  // The same each time: neither sizes nor anything else that changes from cycle to cycle.
  absl::Status NotSent(std::string_view subject) const;
  // Counts and logs what was left out.
  void TellOfDocuments(const Call& call, const framework::Session& session,
                       const Documents& documents);

  framework::HttpPort& http_;
  const TextBounds bounds_;
  NodeTasks node_tasks_;
  absl::flat_hash_set<std::string> said_left_out_;  // URLs with their verbs; bounded.
};

}  // namespace bth::scheduler::extender
