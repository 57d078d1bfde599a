// What is served, and what the API server is told to trust meanwhile.
#include "admission/webhooks/certificate_keeper.h"

#include <memory>

#include "base/strings.h"
#include "net/certificates.h"
#include "net/pem.h"
#include "tests/client/fake_server.h"
#include "tests/support/api_bed.h"
#include "tests/webhooks/fresh_certificates.h"

namespace bth::admission {
namespace {

using client::testing::Await;
using testing::Fresh;
using testing::kDay;
using testing::kNow;
using testing::Terms;

constexpr char kMutate[] = "/queues/mutate";
constexpr char kValidate[] = "/queues/validate";
const WebhookAddress kAddress{.ns = "ns", .service = "svc", .url = ""};

// A keeper whose source and server are the test's, of two registrations.
struct KeeperBed : test::ApiBed {
  struct Source final : CertificateSource {
    net::Awaitable<absl::StatusOr<ServingCertificate>> Current() override { co_return now; }
    absl::StatusOr<ServingCertificate> now;
  };
  explicit KeeperBed(bool create = true) {
    source.now = Fresh().serving;
    RegistrationOptions options;
    options.webhooks = {FindWebhook(kMutate), FindWebhook(kValidate)};
    options.address = kAddress;
    options.create = create;
    registration = std::make_unique<Registration>(*api, metrics, options);
    const CertificateKeeper::Parts parts{executor, source, *registration, metrics};
    keeper = std::make_unique<CertificateKeeper>(parts, [this](const ServingCertificate& served) {
      installed.push_back(served);
      published_then.push_back(Published(kMutate));
      return absl::OkStatus();
    });
  }
  ~KeeperBed() {
    keeper.reset();
    registration.reset();
  }
  void Begin() {
    REQUIRE(Await(executor, keeper->Begin(rng)).ok());
    REQUIRE(Await(executor, keeper->Register()).ok());
    keeper->Follow();
  }
  // As an administrator does, without authorities.
  void Install(const char* path) {
    const Webhook& webhook = *FindWebhook(path);
    Json configuration = MakeConfiguration(webhook, kAddress, "");
    configuration["webhooks"].MutableItems()[0]["clientConfig"].Erase("caBundle");
    Create(ConfigurationsPath(webhook).path, configuration.Dump());
  }
  // The authorities in a registration; empty: there is none.
  std::string Published(const char* path) {
    const Webhook& webhook = *FindWebhook(path);
    const apiserver::Collection* const collection = server->store().Find(
        StrCat(ConfigurationsPath(webhook).resource, ".admissionregistration.k8s.io"));
    if (collection == nullptr) return "";
    const auto object = collection->Get({"", ConfigurationName(webhook)});
    if (object == nullptr) return "";
    const Json configuration = *Json::Parse(object->bytes);
    const Json& bundle = configuration["webhooks"][0]["clientConfig"]["caBundle"];
    return *net::Base64Decode(bundle.AsString());
  }
  void Fail(int code, const std::string& reason) {
    line->script = [code, reason](const net::Request&) {
      return test::Fault{.code = code, .reason = reason};
    };
  }

