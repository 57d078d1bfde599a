// Changes how much is logged while the program runs, over a Unix socket.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "cmd/common/log_flags.h"
#include "net/awaitable.h"
#include "net/http.h"
#include "net/server.h"

namespace bth::cmd {

// `GET /getlevel`, and `/setlevel?level=N&duration=D` after which the level of the command line
// returns. The socket is `$DEBUG_SOCKET_DIR`/klog-klog.sock, by default in /tmp/klog-socks, and is
// its owner's alone. Lives shorter than the loop. Thread: I/O.
class LogLevelServer final {
 public:
  // Null, and a warning in the log, when the socket cannot be made: nothing else depends on it.
  static std::unique_ptr<LogLevelServer> Start(net::Executor& executor, const LogFlags& log);
  ~LogLevelServer();
  LogLevelServer(const LogLevelServer&) = delete;

  // Public for tests, which need no socket.
  LogLevelServer(net::Executor& executor, const LogFlags& log);
  net::Response Answer(const std::string& target);

 private:
  net::Awaitable<net::Response> Serve(net::Request request);
  net::Response Set(const net::Target& target);
  void Recover();

  net::Executor& executor_;
  const LogFlags at_start_;
  int64_t verbosity_;  // Now.
  net::Executor::TimerId recover_ = 0;
  std::unique_ptr<net::Server> server_;
};

}  // namespace bth::cmd
