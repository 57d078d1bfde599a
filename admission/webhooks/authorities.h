// Bundles of authorities: PEM texts of those whom the API server trusts when it calls. Pure
// functions.
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "net/certificates.h"

namespace bth::admission {

// The certificates of a bundle that can be read, in its order; what lies between them is left out.
std::vector<net::CertificateFacts> CertificatesIn(const std::string& bundle_pem);

// Whether a bundle has all of these authorities, whatever else is in it. Where none of them can be
// read, it must be the same text.
bool HasAll(const std::string& bundle_pem, const std::string& authorities_pem);

// `ours` whatever their age, then those of the others that have not expired, each once; of the
// others fifteen at most, and the first of them. Where none of ours can be read, ours as they stand
// and nothing else.
std::string Bundle(const std::string& ours_pem, const std::vector<std::string>& others_pem,
                   absl::Time now);

}  // namespace bth::admission
