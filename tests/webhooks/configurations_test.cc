#include "admission/webhooks/configurations.h"

#include <utility>

#include "net/pem.h"
#include "tests/support/catch.h"
#include "tests/webhooks/fresh_certificates.h"

namespace bth::admission {
namespace {

constexpr char kPem[] = "-----BEGIN CERTIFICATE-----\n";
const WebhookAddress kService{.ns = "volcano-system", .service = "svc", .url = ""};

TEST_CASE("configurations: names and paths are the same in every installation", "[webhooks]") {
  const Webhook& mutate = *FindWebhook("/jobs/mutate");
  CHECK(ConfigurationName(mutate) == "volcano-admission-service-jobs-mutate");
  CHECK(ConfigurationPath(mutate).path ==
        "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/"
        "volcano-admission-service-jobs-mutate");
  CHECK(ConfigurationPath(*FindWebhook("/hypernodes/validate")).path ==
        "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/"
        "volcano-admission-service-hypernodes-validate");
}

TEST_CASE("configurations: authorities come into every entry, and nothing else changes",
          "[webhooks]") {
  Json configuration = *Json::Parse(R"({"metadata":{"name":"x","uid":"1"},"webhooks":[
    {"name":"a","clientConfig":{"service":{"name":"s"}},"unknown":[1]},
    {"name":"b","clientConfig":{"url":"https://x","caBundle":"b2xk"}}]})");
  CHECK(SetAuthorities(configuration, kPem, testing::kNow));
  const std::string bundle = net::Base64Encode(kPem);
  CHECK(configuration == *Json::Parse(R"({"metadata":{"name":"x","uid":"1"},"webhooks":[
    {"name":"a","clientConfig":{"service":{"name":"s"},"caBundle":")" +
                                      bundle +
                                      R"("},"unknown":[1]},
    {"name":"b","clientConfig":{"url":"https://x","caBundle":")" +
                                      bundle + R"("}}]})"));
  CHECK_FALSE(SetAuthorities(configuration, kPem, testing::kNow));
  Json without = Json::MakeObject();
  CHECK_FALSE(SetAuthorities(without, kPem, testing::kNow));
}

TEST_CASE("configurations: authorities that are there stay beside ours", "[webhooks]") {
  // The same in all cases.
  static const std::string ours = testing::Fresh().serving.authorities_pem;
  static const std::string theirs = testing::Fresh().serving.authorities_pem;
  static const std::string expired =
      testing::Fresh(testing::kNow - testing::kDay * 4000).serving.authorities_pem;
  struct Case {
    std::string name, found, expected;
  };
  const Case c = GENERATE(values<Case>({
      {"none", "", ours},
      {"another", theirs, ours + theirs},
      {"one that has expired", expired + theirs, ours + theirs},
      {"ours is there, and nothing is written", theirs + expired + ours, theirs + expired + ours},
      {"what cannot be read", "x", ours},
  }));
  CAPTURE(c.name);
  const Webhook& webhook = *FindWebhook("/queues/mutate");
  Json found = MakeConfiguration(webhook, kService, c.found);
  CHECK(SetAuthorities(found, ours, testing::kNow) == (c.found != c.expected));
  const std::string_view bundle =
      std::as_const(found)["webhooks"][0]["clientConfig"]["caBundle"].AsString();
  CHECK(*net::Base64Decode(bundle) == c.expected);
  // With --self-register neither: what is brought up to date is all but the bundle.
  const Json wanted = MakeConfiguration(webhook, kService, ours);
  CHECK_FALSE(BringUpToDate(found, wanted));
  const WebhookAddress moved{.ns = "", .service = "", .url = "https://h"};
  CHECK(BringUpToDate(found, MakeConfiguration(webhook, moved, ours)));
  const Json& config = std::as_const(found)["webhooks"][0]["clientConfig"];
  CHECK(*net::Base64Decode(config["caBundle"].AsString()) == c.expected);
}

