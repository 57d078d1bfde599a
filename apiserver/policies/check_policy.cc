#include "apiserver/policies/check_policy.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "api/rules/names.h"
#include "api/rules/pod_defaults.h"
#include "apiserver/policies/policy.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

using rules::FieldErrors;

constexpr size_t kAnnotationsMax = 20;
constexpr size_t kAnnotationSourceBytesMax = 5 * 1024;

std::string Item(std::string_view field, size_t index) {
  return StrCat(field, "[", index, "]");
}

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == text.npos;
}

void DefaultMatchResources(Json* terms) {
  if (terms == nullptr || !terms->is_object()) return;
  DefaultMatchTerms(*terms);
  for (const char* key : {"resourceRules", "excludeResourceRules"}) {
    if (Json* list = terms->Find(key)) DefaultRules(*list);
  }
}

bool IsCelIdentifier(std::string_view name) {
  static constexpr std::string_view kReserved[] = {
      "true",     "false",   "null",      "in",       "as",  "break",  "const",
      "continue", "else",    "for",       "function", "if",  "import", "let",
      "loop",     "package", "namespace", "return",   "var", "void",   "while"};
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) return false;
  const bool letters = std::all_of(name.begin(), name.end(), [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  return letters &&
         std::find(std::begin(kReserved), std::end(kReserved), name) == std::end(kReserved);
}

void CheckNamedRule(const Json& rule, const std::string& field, FieldErrors& errors) {
  const Json& names = rule["resourceNames"];
  std::set<std::string_view> seen;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string at = Item(field + ".resourceNames", i);
    for (const std::string& why : rules::CheckPathSegment(names[i].AsString())) {
      errors.push_back(rules::Invalid(at, names[i], why));
    }
    if (!seen.insert(names[i].AsString()).second) {
      errors.push_back(rules::Duplicate(at, names[i]));
    }
  }
  CheckRule(rule, field, errors);
}

void CheckMatchResources(const Json& terms, const std::string& field, FieldErrors& errors) {
  CheckChoice(terms["matchPolicy"], field + ".matchPolicy", {"Equivalent", "Exact"}, errors);
  CheckLabelSelector(terms["namespaceSelector"], field + ".namespaceSelector", errors);
  CheckLabelSelector(terms["objectSelector"], field + ".objectSelector", errors);
  for (const char* key : {"resourceRules", "excludeResourceRules"}) {
    const Json& list = terms[key];
    for (size_t i = 0; i < list.size(); ++i) {
      CheckNamedRule(list[i], Item(StrCat(field, ".", key), i), errors);
    }
  }
}

// A mutation has nothing to do where an object goes away.
void CheckMutatingOperations(const Json& terms, const std::string& field, FieldErrors& errors) {
  for (const Json& rule : terms["resourceRules"].items()) {
    for (const Json& operation : rule["operations"].items()) {
      CheckChoice(operation, field + ".resourceRules.operations",
                  {"*", "CONNECT", "CREATE", "UPDATE"}, errors);
    }
  }
}

void CheckParamKind(const Json& kind, const std::string& field, FieldErrors& errors) {
  if (kind.is_null()) return;
  const std::string_view version = kind["apiVersion"].AsString();
  if (version.empty()) {
    errors.push_back(rules::Required(field + ".apiVersion"));
  } else if (std::count(version.begin(), version.end(), '/') > 1) {
    errors.push_back(rules::Invalid(field + ".apiVersion", version,
                                    StrCat("unexpected GroupVersion string: ", version)));
  } else {
    const size_t slash = version.find('/');
    const std::string_view name = slash == version.npos ? version : version.substr(slash + 1);
    const std::string_view group = slash == version.npos ? "" : version.substr(0, slash);
    const std::vector<std::string> faults =
        group.empty() ? std::vector<std::string>() : rules::CheckDnsSubdomain(group);
    for (const std::string& why : faults) {
      errors.push_back(rules::Invalid(field + ".apiVersion", group, why));
    }
    if (name.empty()) {
      errors.push_back(rules::Invalid(field + ".apiVersion", version, "version must be specified"));
    } else {
      for (const std::string& why : rules::CheckDns1035Label(name)) {
        errors.push_back(rules::Invalid(field + ".apiVersion", name, why));
      }
    }
  }
  std::string lower(kind["kind"].AsString());
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  if (lower.empty()) {
    errors.push_back(rules::Required(field + ".kind"));
    return;
  }
  for (const std::string& why : rules::CheckDns1035Label(lower)) {
    errors.push_back(
        rules::Invalid(field + ".kind", kind["kind"],
                       StrCat("may have mixed case, but should otherwise match: ", why)));
  }
}

