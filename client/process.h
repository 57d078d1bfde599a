// Runs a helper program (a kubeconfig credential plugin) with limits.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "net/awaitable.h"

namespace bth::client {

struct ProcessRequest {
  std::string command;  // A path, or a name looked up in PATH.
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  // Replaces ours of the same name.
  absl::Duration timeout = absl::Seconds(60);
  // Its stderr is ours, so that a person reads what it asks for; and it stays in our process group,
  // so that Ctrl-C ends it too. Where it is killed, its children are not.
  bool shows_errors = false;
  size_t output_bytes_max = size_t{1} << 20;
};

// What the program wrote to stdout. Its stdin is empty; the end of its stderr goes into the error,
// unless that is shown.
// Errors: kNotFound (no such program), kDeadlineExceeded (killed), kResourceExhausted (too much
// output), kCancelled (`stop`), kUnknown (exit code other than 0). Blocks. Thread: any.
absl::StatusOr<std::string> RunProcess(const ProcessRequest& request,
                                       const std::atomic<bool>& stop);

// RunProcess for coroutines: one program at a time on a thread of its own, so that the executor
// never blocks. Destruction kills a running program and waits for its end.
// Thread: the executor's.
class ProcessRunner final {
 public:
  explicit ProcessRunner(net::Executor& executor) : executor_(executor) {}
  ProcessRunner(const ProcessRunner&) = delete;
  ~ProcessRunner();

  // Not called again before the former call has returned.
  net::Awaitable<absl::StatusOr<std::string>> Run(ProcessRequest request);

 private:
  net::Executor& executor_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace bth::client
