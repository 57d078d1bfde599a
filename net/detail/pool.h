// Kept-alive connections to one server, and the calls that wait for one.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "net/client.h"
#include "net/detail/channel.h"

namespace bth::net::detail {

class Pool;

// The right to one of the pool's connections. Unless told to keep it, its end closes the
// connection; either way the next call in the queue gets its turn.
class Lease {
 public:
  Lease(std::shared_ptr<Pool> pool, std::unique_ptr<Channel> channel);
  Lease(Lease&&) noexcept = default;
  Lease& operator=(Lease&&) = delete;
  ~Lease();

  Channel& channel() const { return *channel_; }
  // True when the connection served a call before, so that the server may just have closed it.
  bool reused() const { return reused_; }
  void Keep() { keep_ = true; }

 private:
  friend class Pool;
  std::shared_ptr<Pool> pool_;
  std::unique_ptr<Channel> channel_;  // Null until connected.
  bool reused_ = false;
  bool keep_ = false;
};

// Thread: the executor's. Lives as long as a lease or a waiting call.
class Pool : public std::enable_shared_from_this<Pool> {
 public:
  // What both pools of a client share.
  struct Origin {
    AsioExecutor& executor;
    ClientOptions options;
    std::unique_ptr<ClientTls> tls;  // Null for plain TCP.
  };
  Pool(std::shared_ptr<Origin> origin, int connections_max)
      : origin_(std::move(origin)), connections_max_(connections_max) {}
  ~Pool();

  struct Call {
    absl::Duration deadline;  // Of the executor's time.
    CancelToken cancel;
    bool fresh = false;  // Not a connection that was used before.
  };
  // A connection ready to send on. Every error means that nothing was sent.
  Awaitable<absl::StatusOr<Lease>> Acquire(Call call);
  // Ends every call and connection, from the event loop, and refuses new ones.
  void Close();

 private:
  friend class Lease;
  using Waiter = Promised<absl::StatusOr<Lease>>;
  struct Idle {
    std::unique_ptr<Channel> channel;
    absl::Duration since;
  };
  class QueuePlace;

  std::unique_ptr<Channel> TakeIdle();
  Awaitable<absl::Status> Connect(Lease& lease, const Call& call);
  Awaitable<absl::Status> ConnectOne(Lease& lease, const SocketAddress& address);
  void Return(std::unique_ptr<Channel> channel, bool keep);
  void Sweep();
  void ScheduleSweep();

  const std::shared_ptr<Origin> origin_;
  const int connections_max_;
  CancelToken closed_;
  int live_ = 0;            // Idle, leased and being connected.
  std::vector<Idle> idle_;  // The latest used comes last and goes first.
  std::list<Waiter> queue_;
  absl::flat_hash_set<Channel*> leased_;  // Only to end them; order does not matter.
  Executor::TimerId sweep_ = 0;
};

}  // namespace bth::net::detail
