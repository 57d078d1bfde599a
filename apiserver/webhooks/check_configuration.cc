#include "apiserver/webhooks/check_configuration.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "api/rules/names.h"
#include "api/rules/pod_defaults.h"
#include "apiserver/webhooks/endpoint.h"
#include "base/strings.h"
#include "net/pem.h"

namespace bth::apiserver {
namespace {

using rules::FieldErrors;

constexpr std::string_view kUrlForm = "; desired format: https://host[/path]";

void CheckHookName(const std::string& name, const std::string& field, FieldErrors& errors) {
  if (name.empty()) {
    errors.push_back(rules::Required(field));
    return;
  }
  const std::vector<std::string> faults = rules::CheckDnsSubdomain(name);
  for (const std::string& why : faults) errors.push_back(rules::Invalid(field, name, why));
  if (faults.empty() && std::count(name.begin(), name.end(), '.') < 2) {
    errors.push_back(rules::Invalid(
        field, name, "should be a domain with at least three segments separated by dots"));
  }
}

void CheckUrl(const std::string& text, const std::string& field, FieldErrors& errors) {
  const absl::StatusOr<UrlParts> url = ReadUrl(text);
  if (!url.ok()) {
    errors.push_back(rules::Required(
        field, StrCat("url must be a valid URL: ", ToStd(url.status().message()), kUrlForm)));
    return;
  }
  if (url->scheme != "https") {
    errors.push_back(rules::Invalid(field, url->scheme,
                                    StrCat("'https' is the only allowed URL scheme", kUrlForm)));
  }
  if (url->authority.empty()) {
    errors.push_back(rules::Invalid(field, "", StrCat("host must be specified", kUrlForm)));
  }
  if (!url->user.empty()) {
    errors.push_back(
        rules::Invalid(field, url->user, "user information is not permitted in the URL"));
  }
  if (!url->fragment.empty()) {
    errors.push_back(
        rules::Invalid(field, url->fragment, "fragments are not permitted in the URL"));
  }
  if (!url->query.empty()) {
    errors.push_back(
        rules::Invalid(field, url->query, "query parameters are not permitted in the URL"));
  }
}

void CheckServicePath(const std::string& path, const std::string& field, FieldErrors& errors) {
  if (path.empty() || path == "/") return;
  if (path == "//") {
    errors.push_back(rules::Invalid(field, path, "segment[0] may not be empty"));
    return;
  }
  if (!path.starts_with('/')) {
    errors.push_back(rules::Invalid(field, path, "must start with a '/'"));
  }
  std::vector<std::string> steps = SplitText(std::string_view(path).substr(1), '/');
  // A slash at the end is allowed.
  if (steps.back().empty()) steps.pop_back();
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].empty()) {
      errors.push_back(rules::Invalid(field, path, StrCat("segment[", i, "] may not be empty")));
      continue;
    }
    for (const std::string& why : rules::CheckDnsSubdomain(steps[i])) {
      errors.push_back(rules::Invalid(field, path, StrCat("segment[", i, "]: ", why)));
    }
  }
}

void CheckService(const Json& service, const std::string& field, FieldErrors& errors) {
  if (service["name"].AsString().empty()) errors.push_back(rules::Required(field + ".name"));
  if (service["namespace"].AsString().empty()) {
    errors.push_back(rules::Required(field + ".namespace"));
  }
  const int64_t port = service["port"].AsInt(443);
  if (port < 1 || port > 65535) {
    errors.push_back(rules::Invalid(field + ".port", service["port"],
                                    "port is not valid: must be between 1 and 65535, inclusive"));
  }
  if (service["path"].is_string()) {
    CheckServicePath(std::string(service["path"].AsString()), field + ".path", errors);
  }
}

void CheckClient(const Json& config, const std::string& field, FieldErrors& errors) {
  const Json& url = config["url"];
  const Json& service = config["service"];
  if (url.is_null() == service.is_null()) {
    errors.push_back(rules::Required(field, "exactly one of url or service is required"));
  } else if (!url.is_null()) {
    CheckUrl(std::string(url.AsString()), field + ".url", errors);
  } else {
    CheckService(service, field + ".service", errors);
  }
}

bool IsKnownReview(const Json& version) {
  return version.AsString() == "v1" || version.AsString() == "v1beta1";
}

bool HasKnownReview(const Json& webhook) {
  const Json::Array& versions = webhook["admissionReviewVersions"].items();
  return std::any_of(versions.begin(), versions.end(), IsKnownReview);
}

void CheckReviewVersions(const Json& webhook, bool must_be_known, const std::string& field,
                         FieldErrors& errors) {
  const Json& versions = webhook["admissionReviewVersions"];
  if (versions.empty()) {
    errors.push_back(rules::Required(field, "must specify one of v1, v1beta1"));
    return;
  }
  std::set<std::string_view> seen;
  for (size_t i = 0; i < versions.size(); ++i) {
    const std::string_view version = versions[i].AsString();
    const std::string at = StrCat(field, "[", i, "]");
    if (!seen.insert(version).second) {
      errors.push_back(rules::Invalid(at, version, "duplicate version"));
      continue;
    }
    for (const std::string& why : rules::CheckDns1035Label(version)) {
      errors.push_back(rules::Invalid(at, version, why));
    }
  }
  if (must_be_known && !HasKnownReview(webhook)) {
    errors.push_back(rules::Invalid(field, versions, "must include at least one of v1, v1beta1"));
  }
}

