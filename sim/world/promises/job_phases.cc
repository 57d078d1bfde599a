// Batch jobs move along their graph, and what is counted never goes back.
#include <algorithm>

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

int32_t VersionOf(const types::Pod& pod) {
  int32_t version = 0;
  return SimpleAtoi(pod.meta.Annotation("volcano.sh/job-version"), &version) ? version : -1;
}

class JobPhases final : public Promise {
 public:
  explicit JobPhases(const Sight& sight) : Promise("job-phases", sight) {}
  void On(const Change<types::Pod>& change) override {
    const types::OwnerReference* const owner = change.any().meta.Controller();
    if (owner == nullptr) return;
    if (change.after == nullptr) {
      told_to_go_.erase(change.before->meta.uid);
      lost_[owner->uid] = now();
    } else if (change.after->meta.deletion_time.has_value()) {
      told_to_go_.try_emplace(change.after->meta.uid, now());
    }
    int32_t& version = made_.try_emplace(owner->uid, -1).first->second;
    version = std::max(version, VersionOf(change.any()));
  }
  void On(const Change<types::Command>& change) override {
    if (change.before == nullptr && change.after->target.has_value()) {
      ++commands_[change.after->target->uid];
    }
  }
  void On(const Change<types::BatchJob>& change) override {
    if (change.after == nullptr) return;
    if (change.before != nullptr && change.before->meta.uid != change.after->meta.uid) return;
    if (change.before != nullptr &&
        change.before->spec.min_available != change.after->spec.min_available) {
      min_changed_[change.after->meta.uid] = now();
    }
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
    if (before.state.phase != after.state.phase && after.state.phase == JobPhase::kRunning) {
      MustRun(*change.after);
    }
    if (after.retry_count < before.retry_count || after.version < before.version) {
      Break(StrCat("job ", change.after->meta.Key(), ": retries ", before.retry_count, " then ",
                   after.retry_count, ", version ", before.version, " then ", after.version));
    }
    if (after.retry_count > before.retry_count + 1) {
      Break(StrCat("job ", change.after->meta.Key(), ": retries jumped from ", before.retry_count,
                   " to ", after.retry_count));
    }
    if (after.retry_count > before.retry_count) Judge(*change.after, before);
  }

 private:
  // It has the pods that it needs; who is leaving is none of them, as far as one could know.
  void MustRun(const types::BatchJob& job) {
    if (!IsFairFor(absl::Minutes(1)) || job.spec.min_available <= 0 ||
        IsRecent(min_changed_, job) || IsRecent(lost_, job)) {
      return;
    }
    int64_t there = 0;
    for (const auto& [key, pod] : ledger().pods()) {
      const types::OwnerReference* const owner = pod->meta.Controller();
      if (owner == nullptr || owner->uid != job.meta.uid) continue;
      const bool stays = !pod->meta.deletion_time.has_value() || IsRecent(told_to_go_, *pod);
      there += stays && (pod->status.phase == "Running" || HasEnded(*pod)) ? 1 : 0;
    }
    Look();
    if (there >= job.spec.min_available) return;
    Break(StrCat("job ", job.meta.Key(), " is called Running, and ", there, " of the ",
                 job.spec.min_available, " pods that it needs run or have ended"));
  }
  template <class T>
  bool IsRecent(const std::map<std::string, absl::Duration>& since, const T& object) const {
    const auto at = since.find(object.meta.uid);
    return at != since.end() && now() - at->second < kNewsWithin;
  }

  // What happened to the pods of an earlier incarnation is no reason to begin anew once more.
  void Judge(const types::BatchJob& job, const types::BatchJobStatus& before) {
    Look();
    const auto made = made_.find(job.meta.uid);
    const int32_t latest = made == made_.end() ? -1 : made->second;
    if (latest >= before.version) return;
    if (int& left = commands_[job.meta.uid]; left > 0) {
      --left;
      return;
    }
    Break(StrCat("job ", job.meta.Key(), " begins retry ", job.status.retry_count, ", and version ",
                 before.version, " of it had no pod yet"));
  }