// The expressions of an object as it was.
void CollectExpressions(const Json& value, std::set<std::string, std::less<>>& found) {
  for (const Json& item : value.items()) CollectExpressions(item, found);
  for (const auto& [key, member] : value.members()) {
    if (key == "expression" || key == "messageExpression" || key == "valueExpression") {
      found.emplace(member.AsString());
    }
    CollectExpressions(member, found);
  }
}

class SpecChecker {
 public:
  SpecChecker(const Json& policy, const Json* old)
      : policy_(policy), spec_(policy["spec"]), scope_(spec_) {
    if (old != nullptr) CollectExpressions((*old)["spec"], kept_);
  }

  FieldErrors Take() { return std::move(errors_); }

  void CheckCommon() {
    CheckChoice(spec_["failurePolicy"], "spec.failurePolicy", {"Fail", "Ignore"}, errors_);
    CheckParamKind(spec_["paramKind"], "spec.paramKind", errors_);
    const Json& terms = spec_["matchConstraints"];
    if (terms.is_null()) {
      errors_.push_back(rules::Required("spec.matchConstraints"));
    } else {
      CheckMatchResources(terms, "spec.matchConstraints", errors_);
      if (terms["resourceRules"].empty()) {
        errors_.push_back(rules::Required("spec.matchConstraints.resourceRules"));
      }
    }
    auto check = [this](std::string_view source) {
      return Judge(source, scope_.conditions(), ResultOfValidation());
    };
    CheckConditions(spec_["matchConditions"], "spec.matchConditions", check, errors_);
    CheckVariables();
  }

  void CheckValidations() {
    const Json& list = spec_["validations"];
    if (list.empty() && spec_["auditAnnotations"].empty()) {
      const std::string why = "validations or auditAnnotations must contain at least one item";
      errors_.push_back(rules::Required("spec.validations", why));
      errors_.push_back(rules::Required("spec.auditAnnotations", why));
      return;
    }
    for (size_t i = 0; i < list.size(); ++i) {
      CheckValidation(list[i], Item("spec.validations", i));
    }
    CheckAnnotations();
  }

  void CheckMutations() {
    const Json& list = spec_["mutations"];
    CheckMutatingOperations(spec_["matchConstraints"], "spec.matchConstraints", errors_);
    if (list.empty()) {
      errors_.push_back(
          rules::Required("spec.mutations", "mutations must contain at least one item"));
    }
    for (size_t i = 0; i < list.size(); ++i) CheckMutation(list[i], Item("spec.mutations", i));
    const Json& again = spec_["reinvocationPolicy"];
    if (again.AsString().empty()) {
      errors_.push_back(rules::Required("spec.reinvocationPolicy"));
    } else {
      CheckChoice(again, "spec.reinvocationPolicy", {"IfNeeded", "Never"}, errors_);
    }
  }

 private:
  absl::Status Judge(std::string_view source,
                     const std::shared_ptr<const cel::Environment>& environment,
                     const std::vector<cel::TypePtr>& results) const {
    if (kept_.contains(source)) return absl::OkStatus();
    return CompileExpression(source, environment, results).status();
  }

  void CheckExpressionAt(const Json& value, const std::string& field,
                         const std::vector<cel::TypePtr>& results) {
    const absl::Status fault = Judge(value.AsString(), scope_.environment(), results);
    if (!fault.ok()) {
      errors_.push_back(rules::Invalid(field, value, std::string(ToStd(fault.message()))));
    }
  }

  void CheckVariables() {
    const Json& list = spec_["variables"];
    for (size_t i = 0; i < list.size(); ++i) {
      const std::string at = Item("spec.variables", i);
      const Json& name = list[i]["name"];
      const Json& source = list[i]["expression"];
      if (IsBlank(name.AsString())) {
        errors_.push_back(rules::Required(at + ".name", "name is not specified"));
      } else if (!IsCelIdentifier(name.AsString())) {
        errors_.push_back(rules::Invalid(at + ".name", name, "must be a valid CEL identifier"));
      }
      if (IsBlank(source.AsString())) {
        errors_.push_back(rules::Required(at + ".expression", "expression is not specified"));
        continue;
      }
      const absl::Status fault = scope_.AddVariable(name.AsString(), source.AsString()).status();
      if (!fault.ok() && !kept_.contains(source.AsString())) {
        errors_.push_back(
            rules::Invalid(at + ".expression", source, std::string(ToStd(fault.message()))));
      }
    }
  }

