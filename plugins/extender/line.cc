#include "plugins/extender/line.h"

#include <algorithm>

#include "base/log.h"
#include "base/strings.h"

namespace bth::plugins::extender {

void Line::BeginSession(const Clock& clock, metrics::SchedulerMetrics* metrics) {
  clock_ = &clock;
  metrics_ = metrics;
  closed_ = absl::OkStatus();
  spent_ = absl::ZeroDuration();
  spent_on_unsent_ = absl::ZeroDuration();
  bad_answers_ = 0;
  asked_ = false;
  had_unsent_ = false;
  if (clock.Monotonic() < silent_until_) closed_ = last_failure_;
}

void Line::EndSession() {
  if (!had_unsent_ && closed_.ok()) not_sent_.clear();
  if (!asked_ || !closed_.ok()) return;
  pause_ = absl::ZeroDuration();
  if (bad_answers_ == 0 && !said_.empty()) {
    said_.clear();
    error_.clear();
    Log(LogLevel::kInfo, "extender.well_again", {{"url", options_.url}});
  }
}

framework::ExtenderPort::Call Line::CallFor(const std::string& verb) const {
  return {.url = StrCat(options_.url, "/", verb), .timeout = options_.timeout};
}

void Line::Note(const absl::Status& status, absl::Duration took) {
  if (IsNotSent(status)) {
    spent_on_unsent_ += took;
    SayNotSent(status);
  } else {
    spent_ += took;
    asked_ = true;
    if (!status.ok() && !absl::IsAborted(status)) NoteFailure(status);
  }
  const absl::Duration most = std::max(kSessionMax, 5 * options_.timeout);
  if (spent_ > most) {
    CloseForTime(absl::DeadlineExceededError(
        StrCat("its calls took more than ", absl::FormatDuration(most), " in one cycle")));
  } else if (spent_on_unsent_ > most) {
    CloseForTime(absl::OutOfRangeError(
        StrCat("to write requests that are too large to be sent took more than ",
               absl::FormatDuration(most),
               " in one cycle: make pods smaller, such as their annotations, or leave out verbs")));
  }
}

void Line::CloseForTime(const absl::Status& status) {
  if (!closed_.ok()) return;
  if (metrics_ != nullptr) metrics_->LimitReached("extender_time");
  Close(status);
}

void Line::NoteFailure(const absl::Status& status) {
  if (metrics_ != nullptr) metrics_->LimitReached("extender_call");
  const bool understood_nothing =
      absl::IsInvalidArgument(status) || absl::IsFailedPrecondition(status);
  if (!understood_nothing || ++bad_answers_ >= kBadAnswersMax) {
    Close(status);
  } else {
    Say(status);
  }
}

void Line::NoteUnknown(int64_t names) {
  if (names == 0) return;
  if (metrics_ != nullptr) metrics_->LimitReached("extender_unknown_name");
  if (said_unknown_) return;
  said_unknown_ = true;
  Log(LogLevel::kWarning, "extender.unknown_names",
      {{"url", options_.url}, {"names", names}, {"effect", "they are left out"}});
}

void Line::Close(const absl::Status& status) {
  if (!closed_.ok()) return;
  closed_ = status;
  last_failure_ = status;
  pause_ = std::max(options_.timeout, std::min(2 * pause_, kPauseMax));
  silent_until_ = clock_->Monotonic() + pause_;
  Say(status);
}

void Line::SayNotSent(const absl::Status& status) {
  if (metrics_ != nullptr) metrics_->LimitReached("extender_call");
  had_unsent_ = true;
  if (!not_sent_.empty()) return;
  not_sent_ = StrCat("the extender at ", options_.url,
                     " was not told or asked everything: ", status.message());
  if (not_sent_ == said_not_sent_) return;
  said_not_sent_ = not_sent_;
  Log(LogLevel::kWarning, "extender.not_sent", {{"url", options_.url}, {"status", status}});
}

void Line::Say(const absl::Status& status) {
  // Only the kind of failure makes it a new one: texts may differ each time.
  const std::string kind = absl::StatusCodeToString(status.code());
  if (said_ == kind) return;
  said_ = kind;
  const std::string effect = options_.ignorable ? "it is left out" : "what it has a say in waits";
  const bool is_ours = IsNotSent(status);
  error_ = StrCat("the extender at ", options_.url,
                  is_ours ? " is not asked for now, so " : " cannot be asked or understood, so ",
                  effect, ": ", status.message());
  if (!is_ours) {
    StrAppend(&error_, "; see that it answers within extender.httpTimeout, in the documented form");
  }
  Log(LogLevel::kWarning, "extender.failed",
      {{"url", options_.url}, {"status", status}, {"effect", effect}});
}

}  // namespace bth::plugins::extender
