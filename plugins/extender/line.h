// The line to one extender: decides whether it is asked at all, and tells people what is wrong.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "framework/session/extender_port.h"
#include "metrics/scheduler_metrics.h"
#include "plugins/extender/options.h"

namespace bth::plugins::extender {

// An extender that is silent, floods or keeps lying is not asked again in the session, and not for
// a while afterwards: the pause grows from session to session up to kPauseMax. So one that hangs
// costs one timeout now and then. A question that is too large to be sent is no fault of the
// extender: it alone is refused, and the line stays open, unless the writing of such questions
// takes too long. Lives as long as the plugin. Thread: scheduling.
class Line {
 public:
  static constexpr absl::Duration kPauseMax = absl::Seconds(30);
  // Answers that cannot be used, in one session.
  static constexpr int kBadAnswersMax = 16;
  // Of all calls in one session, or five timeouts if that is longer; likewise of all questions that
  // were not sent.
  static constexpr absl::Duration kSessionMax = absl::Seconds(5);

  explicit Line(const Options& options) : options_(options) {}

  // `metrics` may be null; both outlive the session.
  void BeginSession(const Clock& clock, metrics::SchedulerMetrics* metrics);
  void EndSession();

  framework::ExtenderPort::Call CallFor(const std::string& verb) const;
  // Of a question that was not sent, because it is too large.
  static bool IsNotSent(const absl::Status& status) { return absl::IsOutOfRange(status); }
  // Not OK: nobody is asked, for this reason.
  const absl::Status& closed() const { return closed_; }

  // Runs `ask`, which makes one call, unless the line is closed; notes how it went. An extender's
  // own refusal (kAborted) is a good answer.
  template <typename Ask>
  auto Try(const Ask& ask) -> decltype(ask()) {
    if (!closed_.ok()) return closed_;
    const absl::Duration start = clock_->Monotonic();
    auto answer = ask();
    Note(StatusOf(answer), clock_->Monotonic() - start);
    return answer;
  }
  // Nobody is asked any more in this session, for this reason.
  void CloseForSession(const absl::Status& status) { closed_.Update(status); }
  // How one of several answers that came together went.
  void Note(const absl::Status& status, absl::Duration took);
  // Names in an answer that nobody asked about.
  void NoteUnknown(int64_t names);
  const Clock& clock() const { return *clock_; }
  // What people should know; empty: all is well. The same while nothing else goes wrong.
  const std::string& error() const { return error_.empty() ? not_sent_ : error_; }

 private:
  static const absl::Status& StatusOf(const absl::Status& status) { return status; }
  template <typename T>
  static const absl::Status& StatusOf(const absl::StatusOr<T>& answer) {
    return answer.status();
  }
  void NoteFailure(const absl::Status& status);
  void Close(const absl::Status& status);
  void CloseForTime(const absl::Status& status);
  void Say(const absl::Status& status);
  void SayNotSent(const absl::Status& status);

  const Options& options_;
  const Clock* clock_ = nullptr;
  metrics::SchedulerMetrics* metrics_ = nullptr;
  // Of the session.
  absl::Status closed_;
  absl::Duration spent_;
  absl::Duration spent_on_unsent_;
  int bad_answers_ = 0;
  bool asked_ = false;
  bool had_unsent_ = false;
  // Across sessions.
  absl::Duration pause_;
  absl::Duration silent_until_ = -absl::InfiniteDuration();
  absl::Status last_failure_;
  std::string said_;  // The kind of complaint that stands; empty: all is well.
  std::string error_;
  // Of the first question that was not, in sessions in a row that had any; empty: all were sent.
  std::string not_sent_;
  std::string said_not_sent_;
  bool said_unknown_ = false;
};

}  // namespace bth::plugins::extender
