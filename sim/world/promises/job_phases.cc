// Batch jobs move along their graph, and what is counted never goes back.
#include <algorithm>
#include <array>

#include "base/strings.h"
#include "sim/world/promises/promise.h"

namespace bth::sim {
namespace {

using types::JobPhase;

// docs/controllers/job.md, "Phases and actions".
bool MayFollow(JobPhase from, JobPhase to) {
  const auto one_of = [to](std::initializer_list<JobPhase> phases) {
    return std::find(phases.begin(), phases.end(), to) != phases.end();
  };
  const bool stops = one_of(
      {JobPhase::kRestarting, JobPhase::kAborting, JobPhase::kCompleting, JobPhase::kTerminating});
  switch (from) {
    case JobPhase::kNone:
      return stops || one_of({JobPhase::kPending, JobPhase::kRunning});
    case JobPhase::kPending:
      return stops || to == JobPhase::kRunning;
    case JobPhase::kRunning:
      return stops || one_of({JobPhase::kCompleted, JobPhase::kFailed, JobPhase::kPending});
    case JobPhase::kRestarting:
      return one_of({JobPhase::kPending, JobPhase::kFailed});
    case JobPhase::kAborting:
      return one_of({JobPhase::kAborted, JobPhase::kRestarting});
    case JobPhase::kAborted:
      return to == JobPhase::kRestarting;
    case JobPhase::kCompleting:
      return to == JobPhase::kCompleted;
    case JobPhase::kTerminating:
      return to == JobPhase::kTerminated;
    default:
      return false;
  }
}

class JobPhases final : public Promise {
 public:
  explicit JobPhases(const Sight& sight) : Promise("job-phases", sight) {}
  void On(const Change<types::BatchJob>& change) override {
    if (change.after == nullptr) return;
    if (change.before != nullptr && change.before->meta.uid != change.after->meta.uid) return;
    const types::BatchJobStatus before =
        change.before == nullptr ? types::BatchJobStatus() : change.before->status;
    const types::BatchJobStatus& after = change.after->status;
    if (before.state.phase != after.state.phase) {
      Look();
      if (!MayFollow(before.state.phase.value(), after.state.phase.value())) {
        Break(StrCat("job ", change.after->meta.Key(), " went from ", before.state.phase.text(),
                     " to ", after.state.phase.text()));
      }
    }
    if (after.retry_count < before.retry_count || after.version < before.version) {
      Break(StrCat("job ", change.after->meta.Key(), ": retries ", before.retry_count, " then ",
                   after.retry_count, ", version ", before.version, " then ", after.version));
    }
    if (after.retry_count > before.retry_count + 1) {
      Break(StrCat("job ", change.after->meta.Key(), ": retries jumped from ", before.retry_count,
                   " to ", after.retry_count));
    }
  }
};

}  // namespace

PromisePtr MakeJobPhases(const Sight& sight) {
  return std::make_unique<JobPhases>(sight);
}

}  // namespace bth::sim
