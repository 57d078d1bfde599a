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
  explicit VirtualLoop(net::VirtualExecutor& executor) : executor_(executor) {}
  net::Executor& executor() override { return executor_; }
  void Run() override {
    is_awake_ = false;
    executor_.RunUntil([this] { return is_awake_; }, absl::Hours(1));
  }
  void Wake() override { is_awake_ = true; }

 private:
  net::VirtualExecutor& executor_;
  bool is_awake_ = false;
};

// With a cluster. `bed` is the cluster as it is.
struct CliBed {
  ApiBed bed;
  Console console;

  CliBed() {
    console.connect = [this](const cli::ClusterFlags&) {
      return std::make_unique<cli::Cluster>(std::make_unique<VirtualLoop>(bed.executor),
                                            bed.MakeClient(bed.line), "http://test");
    };
  }
  Ran Run(const std::vector<std::string>& line) { return console.Run(line); }
};

}  // namespace bth::test
