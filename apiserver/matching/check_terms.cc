#include "apiserver/matching/check_terms.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_join.h"
#include "api/rules/names.h"
#include "api/rules/pod_defaults.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

using rules::FieldErrors;

bool HasText(const Json& list, std::string_view text) {
  return std::any_of(list.items().begin(), list.items().end(),
                     [&](const Json& item) { return item.AsString() == text; });
}

std::string At(const std::string& field, size_t index) {
  return StrCat(field, "[", index, "]");
}

void CheckOperations(const Json& operations, const std::string& field, FieldErrors& errors) {
  if (operations.empty()) errors.push_back(rules::Required(field));
  if (operations.size() > 1 && HasText(operations, "*")) {
    errors.push_back(
        rules::Invalid(field, operations, "if '*' is present, must not specify other operations"));
  }
  for (size_t i = 0; i < operations.size(); ++i) {
    CheckChoice(operations[i], At(field, i), {"*", "CONNECT", "CREATE", "DELETE", "UPDATE"},
                errors);
  }
}

// `what` for the message: "API groups". Groups may be empty: that is the core group.
void CheckNamesOrAll(const Json& names, const std::string& field, std::string_view what,
                     FieldErrors& errors) {
  if (names.empty()) errors.push_back(rules::Required(field));
  if (names.size() > 1 && HasText(names, "*")) {
    errors.push_back(
        rules::Invalid(field, names, StrCat("if '*' is present, must not specify other ", what)));
  }
}

void CheckResourceNames(const Json& resources, const std::string& field, FieldErrors& errors) {
  if (resources.empty()) errors.push_back(rules::Required(field));
  std::set<std::string, std::less<>> whole;  // "x" of "x/*", and "/y" of "*/y".
  bool every = false;
  bool main_only = false;
  for (size_t i = 0; i < resources.size(); ++i) {
    const std::string text(resources[i].AsString());
    if (text.empty()) {
      errors.push_back(rules::Required(At(field, i)));
      continue;
    }
    every = every || text == "*/*";
    main_only = main_only || text == "*";
    const size_t slash = text.find('/');
    const std::string resource = text.substr(0, slash);
    const std::string sub = slash == text.npos ? "" : text.substr(slash + 1);
    if (whole.contains(resource)) {
      errors.push_back(rules::Invalid(
          At(field, i), text, StrCat("if '", resource, "/*' is present, must not specify ", text)));
    }
    if (whole.contains("/" + sub)) {
      errors.push_back(rules::Invalid(
          At(field, i), text, StrCat("if '*/", sub, "' is present, must not specify ", text)));
    }
    if (sub == "*") whole.insert(resource);
    if (resource == "*" && slash != text.npos) whole.insert("/" + sub);
  }
  if (every && resources.size() > 1) {
    errors.push_back(
        rules::Invalid(field, resources, "if '*/*' is present, must not specify other resources"));
  }
  const bool others =
      std::any_of(resources.items().begin(), resources.items().end(), [](const Json& item) {
        return item.AsString() != "*" && item.AsString().find('/') == std::string_view::npos;
      });
  if (main_only && others) {
    errors.push_back(
        rules::Invalid(field, resources,
                       "if '*' is present, must not specify other resources without subresources"));
  }
}

