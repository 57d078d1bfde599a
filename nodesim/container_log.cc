#include "nodesim/container_log.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/strings.h"
#include "nodesim/outcome.h"

namespace bth::nodesim {
namespace {

constexpr size_t kLogLinesMax = 10'000;
constexpr size_t kLogBytesMax = size_t{1} << 20;
constexpr size_t kCommandBytesMax = 200;  // In our first line.

constexpr std::string_view kOurs = "simulated: ";

// "sh -c echo hi; sleep 5", on one line and not too long.
std::string CommandText(const types::Container& container) {
  std::string text = absl::StrJoin(container.command, " ");
  for (const std::string& word : container.args) StrAppend(&text, text.empty() ? "" : " ", word);
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (text.size() > kCommandBytesMax) {
    size_t end = kCommandBytesMax;
    // Not in the middle of a character.
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text = StrCat(text.substr(0, end), " ...");
  }
  return text.empty() ? StrCat("the command of image ", container.image) : text;
}

std::string FirstLine(const types::Container& container, const Outcome& outcome) {
  std::string duration = "ends at once";
  if (outcome.endless()) {
    duration = "runs until it is stopped";
  } else if (outcome.runs > absl::ZeroDuration()) {
    duration = StrCat("runs for ", absl::FormatDuration(outcome.runs));
  }
  return StrCat(kOurs, "started: ", CommandText(container), " (", duration, ")");
}

std::string LastLine(const LoggedRun& run, const Outcome& outcome) {
  const bool is_own = !outcome.endless() && outcome.exit_code == run.exit_code &&
                      *run.ended - run.started >= absl::Floor(outcome.runs, absl::Seconds(1));
  return StrCat(kOurs, is_own ? "ended" : "stopped", " with exit code ", run.exit_code);
}

// Lines of pieces of text; a line has the time of its first piece.
class LineMaker final {
 public:
  explicit LineMaker(std::vector<LogLine>* lines) : lines_(lines) {}

  void Add(absl::Time time, std::string_view text) {
    while (!text.empty()) {
      if (partial_.empty()) since_ = time;
      const size_t end = text.find('\n');
      partial_.append(text.substr(0, end));
      if (end == std::string_view::npos) return;
      EndLine();
      text.remove_prefix(end + 1);
      if (!text.empty()) since_ = time;
    }
  }
  void Finish() {
    if (!partial_.empty()) EndLine();
  }
  bool is_full() const { return lines_->size() >= kLogLinesMax || bytes_ >= kLogBytesMax; }

 private:
  void EndLine() {
    if (!is_full()) {
      bytes_ += partial_.size();
      lines_->push_back({since_, std::move(partial_)});
    }
    partial_.clear();
  }

  std::vector<LogLine>* lines_;
  std::string partial_;
  absl::Time since_;
  size_t bytes_ = 0;
};

}  // namespace

ContainerLog LogOf(const types::Container& container, const LoggedRun& run, absl::Time now) {
  std::vector<Printed> printed;
  const Outcome outcome = OutcomeOf(container.command, container.args, &printed);
  // Times in a status are cut to seconds: what comes within the last one counts.
  const absl::Time end = run.ended ? *run.ended + absl::Seconds(1) : now;
  ContainerLog log;
  log.lines.push_back({run.started, FirstLine(container, outcome)});
  LineMaker maker(&log.lines);
  for (const Printed& piece : printed) {
    const absl::Time at = run.started + piece.at;
    if (at > end || (run.ended && at == end)) {
      if (!run.ended) log.next = at;
      break;
    }
    maker.Add(run.ended ? std::min(at, *run.ended) : at, piece.text);
  }
  // What a running container has not ended yet is no line.
  if (run.ended) maker.Finish();
  if (maker.is_full()) {
    log.lines.push_back({log.lines.back().time, StrCat(kOurs, "further lines are left out")});
  }
  if (run.ended) log.lines.push_back({*run.ended, LastLine(run, outcome)});
  return log;
}

std::optional<LoggedRun> RunIn(const types::ContainerStatus& status, bool previous) {
  const types::ContainerState& state = previous ? status.last_state : status.state;
  if (state.running) return LoggedRun{state.running->started_at.value_or(absl::UnixEpoch()), {}, 0};
  if (state.terminated) {
    const absl::Time started = state.terminated->started_at.value_or(absl::UnixEpoch());
    return LoggedRun{started, state.terminated->finished_at.value_or(started),
                     state.terminated->exit_code};
  }
  return std::nullopt;
}

}  // namespace bth::nodesim
