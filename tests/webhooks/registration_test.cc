#include "admission/webhooks/registration.h"

#include "net/pem.h"
#include "tests/client/fake_server.h"
#include "tests/support/api_bed.h"
#include "tests/webhooks/fresh_certificates.h"

namespace bth::admission {
namespace {

using client::testing::Await;

constexpr char kOld[] = "-----BEGIN CERTIFICATE-----\nold\n";
constexpr char kNew[] = "-----BEGIN CERTIFICATE-----\nnew\n";

struct RegistrationBed : test::ApiBed {
  explicit RegistrationBed(bool create = false, absl::Duration wait_max = absl::Minutes(5),
                           QueueCheck check = QueueCheck::kOff) {
    RegistrationOptions options;
    options.webhooks = {FindWebhook("/queues/mutate"), FindWebhook("/queues/validate")};
    if (check == QueueCheck::kOn) options.webhooks.push_back(FindWebhook("/podgroups/validate"));
    options.create = create;
    options.queue_check = check;
    options.address = {.ns = "volcano-system", .service = "svc", .url = ""};
    options.wait_max = wait_max;
    registration = std::make_unique<Registration>(*api, metrics, options);
  }
  ~RegistrationBed() { registration.reset(); }

  void Install(const std::string& path) {
    const Webhook& webhook = *FindWebhook(path);
    const WebhookAddress address{.ns = "volcano-system", .service = "svc", .url = ""};
    Json configuration = MakeConfiguration(webhook, address, "");
    configuration["webhooks"].MutableItems()[0]["clientConfig"].Erase("caBundle");
    Create(ConfigurationsPath(webhook).path, configuration.Dump());
  }
  std::string BundleOf(const std::string& path) {
    const Json found = Get(ConfigurationPath(*FindWebhook(path)).path);
    return *net::Base64Decode(found["webhooks"][0]["clientConfig"]["caBundle"].AsString());
  }

  metrics::Registry registry;
  metrics::AdmissionMetrics metrics{registry, {}};
  std::unique_ptr<Registration> registration;
};

TEST_CASE("registration: authorities come into the configurations that are there",
          "[webhooks][registration]") {
  RegistrationBed bed;
  bed.Install("/queues/mutate");
  bed.Install("/queues/validate");
  REQUIRE(Await(bed.executor, bed.registration->Begin(kNew)).ok());
  CHECK(bed.BundleOf("/queues/mutate") == kNew);
  CHECK(bed.BundleOf("/queues/validate") == kNew);
  const size_t writes = bed.writes;
  REQUIRE(Await(bed.executor, bed.registration->Renew(kNew)).ok());
  CHECK(bed.writes == writes);  // What is right is not written.
  REQUIRE(Await(bed.executor, bed.registration->Renew(kOld)).ok());
  CHECK(bed.BundleOf("/queues/validate") == kOld);
}

TEST_CASE("registration: a configuration that is not there yet is waited for",
          "[webhooks][registration]") {
  RegistrationBed bed;
  bed.Install("/queues/mutate");
  bed.executor.RunAfter(absl::Seconds(90),
                        [&bed] { bed.executor.Post([&bed] { bed.Install("/queues/validate"); }); });
  const absl::Duration begun = bed.executor.Monotonic();
  REQUIRE(Await(bed.executor, bed.registration->Begin(kNew)).ok());
  CHECK(bed.executor.Monotonic() - begun < absl::Seconds(93));
  CHECK(bed.BundleOf("/queues/validate") == kNew);
}

TEST_CASE("registration: the wait ends, in Volcano's words", "[webhooks][registration]") {
  RegistrationBed bed;
  bed.Install("/queues/mutate");
  const absl::Duration begun = bed.executor.Monotonic();
  const absl::Status status = Await(bed.executor, bed.registration->Begin(kNew));
  CHECK(absl::IsNotFound(status));
  CHECK_THAT(
      std::string(status.message()),
      Catch::StartsWith("failed to add caCert for webhook failed to get validating webhook "));
  CHECK(bed.executor.Monotonic() - begun >= absl::Minutes(5));
  CHECK(bed.executor.Monotonic() - begun < absl::Minutes(6));
}

TEST_CASE("registration: what is forbidden is not waited for", "[webhooks][registration]") {
  RegistrationBed bed;
  bed.line->script = [](const net::Request&) {
    return test::Fault{.code = 403, .reason = "Forbidden"};
  };
  const absl::Duration begun = bed.executor.Monotonic();
  CHECK(absl::IsPermissionDenied(Await(bed.executor, bed.registration->Begin(kNew))));
  CHECK(bed.executor.Monotonic() == begun);
}

TEST_CASE("registration: an API server that stumbles is asked again", "[webhooks][registration]") {
  RegistrationBed bed;
  bed.Install("/queues/mutate");
  bed.Install("/queues/validate");
  int faults = 0;
  bed.line->script = [&faults](const net::Request&) -> std::optional<test::Fault> {
    if (++faults > 5) return std::nullopt;
    return test::Fault{.code = faults % 2 == 0 ? 503 : 429, .reason = "ServiceUnavailable"};
  };
  CHECK(Await(bed.executor, bed.registration->Begin(kNew)).ok());
  CHECK(bed.BundleOf("/queues/validate") == kNew);
}

TEST_CASE("registration: who writes at the same time loses nothing", "[webhooks][registration]") {
  RegistrationBed bed;
  bed.Install("/queues/mutate");
  bed.Install("/queues/validate");
  bool once = false;
  bed.line->on_request = [&](const net::Request& request) {
    if (request.method != "PUT" || std::exchange(once, true)) return;
    // Somebody changes the object between our read and our write.
    apiserver::Collection& collection =
        *bed.server->store().Find("mutatingwebhookconfigurations.admissionregistration.k8s.io");
    const std::string name = ConfigurationName(*FindWebhook("/queues/mutate"));
    Json object = *Json::Parse(collection.Get({"", name})->bytes);
    object.MutableAt({"metadata", "labels", "theirs"}) = "yes";
    (void)bed.server->store().Put(collection, std::move(object));
  };
  REQUIRE(Await(bed.executor, bed.registration->Begin(kNew)).ok());
  CHECK(bed.BundleOf("/queues/mutate") == kNew);
  CHECK(
      bed.Get(
             ConfigurationPath(*FindWebhook("/queues/mutate")).path)["metadata"]["labels"]["theirs"]
          .AsString() == "yes");
}

TEST_CASE("registration: with --self-register configurations are made and mended",
          "[webhooks][registration]") {
  RegistrationBed bed(true);
  REQUIRE(Await(bed.executor, bed.registration->Begin(kNew)).ok());
  CHECK(bed.BundleOf("/queues/mutate") == kNew);
  const std::string path = ConfigurationPath(*FindWebhook("/queues/validate")).path;
  REQUIRE(bed.Call("PATCH", path,
                   R"([{"op":"replace","path":"/webhooks/0/rules/0/operations","value":["CREATE"]},
                       {"op":"add","path":"/webhooks/0/failurePolicy","value":"Ignore"}])",
                   "application/json-patch+json")
              .code == 200);
  REQUIRE(Await(bed.executor, bed.registration->Renew(kNew)).ok());
  const Json mended = bed.Get(path);
  CHECK(mended["webhooks"][0]["rules"][0]["operations"] ==
        Json::MakeArray({"CREATE", "UPDATE", "DELETE"}));
  CHECK(mended["webhooks"][0]["failurePolicy"].AsString() == "Ignore");
  REQUIRE(bed.Call("DELETE", path).code == 200);
  REQUIRE(Await(bed.executor, bed.registration->Renew(kNew)).ok());
  CHECK(bed.BundleOf("/queues/validate") == kNew);
}

