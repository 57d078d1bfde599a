// Which certificates end a chain: what is trusted, whether it signed itself or not.
#include <openssl/pem.h>

#include <string>

#include "net/detail/tls.h"
#include "tests/net/loopback.h"

namespace bth::net {
namespace {

using test::Loopback;

Awaitable<Response> NameThePeer(Request request) {
  Response response;
  response.body = request.peer.certificate_common_name;
  co_return response;
}

CertificateRequest Wanted(const std::string& name) {
  CertificateRequest request;
  request.common_name = name;
  request.now = absl::Now();
  return request;
}

Identity NewAuthority(const std::string& name) {
  absl::StatusOr<Identity> made = GenerateAuthority(Wanted(name));
  REQUIRE(made.ok());
  return *std::move(made);
}

// `authority` signed by `above` instead of by itself.
Identity SignedBy(const Identity& above, Identity authority) {
  const auto certificate = detail::ReadCertificate(authority.certificate_pem);
  const auto issuer = detail::ReadCertificate(above.certificate_pem);
  const auto key = detail::ReadKey(above.key_pem);
  REQUIRE((certificate.ok() && issuer.ok() && key.ok()));
  X509* raw = certificate->get();
  REQUIRE(X509_set_issuer_name(raw, X509_get_subject_name(issuer->get())) == 1);
  REQUIRE(X509_sign(raw, key->get(), EVP_sha256()) > 0);
  const detail::BioPtr out(BIO_new(BIO_s_mem()));
  REQUIRE(PEM_write_bio_X509(out.get(), raw) == 1);
  char* text = nullptr;
  const long length = BIO_get_mem_data(out.get(), &text);
  authority.certificate_pem.assign(text, static_cast<size_t>(length));
  return authority;
}

// A root, an authority below it, and what that one issued for a server and for a client.
struct Chain {
  Identity root = NewAuthority("root");
  Identity intermediate = SignedBy(root, NewAuthority("intermediate"));
  Identity stranger = NewAuthority("stranger");
  Identity server = Issue("server", {"127.0.0.1"});
  Identity client = Issue("bob", {});

  Identity Issue(const std::string& name, std::vector<std::string> hosts) const {
    CertificateRequest request = Wanted(name);
    request.hosts = std::move(hosts);
    absl::StatusOr<Identity> made = IssueCertificate(intermediate, request);
    REQUIRE(made.ok());
    return *std::move(made);
  }
};

// Which certificate of a Chain somebody trusts.
using Trusted = Identity Chain::*;
struct Case {
  std::string name;
  Trusted trusted;
  bool whole_chain_sent;
  bool works;
};

TEST_CASE("tls: a client trusts what its bundle holds, whoever signed that", "[net][tls]") {
  const Case c = GENERATE(values<Case>({
      {"intermediate alone", &Chain::intermediate, false, true},
      {"intermediate alone, and it is sent", &Chain::intermediate, true, true},
      {"the server's own certificate", &Chain::server, false, true},
      {"root, and the intermediate is sent", &Chain::root, true, true},
      {"root, and the intermediate is missing", &Chain::root, false, false},
      {"another root", &Chain::stranger, true, false},
      {"another server's certificate", &Chain::client, false, false},
  }));
  CAPTURE(c.name);
  const Chain chain;
  Loopback loopback;
  ServerOptions options;
  options.tls = true;
  options.certificates.certificate_pem =
      chain.server.certificate_pem + (c.whole_chain_sent ? chain.intermediate.certificate_pem : "");
  options.certificates.key_pem = chain.server.key_pem;
  loopback.Serve(std::move(options), NameThePeer);
  ClientOptions client;
  client.tls.enabled = true;
  client.tls.ca_pem = (chain.*c.trusted).certificate_pem;
  const std::unique_ptr<Transport> transport = loopback.Client(std::move(client));
  auto work = [&]() -> Awaitable<void> {
    const absl::StatusOr<Response> response = co_await transport->Fetch(test::Get("/"));
    INFO(response.status());
    CHECK(response.ok() == c.works);
    CHECK(IsCertificateRefused(response.status()) == !c.works);
  };
  loopback.Run(work());
}

TEST_CASE("tls: a server trusts clients of what its bundle holds, whoever signed that",
          "[net][tls]") {
  const Case c = GENERATE(values<Case>({
      {"intermediate alone", &Chain::intermediate, false, true},
      {"root, and the intermediate is sent", &Chain::root, true, true},
      {"root, and the intermediate is missing", &Chain::root, false, false},
      {"another root", &Chain::stranger, true, false},
  }));
  CAPTURE(c.name);
  const Chain chain;
  Loopback loopback;
  ServerOptions options;
  options.tls = true;
  options.certificates.certificate_pem =
      chain.server.certificate_pem + chain.intermediate.certificate_pem;
  options.certificates.key_pem = chain.server.key_pem;
  options.certificates.client_ca_pem = (chain.*c.trusted).certificate_pem;
  options.certificates.client_certificate_required = true;
  loopback.Serve(std::move(options), NameThePeer);
  ClientOptions client;
  client.tls.enabled = true;
  // Not the intermediate: a client also sends those of its own that fit.
  client.tls.ca_pem = chain.root.certificate_pem;
  client.tls.certificate_pem =
      chain.client.certificate_pem + (c.whole_chain_sent ? chain.intermediate.certificate_pem : "");
  client.tls.key_pem = chain.client.key_pem;
  const std::unique_ptr<Transport> transport = loopback.Client(std::move(client));
  auto work = [&]() -> Awaitable<void> {
    const absl::StatusOr<Response> response = co_await transport->Fetch(test::Get("/"));
    INFO(response.status());
    CHECK(response.ok() == c.works);
    if (response.ok()) CHECK(response->body == "bob");
  };
  loopback.Run(work());
}

}  // namespace
}  // namespace bth::net
