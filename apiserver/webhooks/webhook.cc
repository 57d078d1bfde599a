#include "apiserver/webhooks/webhook.h"

#include <utility>

#include "base/log.h"
#include "base/strings.h"
#include "net/pem.h"

namespace bth::apiserver {
namespace {

constexpr int64_t kTimeoutDefault_s = 10;

ClientConfig ReadClient(const Json& config) {
  ClientConfig client;
  client.url = config["url"].AsString();
  if (const Json& service = config["service"]; service.is_object()) {
    client.service = ServiceReference{
        std::string(service["namespace"].AsString()), std::string(service["name"].AsString()),
        std::string(service["path"].AsString()), static_cast<int>(service["port"].AsInt(443))};
  }
  // It was found to be base64 when it was written.
  absl::StatusOr<std::string> ca = net::Base64Decode(config["caBundle"].AsString());
  if (ca.ok()) client.ca_pem = *std::move(ca);
  return client;
}

// Of the versions that are known here, in the order of the webhook.
bool PrefersBeta(const Json& versions) {
  for (const Json& version : versions.items()) {
    if (version.AsString() == "v1") return false;
    if (version.AsString() == "v1beta1") return true;
  }
  return false;
}

}  // namespace

std::vector<WebhookPtr> ReadWebhooks(const Json& configuration,
                                     const std::shared_ptr<const cel::Environment>& environment) {
  std::vector<WebhookPtr> webhooks;
  const std::string of(configuration["metadata"]["name"].AsString());
  for (const Json& json : configuration["webhooks"].items()) {
    auto webhook = std::make_shared<Webhook>();
    webhook->configuration = of;
    webhook->name = json["name"].AsString();
    webhook->id = StrCat(of, "/", webhook->name, "/", webhooks.size());
    webhook->client = ReadClient(json["clientConfig"]);
    webhook->terms = MatchTerms::Read(json, "rules");
    absl::StatusOr<MatchConditions> conditions =
        MatchConditions::Compile(json["matchConditions"], environment);
    if (conditions.ok()) {
      webhook->conditions = *std::move(conditions);
    } else {
      webhook->conditions = MatchConditions::Broken(conditions.status());
      Log(LogLevel::kError, "webhook.conditions_unreadable",
          {{"configuration", of}, {"webhook", webhook->name}, {"error", conditions.status()}});
    }
    webhook->ignores_failure = json["failurePolicy"].AsString() == "Ignore";
    webhook->invoked_again = json["reinvocationPolicy"].AsString() == "IfNeeded";
    webhook->timeout = absl::Seconds(json["timeoutSeconds"].AsInt(kTimeoutDefault_s));
    webhook->first_review_is_beta = PrefersBeta(json["admissionReviewVersions"]);
    webhooks.push_back(std::move(webhook));
  }
  return webhooks;
}

}  // namespace bth::apiserver
