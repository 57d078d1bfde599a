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
  bad_answers_ = 0;
  asked_ = false;
  if (clock.Monotonic() < silent_until_) closed_ = last_failure_;
}

void Line::EndSession() {
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
  asked_ = true;
  spent_ += took;
  const bool answered = status.ok() || absl::IsAborted(status);
  if (!answered) {
    if (metrics_ != nullptr) metrics_->LimitReached("extender_call");
    const bool understood_nothing =
        absl::IsInvalidArgument(status) || absl::IsFailedPrecondition(status);
    if (!understood_nothing || ++bad_answers_ >= kBadAnswersMax) {
      Close(status);
    } else {
      Say(status);
    }
  }
  const absl::Duration most = std::max(kSessionMax, 5 * options_.timeout);
  if (closed_.ok() && spent_ > most) {
    if (metrics_ != nullptr) metrics_->LimitReached("extender_time");
    Close(absl::DeadlineExceededError(
        StrCat("its calls took more than ", absl::FormatDuration(most), " in one cycle")));
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

void Line::Say(const absl::Status& status) {
  // Only the kind of failure makes it a new one: texts may differ each time.
  const std::string kind = absl::StatusCodeToString(status.code());
  if (said_ == kind) return;
  said_ = kind;
  const std::string effect = options_.ignorable ? "it is left out" : "what it has a say in waits";
  error_ = StrCat("the extender at ", options_.url, " cannot be asked or understood, so ", effect,
                  ": ", status.message(),
                  "; see that it answers within extender.httpTimeout, in the documented form");
  Log(LogLevel::kWarning, "extender.failed",
      {{"url", options_.url}, {"status", status}, {"effect", effect}});
}

}  // namespace bth::plugins::extender
