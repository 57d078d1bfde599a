// The programs of users against an API server in the test's own process.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/session/cluster.h"
#include "tests/cli/console.h"
#include "tests/support/api_bed.h"

namespace bth::test {

// Calls of a program wait in virtual time.
class VirtualLoop final : public cli::Loop {
 public:
  VirtualLoop(net::VirtualExecutor& executor, std::function<void(int)>& on_signal,
              std::function<bool()>& on_key)
      : executor_(executor), on_signal_(on_signal), on_key_(on_key) {}
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
  void OnReadable(int, std::function<bool()> action) override { on_key_ = std::move(action); }

 private:
  net::VirtualExecutor& executor_;
  std::function<void(int)>& on_signal_;
  std::function<bool()>& on_key_;
  bool is_awake_ = false;
};

// With a cluster. `bed` is the cluster as it is.
struct CliBed {
  ApiBed bed;
  Console console;
  std::function<void(int)> on_signal;  // What the program that runs does with signals.
  std::function<bool()> on_key;        // And when keys were pressed.

  CliBed() {
    console.connect = [this](const cli::ClusterFlags&) {
      on_signal = nullptr;
      return std::make_unique<cli::Cluster>(
          std::make_unique<VirtualLoop>(bed.executor, on_signal, on_key), bed.MakeClient(bed.line),
          "http://test");
    };
  }
  Ran Run(const std::vector<std::string>& line) { return console.Run(line); }
};

}  // namespace bth::test
