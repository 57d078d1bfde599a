#include "admission/webhooks/certificate_plan.h"

#include <algorithm>
#include <utility>

#include "admission/webhooks/authorities.h"
#include "base/status.h"
#include "base/strings.h"
#include "net/certificates.h"
#include "net/pem.h"

namespace bth::admission {
namespace {

constexpr size_t kCommonNameBytesMax = 64;

std::string Decoded(const Json& data, std::string_view key) {
  return net::Base64Decode(data[key].AsString()).value_or("");
}

std::string DayText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%d %H:%M UTC", time, absl::UTCTimeZone());
}

absl::Time DueAfter(const net::CertificateFacts& facts, const CertificateTerms& terms) {
  const absl::Duration life = facts.valid_until - facts.valid_from;
  return facts.valid_until - life * terms.renew_at;
}

bool Covers(const net::CertificateFacts& facts, const std::vector<std::string>& hosts) {
  return std::all_of(hosts.begin(), hosts.end(), [&](const std::string& host) {
    return std::find(facts.hosts.begin(), facts.hosts.end(), host) != facts.hosts.end();
  });
}

CertificateFinding Finding(Remedy remedy, std::string why, bool usable) {
  return {.remedy = remedy, .why = std::move(why), .usable = usable};
}

// Of a pair that belongs together: whether the certificate itself must be renewed.
std::string CertificateFault(const net::CertificateFacts& leaf, const CertificateTerms& terms,
                             absl::Time now) {
  if (!Covers(leaf, terms.hosts)) return "the certificate is for other names";
  if (now > DueAfter(leaf, terms)) {
    return StrCat("the certificate is valid until ", DayText(leaf.valid_until));
  }
  return "";
}

// The first authority that signed the certificate is the one that signs again.
bool CanSign(const KeptCertificates& kept) {
  return !kept.authority_key_pem.empty() &&
         net::CheckKeyPair(kept.serving.authorities_pem, kept.authority_key_pem).ok();
}

}  // namespace

KeptCertificates ReadSecret(const Json& secret) {
  const Json& data = secret["data"];
  KeptCertificates kept;
  kept.serving = {.certificate_pem = Decoded(data, "tls.crt"),
                  .key_pem = Decoded(data, "tls.key"),
                  .authorities_pem = Decoded(data, "ca.crt")};
  kept.authority_key_pem = Decoded(data, "ca.key");
  return kept;
}

void WriteSecret(const KeptCertificates& kept, Json& secret) {
  const std::pair<std::string_view, const std::string*> entries[] = {
      {"ca.crt", &kept.serving.authorities_pem},
      {"ca.key", &kept.authority_key_pem},
      {"tls.crt", &kept.serving.certificate_pem},
      {"tls.key", &kept.serving.key_pem}};
  for (const auto& [key, text] : entries) {
    secret.MutableAt({"data", key}) = net::Base64Encode(*text);
  }
}

CertificateFinding Examine(const KeptCertificates& kept, const CertificateTerms& terms,
                           absl::Time now) {
  const ServingCertificate& serving = kept.serving;
  const auto authorities = net::DescribeCertificates(serving.authorities_pem);
  if (!authorities.ok()) return Finding(Remedy::kNewAuthority, "there is no authority", false);
  const net::CertificateFacts& authority = authorities->front();
  if (authority.valid_until <= now) {
    return Finding(Remedy::kNewAuthority, "the authority has expired", false);
  }
  const bool can_sign = CanSign(kept) && authority.is_authority;
  const Remedy renewal = can_sign ? Remedy::kNewCertificate : Remedy::kNewAuthority;
  const auto leaf = net::DescribeCertificates(serving.certificate_pem);
  if (!leaf.ok()) return Finding(renewal, "there is no certificate", false);
  if (!net::CheckKeyPair(serving.certificate_pem, serving.key_pem).ok()) {
    return Finding(renewal, "the key does not belong to the certificate", false);
  }
  if (!net::IsSignedBy(serving.certificate_pem, serving.authorities_pem)) {
    return Finding(renewal, "the certificate is not signed by the authority", false);
  }
  const bool usable = leaf->front().valid_until > now && Covers(leaf->front(), terms.hosts);
  // Never a certificate that outlives its authority.
  if (authority.valid_until - now < terms.valid_for && can_sign) {
    return Finding(Remedy::kNewAuthority,
                   StrCat("the authority is valid until ", DayText(authority.valid_until)), usable);
  }
  const std::string fault = CertificateFault(leaf->front(), terms, now);
  if (!fault.empty()) return Finding(renewal, fault, usable);
  const absl::Time outlived =
      authority.valid_until - (can_sign ? terms.valid_for : absl::Duration());
  return {.good_until = std::min(DueAfter(leaf->front(), terms), outlived)};
}

absl::StatusOr<KeptCertificates> Renewed(const KeptCertificates& kept, Remedy remedy,
                                         const CertificateTerms& terms,
                                         const std::string& also_trusted_pem, absl::Time now) {
  if (remedy == Remedy::kNone) return kept;
  if (terms.hosts.empty()) return absl::InvalidArgumentError("hosts: at least one is needed");
  const auto seed = [&terms] { return terms.seeds ? terms.seeds() : std::string(); };
  net::CertificateRequest request;
  request.now = now;
  request.seed = seed();
  net::Identity authority;
  if (remedy == Remedy::kNewAuthority) {
    const std::string mark =
        request.seed.empty() ? net::RandomHex(4) : net::Sha256Hex(request.seed).substr(0, 8);
    request.common_name = StrCat("volcano-admission-ca-", mark);
    request.valid_for = terms.authority_valid_for;
    BTH_ASSIGN_OR_RETURN(authority, net::GenerateAuthority(request));
  } else {
    BTH_ASSIGN_OR_RETURN(const std::vector<net::CertificateFacts> authorities,
                         net::DescribeCertificates(kept.serving.authorities_pem));
    authority = {.certificate_pem = authorities.front().pem, .key_pem = kept.authority_key_pem};
  }
  request.common_name = terms.hosts.front().substr(0, kCommonNameBytesMax);
  request.hosts = terms.hosts;
  request.seed = seed();
  request.valid_for = terms.valid_for;
  BTH_ASSIGN_OR_RETURN(net::Identity leaf, net::IssueCertificate(authority, request));
  KeptCertificates renewed;
  renewed.serving.certificate_pem = std::move(leaf.certificate_pem);
  renewed.serving.key_pem = std::move(leaf.key_pem);
  renewed.serving.authorities_pem =
      Bundle(authority.certificate_pem, {kept.serving.authorities_pem, also_trusted_pem}, now);
  renewed.authority_key_pem = std::move(authority.key_pem);
  return renewed;
}

}  // namespace bth::admission
