#include "net/detail/tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include "absl/strings/cord.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::net::detail {

namespace {

constexpr unsigned char kProtocols[] = "\x08http/1.1";
constexpr unsigned kProtocolsLength = sizeof(kProtocols) - 1;
constexpr int kCertificatesMax = 1000;
// Of TLS 1.2; those of 1.3 are not chosen here.
constexpr char kServerSuites[] =
    "ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384";

BioPtr Reader(const std::string& pem) {
  return BioPtr(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

absl::Status TlsError(std::string_view what) {
  return absl::InvalidArgumentError(
      StrCat(absl::string_view(what.data(), what.size()), ": ", TakeSslErrors()));
}

absl::Status UseIdentity(SSL_CTX* context, const std::string& certificate_pem,
                         const std::string& key_pem) {
  auto chain = ReadCertificates(certificate_pem);
  if (!chain.ok()) return Annotate(chain.status(), "certificate_pem");
  absl::StatusOr<KeyPtr> key = ReadKey(key_pem);
  if (!key.ok()) return Annotate(key.status(), "key_pem");
  if (SSL_CTX_use_certificate(context, chain->front().get()) != 1) {
    return TlsError("certificate_pem");
  }
  for (size_t i = 1; i < chain->size(); ++i) {
    if (SSL_CTX_add1_chain_cert(context, (*chain)[i].get()) != 1) {
      return TlsError("certificate_pem");
    }
  }
  if (SSL_CTX_use_PrivateKey(context, key->get()) != 1) {
    return TlsError("key_pem does not belong to certificate_pem");
  }
  return absl::OkStatus();
}

absl::Status Trust(SSL_CTX* context, const std::string& ca_pem, std::string_view option) {
  auto authorities = ReadCertificates(ca_pem);
  if (!authorities.ok()) return Annotate(authorities.status(), option);
  for (const X509Ptr& authority : *authorities) {
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority.get()) != 1) {
      return TlsError(option);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<SslContextPtr> NewContext(const SSL_METHOD* method) {
  SslContextPtr context(SSL_CTX_new(method));
  if (context == nullptr) return TlsError("TLS");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  // What is trusted ends a chain, signed by itself or not: a bundle may hold an intermediate
  // authority alone.
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context.get()), X509_V_FLAG_PARTIAL_CHAIN);
  // A retried write may come from a moved buffer and end after any record.
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // One system call per record instead of two.
  SSL_CTX_set_read_ahead(context.get(), 1);
  return context;
}

int ChooseProtocol(SSL*, const unsigned char** out, unsigned char* out_length,
                   const unsigned char* offered, unsigned offered_length, void*) {
  unsigned char* chosen = nullptr;
  const int result = SSL_select_next_proto(&chosen, out_length, kProtocols, kProtocolsLength,
                                           offered, offered_length);
  *out = chosen;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

bool IsAddress(const std::string& host) {
  unsigned char bytes[sizeof(in6_addr)];
  return inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

// The entries of one kind in a certificate's subject.
std::vector<std::string> SubjectEntries(X509* certificate, int nid) {
  std::vector<std::string> out;
  X509_NAME* subject = X509_get_subject_name(certificate);
  for (int at = X509_NAME_get_index_by_NID(subject, nid, -1); at >= 0;
       at = X509_NAME_get_index_by_NID(subject, nid, at)) {
    unsigned char* text = nullptr;
    const int length =
        ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
    if (length >= 0) out.emplace_back(reinterpret_cast<char*>(text), static_cast<size_t>(length));
    OPENSSL_free(text);
  }
  return out;
}

constexpr char kCertificateRefusedUrl[] = "batholith/certificate-refused";

}  // namespace

absl::Status CertificateRefused(const std::string& why) {
  absl::Status status = absl::UnavailableError(StrCat("TLS handshake: certificate refused: ", why));
  status.SetPayload(kCertificateRefusedUrl, absl::Cord());
  return status;
}

std::string TakeSslErrors() {
  std::string out;
  while (const unsigned long code = ERR_get_error()) {
    if (out.size() > 1000) continue;
    const char* reason = ERR_reason_error_string(code);
    StrAppend(&out, out.empty() ? "" : "; ", reason != nullptr ? reason : "unknown error");
  }
  return out.empty() ? "unknown TLS error" : out;
}

absl::StatusOr<std::vector<X509Ptr>> ReadCertificates(const std::string& pem) {
  const BioPtr reader = Reader(pem);
  std::vector<X509Ptr> out;
  while (X509* certificate = PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr)) {
    out.emplace_back(certificate);
    if (out.size() > kCertificatesMax) {
      return absl::InvalidArgumentError(StrCat("more than ", kCertificatesMax, " certificates"));
    }
  }
  if (out.empty()) return absl::InvalidArgumentError("no PEM certificate found");
  ERR_clear_error();  // The end of the text is reported as an error.
  return out;
}

absl::StatusOr<X509Ptr> ReadCertificate(const std::string& pem) {
  BTH_ASSIGN_OR_RETURN(std::vector<X509Ptr> all, ReadCertificates(pem));
  return std::move(all.front());
}

absl::StatusOr<KeyPtr> ReadKey(const std::string& pem) {
  const BioPtr reader = Reader(pem);
  // The callback gives no password, so that an encrypted key fails instead of asking a terminal.
  const auto no_password = [](char*, int, int, void*) { return -1; };
  KeyPtr key(PEM_read_bio_PrivateKey(reader.get(), nullptr, no_password, nullptr));
  if (key == nullptr) return TlsError("no usable PEM private key found");
  return key;
}

ClientTls::~ClientTls() {
  // SSL objects keep the context alive; it must not point back to us any more.
  if (context_ != nullptr) SSL_CTX_set_app_data(context_.get(), nullptr);
}

absl::StatusOr<std::unique_ptr<ClientTls>> ClientTls::Create(const TlsOptions& options,
                                                             const std::string& host) {
  BTH_ASSIGN_OR_RETURN(SslContextPtr context, NewContext(TLS_client_method()));
  SSL_CTX* raw = context.get();
  if (options.insecure_skip_verify) {
    SSL_CTX_set_verify(raw, SSL_VERIFY_NONE, nullptr);
  } else {
    SSL_CTX_set_verify(raw, SSL_VERIFY_PEER, nullptr);
    if (!options.ca_pem.empty()) {
      BTH_RETURN_IF_ERROR(Trust(raw, options.ca_pem, "ca_pem"));
    } else if (SSL_CTX_set_default_verify_paths(raw) != 1) {
      return TlsError("system certificates");
    }
  }
  if (options.certificate_pem.empty() != options.key_pem.empty()) {
    return absl::InvalidArgumentError("certificate_pem and key_pem: give both or neither");
  }
  if (!options.certificate_pem.empty()) {
    BTH_RETURN_IF_ERROR(UseIdentity(raw, options.certificate_pem, options.key_pem));
  }
  SSL_CTX_set_alpn_protos(raw, kProtocols, kProtocolsLength);
  SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL_STORE);
  SSL_CTX_sess_set_new_cb(raw, &ClientTls::KeepSession);
  const std::string& name = options.server_name.empty() ? host : options.server_name;
  std::unique_ptr<ClientTls> out(new ClientTls(std::move(context), name));
  out->verify_ = !options.insecure_skip_verify;
  SSL_CTX_set_app_data(raw, out.get());
  return out;
}

int ClientTls::KeepSession(SSL* ssl, SSL_SESSION* session) {
  auto* self = static_cast<ClientTls*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
  if (self == nullptr) return 0;
  self->session_.reset(session);
  return 1;  // The reference is ours.
}

absl::StatusOr<SslPtr> ClientTls::NewConnection() {
  SslPtr ssl(SSL_new(context_.get()));
  if (ssl == nullptr) return TlsError("TLS");
  const bool address = IsAddress(name_);
  if (!address && SSL_set_tlsext_host_name(ssl.get(), name_.c_str()) != 1) {
    return TlsError("server_name");
  }
  if (verify_) {
    const int named = address
                          ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl.get()), name_.c_str())
                          : SSL_set1_host(ssl.get(), name_.c_str());
    if (named != 1) return TlsError("server_name");
  }
  if (session_ != nullptr) {
    // A copy for each: OpenSSL makes a session useless once one connection got a newer ticket for
    // it.
    const SessionPtr session(SSL_SESSION_dup(session_.get()));
    if (session != nullptr) SSL_set_session(ssl.get(), session.get());
  }
  SSL_set_connect_state(ssl.get());
  return ssl;
}

