#include "admission/webhooks/configurations.h"

#include <algorithm>
#include <utility>

#include "admission/rules/rules.h"
#include "admission/webhooks/authorities.h"
#include "base/strings.h"
#include "net/pem.h"

namespace bth::admission {
namespace {

constexpr char kRegistrationApi[] = "/apis/admissionregistration.k8s.io/v1/";
constexpr char kNamePrefix[] = "volcano-admission-service";
constexpr int kServicePort = 443;
constexpr int kTimeoutSeconds = 10;
constexpr std::string_view kMoves = "comes-to-a-queue";
constexpr std::string_view kBudget = "has-a-disruption-budget";

std::string PluralOf(const Webhook& webhook) {
  return webhook.mutating ? "mutatingwebhookconfigurations" : "validatingwebhookconfigurations";
}

Json TextArray(const std::vector<std::string_view>& texts) {
  return Json(Json::Array(texts.begin(), texts.end()));
}

// HyperNodes are looked at without selectors and by a rule without scope, as Volcano's are.
bool IsPlain(const Webhook& webhook) {
  return webhook.resource == "hypernodes";
}

Json ClientConfigOf(const Webhook& webhook, const WebhookAddress& address,
                    std::string_view authorities_pem) {
  Json config = Json::MakeObject({{"caBundle", net::Base64Encode(authorities_pem)}});
  if (!address.url.empty()) {
    config.Set("url", StrCat(address.url, webhook.path));
  } else {
    config.Set("service", Json::MakeObject({{"namespace", address.ns},
                                            {"name", address.service},
                                            {"path", webhook.path},
                                            {"port", kServicePort}}));
  }
  return config;
}

Json RuleOf(const Webhook& webhook, QueueCheck check) {
  std::vector<std::string_view> operations = webhook.operations;
  std::vector<std::string_view> resources = {webhook.resource};
  if (check == QueueCheck::kOn) {
    if (webhook.asks_about_moves) operations.push_back("UPDATE");
    const std::string_view checked = CheckedResource(webhook);
    if (!checked.empty()) resources.push_back(checked);
  }
  Json rule = Json::MakeObject({{"apiGroups", Json::MakeArray({webhook.group})},
                                {"apiVersions", Json::MakeArray({webhook.version})},
                                {"operations", TextArray(operations)},
                                {"resources", TextArray(resources)}});
  if (!IsPlain(webhook)) rule.Set("scope", "*");
  return rule;
}

// The schedulers and controllers write the status of pod groups all the time: of that nobody needs
// to be asked.
Json MoveCondition() {
  constexpr std::string_view kExpression =
      "request.operation != 'UPDATE' || "
      "(has(object.spec) && has(object.spec.queue) ? object.spec.queue : '') != "
      "(has(oldObject.spec) && has(oldObject.spec.queue) ? oldObject.spec.queue : '')";
  return Json::MakeObject({{"name", kMoves}, {"expression", kExpression}});
}

// Of a pod nothing is checked but its disruption budget: pods without one do not wait for an
// answer.
Json BudgetCondition() {
  constexpr std::string_view kExpression =
      "has(object.metadata.annotations) && "
      "('volcano.sh/jdb-min-available' in object.metadata.annotations || "
      "'volcano.sh/jdb-max-unavailable' in object.metadata.annotations)";
  return Json::MakeObject({{"name", kBudget}, {"expression", kExpression}});
}

bool HasCondition(const Json& entry, std::string_view name) {
  const Json::Array& conditions = entry["matchConditions"].items();
  return std::any_of(conditions.begin(), conditions.end(),
                     [&](const Json& condition) { return condition["name"].AsString() == name; });
}

// Conditions of ours that no longer hold back what is to be asked. True when there was one.
bool DropConditions(Json& entry, const Json& wanted) {
  bool changed = false;
  for (const std::string_view name : {kMoves, kBudget}) {
    if (HasCondition(wanted, name) || !HasCondition(entry, name)) continue;
    std::erase_if(entry["matchConditions"].MutableItems(),
                  [&](const Json& condition) { return condition["name"].AsString() == name; });
    changed = true;
  }
  return changed;
}

// The namespaces of the cluster's own programs are left out, ours among them: it must be able to
// start where no webhook answers.
Json NamespaceSelectorOf(const WebhookAddress& address) {
  Json::Array names;
  if (!address.ns.empty()) names.emplace_back(address.ns);
  names.emplace_back("kube-system");
  return Json::MakeObject(
      {{"matchExpressions",
        Json::MakeArray({Json::MakeObject({{"key", "kubernetes.io/metadata.name"},
                                           {"operator", "NotIn"},
                                           {"values", Json(std::move(names))}})})}});
}

// Equal, or absent in `wanted`, or filled in by the API server's defaults.
bool Holds(const Json& have, const Json& wanted) {
  if (wanted.is_object() && have.is_object()) {
    return std::all_of(wanted.members().begin(), wanted.members().end(), [&](const auto& member) {
      return Holds(have[member.first], member.second);
    });
  }
  if (wanted.is_array() && have.is_array() && wanted.size() == have.size()) {
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (!Holds(have[i], wanted[i])) return false;
    }
    return true;
  }
  return have == wanted;
}

bool UpdateEntry(Json& entry, const Json& wanted) {
  bool changed = DropConditions(entry, wanted);
  for (const char* field : {"clientConfig", "rules", "admissionReviewVersions", "sideEffects"}) {
    const bool other_way =
        std::string_view(field) == "clientConfig" &&
        std::as_const(entry)[field]["url"].is_null() != wanted[field]["url"].is_null();
    if (!other_way && Holds(std::as_const(entry)[field], wanted[field])) continue;
    entry.Set(field, wanted[field]);
    changed = true;
    // The condition belongs to the rule; servers before 1.28 drop it, so that its absence alone is
    // no reason to write.
    const bool with_condition = std::string_view(field) == "rules" &&
                                std::as_const(entry)["matchConditions"].empty() &&
                                !wanted["matchConditions"].empty();
    if (with_condition) entry.Set("matchConditions", wanted["matchConditions"]);
  }
  return changed;
}

}  // namespace