TEST_CASE("configurations: one of ours asks about what the table says", "[webhooks]") {
  const Json made = MakeConfiguration(*FindWebhook("/queues/validate"), kService, kPem);
  CHECK(made["kind"].AsString() == "ValidatingWebhookConfiguration");
  const Json& entry = made["webhooks"][0];
  CHECK(entry["name"].AsString() == "validatequeue.volcano.sh");
  CHECK(entry["rules"] == *Json::Parse(R"([{"apiGroups":["scheduling.volcano.sh"],
    "apiVersions":["v1beta1"],"operations":["CREATE","UPDATE","DELETE"],"resources":["queues"],
    "scope":"*"}])"));
  CHECK(entry["clientConfig"]["service"] ==
        *Json::Parse(R"({"namespace":"volcano-system","name":"svc","path":"/queues/validate",
    "port":443})"));
  CHECK(entry["failurePolicy"].AsString() == "Fail");
  CHECK(entry["sideEffects"].AsString() == "NoneOnDryRun");
  CHECK(entry["timeoutSeconds"].AsInt() == 10);
  CHECK(entry["namespaceSelector"]["matchExpressions"][0]["values"] ==
        Json::MakeArray({"volcano-system", "kube-system"}));
  CHECK(entry["reinvocationPolicy"].is_null());
  const Json mutating = MakeConfiguration(*FindWebhook("/pods/mutate"), kService, kPem);
  CHECK(mutating["webhooks"][0]["reinvocationPolicy"].AsString() == "Never");
  CHECK(mutating["webhooks"][0]["rules"][0]["apiGroups"] == Json::MakeArray({""}));
  const Json plain = MakeConfiguration(*FindWebhook("/hypernodes/validate"), kService, kPem);
  CHECK(plain["webhooks"][0]["sideEffects"].AsString() == "None");
  CHECK(plain["webhooks"][0]["namespaceSelector"].is_null());
  CHECK(plain["webhooks"][0]["rules"][0]["scope"].is_null());
}

TEST_CASE("configurations: moves between queues are asked about where they are to be checked",
          "[webhooks]") {
  const Webhook& groups = *FindWebhook("/podgroups/validate");
  const auto entry = [](const Webhook& webhook, QueueCheck check) {
    return MakeConfiguration(webhook, kService, kPem, check)["webhooks"].items().front();
  };
  const auto operations = [&](const Webhook& webhook, QueueCheck check) {
    return entry(webhook, check)["rules"].items().front()["operations"];
  };
  CHECK(operations(groups, QueueCheck::kOff) == Json::MakeArray({"CREATE"}));
  CHECK(entry(groups, QueueCheck::kOff)["matchConditions"].is_null());
  CHECK(operations(groups, QueueCheck::kOn) == Json::MakeArray({"CREATE", "UPDATE"}));
  CHECK(entry(groups, QueueCheck::kOn)["matchConditions"].size() == 1);
  CHECK(operations(*FindWebhook("/pods/validate"), QueueCheck::kOn) == Json::MakeArray({"CREATE"}));
  // Where it was written before the flag was given, and after it was taken away.
  Json found = MakeConfiguration(groups, kService, kPem);
  const Json asked = MakeConfiguration(groups, kService, kPem, QueueCheck::kOn);
  CHECK(BringUpToDate(found, asked));
  CHECK(found == asked);
  found["webhooks"].MutableItems().front().Erase("matchConditions");
  CHECK_FALSE(BringUpToDate(found, asked));
  CHECK(BringUpToDate(found, MakeConfiguration(groups, kService, kPem)));
}

TEST_CASE("configurations: job templates are asked about where queues are checked", "[webhooks]") {
  const Webhook& flows = *FindWebhook("/jobflows/validate");
  CHECK(CheckedResource(flows) == "jobtemplates");
  CHECK(CheckedResource(*FindWebhook("/jobs/validate")).empty());
  Json found = MakeConfiguration(flows, kService, kPem);
  const Json asked = MakeConfiguration(flows, kService, kPem, QueueCheck::kOn);
  CHECK(std::as_const(found)["webhooks"][0]["rules"][0]["resources"] ==
        Json::MakeArray({"jobflows"}));
  CHECK(asked["webhooks"][0]["rules"][0]["resources"] ==
        Json::MakeArray({"jobflows", "jobtemplates"}));
  CHECK(BringUpToDate(found, asked));
  CHECK(found == asked);
  CHECK(BringUpToDate(found, MakeConfiguration(flows, kService, kPem)));
}

