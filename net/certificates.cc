#include "net/certificates.h"

#include <arpa/inet.h>
#include <openssl/asn1.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "net/detail/tls.h"
#include "net/pem.h"

namespace bth::net {
namespace {

using detail::BioPtr;
using detail::KeyPtr;
using detail::X509Ptr;

absl::StatusOr<absl::Time> TimeOf(const ASN1_TIME* time) {
  std::tm parts{};
  if (time == nullptr || ASN1_TIME_to_tm(time, &parts) != 1) {
    return absl::InvalidArgumentError(StrCat("certificate validity: ", detail::TakeSslErrors()));
  }
  return absl::FromTM(parts, absl::UTCTimeZone());
}

std::string TextOf(BIO* memory) {
  char* text = nullptr;
  const long length = BIO_get_mem_data(memory, &text);
  return std::string(text, static_cast<size_t>(std::max(length, 0L)));
}

std::string SubjectOf(X509* certificate) {
  const BioPtr memory(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(memory.get(), X509_get_subject_name(certificate), 0,
                     XN_FLAG_ONELINE & ~ASN1_STRFLGS_ESC_MSB);
  return TextOf(memory.get());
}

std::string PemOf(X509* certificate) {
  const BioPtr memory(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(memory.get(), certificate);
  return TextOf(memory.get());
}

std::string DigestOf(X509* certificate) {
  unsigned char* bytes = nullptr;
  const int length = i2d_X509(certificate, &bytes);
  if (length < 0) return {};
  std::string digest = Sha256Hex(
      std::string_view(reinterpret_cast<const char*>(bytes), static_cast<size_t>(length)));
  OPENSSL_free(bytes);
  return digest;
}

std::string AddressText(const ASN1_OCTET_STRING* bytes) {
  char text[INET6_ADDRSTRLEN] = {};
  const int family = ASN1_STRING_length(bytes) == 4 ? AF_INET : AF_INET6;
  if (family == AF_INET6 && ASN1_STRING_length(bytes) != 16) return {};
  return inet_ntop(family, ASN1_STRING_get0_data(bytes), text, sizeof(text)) == nullptr ? "" : text;
}

std::vector<std::string> HostsOf(X509* certificate) {
  using NamesPtr = std::unique_ptr<GENERAL_NAMES, detail::Freed<GENERAL_NAMES_free>>;
  const NamesPtr names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  std::vector<std::string> hosts;
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type == GEN_DNS) {
      const auto* text = reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName));
      hosts.emplace_back(text, static_cast<size_t>(ASN1_STRING_length(name->d.dNSName)));
    } else if (name->type == GEN_IPADD) {
      hosts.push_back(AddressText(name->d.iPAddress));
    }
  }
  return hosts;
}

absl::StatusOr<CertificateFacts> FactsOf(X509* certificate) {
  CertificateFacts facts;
  facts.subject = SubjectOf(certificate);
  BTH_ASSIGN_OR_RETURN(facts.valid_from, TimeOf(X509_get0_notBefore(certificate)));
  BTH_ASSIGN_OR_RETURN(facts.valid_until, TimeOf(X509_get0_notAfter(certificate)));
  facts.is_authority = X509_check_ca(certificate) == 1;
  facts.hosts = HostsOf(certificate);
  facts.pem = PemOf(certificate);
  facts.digest = DigestOf(certificate);
  return facts;
}

}  // namespace

absl::StatusOr<std::vector<CertificateFacts>> DescribeCertificates(const std::string& pem) {
  BTH_ASSIGN_OR_RETURN(const std::vector<X509Ptr> certificates, detail::ReadCertificates(pem));
  std::vector<CertificateFacts> all;
  for (const X509Ptr& certificate : certificates) {
    BTH_ASSIGN_OR_RETURN(CertificateFacts facts, FactsOf(certificate.get()));
    all.push_back(std::move(facts));
  }
  return all;
}

absl::Status CheckKeyPair(const std::string& certificate_pem, const std::string& key_pem) {
  const auto certificate = detail::ReadCertificate(certificate_pem);
  if (!certificate.ok()) return Annotate(certificate.status(), "certificate");
  const auto key = detail::ReadKey(key_pem);
  if (!key.ok()) return Annotate(key.status(), "key");
  if (X509_check_private_key(certificate->get(), key->get()) == 1) return absl::OkStatus();
  (void)detail::TakeSslErrors();
  return absl::FailedPreconditionError("the key does not belong to the certificate");
}

bool IsSignedBy(const std::string& certificate_pem, const std::string& authorities_pem) {
  const auto certificate = detail::ReadCertificate(certificate_pem);
  const auto authorities = detail::ReadCertificates(authorities_pem);
  if (!certificate.ok() || !authorities.ok()) return false;
  const bool is_signed =
      std::any_of(authorities->begin(), authorities->end(), [&](const X509Ptr& authority) {
        return X509_verify(certificate->get(), X509_get0_pubkey(authority.get())) == 1;
      });
  (void)detail::TakeSslErrors();
  return is_signed;
}

}  // namespace bth::net