std::string ConfigurationName(const Webhook& webhook) {
  std::string name = StrCat(kNamePrefix, webhook.path);
  std::replace(name.begin(), name.end(), '/', '-');
  return name;
}

client::ApiPath ConfigurationsPath(const Webhook& webhook) {
  return {PluralOf(webhook), StrCat(kRegistrationApi, PluralOf(webhook))};
}

client::ApiPath ConfigurationPath(const Webhook& webhook) {
  client::ApiPath path = ConfigurationsPath(webhook);
  StrAppend(&path.path, "/", ConfigurationName(webhook));
  return path;
}

std::string_view CheckedResource(const Webhook& webhook) {
  return webhook.rule == &ValidateJobFlow ? "jobtemplates" : "";
}

bool SetAuthorities(Json& configuration, const std::string& authorities_pem, absl::Time now) {
  if (configuration.Find("webhooks") == nullptr) return false;
  const std::string ours_alone = net::Base64Encode(authorities_pem);
  bool changed = false;
  for (Json& entry : configuration["webhooks"].MutableItems()) {
    const std::string_view found = std::as_const(entry)["clientConfig"]["caBundle"].AsString();
    if (found == ours_alone) continue;  // As mostly: nothing to parse.
    const std::string trusted = net::Base64Decode(found).value_or("");
    if (HasAll(trusted, authorities_pem)) continue;
    entry.MutableAt({"clientConfig", "caBundle"}) =
        net::Base64Encode(Bundle(authorities_pem, {trusted}, now));
    changed = true;
  }
  return changed;
}

Json MakeConfiguration(const Webhook& webhook, const WebhookAddress& address,
                       std::string_view authorities_pem, QueueCheck check) {
  const bool with_moves = webhook.asks_about_moves && check == QueueCheck::kOn;
  Json entry =
      Json::MakeObject({{"name", webhook.name},
                        {"admissionReviewVersions", Json::MakeArray({"v1"})},
                        {"clientConfig", ClientConfigOf(webhook, address, authorities_pem)},
                        {"failurePolicy", "Fail"},
                        {"matchPolicy", "Equivalent"},
                        {"rules", Json::MakeArray({RuleOf(webhook, check)})},
                        {"timeoutSeconds", kTimeoutSeconds}});
  entry.Set("sideEffects", IsPlain(webhook) ? "None" : "NoneOnDryRun");
  if (!IsPlain(webhook)) {
    entry.Set("namespaceSelector", NamespaceSelectorOf(address));
    entry.Set("objectSelector", Json::MakeObject());
  }
  if (webhook.mutating) entry.Set("reinvocationPolicy", "Never");
  if (with_moves) entry.Set("matchConditions", Json::MakeArray({MoveCondition()}));
  if (webhook.rule == &ValidatePod && check == QueueCheck::kOff) {
    entry.Set("matchConditions", Json::MakeArray({BudgetCondition()}));
  }
  return Json::MakeObject(
      {{"apiVersion", "admissionregistration.k8s.io/v1"},
       {"kind",
        webhook.mutating ? "MutatingWebhookConfiguration" : "ValidatingWebhookConfiguration"},
       {"metadata",
        Json::MakeObject({{"name", ConfigurationName(webhook)},
                          {"labels", Json::MakeObject({{"app", "volcano-admission"}})}})},
       {"webhooks", Json::MakeArray({std::move(entry)})}});
}

bool BringUpToDate(Json& configuration, const Json& wanted) {
  Json ours = wanted["webhooks"][0];
  Json::Array& entries = configuration["webhooks"].MutableItems();
  const auto entry = std::find_if(entries.begin(), entries.end(), [&](const Json& candidate) {
    return candidate["name"].AsString() == std::as_const(ours)["name"].AsString();
  });
  if (entry == entries.end()) {
    entries.push_back(std::move(ours));
    return true;
  }
  const Json& trusted = std::as_const(*entry)["clientConfig"]["caBundle"];
  if (!trusted.AsString().empty()) ours.MutableAt({"clientConfig", "caBundle"}) = trusted;
  return UpdateEntry(*entry, ours);
}

}  // namespace bth::admission
