// What a person sees while a command works: one line on stderr that is written over.
#pragma once

#include <functional>
#include <ostream>
#include <string_view>

#include "absl/time/time.h"
#include "cli/print/terminal.h"
#include "net/awaitable.h"

namespace bth::cli {

// Nothing where `terminal` cannot redraw. The line goes with the object, so that nothing of it is
// left below what comes next. `out` outlives it. Thread: one.
class ProgressLine final {
 public:
  ProgressLine(std::ostream& out, const Terminal& terminal) : out_(out), terminal_(terminal) {}
  ProgressLine(const ProgressLine&) = delete;
  ~ProgressLine() { Clear(); }

  bool is_shown() const { return terminal_.can_redraw; }
  // Cut to the terminal.
  void Show(std::string_view text);
  void Clear();

 private:
  std::ostream& out_;
  const Terminal terminal_;
  bool has_text_ = false;
};

// Calls `action` again and again until it is destroyed. Thread: the executor's.
class Ticker final {
 public:
  Ticker(net::Executor& executor, absl::Duration interval, std::function<void()> action)
      : executor_(executor), interval_(interval), action_(std::move(action)) {
    Wait();
  }
  Ticker(const Ticker&) = delete;
  ~Ticker() { executor_.CancelTimer(timer_); }

 private:
  void Wait() {
    timer_ = executor_.RunAfter(interval_, [this] {
      Wait();
      action_();
    });
  }

  net::Executor& executor_;
  const absl::Duration interval_;
  const std::function<void()> action_;
  net::Executor::TimerId timer_ = 0;
};

}  // namespace bth::cli
