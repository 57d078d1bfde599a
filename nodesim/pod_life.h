// The life of one pod on a simulated node: what happens next and when, without any I/O.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "api/types/pod.h"
#include "nodesim/outcome.h"

namespace bth::nodesim {

// How simulated kubelets pass their time.
struct Timing {
  absl::Duration start_delay = absl::Milliseconds(100);  // From being bound to the first start.
  absl::Duration stop_delay = absl::Seconds(1);          // What containers need when asked to stop.
  // Pauses before restarts: none before the first, then this, doubling up to the maximum. A run
  // of `crash_reset` makes a container start over. All of them are positive.
  absl::Duration crash_backoff = absl::Seconds(10);
  absl::Duration crash_backoff_max = absl::Minutes(5);
  absl::Duration crash_reset = absl::Minutes(10);
};

struct ContainerPlan {
  std::string name;
  std::string image;
  Outcome outcome;
  bool sidecar = false;  // An init container that stays.
};

// What the spec of a pod amounts to.
struct PodPlan {
  enum class Restart { kAlways, kOnFailure, kNever };
  std::vector<ContainerPlan> init;
  std::vector<ContainerPlan> main;
  Restart restart = Restart::kAlways;
  std::optional<absl::Duration> deadline;  // activeDeadlineSeconds
};
PodPlan PlanOf(const types::PodSpec& spec);

struct ContainerLife {
  enum class State { kWaiting, kRunning, kEnded };
  // One run that is over.
  struct Run {
    absl::Time started;
    absl::Time ended;
    int exit_code = 0;
  };
  State state = State::kWaiting;
  // kRunning: its start. kWaiting: when it starts; infinite until it is its turn.
  absl::Time since = absl::InfiniteFuture();
  std::optional<Run> last;  // kEnded: that run.
  int restarts = 0;
  absl::Duration backoff;  // Before the next restart.
};

// A condition of the pod with the time of its last change.
struct Claim {
  bool holds = false;
  absl::Time since;
};

// Follows the rules of kubelets: init containers in order, sidecars beside, restarts by policy with
// growing pauses, a phase made of what the containers do.
// Thread: one owner.
class PodLife {
 public:
  enum class Phase { kPending, kRunning, kSucceeded, kFailed };

  // Takes up a pod where its status says it is; one without start time starts after the delay.
  PodLife(const types::Pod& pod, const Timing& timing, absl::Time now);

  // Lets everything happen that is due. True when the status has changed.
  bool Advance(absl::Time now);
  // When Advance has something to do again: InfiniteFuture for never.
  absl::Time next() const;

  // The pod was deleted, and has to be gone at `latest`, after this grace period: by the clock that
  // says `now`, which is why one that is behind gives it no more time. True when that is news.
  bool Terminate(absl::Time latest, absl::Duration grace, absl::Time now);
  // Terminating, and nothing runs any more.
  bool removable() const { return terminating_ && over_; }
  bool terminating() const { return terminating_; }
  // When it has to be gone at the latest; InfiniteFuture unless it terminates.
  absl::Time latest() const { return latest_; }
  // Somebody else ended the pod through its status: what they wrote stands.
  void EndedByOthers();
  bool ended_by_others() const { return ended_by_others_; }

  bool started() const { return start_time_.has_value(); }
  bool over() const { return over_; }
  Phase phase() const { return phase_; }
  const std::string& reason() const { return reason_; }
  const std::string& message() const { return message_; }
  const std::optional<absl::Time>& start_time() const { return start_time_; }
  const PodPlan& plan() const { return plan_; }
  const std::vector<ContainerLife>& init() const { return init_; }
  const std::vector<ContainerLife>& main() const { return main_; }
  const Claim& initialized() const { return initialized_; }
  const Claim& ready() const { return ready_; }

 private:
  void Resume(const types::PodStatus& status, absl::Time now);
  void ResumeContainer(const types::ContainerStatus& status, bool init, ContainerLife* life);
  absl::Time KillTime() const;
  absl::Time Deadline() const;
  void Step(absl::Time t);
  void EndRuns(absl::Time t);
  void StartRuns(absl::Time t);
  void Progress(absl::Time t);
  void ProgressInit(absl::Time t);
  void EndRun(ContainerLife* life, absl::Time t, int exit_code) const;
  void Restart(ContainerLife* life) const;
  bool Restarts(const ContainerPlan& plan, int exit_code, bool init) const;
  void StopAll(absl::Time t, int exit_code);
  static void GiveUpWaiting(ContainerLife* life);
  bool AnyRuns() const;
  void Finish(Phase phase, absl::Time t);
  void UpdateClaims(absl::Time t);

  PodPlan plan_;
  Timing timing_;
  std::vector<ContainerLife> init_;
  std::vector<ContainerLife> main_;
  absl::Time start_at_;
  std::optional<absl::Time> start_time_;
  size_t init_next_ = 0;  // The first init container that is not through.
  bool over_ = false;
  bool ended_by_others_ = false;
  bool changed_ = false;  // Since the last Advance.
  bool terminating_ = false;
  absl::Time asked_;
  absl::Time latest_ = absl::InfiniteFuture();
  Phase phase_ = Phase::kPending;
  std::string reason_;
  std::string message_;
  Claim initialized_;
  Claim ready_;
};

}  // namespace bth::nodesim
