// One connection of the server: requests are read, handled and answered one after another.
#pragma once

#include <memory>
#include <string>

#include "net/detail/channel.h"
#include "net/detail/message.h"
#include "net/detail/owned_task.h"
#include "net/server.h"

namespace bth::net::detail {

class Connection;

// What connections share with their server. Thread: the executor's.
struct ServerSide {
  virtual ~ServerSide() = default;
  virtual Executor& executor() = 0;
  virtual const ServerOptions& options() const = 0;
  virtual const Handler& handler() const = 0;
  // The Date field's value.
  virtual std::string_view date() = 0;
  // Destroys the connection from the event loop; twice is once.
  virtual void Drop(uint64_t id) = 0;
  // Bytes of request bodies being read, over all connections; false when there are too many.
  virtual bool AddBodyBytes(int64_t bytes) = 0;
  // The answer being given is the last one of its connection.
  virtual bool draining() const = 0;
};

// Owned by the server. Destroying it destroys the handler's coroutine and stream.
class Connection {
 public:
  // `refused`: the only answer is 503.
  struct Accepted {
    int fd;
    SslPtr ssl;
    std::string address;
    uint64_t id;
    bool refused;
  };
  Connection(ServerSide& side, AsioExecutor& executor, Accepted accepted);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { ReleaseBody(); }

  void Start() {
    task_.Start({side_.executor(), "http.connection", [this] { side_.Drop(id_); }}, Run());
  }
  bool refused() const { return refused_; }
  // Nothing has come of a next request.
  bool idle() const { return idle_; }

 private:
  Awaitable<void> Run();
  Awaitable<void> Serve();
  // The handler's answer; 500 where an exception cut it off.
  Awaitable<Response> Handle(Request request);
  // False: the connection must be closed.
  Awaitable<bool> ServeOne(bool first);
  Awaitable<absl::StatusOr<RequestHead>> ReadHead(bool first);
  Awaitable<absl::Status> ReadBody(const RequestHead& head, std::string& out);
  Awaitable<bool> Answer(const RequestHead& head, Response response);
  Awaitable<absl::Status> WriteSliced(std::string_view head, std::string_view body);
  Awaitable<bool> WriteStream(ByteStream& stream, bool chunked);
  // Reports what is wrong with the request and ends the connection.
  Awaitable<void> Reject(int status, std::string text);
  void ReleaseBody();
  void ExpireIn(absl::Duration time);

  ServerSide& side_;
  const uint64_t id_;
  const bool refused_;
  bool idle_ = false;
  Peer peer_;
  Channel channel_;
  int64_t body_bytes_ = 0;  // Reported through AddBodyBytes.
  OwnedTask task_;          // Last: its coroutine uses the members above.
};

}  // namespace bth::net::detail