  metrics::Registry registry;
  metrics::AdmissionMetrics metrics{registry, {}};
  Rng rng{1};
  Source source;
  std::unique_ptr<Registration> registration;
  std::unique_ptr<CertificateKeeper> keeper;
  std::vector<ServingCertificate> installed;
  std::vector<std::string> published_then;  // In the first registration, when each was installed.
};

bool Trusts(const std::string& bundle_pem, const ServingCertificate& serving) {
  return net::IsSignedBy(serving.certificate_pem, bundle_pem);
}

TEST_CASE("certificate keeper: authorities are published before their certificate is served",
          "[webhooks][certificates]") {
  KeeperBed bed;
  bed.Begin();
  CHECK(bed.keeper->has_certificate());
  bed.executor.Advance(absl::Minutes(10));
  CHECK(bed.installed.size() == 1);
  const ServingCertificate next = Fresh().serving;
  bed.source.now = next;
  bed.executor.Advance(absl::Seconds(31));
  REQUIRE(bed.installed.size() == 2);
  CHECK(bed.installed[1] == next);
  CHECK(Trusts(bed.published_then[1], next));
  CHECK(Trusts(bed.published_then[1], bed.installed[0]));
}

TEST_CASE("certificate keeper: registrations that somebody emptied are filled again",
          "[webhooks][certificates]") {
  KeeperBed bed;
  bed.Begin();
  const std::string path = ConfigurationPath(*FindWebhook(kMutate)).path;
  REQUIRE(bed.Call("PATCH", path, R"([{"op":"remove","path":"/webhooks/0/clientConfig/caBundle"}])",
                   "application/json-patch+json")
              .code == 200);
  CHECK(bed.Published(kMutate).empty());
  bed.executor.Advance(absl::Seconds(95));
  CHECK(bed.Published(kMutate) == bed.installed[0].authorities_pem);
}

TEST_CASE("certificate keeper: a former authority that is taken out everywhere stays out",
          "[webhooks][certificates]") {
  KeeperBed bed;
  const ServingCertificate former = Fresh().serving;
  const ServingCertificate ours = Fresh().serving;
  ServingCertificate of_both = ours;
  of_both.authorities_pem += former.authorities_pem;
  bed.source.now = of_both;
  bed.Begin();
  REQUIRE(Trusts(bed.Published(kMutate), former));
  // Out of the source, and out of the registrations before that is looked at.
  bed.source.now = ours;
  for (const char* path : {kMutate, kValidate}) {
    const std::string patch =
        StrCat(R"([{"op":"replace","path":"/webhooks/0/clientConfig/caBundle","value":")",
               net::Base64Encode(ours.authorities_pem), R"("}])");
    REQUIRE(bed.Call("PATCH", ConfigurationPath(*FindWebhook(path)).path, patch,
                     "application/json-patch+json")
                .code == 200);
  }
  bed.executor.Advance(absl::Seconds(95));
  REQUIRE(bed.installed.size() == 2);
  CHECK(bed.installed[1] == ours);
  for (const char* path : {kMutate, kValidate}) {
    CHECK(bed.Published(path) == ours.authorities_pem);
  }
}

TEST_CASE("certificate keeper: a certificate of unpublished authorities waits",
          "[webhooks][certificates]") {
  KeeperBed bed;
  bed.Begin();
  bed.Fail(503, "ServiceUnavailable");
  bed.source.now = Fresh().serving;
  bed.executor.Advance(absl::Minutes(5));
  CHECK(bed.installed.size() == 1);
  bed.line->script = nullptr;
  bed.executor.Advance(absl::Seconds(31));
  CHECK(bed.installed.size() == 2);
}

TEST_CASE("certificate keeper: one of published authorities does not wait for the API server",
          "[webhooks][certificates]") {
  KeeperBed bed;
  const KeptCertificates kept = Fresh();
  bed.source.now = kept.serving;
  bed.Begin();
  bed.Fail(503, "ServiceUnavailable");
  bed.source.now = Renewed(kept, Remedy::kNewCertificate, Terms(), "", kNow)->serving;
  bed.executor.Advance(absl::Seconds(31));
  CHECK(bed.installed.size() == 2);
}

TEST_CASE("certificate keeper: a source that fails leaves the former certificate",
          "[webhooks][certificates]") {
  KeeperBed bed;
  bed.Begin();
  bed.source.now = absl::NotFoundError("gone");
  bed.executor.Advance(absl::Minutes(5));
  CHECK(bed.installed.size() == 1);
}