TEST_CASE("registration: one that fails does not keep the others from being renewed",
          "[webhooks][registration]") {
  RegistrationBed bed;
  bed.Install("/queues/validate");
  CHECK(absl::IsNotFound(Await(bed.executor, bed.registration->Renew(kNew))));
  CHECK(bed.BundleOf("/queues/validate") == kNew);
}

TEST_CASE("registration: replicas whose authorities differ leave each other's in place",
          "[webhooks][registration]") {
  const bool create = GENERATE(false, true);
  CAPTURE(create);
  RegistrationBed bed(create);
  if (!create) {
    bed.Install("/queues/mutate");
    bed.Install("/queues/validate");
  }
  const std::string former = testing::Fresh().serving.authorities_pem;
  const std::string next = testing::Fresh().serving.authorities_pem;
  REQUIRE(Await(bed.executor, bed.registration->Begin(former)).ok());
  size_t writes = bed.writes;
  REQUIRE(Await(bed.executor, bed.registration->Renew(next)).ok());
  CHECK(bed.writes == writes + 2);  // One for each registration.
  writes = bed.writes;
  for (int i = 0; i < 3; ++i) {
    REQUIRE(Await(bed.executor, bed.registration->Renew(former)).ok());
    REQUIRE(Await(bed.executor, bed.registration->Renew(next)).ok());
  }
  CHECK(bed.writes == writes);
  CHECK(bed.BundleOf("/queues/mutate") == next + former);
  CHECK(bed.BundleOf("/queues/validate") == next + former);
}

TEST_CASE("registration: of two failures the one that is no absence is told",
          "[webhooks][registration]") {
  RegistrationBed bed;
  bed.Install("/queues/validate");
  bed.line->script = [](const net::Request& request) -> std::optional<test::Fault> {
    if (request.method != "PUT") return std::nullopt;
    return test::Fault{.code = 403, .reason = "Forbidden"};
  };
  CHECK(absl::IsPermissionDenied(Await(bed.executor, bed.registration->Renew(kNew))));
}

// The embedded server refuses expressions that it cannot compile.
TEST_CASE("registration: moves of pod groups are registered on a condition",
          "[webhooks][registration]") {
  RegistrationBed bed(true, absl::Minutes(5), QueueCheck::kOn);
  REQUIRE(Await(bed.executor, bed.registration->Begin(kNew)).ok());
  const Json found = bed.Get(ConfigurationPath(*FindWebhook("/podgroups/validate")).path);
  CHECK(found["webhooks"][0]["rules"][0]["operations"] == Json::MakeArray({"CREATE", "UPDATE"}));
  CHECK(found["webhooks"][0]["matchConditions"].size() == 1);
  const size_t writes = bed.writes;
  REQUIRE(Await(bed.executor, bed.registration->Renew(kNew)).ok());
  CHECK(bed.writes == writes);
}

}  // namespace
}  // namespace bth::admission