absl::StatusOr<SslContextPtr> MakeServerContext(const ServerTls& certificates) {
  BTH_ASSIGN_OR_RETURN(SslContextPtr context, NewContext(TLS_server_method()));
  SSL_CTX* raw = context.get();
  SSL_CTX_set_options(raw, SSL_OP_CIPHER_SERVER_PREFERENCE);
  if (SSL_CTX_set_cipher_list(raw, kServerSuites) != 1) return TlsError("TLS");
  // Idle connections give their record buffers back: 34 KB each.
  SSL_CTX_set_mode(raw, SSL_MODE_RELEASE_BUFFERS);
  BTH_RETURN_IF_ERROR(UseIdentity(raw, certificates.certificate_pem, certificates.key_pem));
  SSL_CTX_set_alpn_select_cb(raw, &ChooseProtocol, nullptr);
  constexpr unsigned char kSessionContext[] = "bth";
  SSL_CTX_set_session_id_context(raw, kSessionContext, sizeof(kSessionContext) - 1);
  SSL_CTX_set_num_tickets(raw, 1);
  if (certificates.client_ca_pem.empty()) {
    if (certificates.client_certificate_required) {
      return absl::InvalidArgumentError(
          "client_certificate_required: client_ca_pem must be given too");
    }
    return context;
  }
  BTH_RETURN_IF_ERROR(Trust(raw, certificates.client_ca_pem, "client_ca_pem"));
  BTH_ASSIGN_OR_RETURN(std::vector<X509Ptr> authorities,
                       ReadCertificates(certificates.client_ca_pem));
  for (const X509Ptr& authority : authorities) SSL_CTX_add_client_CA(raw, authority.get());
  const int required =
      certificates.client_certificate_required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0;
  SSL_CTX_set_verify(raw, SSL_VERIFY_PEER | required, nullptr);
  return context;
}

void DescribePeer(SSL* ssl, Peer& peer) {
  const X509Ptr certificate(SSL_get1_peer_certificate(ssl));
  if (certificate == nullptr || SSL_get_verify_result(ssl) != X509_V_OK) return;
  std::vector<std::string> names = SubjectEntries(certificate.get(), NID_commonName);
  if (!names.empty()) peer.certificate_common_name = std::move(names.front());
  peer.certificate_organizations = SubjectEntries(certificate.get(), NID_organizationName);
}

}  // namespace bth::net::detail

namespace bth::net {

bool IsCertificateRefused(const absl::Status& status) {
  return status.GetPayload(detail::kCertificateRefusedUrl).has_value();
}

}  // namespace bth::net
