#include <optional>

#include "base/status.h"
#include "framework/session/session.h"
#include "plugins/factories.h"

namespace bth::plugins {
namespace {

using framework::HookRegistrar;
using framework::Session;
using framework::Vote;
using model::JobId;

constexpr std::string_view kWaitingTime = "sla-waiting-time";

// Its only state is the time at which the session opened. Thread: scheduling.
class Sla final : public framework::Plugin {
 public:
  explicit Sla(std::optional<int64_t> waiting_us) : waiting_us_(waiting_us) {}
  std::string_view name() const override { return "sla"; }
  bool follows_clock() const override { return true; }

  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    now_us_ = absl::ToUnixMicros(session.context().clock->Now());
    hooks.JobOrder([this, &session](JobId left, JobId right) {
      return Compare(DeadlineOf(session, left), DeadlineOf(session, right));
    });
    const auto vote = [this, &session](JobId job) { return VoteOn(session, job); };
    hooks.JobEnqueueable(vote);
    hooks.JobPipelined(vote);
    return absl::OkStatus();
  }

 private:
  // In microseconds since the epoch; nothing: the job may wait for ever.
  std::optional<int64_t> DeadlineOf(const Session& session, JobId job) const {
    const model::JobFacts& facts = *session.job(job).facts;
    if (facts.waiting_ms) {
      return absl::ToUnixMicros(absl::FromUnixMicros(facts.created_us) +
                                absl::Milliseconds(*facts.waiting_ms));
    }
    if (!waiting_us_) return std::nullopt;
    return absl::ToUnixMicros(absl::FromUnixMicros(facts.created_us) +
                              absl::Microseconds(*waiting_us_));
  }

  // Earlier first; those without a deadline last.
  static int Compare(std::optional<int64_t> left, std::optional<int64_t> right) {
    if (!left || !right) return static_cast<int>(!left) - static_cast<int>(!right);
    return static_cast<int>(*left > *right) - static_cast<int>(*left < *right);
  }

  // Never against a job: one that may still wait is for other plugins to judge.
  Vote VoteOn(const Session& session, JobId job) const {
    const std::optional<int64_t> deadline = DeadlineOf(session, job);
    return deadline && now_us_ >= *deadline ? Vote::kPermit : Vote::kAbstain;
  }

  const std::optional<int64_t> waiting_us_;  // Of jobs that say nothing themselves.
  int64_t now_us_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateSla(const conf::Arguments& args) {
  // No limit is what stands in for one that cannot be read.
  BTH_ASSIGN_OR_RETURN(const absl::Duration waiting,
                       args.Duration(kWaitingTime, absl::InfiniteDuration()));
  std::optional<int64_t> waiting_us;
  if (waiting <= absl::ZeroDuration()) {
    args.Report(kWaitingTime, "is not above zero; there is no limit then");
  } else if (waiting != absl::InfiniteDuration()) {
    waiting_us = absl::ToInt64Microseconds(waiting);
  }
  return std::make_unique<Sla>(waiting_us);
}

}  // namespace bth::plugins