  std::map<std::string, int32_t> made_;  // By uid: the latest version of which there was a pod.
  std::map<std::string, int> commands_;  // By uid: those that no retry has answered yet.
  // By uid: since when pods are leaving, when a job lost one last, and when its minimum changed.
  std::map<std::string, absl::Duration> told_to_go_;
  std::map<std::string, absl::Duration> lost_;
  std::map<std::string, absl::Duration> min_changed_;
};

// The policies with a time that can be seen from outside.
class TimeoutsAct final : public Promise {
 public:
  explicit TimeoutsAct(const Sight& sight) : Promise("timeouts-act", sight) {}
  void On(const Change<types::Pod>& change) override {
    const types::Pod& pod = change.any();
    if (change.after == nullptr) {
      since_.erase(pod.meta.uid);
    } else if (pod.meta.Controller() != nullptr) {
      const bool is_new = since_.try_emplace(pod.meta.uid, now()).second;
      const bool failed = pod.status.phase == "Failed" &&
                          (change.before == nullptr || change.before->status.phase != "Failed");
      if (!is_new && failed) since_[pod.meta.uid] = now();
    }
  }
  void OnTick() override {
    Jobs jobs;
    for (const auto& [key, job] : ledger().jobs()) {
      const auto& policies = job->spec.policies;
      const bool has_one =
          policies.size() == 1 && policies[0].timeout.has_value() && !PhaseFor(*job).empty();
      const JobPhase phase = job->status.state.phase.value();
      if (!has_one || job->meta.deletion_time.has_value() ||
          (phase != JobPhase::kPending && phase != JobPhase::kRunning)) {
        continue;
      }
      jobs[job->meta.uid] = job.get();
    }
    for (const auto& [key, pod] : ledger().pods()) Judge(*pod, jobs);
  }

 private:
  using Jobs = std::map<std::string, const types::BatchJob*>;  // By uid: those to look at.

  // In which a pod is that the job's first policy waits for.
  static std::string_view PhaseFor(const types::BatchJob& job) {
    const auto& event = job.spec.policies[0].event;
    if (event == types::BusEvent::kPodPending) return "Pending";
    return event == types::BusEvent::kPodFailed ? "Failed" : "";
  }
  void Judge(const types::Pod& pod, const Jobs& jobs) {
    const types::OwnerReference* const owner = pod.meta.Controller();
    const auto found = owner == nullptr ? jobs.end() : jobs.find(owner->uid);
    if (found == jobs.end() || pod.meta.deletion_time.has_value()) return;
    const types::BatchJob& job = *found->second;
    if (pod.status.phase != PhaseFor(job)) return;
    // A task's own policies come before those of its job.
    const std::string_view task = pod.meta.Annotation("volcano.sh/task-spec");
    for (const types::BatchTask& each : job.spec.tasks) {
      if (each.name == task && !each.policies.empty()) return;
    }
    Look();
    const absl::Duration since = std::max(since_[pod.meta.uid], sight().fair_since());
    const absl::Duration timeout = *job.spec.policies[0].timeout;
    if (VersionOf(pod) != job.status.version || now() - since < timeout + absl::Minutes(2)) return;
    Break(StrCat("pod ", pod.meta.Key(), " is ", pod.status.phase, " since ",
                 absl::FormatDuration(now() - since), ", and its job was to ",
                 job.spec.policies[0].action.text(), " after ", absl::FormatDuration(timeout)));
  }

  std::map<std::string, absl::Duration> since_;  // By uid: pods of jobs.
};

}  // namespace

PromisePtr MakeJobPhases(const Sight& sight) {
  return std::make_unique<JobPhases>(sight);
}

PromisePtr MakeTimeoutsAct(const Sight& sight) {
  return std::make_unique<TimeoutsAct>(sight);
}

}  // namespace bth::sim
