// OpenSSL contexts for both sides, and owners for OpenSSL's objects.
#pragma once

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "net/client.h"
#include "net/http.h"
#include "net/server.h"

namespace bth::net::detail {

template <auto kFree>
struct Freed {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using SslContextPtr = std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>>;
using SslPtr = std::unique_ptr<SSL, Freed<SSL_free>>;
using SessionPtr = std::unique_ptr<SSL_SESSION, Freed<SSL_SESSION_free>>;
using X509Ptr = std::unique_ptr<X509, Freed<X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using BioPtr = std::unique_ptr<BIO, Freed<BIO_free>>;

// A server's certificate did not verify; net::IsCertificateRefused knows it again.
absl::Status CertificateRefused(const std::string& why);

// What OpenSSL reported since the last call, and forgets it. Never empty.
std::string TakeSslErrors();

// Every certificate of `pem`, which must hold one at least; or the first of them.
absl::StatusOr<std::vector<X509Ptr>> ReadCertificates(const std::string& pem);
absl::StatusOr<X509Ptr> ReadCertificate(const std::string& pem);
absl::StatusOr<KeyPtr> ReadKey(const std::string& pem);

// The client's context with the newest session, which later connections resume.
// Thread: the executor's; SSL objects made from it may outlive it.
class ClientTls {
 public:
  static absl::StatusOr<std::unique_ptr<ClientTls>> Create(const TlsOptions& options,
                                                           const std::string& host);
  ClientTls(const ClientTls&) = delete;
  ClientTls& operator=(const ClientTls&) = delete;
  ~ClientTls();

  // A fresh SSL object ready to connect.
  absl::StatusOr<SslPtr> NewConnection();

 private:
  ClientTls(SslContextPtr context, std::string name)
      : context_(std::move(context)), name_(std::move(name)) {}
  static int KeepSession(SSL* ssl, SSL_SESSION* session);

  SslContextPtr context_;
  const std::string name_;  // Verified and sent as SNI; "" when verification is off without SNI.
  bool verify_ = true;
  SessionPtr session_;
};

// Errors are kInvalidArgument and name the option at fault.
absl::StatusOr<SslContextPtr> MakeServerContext(const ServerTls& certificates);

// Fills the names of a verified client certificate.
void DescribePeer(SSL* ssl, Peer& peer);

}  // namespace bth::net::detail
