#include "net/certificates.h"

#include "net/pem.h"
#include "tests/support/catch.h"

namespace bth::net {
namespace {

const absl::Time kBegin = absl::FromUnixSeconds(1'767'225'600);

Identity AuthorityNamed(const std::string& name) {
  CertificateRequest request;
  request.common_name = name;
  request.now = kBegin;
  return *GenerateAuthority(request);
}

Identity LeafOf(const Identity& authority) {
  CertificateRequest request;
  request.common_name = "svc";
  request.hosts = {"svc.ns.svc", "10.0.0.7", "::1"};
  request.now = kBegin;
  request.valid_for = absl::Hours(24);
  return *IssueCertificate(authority, request);
}

TEST_CASE("certificates: they say what they are", "[net][certificates]") {
  const Identity authority = AuthorityNamed("ours");
  const Identity leaf = LeafOf(authority);
  const auto facts =
      DescribeCertificates(leaf.certificate_pem + "\nwords\n" + authority.certificate_pem);
  REQUIRE(facts.ok());
  REQUIRE(facts->size() == 2);
  const CertificateFacts& first = (*facts)[0];
  CHECK(first.subject == "CN = svc");
  CHECK(first.hosts == std::vector<std::string>{"svc.ns.svc", "10.0.0.7", "::1"});
  CHECK(first.valid_from == kBegin - absl::Hours(1));
  CHECK(first.valid_until == kBegin + absl::Hours(24));
  CHECK_FALSE(first.is_authority);
  CHECK(first.pem == leaf.certificate_pem);
  CHECK(first.digest.size() == 64);
  CHECK((*facts)[1].is_authority);
  CHECK((*facts)[1].hosts.empty());
  CHECK((*facts)[1].digest != first.digest);
}

TEST_CASE("certificates: what is none is told", "[net][certificates]") {
  const std::string text =
      GENERATE(as<std::string>(), "", "nothing",
               "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
  CHECK(DescribeCertificates(text).status().code() == absl::StatusCode::kInvalidArgument);
  CHECK_FALSE(IsSignedBy(text, text));
  CHECK(CheckKeyPair(text, text).code() == absl::StatusCode::kInvalidArgument);
}

TEST_CASE("certificates: keys and signatures are told apart", "[net][certificates]") {
  const Identity authority = AuthorityNamed("ours");
  const Identity namesake = AuthorityNamed("ours");
  const Identity leaf = LeafOf(authority);
  CHECK(CheckKeyPair(leaf.certificate_pem, leaf.key_pem).ok());
  CHECK(CheckKeyPair(leaf.certificate_pem, authority.key_pem).code() ==
        absl::StatusCode::kFailedPrecondition);
  CHECK(IsSignedBy(leaf.certificate_pem, authority.certificate_pem));
  CHECK(IsSignedBy(leaf.certificate_pem, namesake.certificate_pem + authority.certificate_pem));
  CHECK_FALSE(IsSignedBy(leaf.certificate_pem, namesake.certificate_pem));
}

}  // namespace
}  // namespace bth::net
