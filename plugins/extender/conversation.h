// What is said between one session and the extender.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "framework/hooks/plugin.h"
#include "framework/session/extender_port.h"
#include "framework/session/session.h"
#include "plugins/extender/line.h"
#include "plugins/extender/node_questions.h"
#include "plugins/extender/options.h"

namespace bth::plugins::extender {

inline constexpr std::string_view kName = "extender";

// An answer that holds while nothing changes in the session.
template <typename Id>
class AnswersOfVersion {
 public:
  template <typename Ask>
  bool Get(const framework::Session& session, Id id, const Ask& ask) {
    if (version_ != session.placements().version()) answers_.clear();
    version_ = session.placements().version();
    const auto known = answers_.find(id);
    if (known != answers_.end()) return known->second;
    const bool answer = ask();
    answers_[id] = answer;
    return answer;
  }

 private:
  uint64_t version_ = 0;
  absl::flat_hash_map<Id, bool> answers_;
};

// Opens the line, and closes it with the session, which owns this. `options` and `line` are the
// plugin's. Thread: scheduling.
class Conversation {
 public:
  Conversation(const Options& options, Line& line, framework::ExtenderPort& port,
               framework::Session& session);

  void AddHooks(framework::HookRegistrar& hooks);

 private:
  void Close();
  void TellError() const;
  bool IsOfInterest(model::TaskId task) const;
  void AddNodeHooks(framework::HookRegistrar& hooks);
  framework::Verdict ChooseVictims(const std::string& verb, model::TaskId evictor,
                                   absl::Span<const model::TaskId> candidates);
  void AddVictimHooks(framework::HookRegistrar& hooks);
  framework::Vote Enqueueable(model::JobId job);
  bool IsReady(model::JobId job);
  void AddJobHooks(framework::HookRegistrar& hooks);
  // A job of which the extender cannot be asked is held for that reason.
  void HoldIfNotSent(model::JobId job, const absl::Status& status);
  void Refuse(model::TaskId task, const absl::Status& why);
  void TakeBackRefusal(model::TaskId task);
  void AddEvents(framework::HookRegistrar& hooks);

  const Options& options_;
  Line& line_;
  framework::ExtenderPort& port_;
  framework::Session& session_;
  std::vector<int> managed_dims_;
  NodeQuestions questions_;
  // Placed, if at all, without scores that must be, for this reason.
  absl::flat_hash_map<model::TaskId, absl::Status> unrated_;
  absl::flat_hash_set<model::TaskId> refused_tasks_;
  absl::flat_hash_map<model::JobId, int> refused_jobs_;  // Tasks refused of each.
  AnswersOfVersion<model::JobId> ready_;
  absl::flat_hash_set<model::JobId> not_sent_;  // Too large to be asked about in this session.
  AnswersOfVersion<model::QueueId> overused_;
};

}  // namespace bth::plugins::extender
