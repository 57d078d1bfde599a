// Small cryptographic helpers: encodings, digests, random names and certificates. `net` is the
// only user of OpenSSL; others come here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace bth::net {

// RFC 4648 with padding, in one line. Thread: any, as for all functions here.
std::string Base64Encode(std::string_view bytes);
// White space is skipped; any other stray byte is kInvalidArgument.
absl::StatusOr<std::string> Base64Decode(std::string_view text);

// 64 lower-case hexadecimal digits.
std::string Sha256Hex(std::string_view bytes);

// `bytes` bytes of the system's generator for secrets, as 2 * bytes lower-case digits.
std::string RandomHex(size_t bytes);

// A certificate with its private key.
struct Identity {
  std::string certificate_pem;
  std::string key_pem;
};

struct CertificateRequest {
  std::string common_name;
  std::vector<std::string> organizations;
  std::vector<std::string> hosts;  // Names and addresses it stands for; at most 100.
  absl::Time now;                  // Valid from an hour before.
  absl::Duration valid_for = absl::Hours(24 * 365);
  // Key (Ed25519) and serial follow from it, for runs that must repeat; empty: from the system's
  // generator for secrets (P-256).
  std::string seed;
};

// A certificate authority of its own.
absl::StatusOr<Identity> GenerateAuthority(const CertificateRequest& request);
// A certificate for servers and clients, signed by `authority`.
absl::StatusOr<Identity> IssueCertificate(const Identity& authority,
                                          const CertificateRequest& request);

struct GeneratedCertificates {
  std::string ca_pem;
  std::string ca_key_pem;
  std::string certificate_pem;
  std::string key_pem;
};
// A new authority and a server certificate for `hosts`, the first of which is the common name.
absl::StatusOr<GeneratedCertificates> GenerateSelfSigned(const std::vector<std::string>& hosts,
                                                         absl::Time now, absl::Duration valid_for);

}  // namespace bth::net