void CheckRequirement(const Json& requirement, const std::string& field, FieldErrors& errors) {
  const std::string_view op = requirement["operator"].AsString();
  const Json& values = requirement["values"];
  if (op == "In" || op == "NotIn") {
    if (values.empty()) {
      errors.push_back(rules::Required(field + ".values",
                                       "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty()) {
      errors.push_back(rules::Forbidden(
          field + ".values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    }
  } else {
    errors.push_back(rules::Invalid(field + ".operator", op, "not a valid selector operator"));
  }
  for (const std::string& why : rules::CheckQualifiedName(requirement["key"].AsString())) {
    errors.push_back(rules::Invalid(field + ".key", requirement["key"], why));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    for (const std::string& why : rules::CheckLabelValue(values[i].AsString())) {
      errors.push_back(rules::Invalid(At(field + ".values", i), values[i], why));
    }
  }
}

}  // namespace

void DefaultRules(Json& rules) {
  if (!rules.is_array()) return;
  for (Json& rule : rules.MutableItems()) {
    if (rule.is_object()) rules::SetIfAbsent(rule, "scope", "*");
  }
}

void DefaultMatchTerms(Json& terms) {
  rules::SetIfAbsent(terms, "matchPolicy", "Equivalent");
  rules::SetIfAbsent(terms, "namespaceSelector", Json::MakeObject());
  rules::SetIfAbsent(terms, "objectSelector", Json::MakeObject());
}

void CheckChoice(const Json& value, std::string_view field,
                 const std::vector<std::string_view>& allowed, FieldErrors& errors) {
  if (value.is_null()) return;
  if (std::find(allowed.begin(), allowed.end(), value.AsString()) == allowed.end()) {
    errors.push_back(rules::NotSupported(std::string(field), value, allowed));
  }
}

void CheckRule(const Json& rule, const std::string& field, FieldErrors& errors) {
  CheckOperations(rule["operations"], field + ".operations", errors);
  CheckNamesOrAll(rule["apiGroups"], field + ".apiGroups", "API groups", errors);
  const Json& versions = rule["apiVersions"];
  CheckNamesOrAll(versions, field + ".apiVersions", "API versions", errors);
  for (size_t i = 0; i < versions.size(); ++i) {
    if (versions[i].AsString().empty()) {
      errors.push_back(rules::Required(At(field + ".apiVersions", i)));
    }
  }
  CheckResourceNames(rule["resources"], field + ".resources", errors);
  CheckChoice(rule["scope"], field + ".scope", {"*", "Cluster", "Namespaced"}, errors);
}

void CheckLabelSelector(const Json& selector, const std::string& field, FieldErrors& errors) {
  for (const auto& [key, value] : selector["matchLabels"].members()) {
    for (const std::string& why : rules::CheckQualifiedName(key)) {
      errors.push_back(rules::Invalid(field + ".matchLabels", key, why));
    }
    for (const std::string& why : rules::CheckLabelValue(value.AsString())) {
      errors.push_back(rules::Invalid(field + ".matchLabels", value, why));
    }
  }
  const Json& requirements = selector["matchExpressions"];
  for (size_t i = 0; i < requirements.size(); ++i) {
    CheckRequirement(requirements[i], At(field + ".matchExpressions", i), errors);
  }
}

void CheckConditions(const Json& conditions, const std::string& field, const CheckExpression& check,
                     FieldErrors& errors) {
  if (conditions.size() > kConditionsMax) {
    errors.push_back({rules::FieldFault::kTooMany, field,
                      Json(static_cast<int64_t>(conditions.size())),
                      StrCat("must have at most ", kConditionsMax, " items")});
    return;
  }
  std::set<std::string_view> names;
  for (size_t i = 0; i < conditions.size(); ++i) {
    const std::string at = At(field, i);
    const std::string_view name = conditions[i]["name"].AsString();
    const std::string_view source = conditions[i]["expression"].AsString();
    if (source.find_first_not_of(" \t\r\n") == source.npos) {
      errors.push_back(rules::Required(at + ".expression"));
    } else if (absl::Status fault = check(source); !fault.ok()) {
      errors.push_back(
          rules::Invalid(at + ".expression", source, std::string(ToStd(fault.message()))));
    }
    if (name.empty()) {
      errors.push_back(rules::Required(at + ".name"));
      continue;
    }
    for (const std::string& why : rules::CheckQualifiedName(name)) {
      errors.push_back(rules::Invalid(at + ".name", name, why));
    }
    if (!names.insert(name).second) errors.push_back(rules::Duplicate(at + ".name", name));
  }
}

}  // namespace bth::apiserver