TEST_CASE("certificate keeper: a registration that cannot be written takes trust from no other",
          "[webhooks][certificates]") {
  struct Case {
    int code;
    std::string reason;
  };
  const Case c =
      GENERATE(values<Case>({{403, "Forbidden"}, {409, "Conflict"}, {503, "ServiceUnavailable"}}));
  CAPTURE(c.code);
  const bool create = GENERATE(true, false);
  KeeperBed bed(create);
  if (!create) {
    bed.Install(kMutate);
    bed.Install(kValidate);
  }
  bed.Begin();
  const ServingCertificate former = bed.installed[0];
  bed.line->script = [&c](const net::Request& request) -> std::optional<test::Fault> {
    const bool told = request.method == "PUT" && StrContains(request.target, "validating");
    if (!told) return std::nullopt;
    return test::Fault{.code = c.code, .reason = c.reason};
  };
  const ServingCertificate next = Fresh().serving;
  bed.source.now = next;
  bed.executor.Advance(absl::Minutes(5));
  // The former is served, and whoever is called trusts it.
  CHECK(bed.installed.size() == 1);
  CHECK(Trusts(bed.Published(kMutate), former));
  CHECK(Trusts(bed.Published(kMutate), next));
  CHECK(Trusts(bed.Published(kValidate), former));
  bed.line->script = nullptr;
  bed.executor.Advance(absl::Minutes(2));
  REQUIRE(bed.installed.size() == 2);
  CHECK(bed.installed[1] == next);
  for (const char* path : {kMutate, kValidate}) {
    CHECK(Trusts(bed.Published(path), next));
    CHECK(Trusts(bed.Published(path), former));  // Other replicas may serve it.
  }
  const size_t writes = bed.writes;
  bed.executor.Advance(absl::Minutes(10));
  CHECK(bed.writes == writes);
}

TEST_CASE("certificate keeper: a registration that is not there holds nothing back",
          "[webhooks][certificates]") {
  KeeperBed bed(false);
  bed.Install(kMutate);
  bed.Install(kValidate);
  bed.Begin();
  REQUIRE(bed.Call("DELETE", ConfigurationPath(*FindWebhook(kValidate)).path).code == 200);
  const ServingCertificate next = Fresh().serving;
  bed.source.now = next;
  bed.executor.Advance(absl::Seconds(31));
  REQUIRE(bed.installed.size() == 2);
  CHECK(bed.installed[1] == next);
  bed.Install(kValidate);
  bed.executor.Advance(absl::Seconds(95));
  CHECK(Trusts(bed.Published(kValidate), next));
}

TEST_CASE("certificate keeper: authorities that could not be published vouch for nobody",
          "[webhooks][certificates]") {
  KeeperBed bed;
  const KeptCertificates first = Fresh();
  bed.source.now = first.serving;
  bed.Begin();
  const KeptCertificates last = *Renewed(first, Remedy::kNewAuthority, Terms(), "", kNow);
  ServingCertificate between = Renewed(first, Remedy::kNewCertificate, Terms(), "", kNow)->serving;
  between.authorities_pem = last.serving.authorities_pem;
  bed.Fail(503, "ServiceUnavailable");
  bed.source.now = between;
  bed.executor.Advance(absl::Minutes(5));
  REQUIRE(bed.installed.size() == 2);  // Signed by the first authority, which is published.
  bed.source.now = last.serving;
  bed.executor.Advance(absl::Minutes(5));
  CHECK(bed.installed.size() == 2);
  bed.line->script = nullptr;
  bed.executor.Advance(absl::Minutes(2));
  CHECK(bed.installed.size() == 3);
}

TEST_CASE("certificate keeper: a certificate that has expired is not held on to",
          "[webhooks][certificates]") {
  KeeperBed bed;
  CertificateTerms short_lived = Terms();
  short_lived.valid_for = absl::Hours(2);
  bed.source.now = Fresh(kNow, short_lived).serving;
  bed.Begin();
  bed.Fail(403, "Forbidden");
  bed.source.now = Fresh().serving;
  bed.executor.Advance(absl::Minutes(110));
  CHECK(bed.installed.size() == 1);
  bed.executor.Advance(absl::Minutes(15));
  CHECK(bed.installed.size() == 2);
}

TEST_CASE("certificate keeper: authorities that cannot be read take the place of none",
          "[webhooks][certificates]") {
  KeeperBed bed;
  bed.Begin();
  const ServingCertificate next = Fresh().serving;
  ServingCertificate half_written = next;
  half_written.authorities_pem.resize(100);
  bed.source.now = half_written;
  bed.executor.Advance(absl::Minutes(5));
  CHECK(bed.installed.size() == 1);
  CHECK(Trusts(bed.Published(kMutate), bed.installed[0]));
  bed.source.now = next;
  bed.executor.Advance(absl::Seconds(31));
  CHECK(bed.installed.size() == 2);
}

}  // namespace
}  // namespace bth::admission