  void CheckValidation(const Json& validation, const std::string& at) {
    const Json& source = validation["expression"];
    const Json& message_source = validation["messageExpression"];
    const Json& message = validation["message"];
    const std::string_view text = message.AsString();
    if (IsBlank(source.AsString())) {
      errors_.push_back(rules::Required(at + ".expression", "expression is not specified"));
    } else {
      CheckExpressionAt(source, at + ".expression", ResultOfValidation());
    }
    const bool has_message_source = !IsBlank(message_source.AsString());
    if (!message_source.AsString().empty() && !has_message_source) {
      errors_.push_back(rules::Invalid(at + ".messageExpression", message_source,
                                       "must be non-empty if specified"));
    } else if (has_message_source) {
      CheckExpressionAt(message_source, at + ".messageExpression", ResultOfMessage());
    }
    const std::string_view shown = source.AsString();
    if (!text.empty() && IsBlank(text)) {
      errors_.push_back(rules::Invalid(at + ".message", message, "must be non-empty if specified"));
    } else if (HasLines(text)) {
      errors_.push_back(rules::Invalid(at + ".message", message, "must not contain line breaks"));
    } else if (text.empty() && HasLines(shown) && !has_message_source) {
      errors_.push_back(rules::Required(
          at + ".message", "message must be specified if expression contains line breaks"));
    }
    CheckChoice(validation["reason"], at + ".reason",
                {"Forbidden", "Invalid", "RequestEntityTooLarge"}, errors_);
  }

  // Lines within; breaks at the ends do not count.
  static bool HasLines(std::string_view text) {
    const size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == text.npos) return false;
    const size_t end = text.find_last_not_of(" \t\r\n");
    return text.substr(begin, end - begin).find_first_of("\r\n") != text.npos;
  }

  void CheckAnnotations() {
    const Json& list = spec_["auditAnnotations"];
    if (list.size() > kAnnotationsMax) {
      errors_.push_back(
          rules::Invalid("spec.auditAnnotations", list,
                         StrCat("must not have more than ", kAnnotationsMax, " auditAnnotations")));
      return;
    }
    const std::string name(policy_["metadata"]["name"].AsString());
    std::set<std::string_view> keys;
    for (size_t i = 0; i < list.size(); ++i) {
      const std::string at = Item("spec.auditAnnotations", i);
      const std::string_view key = list[i]["key"].AsString();
      const Json& source = list[i]["valueExpression"];
      for (const std::string& why : rules::CheckQualifiedName(StrCat(name, "/", key))) {
        errors_.push_back(rules::Invalid(at + ".key", key, why));
      }
      if (IsBlank(source.AsString())) {
        errors_.push_back(
            rules::Required(at + ".valueExpression", "valueExpression is not specified"));
      } else if (source.AsString().size() > kAnnotationSourceBytesMax) {
        errors_.push_back(rules::Required(
            at + ".valueExpression",
            StrCat("must not exceed ", kAnnotationSourceBytesMax, " bytes in length")));
      } else {
        CheckExpressionAt(source, at + ".valueExpression", ResultOfAnnotation());
      }
      if (!keys.insert(key).second) errors_.push_back(rules::Duplicate(at + ".key", key));
    }
  }

  void CheckMutation(const Json& mutation, const std::string& at) {
    const std::string_view type = mutation["patchType"].AsString();
    const Json& patch = mutation["jsonPatch"];
    const Json& configuration = mutation["applyConfiguration"];
    if (type.empty()) {
      errors_.push_back(rules::Required(at + ".patchType"));
      return;
    }
    if (type != "JSONPatch" && type != "ApplyConfiguration") {
      CheckChoice(mutation["patchType"], at + ".patchType", {"ApplyConfiguration", "JSONPatch"},
                  errors_);
      return;
    }
    const bool is_patch = type == "JSONPatch";
    const std::string mine = is_patch ? "jsonPatch" : "applyConfiguration";
    const std::string other = is_patch ? "applyConfiguration" : "jsonPatch";
    const Json& wanted = is_patch ? patch : configuration;
    if (wanted.is_null()) {
      errors_.push_back(rules::Required(StrCat(at, ".", mine),
                                        StrCat("must be specified when patchType is ", type)));
    } else if (IsBlank(wanted["expression"].AsString())) {
      errors_.push_back(rules::Required(StrCat(at, ".", mine, ".expression")));
    } else {
      CheckExpressionAt(wanted["expression"], StrCat(at, ".", mine, ".expression"),
                        is_patch ? ResultOfPatch() : ResultOfConfiguration());
    }
    if (!(is_patch ? configuration : patch).is_null()) {
      errors_.push_back(rules::Invalid(StrCat(at, ".", other), StrCat("{", other, "}"),
                                       StrCat("must not be specified when patchType is ", type)));
    }
  }

  const Json& policy_;
  const Json& spec_;
  PolicyScope scope_;
  std::set<std::string, std::less<>> kept_;
  FieldErrors errors_;
};

