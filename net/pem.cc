#include "net/pem.h"

#include <arpa/inet.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "base/check.h"
#include "base/status.h"
#include "base/strings.h"
#include "net/detail/tls.h"

namespace bth::net {

namespace {

using detail::BioPtr;
using detail::KeyPtr;
using detail::X509Ptr;

constexpr size_t kHostsMax = 100;

absl::Status CryptoError(std::string_view doing) {
  return absl::InternalError(StrCat(doing, ": ", detail::TakeSslErrors()));
}

template <typename Write>
absl::StatusOr<std::string> ToPem(Write write) {
  const BioPtr memory(BIO_new(BIO_s_mem()));
  if (memory == nullptr || write(memory.get()) != 1) return CryptoError("write PEM");
  char* text = nullptr;
  const long length = BIO_get_mem_data(memory.get(), &text);
  return std::string(text, static_cast<size_t>(length));
}

absl::Status AddName(X509_NAME* name, const char* field, const std::string& value) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(value.data());
  if (X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, bytes, static_cast<int>(value.size()),
                                 -1, 0) == 1) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      StrCat("certificate subject ", field, "=\"", value, "\": ", detail::TakeSslErrors()));
}

absl::Status AddExtension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  using ExtensionPtr = std::unique_ptr<X509_EXTENSION, detail::Freed<X509_EXTENSION_free>>;
  const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  if (extension == nullptr || X509_add_ext(certificate, extension.get(), -1) != 1) {
    return absl::InvalidArgumentError(
        StrCat("certificate extension \"", value, "\": ", detail::TakeSslErrors()));
  }
  return absl::OkStatus();
}

// "DNS:a,IP:10.0.0.1" of checked hosts: the text is parsed by OpenSSL, so commas must not get in.
absl::StatusOr<std::string> AlternativeNames(const std::vector<std::string>& hosts) {
  if (hosts.size() > kHostsMax) {
    return absl::InvalidArgumentError(StrCat("more than ", kHostsMax, " hosts"));
  }
  std::string out;
  for (const std::string& host : hosts) {
    const bool plain =
        !host.empty() && host.size() <= 253 && std::all_of(host.begin(), host.end(), [](char c) {
          return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' ||
                 c == ':' || c == '*' || c == '_';
        });
    if (!plain) {
      return absl::InvalidArgumentError(
          StrCat("host \"", host.substr(0, 260), "\" is neither a DNS name nor an IP address"));
    }
    unsigned char bytes[sizeof(in6_addr)];
    const bool address = inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
                         inet_pton(AF_INET6, host.c_str(), bytes) == 1;
    StrAppend(&out, out.empty() ? "" : ",", address ? "IP:" : "DNS:", host);
  }
  return out;
}

// 32 bytes that follow from a seed, others for each use of it.
std::array<unsigned char, SHA256_DIGEST_LENGTH> Derived(std::string_view seed,
                                                        std::string_view use) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> out{};
  const std::string text = StrCat(use, ":", seed);
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), out.data());
  return out;
}

absl::Status SetSerial(X509* certificate, const std::string& seed) {
  unsigned char bytes[16];
  if (!seed.empty()) {
    std::copy_n(Derived(seed, "serial").begin(), sizeof(bytes), bytes);
  } else if (RAND_bytes(bytes, sizeof(bytes)) != 1) {
    return CryptoError("random serial");
  }
  bytes[0] = static_cast<unsigned char>((bytes[0] & 0x7f) | 0x40);  // Positive, full length.
  using NumberPtr = std::unique_ptr<BIGNUM, detail::Freed<BN_free>>;
  const NumberPtr number(BN_bin2bn(bytes, sizeof(bytes), nullptr));
  if (number == nullptr ||
      BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) == nullptr) {
    return CryptoError("serial");
  }
  return absl::OkStatus();
}

// A certificate with everything but issuer, extensions and signature.
absl::StatusOr<X509Ptr> Draft(const CertificateRequest& request, EVP_PKEY* key) {
  X509Ptr certificate(X509_new());
  if (certificate == nullptr) return CryptoError("certificate");
  X509* raw = certificate.get();
  X509_set_version(raw, 2);  // That is X.509 v3.
  BTH_RETURN_IF_ERROR(SetSerial(raw, request.seed));
  const auto from = absl::ToTimeT(request.now - absl::Hours(1));
  const auto to = absl::ToTimeT(request.now + request.valid_for);
  if (ASN1_TIME_set(X509_getm_notBefore(raw), from) == nullptr ||
      ASN1_TIME_set(X509_getm_notAfter(raw), to) == nullptr) {
    return CryptoError("certificate validity");
  }
  X509_NAME* name = X509_get_subject_name(raw);
  for (const std::string& organization : request.organizations) {
    BTH_RETURN_IF_ERROR(AddName(name, "O", organization));
  }
  BTH_RETURN_IF_ERROR(AddName(name, "CN", request.common_name));
  if (X509_set_pubkey(raw, key) != 1) return CryptoError("public key");
  return certificate;
}

