// Controllers that are killed at one of their writes.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "tests/support/faulty_line.h"

namespace bth::test {

// Lets them die before or after their `at`-th write; events do not count. 0: they live.
class Death {
 public:
  Death(FaultyLine& line, int at, bool after, std::function<void()> restart)
      : line_(line), at_(at), after_(after), restart_(std::move(restart)) {
    line_.script = [this](const net::Request& request) { return OnRequest(request); };
  }
  Death(const Death&) = delete;
  ~Death() { line_.script = nullptr; }

  // To be called between the steps: whoever has died is started again.
  void Bury() {
    if (!dying_) return;
    dying_ = false;
    happened_ = true;
    restart_();
  }
  bool happened() const { return happened_; }

 private:
  static bool IsWrite(const net::Request& request) {
    return request.method != "GET" && !absl::StrContains(request.target, "/events");
  }
  std::optional<Fault> OnRequest(const net::Request& request) {
    if (!dying_) {
      if (happened_ || !IsWrite(request) || ++writes_ != at_) return std::nullopt;
      dying_ = true;
      if (after_) return std::nullopt;
    }
    // Nothing of the dying process gets through any more.
    Fault hangs;
    hangs.delay = absl::Hours(24);
    return hangs;
  }

  FaultyLine& line_;
  const int at_;
  const bool after_;
  const std::function<void()> restart_;
  int writes_ = 0;
  bool dying_ = false;
  bool happened_ = false;
};

}  // namespace bth::test
