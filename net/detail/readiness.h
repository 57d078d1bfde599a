// A file descriptor that tells when it can be read or written.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "net/awaitable.h"

namespace bth::net::detail {

class AsioExecutor;

// The executor as one that sockets work on, or kInvalidArgument.
absl::StatusOr<AsioExecutor*> RequireAsio(Executor& executor);

// Owns a non-blocking descriptor and closes it in the end. The listener, which outlives it, hears
// of each wait once, from the event loop, and never after destruction. Readiness is by level: a
// wait for what is there already ends at the next turn of the loop. Thread: the executor's.
class Readiness {
 public:
  class Listener {
   public:
    virtual void OnReadable() = 0;
    virtual void OnWritable() = 0;

   protected:
    ~Listener() = default;
  };

  Readiness(AsioExecutor& executor, int fd, Listener& listener);
  Readiness(const Readiness&) = delete;
  Readiness& operator=(const Readiness&) = delete;
  ~Readiness();

  // -1 after Close.
  int fd() const { return fd_; }
  // Asking again while a wait is pending does nothing.
  void WaitReadable();
  void WaitWritable();
  // Pending waits are forgotten.
  void Close();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
  int fd_;
};

// A socket address in the kernel's form.
struct SocketAddress {
  alignas(8) char bytes[128] = {};
  unsigned length = 0;
  int family() const;
};

// The address a text such as "10.0.0.1" or "::1" spells, if it spells one.
std::optional<SocketAddress> NumericAddress(const std::string& host, uint16_t port);

using Addresses = absl::StatusOr<std::vector<SocketAddress>>;
// Addresses of `host`, numeric ones without asking anybody. kUnavailable when it has none. The
// question itself has no deadline: who waits sets the answer to an error at theirs.
Promised<Addresses> Resolve(AsioExecutor& executor, const std::string& host, uint16_t port);

// "127.0.0.1:80", "[::1]:80".
std::string ToText(const SocketAddress& address);

}  // namespace bth::net::detail
