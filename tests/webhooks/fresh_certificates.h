// Certificates that are made on the spot.
#pragma once

#include "absl/time/time.h"
#include "admission/webhooks/certificate_plan.h"

namespace bth::admission::testing {

// When test::ApiBed begins.
inline const absl::Time kNow = absl::FromUnixSeconds(1'767'225'600);
constexpr absl::Duration kDay = absl::Hours(24);

inline CertificateTerms Terms() {
  CertificateTerms terms;
  terms.hosts = {"svc.ns.svc", "svc.ns", "svc"};
  return terms;
}

// With an authority of its own.
inline KeptCertificates Fresh(absl::Time now = kNow, const CertificateTerms& terms = Terms()) {
  return *Renewed(KeptCertificates(), Remedy::kNewAuthority, terms, "", now);
}

}  // namespace bth::admission::testing
