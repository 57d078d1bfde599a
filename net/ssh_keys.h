// Keys for secure shells between the pods of a job.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace bth::net {

struct RsaKeyPair {
  std::string private_pem;  // PKCS#1: "-----BEGIN RSA PRIVATE KEY-----".
  std::string public_line;  // RFC 4253, as in authorized_keys: "ssh-rsa AAAA...\n".
};

// A new pair from the system's generator for secrets. Cost: about 100 ms at 2,048 bits.
// Thread: any.
absl::StatusOr<RsaKeyPair> GenerateRsaKeyPair(int bits);

}  // namespace bth::net
