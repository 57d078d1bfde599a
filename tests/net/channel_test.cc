// The two ends of one connection, without HTTP between them.
#include "net/detail/channel.h"

#include <sys/socket.h>

#include <memory>
#include <utility>

#include "net/detail/asio_executor.h"
#include "tests/net/loopback.h"

namespace bth::net {
namespace {

using detail::Channel;

TEST_CASE("channel: what is written to a TLS peer that took leave and is gone fails",
          "[net][tls]") {
  test::Loopback loopback;
  const auto executor = detail::RequireAsio(*loopback.io);
  const auto server_context = detail::MakeServerContext(test::TlsForServer());
  const auto client_context = detail::ClientTls::Create(test::TlsForClient(), "127.0.0.1");
  REQUIRE(executor.ok());
  REQUIRE(server_context.ok());
  REQUIRE(client_context.ok());
  int ends[2] = {-1, -1};
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
  detail::SslPtr server_ssl(SSL_new(server_context->get()));
  SSL_set_accept_state(server_ssl.get());
  auto client_ssl = (*client_context)->NewConnection();
  REQUIRE(client_ssl.ok());
  Channel server(**executor, ends[0], std::move(server_ssl));
  auto client = std::make_unique<Channel>(**executor, ends[1], *std::move(client_ssl));

  const Promised<absl::Status> client_secured(*loopback.io);
  auto shake = [&]() -> Awaitable<void> { client_secured.Set(co_await client->Handshake()); };
  Spawn(*loopback.io, shake());
  auto work = [&]() -> Awaitable<void> {
    const absl::Status secured = co_await server.Handshake();
    CHECK(secured.ok());
    const absl::Status other_secured = co_await client_secured.Wait();
    CHECK(other_secured.ok());
    client.reset();  // Its close notice goes out first.
    const absl::StatusOr<bool> more = co_await server.Fill();
    REQUIRE(more.ok());
    CHECK_FALSE(*more);
    const Channel::Parts parts{"an answer", {}, {}};
    const absl::Status written = co_await server.Write(parts);
    CHECK(absl::IsUnavailable(written));
  };
  loopback.Run(work());
}

}  // namespace
}  // namespace bth::net
