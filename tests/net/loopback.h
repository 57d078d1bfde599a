// A server and a client over loopback on one event loop, for tests.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "net/client.h"
#include "net/io_context.h"
#include "net/pem.h"
#include "net/server.h"
#include "tests/support/catch.h"

namespace bth::net::test {

// Certificates made once per process: an authority, a server for 127.0.0.1 and localhost, and a
// client "alice" of the group "admins".
struct TestCertificates {
  Identity authority;
  Identity server;
  Identity client;
};
const TestCertificates& Certificates();

ServerTls TlsForServer();
TlsOptions TlsForClient();

class Loopback {
 public:
  Loopback();

  void Serve(ServerOptions options, Handler handler);
  // A client of the server above, TLS if it has it.
  std::unique_ptr<Transport> Client(ClientOptions options = {});

  // Runs the loop until `work` ends; a test that takes more than a minute fails. Inside, no CHECK
  // may hold a co_await: the macro spells its claim twice.
  void Run(Awaitable<void> work);

  std::unique_ptr<IoContext> io;
  std::unique_ptr<Server> server;
  bool tls = false;
};

// Fetches and checks that it worked.
Awaitable<Response> MustFetch(Transport& transport, Request request);
Request Get(std::string target);
Request Post(std::string target, std::string body);

// Reads the stream of an opened answer to its end.
struct Drained {
  std::string bytes;
  absl::Status end;
};
Awaitable<Drained> Drain(ByteStream& stream);

// Runs blocking `work` on a thread of its own. `work` makes no Catch2 assertions.
Awaitable<std::string> OnThread(IoContext& io, std::function<std::string()> work);

// A blocking plain socket to the server, for what a decent client would not send. Used on a
// thread of its own, or only where the kernel's buffers hold everything.
class RawSocket {
 public:
  explicit RawSocket(uint16_t port);
  // Takes over a connected descriptor.
  static RawSocket Adopt(int fd);
  RawSocket(RawSocket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  ~RawSocket();
  void Send(std::string_view bytes);
  // Everything until the other side closes (or resets), or what came within ten seconds.
  std::string ReadAll();
  // Until `text` has been seen.
  std::string ReadUntil(std::string_view text);
  void Close();
  int fd() const { return fd_; }

 private:
  RawSocket() = default;
  int fd_ = -1;
};

// A listening socket that a test's thread serves by hand.
class RawListener {
 public:
  RawListener();
  ~RawListener();
  uint16_t port() const { return port_; }
  RawSocket Accept();

 private:
  int fd_ = -1;
  uint16_t port_ = 0;
};

}  // namespace bth::net::test
