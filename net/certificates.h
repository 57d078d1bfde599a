// What certificates say of themselves, for those who keep and renew their own.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace bth::net {

// One certificate. Thread: any, as for all functions here.
struct CertificateFacts {
  std::string subject;  // "O = team, CN = name", for messages.
  absl::Time valid_from;
  absl::Time valid_until;
  bool is_authority = false;
  std::vector<std::string> hosts;  // Names and addresses it stands for, in its order.
  std::string pem;                 // This certificate alone.
  std::string digest;              // SHA-256 of its bytes, in hexadecimal digits.
};

// The certificates of a text, in its order; other blocks and words between them are left out.
// kInvalidArgument: there is none, or one that cannot be read.
absl::StatusOr<std::vector<CertificateFacts>> DescribeCertificates(const std::string& pem);

// OK when `key_pem` is the key of the first certificate of `certificate_pem`. kFailedPrecondition:
// it is another's; kInvalidArgument: one of the texts cannot be read.
absl::Status CheckKeyPair(const std::string& certificate_pem, const std::string& key_pem);

// Whether the first certificate of `certificate_pem` is signed by one of `authorities_pem`,
// whatever the time is. Texts that cannot be read sign nothing.
bool IsSignedBy(const std::string& certificate_pem, const std::string& authorities_pem);

}  // namespace bth::net
