#include "nodesim/pod_life.h"

#include <algorithm>
#include <utility>

namespace bth::nodesim {
namespace {

using State = ContainerLife::State;

// Of a container that was asked to stop, and of one that had to be killed.
constexpr int kTermExit = 143;
constexpr int kKillExit = 137;
// Steps of one Advance: catching up after a long pause goes on in the next.
constexpr int kStepsMax = 10'000;

ContainerPlan PlanOf(const types::Container& container, bool init) {
  return {container.name, container.image, OutcomeOf(container.command, container.args),
          init && container.restart_policy == "Always"};
}

absl::Time EndOf(const ContainerPlan& plan, const ContainerLife& life) {
  if (life.state == State::kWaiting) return life.since;
  if (life.state == State::kEnded) return absl::InfiniteFuture();
  return life.since + plan.outcome.runs;
}

bool IsOver(const ContainerLife& life) {
  return life.state == State::kEnded;
}

}  // namespace

PodPlan PlanOf(const types::PodSpec& spec) {
  PodPlan plan;
  for (const types::Container& one : spec.init_containers) plan.init.push_back(PlanOf(one, true));
  for (const types::Container& one : spec.containers) plan.main.push_back(PlanOf(one, false));
  if (spec.restart_policy == "Never") plan.restart = PodPlan::Restart::kNever;
  if (spec.restart_policy == "OnFailure") plan.restart = PodPlan::Restart::kOnFailure;
  if (spec.active_deadline_seconds) plan.deadline = absl::Seconds(*spec.active_deadline_seconds);
  return plan;
}

PodLife::PodLife(const types::Pod& pod, const Timing& timing, absl::Time now)
    : plan_(PlanOf(pod.spec)),
      timing_(timing),
      init_(plan_.init.size()),
      main_(plan_.main.size()),
      start_at_(now + timing.start_delay) {
  Resume(pod.status, now);
}

void PodLife::Resume(const types::PodStatus& status, absl::Time now) {
  if (status.phase == "Succeeded" || status.phase == "Failed") {
    over_ = true;
    phase_ = status.phase == "Failed" ? Phase::kFailed : Phase::kSucceeded;
  }
  if (!status.start_time) return;
  start_time_ = status.start_time;
  for (size_t i = 0; i < init_.size(); ++i) {
    for (const types::ContainerStatus& one : status.init_container_statuses) {
      if (one.name == plan_.init[i].name) ResumeContainer(one, true, &init_[i]);
    }
  }
  for (size_t i = 0; i < main_.size(); ++i) {
    for (const types::ContainerStatus& one : status.container_statuses) {
      if (one.name == plan_.main[i].name) ResumeContainer(one, false, &main_[i]);
    }
  }
  for (Claim* claim : {&initialized_, &ready_}) {
    const char* type = claim == &ready_ ? "Ready" : "Initialized";
    const types::Condition* shown = types::FindCondition(status.conditions, type);
    claim->holds = shown != nullptr && shown->status == "True";
    claim->since = shown != nullptr ? shown->last_transition_time.value_or(now) : now;
  }
  if (over_) return;
  phase_ = status.phase == "Running" ? Phase::kRunning : Phase::kPending;
  Progress(now);
}

void PodLife::ResumeContainer(const types::ContainerStatus& status, bool init,
                              ContainerLife* life) {
  const ContainerPlan& plan = init ? plan_.init[static_cast<size_t>(life - init_.data())]
                                   : plan_.main[static_cast<size_t>(life - main_.data())];
  life->restarts = status.restart_count;
  const auto& ended =
      status.state.terminated ? status.state.terminated : status.last_state.terminated;
  if (ended) {
    const absl::Time at = ended->finished_at.value_or(*start_time_);
    life->last = {ended->started_at.value_or(at), at, ended->exit_code};
  }
  for (int i = 0; i < std::min(life->restarts, 16); ++i) {
    life->backoff = life->backoff == absl::ZeroDuration()
                        ? timing_.crash_backoff
                        : std::min(2 * life->backoff, timing_.crash_backoff_max);
  }
  if (status.state.running) {
    life->state = State::kRunning;
    life->since = status.state.running->started_at.value_or(*start_time_);
  } else if (ended && !status.state.terminated) {
    Restart(life);  // It waits for its next try.
  } else if (ended) {
    life->state = State::kEnded;
    if (!over_ && Restarts(plan, ended->exit_code, init)) Restart(life);
  }
}

absl::Time PodLife::KillTime() const {
  return terminating_ ? std::min(latest_, asked_ + timing_.stop_delay) : absl::InfiniteFuture();
}

absl::Time PodLife::Deadline() const {
  if (!start_time_ || !plan_.deadline) return absl::InfiniteFuture();
  return *start_time_ + *plan_.deadline;
}

absl::Time PodLife::next() const {
  if (over_) return absl::InfiniteFuture();
  if (terminating_ && !AnyRuns()) return asked_;
  if (!start_time_) return start_at_;
  absl::Time next = std::min(KillTime(), Deadline());
  for (size_t i = 0; i < init_.size(); ++i) {
    // A sidecar that stays is not waited for.
    next = std::min(next, EndOf(plan_.init[i], init_[i]));
  }
  for (size_t i = 0; i < main_.size(); ++i) next = std::min(next, EndOf(plan_.main[i], main_[i]));
  return next;
}

bool PodLife::Advance(absl::Time now) {
  for (int i = 0; i < kStepsMax; ++i) {
    const absl::Time t = next();
    if (t > now) break;
    Step(t);
    changed_ = true;
  }
  return std::exchange(changed_, false);
}

bool PodLife::Terminate(absl::Time latest, absl::Duration grace, absl::Time now) {
  latest = std::min({latest, now + grace, latest_});
  const bool news = !terminating_ || latest != latest_;
  if (!terminating_) asked_ = latest - grace;
  terminating_ = true;
  latest_ = latest;
  for (std::vector<ContainerLife>* lives : {&init_, &main_}) {
    for (ContainerLife& life : *lives) GiveUpWaiting(&life);
  }
  return news;
}

void PodLife::EndedByOthers() {
  over_ = ended_by_others_ = true;
  changed_ = false;
}

void PodLife::Step(absl::Time t) {
  if (!start_time_) {
    initialized_ = ready_ = {false, t};
    if (terminating_) {
      Finish(Phase::kFailed, t);
      return;
    }
    start_time_ = t;
  } else if (t >= KillTime()) {
    StopAll(t, latest_ < asked_ + timing_.stop_delay ? kKillExit : kTermExit);
  } else if (t >= Deadline()) {
    StopAll(t, kKillExit);
    reason_ = "DeadlineExceeded";
    message_ = "the pod was active for longer than its activeDeadlineSeconds";
    Finish(Phase::kFailed, t);
    return;
  }
  EndRuns(t);
  StartRuns(t);
  Progress(t);
  UpdateClaims(t);
}

void PodLife::EndRuns(absl::Time t) {
  for (size_t i = 0; i < init_.size() + main_.size(); ++i) {
    const bool init = i < init_.size();
    const ContainerPlan& plan = init ? plan_.init[i] : plan_.main[i - init_.size()];
    ContainerLife& life = init ? init_[i] : main_[i - init_.size()];
    if (life.state != State::kRunning || life.since + plan.outcome.runs > t) continue;
    EndRun(&life, life.since + plan.outcome.runs, plan.outcome.exit_code);
    if (Restarts(plan, plan.outcome.exit_code, init)) Restart(&life);
  }
}

void PodLife::StartRuns(absl::Time t) {
  for (std::vector<ContainerLife>* lives : {&init_, &main_}) {
    for (ContainerLife& life : *lives) {
      if (life.state != State::kWaiting || life.since > t) continue;
      life.state = State::kRunning;
      if (life.last) ++life.restarts;
    }
  }
}

void PodLife::EndRun(ContainerLife* life, absl::Time t, int exit_code) const {
  const absl::Time started = std::min(life->since, t);
  life->last = {started, t, exit_code};
  life->state = State::kEnded;
  life->since = t;
  if (t - started >= timing_.crash_reset) life->backoff = absl::ZeroDuration();
}

void PodLife::Restart(ContainerLife* life) const {
  life->state = State::kWaiting;
  life->since = life->last->ended + life->backoff;
  life->backoff = life->backoff == absl::ZeroDuration()
                      ? timing_.crash_backoff
                      : std::min(2 * life->backoff, timing_.crash_backoff_max);
}

bool PodLife::Restarts(const ContainerPlan& plan, int exit_code, bool init) const {
  if (terminating_) return false;
  if (plan.sidecar) return true;
  if (plan_.restart == PodPlan::Restart::kNever) return false;
  if (init || plan_.restart == PodPlan::Restart::kOnFailure) return exit_code != 0;
  return true;
}

// What follows from the containers' states: the next init container, the main ones, the end.
void PodLife::Progress(absl::Time t) {
  ProgressInit(t);
  if (over_) return;
  if (init_next_ == init_.size()) {
    for (ContainerLife& life : main_) {
      if (life.state == State::kWaiting && life.since == absl::InfiniteFuture() && !terminating_) {
        life.state = State::kRunning;
        life.since = t;
        changed_ = true;
      }
    }
    if (std::any_of(main_.begin(), main_.end(), [](const ContainerLife& life) {
          return life.state == State::kRunning || life.last.has_value();
        })) {
      phase_ = Phase::kRunning;
    }
  }
  const bool all_over = std::all_of(main_.begin(), main_.end(), IsOver);
  if (!all_over && !(terminating_ && (t >= KillTime() || !AnyRuns()))) return;
  const bool well = all_over && std::all_of(main_.begin(), main_.end(), [](const auto& life) {
                      return life.last->exit_code == 0;
                    });
  StopAll(t, kTermExit);  // Sidecars go with the last main container.
  Finish(well ? Phase::kSucceeded : Phase::kFailed, t);
}

void PodLife::ProgressInit(absl::Time t) {
  while (init_next_ < init_.size() && !over_) {
    ContainerLife& life = init_[init_next_];
    const ContainerPlan& plan = plan_.init[init_next_];
    if (life.state == State::kWaiting && life.since == absl::InfiniteFuture() && !terminating_) {
      life.state = State::kRunning;
      life.since = t;
      changed_ = true;
    }
    // A sidecar that was up once holds nobody back.
    if (plan.sidecar ? life.state == State::kRunning || life.last.has_value()
                     : IsOver(life) && life.last->exit_code == 0) {
      ++init_next_;
    } else if (IsOver(life) && !terminating_) {
      StopAll(t, kTermExit);
      Finish(Phase::kFailed, t);
    } else {
      // A run of no length ends in this very step.
      if (life.state != State::kRunning || life.since + plan.outcome.runs > t) return;
      EndRun(&life, t, plan.outcome.exit_code);
      if (Restarts(plan, plan.outcome.exit_code, true)) Restart(&life);
    }
  }
}

void PodLife::StopAll(absl::Time t, int exit_code) {
  for (std::vector<ContainerLife>* lives : {&init_, &main_}) {
    for (ContainerLife& life : *lives) {
      if (life.state == State::kRunning) EndRun(&life, t, exit_code);
      GiveUpWaiting(&life);
    }
  }
}

// One that waits for its next try stays what it was last.
void PodLife::GiveUpWaiting(ContainerLife* life) {
  if (life->state == State::kWaiting && life->last) life->state = State::kEnded;
}

bool PodLife::AnyRuns() const {
  const auto runs = [](const ContainerLife& life) { return life.state == State::kRunning; };
  return std::any_of(init_.begin(), init_.end(), runs) ||
         std::any_of(main_.begin(), main_.end(), runs);
}

void PodLife::Finish(Phase phase, absl::Time t) {
  over_ = true;
  phase_ = phase;
  changed_ = true;
  UpdateClaims(t);
}

void PodLife::UpdateClaims(absl::Time t) {
  const bool running = std::all_of(main_.begin(), main_.end(), [](const ContainerLife& life) {
    return life.state == State::kRunning;
  });
  const bool initialized = init_next_ == init_.size() && start_time_.has_value();
  if (initialized != initialized_.holds) initialized_ = {initialized, t};
  const bool ready = running && initialized && !over_;
  if (ready != ready_.holds) ready_ = {ready, t};
}

}  // namespace bth::nodesim