void CheckParamRef(const Json& ref, const std::string& field, FieldErrors& errors) {
  if (ref.is_null()) return;
  const std::string_view name = ref["name"].AsString();
  const Json& selector = ref["selector"];
  if (!name.empty()) {
    for (const std::string& why : rules::CheckPathSegment(name)) {
      errors.push_back(rules::Invalid(field + ".name", name, why));
    }
    if (!selector.is_null()) {
      errors.push_back(
          rules::Forbidden(field + ".name", "name and selector are mutually exclusive"));
      errors.push_back(
          rules::Forbidden(field + ".selector", "name and selector are mutually exclusive"));
    }
  }
  CheckLabelSelector(selector, field + ".selector", errors);
  if (name.empty() && selector.is_null()) {
    errors.push_back(rules::Required(field, "one of name or selector must be specified"));
  }
  const Json& action = ref["parameterNotFoundAction"];
  if (action.AsString().empty()) {
    errors.push_back(rules::Required(field + ".parameterNotFoundAction"));
  } else {
    CheckChoice(action, field + ".parameterNotFoundAction", {"Deny", "Allow"}, errors);
  }
}

void CheckActions(const Json& actions, const std::string& field, FieldErrors& errors) {
  std::set<std::string_view> seen;
  for (size_t i = 0; i < actions.size(); ++i) {
    CheckChoice(actions[i], Item(field, i), {"Audit", "Deny", "Warn"}, errors);
    if (!seen.insert(actions[i].AsString()).second) {
      errors.push_back(rules::Duplicate(Item(field, i), actions[i]));
    }
  }
  if (seen.contains("Deny") && seen.contains("Warn")) {
    errors.push_back(rules::Invalid(
        field, actions,
        "must not contain both Deny and Warn (repeating the same validation failure information "
        "in the API response and headers serves no purpose)"));
  }
  if (actions.empty()) {
    errors.push_back(rules::Required(field, "at least one validation action is required"));
  }
}

}  // namespace

void DefaultPolicy(Json& policy) {
  Json* spec = policy.Find("spec");
  if (spec == nullptr || !spec->is_object()) return;
  rules::SetIfAbsent(*spec, "failurePolicy", "Fail");
  DefaultMatchResources(spec->Find("matchConstraints"));
}

void DefaultBinding(Json& binding) {
  Json* spec = binding.Find("spec");
  if (spec != nullptr && spec->is_object()) DefaultMatchResources(spec->Find("matchResources"));
}

rules::FieldErrors CheckPolicy(const Json& policy, const Json* old, bool mutating) {
  const Json& spec = policy["spec"];
  for (const char* key : {"variables", "validations", "mutations", "auditAnnotations"}) {
    if (spec[key].size() <= kItemsMax) continue;
    return {{rules::FieldFault::kTooMany, StrCat("spec.", key),
             Json(static_cast<int64_t>(spec[key].size())),
             StrCat("must have at most ", kItemsMax, " items")}};
  }
  SpecChecker checker(policy, old);
  checker.CheckCommon();
  mutating ? checker.CheckMutations() : checker.CheckValidations();
  return checker.Take();
}

rules::FieldErrors CheckBinding(const Json& binding, bool mutating) {
  FieldErrors errors;
  const Json& spec = binding["spec"];
  const std::string_view policy = spec["policyName"].AsString();
  if (policy.empty()) {
    errors.push_back(rules::Required("spec.policyName"));
  } else {
    for (const std::string& why : rules::CheckDnsSubdomain(policy)) {
      errors.push_back(rules::Invalid("spec.policyName", policy, why));
    }
  }
  CheckParamRef(spec["paramRef"], "spec.paramRef", errors);
  if (const Json& terms = spec["matchResources"]; !terms.is_null()) {
    CheckMatchResources(terms, "spec.matchResources", errors);
    if (mutating) CheckMutatingOperations(terms, "spec.matchResources", errors);
  }
  if (!mutating) CheckActions(spec["validationActions"], "spec.validationActions", errors);
  return errors;
}

}  // namespace bth::apiserver