absl::StatusOr<Identity> SignAndPrint(X509* certificate, EVP_PKEY* key, EVP_PKEY* signer) {
  // Ed25519 has a digest of its own.
  const EVP_MD* const digest = EVP_PKEY_is_a(signer, "ED25519") == 1 ? nullptr : EVP_sha256();
  if (X509_sign(certificate, signer, digest) == 0) return CryptoError("sign certificate");
  Identity out;
  BTH_ASSIGN_OR_RETURN(out.certificate_pem, ToPem([certificate](BIO* bio) {
                         return PEM_write_bio_X509(bio, certificate);
                       }));
  BTH_ASSIGN_OR_RETURN(out.key_pem, ToPem([key](BIO* bio) {
                         return PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr,
                                                         nullptr);
                       }));
  return out;
}

absl::StatusOr<KeyPtr> NewKey(const std::string& seed) {
  const auto derived = Derived(seed, "key");
  KeyPtr key(seed.empty() ? EVP_EC_gen("P-256")
                          : EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, derived.data(),
                                                         derived.size()));
  if (key == nullptr) return CryptoError("generate key");
  return key;
}

}  // namespace

std::string Base64Encode(std::string_view bytes) {
  return Base64Escape(bytes);
}

absl::StatusOr<std::string> Base64Decode(std::string_view text) {
  std::string out;
  if (!Base64Unescape(text, &out)) {
    return absl::InvalidArgumentError("text is not base64");
  }
  return out;
}

std::string Sha256Hex(std::string_view bytes) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest);
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(digest), sizeof(digest)));
}

std::string RandomHex(size_t bytes) {
  std::string out(bytes, '\0');
  BTH_CHECK(RAND_bytes(reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(bytes)) == 1);
  return absl::BytesToHexString(out);
}

absl::StatusOr<Identity> GenerateAuthority(const CertificateRequest& request) {
  BTH_ASSIGN_OR_RETURN(const KeyPtr key, NewKey(request.seed));
  BTH_ASSIGN_OR_RETURN(const X509Ptr certificate, Draft(request, key.get()));
  X509* raw = certificate.get();
  X509_set_issuer_name(raw, X509_get_subject_name(raw));
  BTH_RETURN_IF_ERROR(AddExtension(raw, raw, NID_basic_constraints, "critical,CA:TRUE"));
  BTH_RETURN_IF_ERROR(
      AddExtension(raw, raw, NID_key_usage, "critical,digitalSignature,keyCertSign,cRLSign"));
  BTH_RETURN_IF_ERROR(AddExtension(raw, raw, NID_subject_key_identifier, "hash"));
  return SignAndPrint(raw, key.get(), key.get());
}

absl::StatusOr<Identity> IssueCertificate(const Identity& authority,
                                          const CertificateRequest& request) {
  BTH_ASSIGN_OR_RETURN(const X509Ptr issuer, detail::ReadCertificate(authority.certificate_pem));
  BTH_ASSIGN_OR_RETURN(const KeyPtr issuer_key, detail::ReadKey(authority.key_pem));
  BTH_ASSIGN_OR_RETURN(const std::string names, AlternativeNames(request.hosts));
  BTH_ASSIGN_OR_RETURN(const KeyPtr key, NewKey(request.seed));
  BTH_ASSIGN_OR_RETURN(const X509Ptr certificate, Draft(request, key.get()));
  X509* raw = certificate.get();
  X509_set_issuer_name(raw, X509_get_subject_name(issuer.get()));
  BTH_RETURN_IF_ERROR(AddExtension(raw, issuer.get(), NID_basic_constraints, "critical,CA:FALSE"));
  BTH_RETURN_IF_ERROR(
      AddExtension(raw, issuer.get(), NID_key_usage, "critical,digitalSignature,keyEncipherment"));
  BTH_RETURN_IF_ERROR(AddExtension(raw, issuer.get(), NID_ext_key_usage, "serverAuth,clientAuth"));
  BTH_RETURN_IF_ERROR(AddExtension(raw, issuer.get(), NID_subject_key_identifier, "hash"));
  BTH_RETURN_IF_ERROR(AddExtension(raw, issuer.get(), NID_authority_key_identifier, "keyid"));
  if (!names.empty()) {
    BTH_RETURN_IF_ERROR(AddExtension(raw, issuer.get(), NID_subject_alt_name, names));
  }
  return SignAndPrint(raw, key.get(), issuer_key.get());
}

absl::StatusOr<GeneratedCertificates> GenerateSelfSigned(const std::vector<std::string>& hosts,
                                                         absl::Time now, absl::Duration valid_for) {
  if (hosts.empty()) return absl::InvalidArgumentError("hosts: at least one is needed");
  CertificateRequest request;
  request.common_name = StrCat("batholith-ca-", RandomHex(4));
  request.now = now;
  request.valid_for = valid_for;
  BTH_ASSIGN_OR_RETURN(Identity authority, GenerateAuthority(request));
  request.common_name = hosts.front().substr(0, 64);
  request.hosts = hosts;
  BTH_ASSIGN_OR_RETURN(Identity server, IssueCertificate(authority, request));
  return GeneratedCertificates{std::move(authority.certificate_pem), std::move(authority.key_pem),
                               std::move(server.certificate_pem), std::move(server.key_pem)};
}

}  // namespace bth::net
