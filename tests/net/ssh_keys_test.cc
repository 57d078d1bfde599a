#include "net/ssh_keys.h"

#include <cstdio>
#include <string>

#include "absl/strings/match.h"
#include "net/pem.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace bth::net {
namespace {

std::string OutputOf(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  char buffer[512];
  while (fgets(buffer, sizeof(buffer), pipe) != nullptr) text += buffer;
  pclose(pipe);
  return text;
}

TEST_CASE("ssh keys: a private key in PKCS#1 and a line for authorized_keys", "[net]") {
  const absl::StatusOr<RsaKeyPair> pair = GenerateRsaKeyPair(2048);
  REQUIRE(pair.ok());
  CHECK(absl::StartsWith(pair->private_pem, "-----BEGIN RSA PRIVATE KEY-----\n"));
  CHECK(absl::StartsWith(pair->public_line, "ssh-rsa AAAAB3NzaC1yc2EAAAADAQAB"));
  CHECK(absl::EndsWith(pair->public_line, "\n"));
  const absl::StatusOr<RsaKeyPair> other = GenerateRsaKeyPair(2048);
  REQUIRE(other.ok());
  CHECK(other->public_line != pair->public_line);
}

// The modulus as another program reads it out of the private key must be the one in the line.
TEST_CASE("ssh keys: both halves belong together", "[net]") {
  const absl::StatusOr<RsaKeyPair> pair = GenerateRsaKeyPair(2048);
  REQUIRE(pair.ok());
  const bth::test::TempFolder folder;
  const std::string modulus = OutputOf("openssl rsa -noout -modulus -in " +
                                       folder.Write("key", pair->private_pem) + " 2>/dev/null");
  REQUIRE(absl::StartsWith(modulus, "Modulus="));
  const size_t begin = pair->public_line.find(' ') + 1;
  const absl::StatusOr<std::string> blob =
      Base64Decode(pair->public_line.substr(begin, pair->public_line.size() - begin - 1));
  REQUIRE(blob.ok());
  // The modulus is the last field: 256 bytes of 2,048 bits.
  std::string hex;
  for (const char byte : blob->substr(blob->size() - 256)) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02X", static_cast<unsigned char>(byte));
    hex += digits;
  }
  CHECK("Modulus=" + hex + "\n" == modulus);
}

}  // namespace
}  // namespace bth::net
