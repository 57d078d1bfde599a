#include <openssl/bio.h>
#include <openssl/ssl.h>

#include <memory>

#include "net/detail/tls.h"
#include "tests/net/loopback.h"
#include "tests/support/catch.h"

namespace bth::net::detail {
namespace {

// A client's and a server's end, joined in memory.
class Joined {
 public:
  Joined(ClientTls& client, SSL_CTX* server) : server_(SSL_new(server)) {
    absl::StatusOr<SslPtr> made = client.NewConnection();
    REQUIRE(made.ok());
    client_ = *std::move(made);
    BIO* near = nullptr;
    BIO* far = nullptr;
    REQUIRE(BIO_new_bio_pair(&near, 0, &far, 0) == 1);
    SSL_set_bio(client_.get(), near, near);
    SSL_set_bio(server_.get(), far, far);
    SSL_set_accept_state(server_.get());
  }

  // The client offers TLS 1.2 with that suite only.
  void OfferOnly(const char* suite) {
    REQUIRE(SSL_set_max_proto_version(client_.get(), TLS1_2_VERSION) == 1);
    REQUIRE(SSL_set_cipher_list(client_.get(), suite) == 1);
  }

  // Whether the two come to terms.
  bool Greet() {
    int client = 0;
    int server = 0;
    for (int round = 0; round < 10 && (client != 1 || server != 1); ++round) {
      client = SSL_do_handshake(client_.get());
      server = SSL_do_handshake(server_.get());
    }
    const bool agreed = client == 1 && server == 1;
    if (!agreed) (void)TakeSslErrors();
    return agreed;
  }

  // Greets, and lets the client read a byte, before which comes the server's ticket.
  void Talk() {
    REQUIRE(Greet());
    char byte = 'x';
    REQUIRE(SSL_write(server_.get(), &byte, 1) == 1);
    REQUIRE(SSL_read(client_.get(), &byte, 1) == 1);
  }

  bool resumed() const { return SSL_session_reused(client_.get()) == 1; }

 private:
  SslPtr client_;
  SslPtr server_;
};

TEST_CASE("tls: connections that begin at the same time resume the same session", "[net][tls]") {
  absl::StatusOr<SslContextPtr> server = MakeServerContext(test::TlsForServer());
  REQUIRE(server.ok());
  absl::StatusOr<std::unique_ptr<ClientTls>> client =
      ClientTls::Create(test::TlsForClient(), "127.0.0.1");
  REQUIRE(client.ok());
  Joined first(**client, server->get());
  first.Talk();
  CHECK_FALSE(first.resumed());
  Joined second(**client, server->get());
  Joined third(**client, server->get());
  second.Talk();
  CHECK(second.resumed());
  third.Talk();  // The ticket that the second got took the place of theirs meanwhile.
  CHECK(third.resumed());
}

TEST_CASE("tls: with TLS 1.2 a server takes few suites", "[net][tls]") {
  absl::StatusOr<SslContextPtr> server = MakeServerContext(test::TlsForServer());
  REQUIRE(server.ok());
  absl::StatusOr<std::unique_ptr<ClientTls>> client =
      ClientTls::Create(test::TlsForClient(), "127.0.0.1");
  REQUIRE(client.ok());
  const auto [suite, taken] = GENERATE(table<const char*, bool>({
      {"ECDHE-ECDSA-AES128-GCM-SHA256", true},
      {"ECDHE-ECDSA-AES256-GCM-SHA384", true},
      {"ECDHE-ECDSA-CHACHA20-POLY1305", false},
      {"ECDHE-ECDSA-AES256-CCM", false},
      {"ECDHE-ECDSA-AES256-SHA384", false},
  }));
  CAPTURE(suite);
  Joined joined(**client, server->get());
  joined.OfferOnly(suite);
  CHECK(joined.Greet() == taken);
}

}  // namespace
}  // namespace bth::net::detail
