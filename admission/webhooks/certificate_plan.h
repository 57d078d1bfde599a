// What is to be done with certificates of our own, as a pure decision.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "admission/webhooks/certificate_source.h"
#include "api/types/json.h"

namespace bth::admission {

using types::Json;

// What a Secret holds, under the keys of Volcano's: ca.crt, tls.crt, tls.key, and ca.key, which
// only ours have. ca.crt begins with the authority that signs; others in it are trusted until they
// expire.
struct KeptCertificates {
  ServingCertificate serving;
  std::string authority_key_pem;  // Empty: nobody here can sign.
  friend bool operator==(const KeptCertificates&, const KeptCertificates&) = default;
};
// Keys that are missing, or are no base64, are empty.
KeptCertificates ReadSecret(const Json& secret);
// Writes them into the Secret's data; other keys stay.
void WriteSecret(const KeptCertificates& kept, Json& secret);

struct CertificateTerms {
  std::vector<std::string> hosts;  // The first is the common name.
  absl::Duration authority_valid_for = absl::Hours(24 * 3650);
  absl::Duration valid_for = absl::Hours(24 * 365);
  // Renewed when less than this part of its life is left.
  double renew_at = 1.0 / 3;
  // Where keys, serials and names follow from, for runs that must repeat; absent: the machine's
  // entropy.
  std::function<std::string()> seeds;
};

enum class Remedy {
  kNone,
  kNewCertificate,  // Signed by the authority that is there.
  kNewAuthority,    // And a certificate signed by it.
};
struct CertificateFinding {
  Remedy remedy = Remedy::kNone;
  std::string why;     // Empty for kNone.
  bool usable = true;  // It can be served meanwhile.
  // For kNone: before this the same certificates need nothing under the same terms.
  absl::Time good_until = absl::InfinitePast();
};
CertificateFinding Examine(const KeptCertificates& kept, const CertificateTerms& terms,
                           absl::Time now);

// Carries the remedy out. A new authority comes first among those trusted; of the others, and of
// `also_trusted_pem`, those stay that have not expired, sixteen in all: whoever serves a
// certificate of a former authority is trusted until it has learned of the new one.
absl::StatusOr<KeptCertificates> Renewed(const KeptCertificates& kept, Remedy remedy,
                                         const CertificateTerms& terms,
                                         const std::string& also_trusted_pem, absl::Time now);

}  // namespace bth::admission