TEST_CASE("configurations: pods are asked about when they have what is checked", "[webhooks]") {
  const Webhook& pods = *FindWebhook("/pods/validate");
  const Json free = MakeConfiguration(pods, kService, kPem);
  const Json checked = MakeConfiguration(pods, kService, kPem, QueueCheck::kOn);
  CHECK(free["webhooks"][0]["matchConditions"].size() == 1);
  CHECK(checked["webhooks"][0]["matchConditions"].is_null());
  // Servers before 1.28 drop conditions.
  Json dropped = free;
  dropped["webhooks"].MutableItems()[0].Erase("matchConditions");
  CHECK_FALSE(BringUpToDate(dropped, free));
  // The flag is given later: our condition goes, those of others stay.
  Json found = free;
  const Json other = Json::MakeObject({{"name", "ours-alone"}, {"expression", "true"}});
  found["webhooks"].MutableItems()[0]["matchConditions"].MutableItems().push_back(other);
  CHECK(BringUpToDate(found, checked));
  CHECK(std::as_const(found)["webhooks"][0]["matchConditions"] == Json::MakeArray({other}));
  CHECK_FALSE(BringUpToDate(found, checked));
}

TEST_CASE("configurations: a URL takes the place of the Service", "[webhooks]") {
  const WebhookAddress url{.ns = "", .service = "", .url = "https://10.0.0.7:8443"};
  const Json made = MakeConfiguration(*FindWebhook("/jobs/mutate"), url, kPem);
  CHECK(made["webhooks"][0]["clientConfig"]["url"].AsString() ==
        "https://10.0.0.7:8443/jobs/mutate");
  CHECK(made["webhooks"][0]["clientConfig"]["service"].is_null());
}

TEST_CASE("configurations: an update keeps what an administrator decided", "[webhooks]") {
  const Webhook& webhook = *FindWebhook("/queues/validate");
  const Json wanted = MakeConfiguration(webhook, kService, kPem);
  Json found = wanted;
  CHECK_FALSE(BringUpToDate(found, wanted));
  Json& entry = found["webhooks"].MutableItems()[0];
  entry.Set("failurePolicy", "Ignore");
  entry.Set("timeoutSeconds", 3);
  entry.Erase("namespaceSelector");
  CHECK_FALSE(BringUpToDate(found, wanted));
  entry["rules"].MutableItems()[0].Set("operations", Json::MakeArray({"CREATE"}));
  CHECK(BringUpToDate(found, wanted));
  CHECK(std::as_const(found)["webhooks"][0]["rules"] == wanted["webhooks"][0]["rules"]);
  CHECK(std::as_const(found)["webhooks"][0]["failurePolicy"].AsString() == "Ignore");
  CHECK(std::as_const(found)["webhooks"][0]["timeoutSeconds"].AsInt() == 3);
  CHECK(std::as_const(found)["webhooks"][0]["namespaceSelector"].is_null());
}

TEST_CASE("configurations: a move from a Service to a URL leaves no Service behind", "[webhooks]") {
  const Webhook& webhook = *FindWebhook("/jobs/mutate");
  Json found = MakeConfiguration(webhook, kService, kPem);
  const WebhookAddress url{.ns = "", .service = "", .url = "https://h"};
  CHECK(BringUpToDate(found, MakeConfiguration(webhook, url, kPem)));
  CHECK(std::as_const(found)["webhooks"][0]["clientConfig"]["service"].is_null());
  CHECK(std::as_const(found)["webhooks"][0]["clientConfig"]["url"].AsString() ==
        "https://h/jobs/mutate");
}

TEST_CASE("configurations: entries of others stay beside ours", "[webhooks]") {
  const Webhook& webhook = *FindWebhook("/jobs/mutate");
  Json found = *Json::Parse(R"({"webhooks":[{"name":"theirs.example.com"}]})");
  CHECK(BringUpToDate(found, MakeConfiguration(webhook, kService, kPem)));
  CHECK(std::as_const(found)["webhooks"].size() == 2);
  CHECK(std::as_const(found)["webhooks"][0]["name"].AsString() == "theirs.example.com");
}

}  // namespace
}  // namespace bth::admission
