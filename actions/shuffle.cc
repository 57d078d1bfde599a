#include <memory>
#include <vector>

#include "actions/factories.h"
#include "framework/session/statement.h"
#include "framework/session/victim_votes.h"

namespace bth::actions {
namespace {

using framework::Session;
using model::JobId;
using model::TaskId;
using model::TaskStatus;

// By job and inside a job by age, so that plugins see the same order in every run.
std::vector<TaskId> RunningTasks(const Session& session) {
  std::vector<TaskId> running;
  for (JobId job : *session.base().all_jobs) {
    for (TaskId task : *session.job(job).tasks) {
      if (session.state(task).status == TaskStatus::kRunning) running.push_back(task);
    }
  }
  return running;
}

// Everything that the plugins of the first tier with an answer name, in their order, and that no
// filter holds back.
std::vector<TaskId> Victims(const Session& session) {
  if (!framework::AnyNamesVictims(session)) return {};
  return framework::NamedVictims(session, RunningTasks(session));
}

// The one action that evicts for nobody in particular. Thread: scheduling.
class Shuffle final : public framework::Action {
 public:
  std::string_view name() const override { return "shuffle"; }
  absl::Status Execute(framework::Session& session) override;
  bool evicts() const override { return true; }
};

absl::Status Shuffle::Execute(Session& session) {
  for (TaskId victim : Victims(session)) {
    if (session.state(victim).status != TaskStatus::kRunning) continue;
    framework::Statement statement(session, "shuffle");
    statement.Evict(victim, TaskId());
    // Refused: too much is under way, or writes about its node are stopped. Whoever named it may do
    // so again at its next turn.
    if (!statement.Commit().ok()) continue;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Action>> CreateShuffle(const conf::Arguments&) {
  return std::make_unique<Shuffle>();
}

}  // namespace bth::actions
