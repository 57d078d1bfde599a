// Certificates of our own: what is done with them, and how replicas agree on them.
#include "net/certificates.h"

#include <memory>

#include "admission/webhooks/certificate_plan.h"
#include "admission/webhooks/secret_certificates.h"
#include "net/pem.h"
#include "tests/client/fake_server.h"
#include "tests/support/api_bed.h"
#include "tests/support/temp_folder.h"
#include "tests/webhooks/fresh_certificates.h"

namespace bth::admission {
namespace {

using client::testing::Await;
using testing::Fresh;
using testing::kDay;
using testing::kNow;
using testing::Terms;

size_t AuthoritiesIn(const ServingCertificate& serving) {
  return net::DescribeCertificates(serving.authorities_pem)->size();
}

TEST_CASE("certificate plan: fresh ones are good, and belong together",
          "[webhooks][certificates]") {
  const KeptCertificates kept = Fresh();
  CHECK(Examine(kept, Terms(), kNow).remedy == Remedy::kNone);
  const auto leaf = *net::DescribeCertificates(kept.serving.certificate_pem);
  CHECK(leaf.front().hosts == Terms().hosts);
  CHECK(leaf.front().valid_until == kNow + Terms().valid_for);
  CHECK(net::CheckKeyPair(kept.serving.certificate_pem, kept.serving.key_pem).ok());
  CHECK(net::IsSignedBy(kept.serving.certificate_pem, kept.serving.authorities_pem));
  CHECK(AuthoritiesIn(kept.serving) == 1);
}

TEST_CASE("certificate plan: what is found decides what is done", "[webhooks][certificates]") {
  struct Case {
    std::string name;
    std::function<void(KeptCertificates&)> damage;
    absl::Duration later;
    Remedy remedy;
    bool usable;
  };
  const auto nothing = [](KeptCertificates&) {};
  const Case c = GENERATE_COPY(values<Case>({
      {"nothing at all",
       [](KeptCertificates& kept) { kept = {}; },
       {},
       Remedy::kNewAuthority,
       false},
      {"no certificate",
       [](KeptCertificates& kept) { kept.serving.certificate_pem = "x"; },
       {},
       Remedy::kNewCertificate,
       false},
      {"the key of another",
       [](KeptCertificates& kept) { kept.serving.key_pem = Fresh().serving.key_pem; },
       {},
       Remedy::kNewCertificate,
       false},
      {"the authority of another",
       [](KeptCertificates& kept) {
         const KeptCertificates other = Fresh();
         kept.serving.authorities_pem = other.serving.authorities_pem;
         kept.authority_key_pem = other.authority_key_pem;
       },
       {},
       Remedy::kNewCertificate,
       false},
      {"two thirds of its life are over", nothing, kDay * 244, Remedy::kNewCertificate, true},
      {"a day before that", nothing, kDay * 243, Remedy::kNone, true},
      {"it has expired", nothing, kDay * 366, Remedy::kNewCertificate, false},
      {"the authority ends within a certificate's life",
       [](KeptCertificates& kept) {
         CertificateTerms terms = Terms();
         terms.valid_for = kDay * 3650;  // So that the certificate itself is good.
         kept = *Renewed(kept, Remedy::kNewCertificate, terms, "", kNow);
       },
       kDay * 3300, Remedy::kNewAuthority, true},
      {"the authority has expired", nothing, kDay * 3651, Remedy::kNewAuthority, false},
      {"somebody else's, without the authority's key",
       [](KeptCertificates& kept) { kept.authority_key_pem.clear(); },
       {},
       Remedy::kNone,
       true},
      {"somebody else's, about to expire",
       [](KeptCertificates& kept) { kept.authority_key_pem.clear(); }, kDay * 300,
       Remedy::kNewAuthority, true},
  }));
  CAPTURE(c.name);
  KeptCertificates kept = Fresh();
  c.damage(kept);
  const CertificateFinding finding = Examine(kept, Terms(), kNow + c.later);
  INFO(finding.why);
  CHECK(finding.remedy == c.remedy);
  CHECK(finding.usable == (c.remedy == Remedy::kNone || c.usable));
  CHECK(finding.why.empty() == (c.remedy == Remedy::kNone));
  const auto renewed = Renewed(kept, finding.remedy, Terms(), "", kNow + c.later);
  REQUIRE(renewed.ok());
  CHECK(Examine(*renewed, Terms(), kNow + c.later).remedy == Remedy::kNone);
}

TEST_CASE("certificate plan: what is good says until when it needs no look",
          "[webhooks][certificates]") {
  struct Case {
    std::string name;
    absl::Duration authority_valid_for;
    bool can_sign;
    absl::Duration good_for;
  };
  const Case c = GENERATE(values<Case>({
      {"a third of its life is left", kDay * 3650, true, kDay * 365 * 2 / 3},
      {"the authority must outlive a certificate made anew", kDay * 465, true, kDay * 100},
      {"who cannot sign waits for the certificate", kDay * 465, false, kDay * 365 * 2 / 3},
  }));
  CAPTURE(c.name);
  CertificateTerms terms = Terms();
  terms.authority_valid_for = c.authority_valid_for;
  KeptCertificates kept = *Renewed(KeptCertificates(), Remedy::kNewAuthority, terms, "", kNow);
  if (!c.can_sign) kept.authority_key_pem.clear();
  const CertificateFinding finding = Examine(kept, terms, kNow);
  REQUIRE(finding.remedy == Remedy::kNone);
  // Certificates begin some time before they are made, for clocks that are behind.
  CHECK(finding.good_until > kNow + c.good_for - kDay);
  CHECK(finding.good_until < kNow + c.good_for + kDay);
  const absl::Duration moment = absl::Seconds(1);
  CHECK(Examine(kept, terms, finding.good_until - moment).remedy == Remedy::kNone);
  CHECK(Examine(kept, terms, finding.good_until + moment).remedy != Remedy::kNone);
}

TEST_CASE("certificate plan: other names need another certificate", "[webhooks][certificates]") {
  CertificateTerms moved = Terms();
  moved.hosts.push_back("10.0.0.7");
  const KeptCertificates kept = Fresh();
  const CertificateFinding finding = Examine(kept, moved, kNow);
  CHECK(finding.remedy == Remedy::kNewCertificate);
  CHECK_FALSE(finding.usable);
  const KeptCertificates renewed = *Renewed(kept, finding.remedy, moved, "", kNow);
  CHECK(renewed.serving.authorities_pem == kept.serving.authorities_pem);
  CHECK(Examine(renewed, moved, kNow).remedy == Remedy::kNone);
}

TEST_CASE("certificate plan: a former authority is trusted until it expires",
          "[webhooks][certificates]") {
  const KeptCertificates first = Fresh();
  const KeptCertificates second =
      *Renewed(first, Remedy::kNewAuthority, Terms(), first.serving.authorities_pem, kNow);
  CHECK(AuthoritiesIn(second.serving) == 2);
  CHECK(net::IsSignedBy(first.serving.certificate_pem, second.serving.authorities_pem));
  const KeptCertificates later =
      *Renewed(second, Remedy::kNewAuthority, Terms(), "", kNow + kDay * 3651);
  CHECK(AuthoritiesIn(later.serving) == 1);
  KeptCertificates many = first;
  for (int i = 0; i < 20; ++i) many = *Renewed(many, Remedy::kNewAuthority, Terms(), "", kNow);
  CHECK(AuthoritiesIn(many.serving) == 16);
  CHECK(Examine(many, Terms(), kNow).remedy == Remedy::kNone);
}

TEST_CASE("certificate plan: a Secret is read and written under Volcano's keys",
          "[webhooks][certificates]") {
  const KeptCertificates kept = Fresh();
  Json secret = *Json::Parse(R"({"metadata":{"name":"s"},"data":{"other":"eA=="}})");
  WriteSecret(kept, secret);
  CHECK(secret["data"]["other"].AsString() == "eA==");
  CHECK(*net::Base64Decode(secret["data"]["tls.crt"].AsString()) == kept.serving.certificate_pem);
  const KeptCertificates read = ReadSecret(secret);
  CHECK(read.serving == kept.serving);
  CHECK(read.authority_key_pem == kept.authority_key_pem);
  secret["data"].Set("tls.key", "not base64!");
  CHECK(ReadSecret(secret).serving.key_pem.empty());
  CHECK(ReadSecret(Json()).serving == ServingCertificate());
}

// Replicas on one API server.
struct SecretBed : test::ApiBed {
  SecretBed() { Create("/api/v1/namespaces", R"({"metadata":{"name":"ns"}})"); }
  std::unique_ptr<SecretCertificates> Replica() {
    return std::make_unique<SecretCertificates>(
        *api, SecretOptions{.ns = "ns", .name = "certs", .terms = Terms()});
  }
  ServingCertificate Ask(SecretCertificates& replica) {
    const auto current = Await(executor, replica.Current());
    INFO(current.status().ToString());
    REQUIRE(current.ok());
    return *current;
  }
  Json Secret() { return Get("/api/v1/namespaces/ns/secrets/certs"); }
};

TEST_CASE("secret certificates: they are made once, and found again", "[webhooks][certificates]") {
  SecretBed bed;
  const auto a = bed.Replica();
  const ServingCertificate made = bed.Ask(*a);
  CHECK(bed.writes == 1);
  CHECK(bed.Ask(*bed.Replica()) == made);
  CHECK(bed.Ask(*a) == made);
  CHECK(bed.writes == 1);
}

TEST_CASE("secret certificates: replicas that begin at once agree", "[webhooks][certificates]") {
  SecretBed bed;
  std::vector<std::unique_ptr<SecretCertificates>> replicas;
  std::vector<ServingCertificate> served;
  const auto ask = [&](SecretCertificates* replica) -> net::Awaitable<void> {
    const auto current = co_await replica->Current();
    REQUIRE(current.ok());
    served.push_back(*current);
  };
  // All read before anybody has written.
  bed.line->script = [](const net::Request& request) -> std::optional<test::Fault> {
    if (request.method == "GET") return std::nullopt;
    return test::Fault{.delay = absl::Seconds(1)};
  };
  for (int i = 0; i < 3; ++i) {
    replicas.push_back(bed.Replica());
    net::Spawn(bed.executor, ask(replicas.back().get()));
  }
  bed.executor.Advance(absl::Seconds(10));
  REQUIRE(served.size() == 3);
  CHECK(served[0] == served[1]);
  CHECK(served[1] == served[2]);
  CHECK(ReadSecret(bed.Secret()).serving == served[0]);
}

TEST_CASE("secret certificates: replicas that renew at once agree", "[webhooks][certificates]") {
  SecretBed bed;
  const auto a = bed.Replica();
  const auto b = bed.Replica();
  const ServingCertificate first = bed.Ask(*a);
  bed.executor.Advance(kDay * 300);
  std::vector<ServingCertificate> served;
  const auto ask = [&](SecretCertificates* replica) -> net::Awaitable<void> {
    const auto current = co_await replica->Current();
    REQUIRE(current.ok());
    served.push_back(*current);
  };
  bed.line->script = [](const net::Request& request) -> std::optional<test::Fault> {
    if (request.method == "GET") return std::nullopt;
    return test::Fault{.delay = absl::Seconds(1)};
  };
  net::Spawn(bed.executor, ask(a.get()));
  net::Spawn(bed.executor, ask(b.get()));
  bed.executor.Advance(absl::Seconds(10));
  REQUIRE(served.size() == 2);
  CHECK(served[0] == served[1]);
  CHECK_FALSE(served[0] == first);
  CHECK(served[0].authorities_pem == first.authorities_pem);
}

TEST_CASE("secret certificates: Volcano's are taken over, and replaced in time",
          "[webhooks][certificates]") {
  SecretBed bed;
  KeptCertificates theirs = Fresh();
  theirs.authority_key_pem.clear();
  Json secret = *Json::Parse(R"({"metadata":{"name":"certs"}})");
  WriteSecret(theirs, secret);
  secret["data"].Erase("ca.key");
  bed.Create("/api/v1/namespaces/ns/secrets", secret.Dump());
  const auto replica = bed.Replica();
  CHECK(bed.Ask(*replica) == theirs.serving);
  CHECK(bed.writes == 0);
  bed.executor.Advance(kDay * 250);
  const ServingCertificate renewed = bed.Ask(*replica);
  CHECK_FALSE(renewed == theirs.serving);
  CHECK(AuthoritiesIn(renewed) == 2);
  CHECK(net::IsSignedBy(theirs.serving.certificate_pem, renewed.authorities_pem));
}

TEST_CASE("secret certificates: what somebody writes over good ones is seen at the next look",
          "[webhooks][certificates]") {
  SecretBed bed;
  const auto replica = bed.Replica();
  const ServingCertificate first = bed.Ask(*replica);
  REQUIRE(bed.Ask(*replica) == first);
  Json secret = bed.Secret();
  const KeptCertificates other = Fresh(bed.executor.Now());
  WriteSecret(other, secret);
  REQUIRE(bed.Call("PUT", "/api/v1/namespaces/ns/secrets/certs", secret.Dump()).code == 200);
  CHECK(bed.Ask(*replica) == other.serving);
  secret = bed.Secret();
  secret["data"].Set("tls.key", "");
  REQUIRE(bed.Call("PUT", "/api/v1/namespaces/ns/secrets/certs", secret.Dump()).code == 200);
  const ServingCertificate mended = bed.Ask(*replica);
  CHECK(mended != other.serving);
  CHECK(net::CheckKeyPair(mended.certificate_pem, mended.key_pem).ok());
}

TEST_CASE("secret certificates: a Secret that is lost is made anew, and the old authority trusted",
          "[webhooks][certificates]") {
  SecretBed bed;
  const auto replica = bed.Replica();
  const ServingCertificate first = bed.Ask(*replica);
  REQUIRE(bed.Call("DELETE", "/api/v1/namespaces/ns/secrets/certs").code == 200);
  const ServingCertificate second = bed.Ask(*replica);
  CHECK_FALSE(second == first);
  CHECK(net::IsSignedBy(first.certificate_pem, second.authorities_pem));
}

TEST_CASE("secret certificates: a renewal that is refused leaves them in use while they last",
          "[webhooks][certificates]") {
  SecretBed bed;
  const auto replica = bed.Replica();
  const ServingCertificate first = bed.Ask(*replica);
  bed.line->script = [](const net::Request& request) -> std::optional<test::Fault> {
    if (request.method == "GET") return std::nullopt;
    return test::Fault{.code = 403, .reason = "Forbidden"};
  };
  bed.executor.Advance(kDay * 300);
  CHECK(bed.Ask(*replica) == first);
  bed.executor.Advance(kDay * 70);
  CHECK(absl::IsPermissionDenied(Await(bed.executor, replica->Current()).status()));
}

TEST_CASE("certificate files: read in order, and told in Volcano's words",
          "[webhooks][certificates]") {
  const test::TempFolder folder;
  const KeptCertificates kept = Fresh();
  CertificatePaths paths{.certificate = folder.Sub("tls.crt"),
                         .key = folder.Sub("tls.key"),
                         .authorities = folder.Sub("ca.crt")};
  const auto says = [&] { return std::string(ReadCertificateFiles(paths).status().message()); };
  CHECK_THAT(says(), Catch::StartsWith("failed to read cacert file (" + paths.authorities + "): "));
  folder.Write("ca.crt", kept.serving.authorities_pem);
  CHECK_THAT(says(), Catch::StartsWith("failed to read cert file (" + paths.certificate + "): "));
  folder.Write("tls.crt", kept.serving.certificate_pem);
  CHECK_THAT(says(), Catch::StartsWith("failed to read key file (" + paths.key + "): "));
  folder.Write("tls.key", Fresh().serving.key_pem);
  CHECK_THAT(says(), Catch::Contains("the key does not belong to the certificate"));
  folder.Write("tls.key", kept.serving.key_pem);
  CHECK(*ReadCertificateFiles(paths) == kept.serving);
}

}  // namespace
}  // namespace bth::admission
