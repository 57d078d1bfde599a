// The programs of users against an API server in the test's own process.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/programs.h"
#include "cli/session/cluster.h"
#include "cli/session/session.h"
#include "sim/policy_engine.h"
#include "tests/support/api_bed.h"

namespace bth::test {

// Calls of a program wait in virtual time.
class VirtualLoop final : public cli::Loop {
 public:
  VirtualLoop(net::VirtualExecutor& executor, std::function<void(int)>& on_signal)
      : executor_(executor), on_signal_(on_signal) {}
  net::Executor& executor() override { return executor_; }
  void Run() override {
    is_awake_ = false;
    executor_.RunUntil([this] { return is_awake_; }, absl::Hours(1));
  }
  void Wake() override { is_awake_ = true; }
  void OnSignals(std::vector<int> signals, std::function<void(int)> action) override {
    on_signal_ = [before = on_signal_, signals = std::move(signals),
                  action = std::move(action)](int signal) {
      if (before) before(signal);
      if (std::find(signals.begin(), signals.end(), signal) != signals.end()) action(signal);
    };
  }

 private:
  net::VirtualExecutor& executor_;
  std::function<void(int)>& on_signal_;
  bool is_awake_ = false;
};

struct Ran {
  int code = 0;
  std::string out;
  std::string err;
};

// Runs programs in a session without a cluster: for what never asks one.
struct Console {
  std::map<std::string, std::string> environment;
  std::function<absl::StatusOr<std::unique_ptr<cli::Cluster>>(const cli::ClusterFlags&)> connect =
      [](const cli::ClusterFlags&) { return absl::UnavailableError("there is no cluster"); };
  std::string input;  // What a program reads, or a person answers.
  ManualClock clock{absl::FromUnixSeconds(1'767'225'600)};
  cli::Terminal terminal;      // Of stdout; none unless a test says so.
  cli::Terminal err_terminal;  // Of stderr.
  std::function<cli::Terminal()> terminal_now;
  bool is_interactive = false;

  // The first word is the program's name.
  Ran Run(const std::vector<std::string>& line) {
    std::istringstream in(input);
    std::ostringstream out;
    std::ostringstream err;
    cli::Surroundings surroundings;
    surroundings.in = &in;
    surroundings.is_interactive = is_interactive;
    surroundings.terminal = terminal;
    surroundings.err_terminal = err_terminal;
    surroundings.terminal_now = terminal_now;
    surroundings.out = &out;
    surroundings.err = &err;
    surroundings.clock = &clock;
    surroundings.zone = absl::UTCTimeZone();
    surroundings.variable = [this](std::string_view name) -> std::optional<std::string> {
      const auto found = environment.find(std::string(name));
      if (found == environment.end()) return std::nullopt;
      return found->second;
    };
    surroundings.connect = connect;
    surroundings.engine = sim::MakePolicyEngine;
    surroundings.version_text = "API Version: v1alpha1\n";
    cli::Session session(std::move(surroundings));
    const std::vector<std::string> args(line.begin() + 1, line.end());
    const int code = cli::RunProgram(line[0], args, session);
    return {code, out.str(), err.str()};
  }
};

// With a cluster. `bed` is the cluster as it is.
struct CliBed {
  ApiBed bed;
  Console console;
  std::function<void(int)> on_signal;  // What the program that runs does with signals.

  CliBed() {
    console.connect = [this](const cli::ClusterFlags&) {
      on_signal = nullptr;
      return std::make_unique<cli::Cluster>(std::make_unique<VirtualLoop>(bed.executor, on_signal),
                                            bed.MakeClient(bed.line), "http://test");
    };
  }
  Ran Run(const std::vector<std::string>& line) { return console.Run(line); }
};

}  // namespace bth::test