struct HookOptions {
  bool mutating = false;
  bool reviews_must_be_known = true;
  bool names_must_differ = true;
  CheckExpression expression;
};

void CheckHook(const Json& hook, const HookOptions& options, const std::string& at,
               FieldErrors& errors) {
  CheckHookName(std::string(hook["name"].AsString()), at + ".name", errors);
  const Json& rules_list = hook["rules"];
  for (size_t i = 0; i < rules_list.size(); ++i) {
    CheckRule(rules_list[i], StrCat(at, ".rules[", i, "]"), errors);
  }
  CheckChoice(hook["failurePolicy"], at + ".failurePolicy", {"Fail", "Ignore"}, errors);
  CheckChoice(hook["matchPolicy"], at + ".matchPolicy", {"Equivalent", "Exact"}, errors);
  const Json& effects = hook["sideEffects"];
  if (effects.is_null()) {
    errors.push_back(
        rules::Required(at + ".sideEffects", "must specify one of None, NoneOnDryRun"));
  }
  CheckChoice(effects, at + ".sideEffects", {"None", "NoneOnDryRun"}, errors);
  const Json& timeout = hook["timeoutSeconds"];
  if (!timeout.is_null() && (timeout.AsInt() < 1 || timeout.AsInt() > 30)) {
    errors.push_back(rules::Invalid(at + ".timeoutSeconds", timeout,
                                    "the timeout value must be between 1 and 30 seconds"));
  }
  CheckLabelSelector(hook["namespaceSelector"], at + ".namespaceSelector", errors);
  CheckLabelSelector(hook["objectSelector"], at + ".objectSelector", errors);
  if (options.mutating) {
    CheckChoice(hook["reinvocationPolicy"], at + ".reinvocationPolicy", {"IfNeeded", "Never"},
                errors);
  }
  CheckClient(hook["clientConfig"], at + ".clientConfig", errors);
  CheckConditions(hook["matchConditions"], at + ".matchConditions", options.expression, errors);
}

bool NamesDiffer(const Json& configuration) {
  std::set<std::string_view> names;
  for (const Json& hook : configuration["webhooks"].items()) {
    if (!names.insert(hook["name"].AsString()).second) return false;
  }
  return true;
}

}  // namespace

void DefaultWebhooks(Json& configuration, bool mutating) {
  Json* hooks = configuration.Find("webhooks");
  if (hooks == nullptr || !hooks->is_array()) return;
  for (Json& hook : hooks->MutableItems()) {
    if (!hook.is_object()) continue;
    rules::SetIfAbsent(hook, "failurePolicy", "Fail");
    rules::SetIfAbsent(hook, "timeoutSeconds", 10);
    DefaultMatchTerms(hook);
    if (mutating) rules::SetIfAbsent(hook, "reinvocationPolicy", "Never");
    if (Json* rules_list = hook.Find("rules")) DefaultRules(*rules_list);
    Json* config = hook.Find("clientConfig");
    Json* service = config == nullptr ? nullptr : config->Find("service");
    if (service != nullptr && service->is_object()) rules::SetIfAbsent(*service, "port", 443);
  }
}

rules::FieldErrors CheckWebhooks(const Json& configuration, const Json* old, bool mutating,
                                 const std::shared_ptr<const cel::Environment>& environment) {
  FieldErrors errors;
  const Json& hooks = configuration["webhooks"];
  if (hooks.size() > kItemsMax) {
    errors.push_back({rules::FieldFault::kTooMany, "webhooks",
                      Json(static_cast<int64_t>(hooks.size())),
                      StrCat("must have at most ", kItemsMax, " items")});
    return errors;
  }
  HookOptions options;
  options.mutating = mutating;
  std::set<std::string, std::less<>> kept;
  if (old != nullptr) {
    // What an older server let in may stay as it is.
    const Json::Array& before = (*old)["webhooks"].items();
    options.reviews_must_be_known = std::all_of(before.begin(), before.end(), HasKnownReview);
    options.names_must_differ = NamesDiffer(*old);
    for (const Json& hook : before) {
      for (const Json& condition : hook["matchConditions"].items()) {
        kept.emplace(condition["expression"].AsString());
      }
    }
  }
  const cel::TypePtr result[] = {cel::Type::Bool()};
  options.expression = [&](std::string_view source) {
    if (kept.contains(source)) return absl::OkStatus();
    return CompileExpression(source, environment, result).status();
  };
  std::set<std::string_view> names;
  for (size_t i = 0; i < hooks.size(); ++i) {
    const std::string at = StrCat("webhooks[", i, "]");
    CheckHook(hooks[i], options, at, errors);
    CheckReviewVersions(hooks[i], options.reviews_must_be_known, at + ".admissionReviewVersions",
                        errors);
    const std::string_view name = hooks[i]["name"].AsString();
    if (options.names_must_differ && !names.insert(name).second) {
      errors.push_back(rules::Duplicate(at + ".name", name));
    }
  }
  return errors;
}

}  // namespace bth::apiserver
