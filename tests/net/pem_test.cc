#include "net/pem.h"

#include "tests/support/catch.h"

namespace bth::net {
namespace {

TEST_CASE("base64: known texts in both directions", "[net]") {
  struct Case {
    std::string bytes, text;
  };
  const Case c = GENERATE(values<Case>({{"", ""},
                                        {"f", "Zg=="},
                                        {"fo", "Zm8="},
                                        {"foobar", "Zm9vYmFy"},
                                        {std::string("\xff\xfe\x00", 3), "//4A"}}));
  CHECK(Base64Encode(c.bytes) == c.text);
  REQUIRE(Base64Decode(c.text).ok());
  CHECK(*Base64Decode(c.text) == c.bytes);
}

TEST_CASE("base64: white space is skipped and strangers are refused", "[net]") {
  REQUIRE(Base64Decode("Zm9v\nYmFy\n").ok());
  CHECK(*Base64Decode("Zm9v\nYmFy\n") == "foobar");
  CHECK(Base64Decode("Zm9v!").status().code() == absl::StatusCode::kInvalidArgument);
}

TEST_CASE("digest: SHA-256 of known texts", "[net]") {
  CHECK(Sha256Hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(Sha256Hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("random: as long as asked and not twice the same", "[net]") {
  CHECK(RandomHex(16).size() == 32);
  CHECK(RandomHex(16) != RandomHex(16));
  CHECK(RandomHex(16).find_first_not_of("0123456789abcdef") == std::string::npos);
}

TEST_CASE("certificates: hosts are checked before they get into a certificate", "[net]") {
  const std::string host = GENERATE(
      values<std::string>({"", "a,DNS:evil.example.com", "a b", "a\nb", std::string(300, 'a')}));
  CAPTURE(host.substr(0, 40));
  const absl::StatusOr<GeneratedCertificates> made =
      GenerateSelfSigned({"good.example.com", host}, absl::Now(), absl::Hours(1));
  CHECK(made.status().code() == absl::StatusCode::kInvalidArgument);
  CHECK_FALSE(GenerateSelfSigned({}, absl::Now(), absl::Hours(1)).ok());
}

TEST_CASE("certificates: a long host name still gets one", "[net]") {
  const std::string host = std::string(60, 'a') + ".example.com";
  const absl::StatusOr<GeneratedCertificates> made =
      GenerateSelfSigned({host}, absl::Now(), absl::Hours(1));
  REQUIRE(made.ok());
  CHECK(made->certificate_pem.find("BEGIN CERTIFICATE") != std::string::npos);
  CHECK(made->key_pem.find("PRIVATE KEY") != std::string::npos);
  CHECK(made->ca_pem != made->certificate_pem);
}

}  // namespace
}  // namespace bth::net
