// The real executor: one thread around an event loop, with sockets and signals.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "net/awaitable.h"

namespace bth::net {

// Executors made here are the only ones that sockets (net/client.h, net/server.h) work on.
class IoContext : public Executor {
 public:
  static std::unique_ptr<IoContext> Create();
  // Runs on the calling thread until Stop.
  virtual void Run() = 0;
  // Thread: any.
  virtual void Stop() = 0;
  // Calls `action` on the loop for each of these signals until destroyed.
  virtual void OnSignals(std::vector<int> signals, std::function<void(int)> action) = 0;
  // Calls `action` on the loop when there is something to read from the descriptor (a terminal or a
  // pipe), again and again until it returns false. The descriptor stays the caller's.
  virtual void OnReadable(int descriptor, std::function<bool()> action) = 0;
};

}  // namespace bth::net
