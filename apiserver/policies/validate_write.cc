#include "apiserver/policies/validate_write.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "apiserver/policies/lazy_variables.h"
#include "apiserver/policies/params.h"
#include "apiserver/rest/errors.h"
#include "base/strings.h"
#include "cel/kubernetes/environment.h"

namespace bth::apiserver {
namespace {

constexpr size_t kDenialBytesMax = 5 * 1024;
constexpr char kAuditKey[] = "validation.policy.admission.k8s.io/validation_failure";

// A validation that does not hold, or an expression that could not be told.
struct Failure {
  std::string message;
  std::string reason;  // Empty: Invalid.
  bool is_error = false;
  bool always_denies = false;  // Whatever the actions of the binding are.
};

int CodeOf(std::string_view reason) {
  if (reason == "Forbidden") return 403;
  if (reason == "Unauthorized") return 401;
  if (reason == "RequestEntityTooLarge") return 413;
  return 422;
}

absl::Status Denial(const WriteContext& write, const std::string& message,
                    const std::string& reason) {
  const Subject subject{write.type->group, write.type->plural, write.type->kind, write.name};
  Json document = StatusDocument(Forbidden(subject, message));
  const std::string shown = reason.empty() ? "Invalid" : reason;
  document.Set("reason", shown);
  document.Set("code", CodeOf(shown));
  document["details"].Set("causes", Json::MakeArray({Json::MakeObject({{"message", message}})}));
  return RefusedWith(std::move(document));
}

// What a text is worth as a message; empty: nothing.
std::string UsableMessage(const absl::StatusOr<cel::Value>& value) {
  if (!value.ok() || !value->is(cel::ValueKind::kString)) return "";
  std::string_view text = value->AsString();
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos) return "";
  text = text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
  const bool fits = text.size() <= kDenialBytesMax && text.find('\n') == text.npos;
  return fits ? std::string(text) : "";
}

std::string Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1));
}

// One policy for one binding and one object of parameters.
class PolicyRun {
 public:
  PolicyRun(const Policy& policy, const WriteDocuments& documents, const Json* params)
      : policy_(policy), names_(documents), budget_(cel::kRuntimeBudget) {
    names_.SetParams(params);
    RenewBudget();
  }
  PolicyRun(const PolicyRun&) = delete;
  // The variables refer to the names, which hold them.
  ~PolicyRun() { names_.SetVariables(nullptr); }

  absl::StatusOr<bool> Matches() const {
    if (!policy_.broken.ok()) return policy_.broken;
    return policy_.conditions.Hold(names_);
  }

  std::vector<Failure> Failures() {
    std::vector<Failure> failures;
    for (const Validation& validation : policy_.validations) {
      const absl::StatusOr<cel::Value> value = Evaluate(validation.expression, names_, budget_);
      if (!value.ok()) {
        if (policy_.ignores_failure) continue;
        failures.push_back({std::string(ToStd(value.status().message())), "", true});
      } else if (!value->is(cel::ValueKind::kBool) || !value->AsBool()) {
        failures.push_back({MessageOf(validation), validation.reason});
      }
    }
    return failures;
  }

  // What was asked cost more than it may: then nothing else is asked.
  bool is_spent() const { return budget_.spent(); }

  // Keeps what there is to say; what cannot be told comes behind what the validations found.
  void Annotate(const WriteContext& write, AuditTrail& audit, std::vector<Failure>* failures) {
    if (policy_.annotations.empty()) return;
    RenewBudget();
    for (const PolicyAnnotation& annotation : policy_.annotations) {
      const absl::StatusOr<cel::Value> value = Evaluate(annotation.value, names_, budget_);
      if (!value.ok() && !policy_.ignores_failure) {
        // What annotations cost is for the binding to judge, as it is with validations.
        failures->push_back({std::string(ToStd(value.status().message())), "", true, !is_spent()});
      }
      if (is_spent()) return;
      // null means that there is nothing to say.
      if (!value.ok() || !value->is(cel::ValueKind::kString)) continue;
      const std::string text = Trimmed(value->AsString());
      if (!text.empty()) audit.Add(write, StrCat(policy_.name, "/", annotation.key), text);
    }
  }

 private:
  // With variables that are yet to be computed, and paid for.
  void RenewBudget() {
    budget_ = Budget(cel::kRuntimeBudget);
    variables_ = std::make_shared<LazyVariables>(policy_, names_, budget_);
    names_.SetVariables(variables_);
  }

  std::string MessageOf(const Validation& validation) {
    if (validation.message_expression.has_value()) {
      std::string text = UsableMessage(Evaluate(*validation.message_expression, names_, budget_));
      if (!text.empty()) return text;
    }
    if (!validation.message.empty()) return Trimmed(validation.message);
    return StrCat("failed expression: ", Trimmed(validation.expression.source));
  }

  const Policy& policy_;
  WriteVariables names_;
  Budget budget_;
  std::shared_ptr<LazyVariables> variables_;
};

// All policies over one write.
class Verdict {
 public:
  Verdict(const PolicyBook& book, WriteContext& write)
      : book_(book), write_(write), target_(TargetOf(write)) {}

  absl::Status Reach() {
    for (const auto& [name, policy] : book_.policies()) Ask(*policy);
    return std::move(denial_);
  }

 private:
  void Ask(const Policy& policy) {
    const std::vector<BindingPtr> bindings = book_.BindingsOf(policy.name);
    if (bindings.empty() || !policy.terms.MayMatch(write_)) return;
    const Core& core = book_.outside().core;
    const absl::StatusOr<ResourceTypePtr> as = policy.terms.Match(core, target_);
    if (!as.ok()) return Misconfigured(policy, nullptr, "policy", as.status());
    if (*as == nullptr) return;
    for (const BindingPtr& binding : bindings) AskFor(policy, *binding, *as);
  }

  void AskFor(const Policy& policy, const PolicyBinding& binding, const ResourceTypePtr& as) {
    const Core& core = book_.outside().core;
    if (binding.terms.has_value()) {
      const absl::StatusOr<ResourceTypePtr> bound = binding.terms->Match(core, target_);
      if (!bound.ok()) return Misconfigured(policy, &binding, "binding", bound.status());
      if (*bound == nullptr) return;
    }
    const auto params = ParamsOf(core, policy, binding, target_);
    if (!params.ok()) return Misconfigured(policy, &binding, "binding", params.status());
    for (const auto& param : *params) {
      PolicyRun run(policy, DocumentsAs(as), param.get());
      Run(policy, binding, run);
    }
  }

  void Run(const Policy& policy, const PolicyBinding& binding, PolicyRun& run) {
    // Wall time only for a metric.
    const auto start = std::chrono::steady_clock::now();
    const absl::StatusOr<bool> matches = run.Matches();
    const AdmissionMetrics::Condition labels{policy.name, "policy", "validate", target_.operation};
    std::vector<Failure> failures;
    if (!matches.ok()) {
      book_.outside().metrics.ConditionFailed(labels);
      if (policy.ignores_failure) return;
      failures.push_back({std::string(ToStd(matches.status().message())), "", true});
    } else if (!*matches) {
      book_.outside().metrics.ConditionExcluded(labels);
      return;
    } else {
      failures = run.Failures();
      if (!run.is_spent()) run.Annotate(write_, book_.outside().audit, &failures);
    }
    for (const Failure& failure : failures) Enforce(policy, binding, failure);
    const bool error = std::any_of(failures.begin(), failures.end(),
                                   [](const Failure& failure) { return failure.is_error; });
    const bool denies =
        binding.denies || std::any_of(failures.begin(), failures.end(),
                                      [](const Failure& failure) { return failure.always_denies; });
    const auto took = std::chrono::steady_clock::now() - start;
    book_.outside().metrics.Checked({policy.name, binding.name,
                                     error ? "invalid_error" : "no_error",
                                     failures.empty() ? "allow"
                                     : denies         ? "deny"
                                     : binding.warns  ? "warn"
                                                      : "audit",
                                     absl::FromChrono(took)});
  }

  void Enforce(const Policy& policy, const PolicyBinding& binding, const Failure& failure) {
    if (failure.always_denies) return Deny(policy, &binding, failure.message, failure.reason);
    if (binding.denies) Deny(policy, &binding, failure.message, failure.reason);
    if (binding.audits) {
      const Json note =
          Json::MakeArray({Json::MakeObject({{"message", failure.message},
                                             {"policy", policy.name},
                                             {"binding", binding.name},
                                             {"validationActions", Json::MakeArray({"Audit"})}})});
      book_.outside().audit.Add(write_, kAuditKey, note.Dump());
    }
    if (binding.warns) {
      AddWarning(write_, StrCat("Validation failed for ValidatingAdmissionPolicy '", policy.name,
                                "' with binding '", binding.name, "': ", failure.message));
    }
  }

  void Misconfigured(const Policy& policy, const PolicyBinding* binding, std::string_view what,
                     const absl::Status& why) {
    if (policy.ignores_failure) return;
    Deny(policy, binding, StrCat("failed to configure ", what, ": ", ToStd(why.message())), "");
  }

  void Deny(const Policy& policy, const PolicyBinding* binding, const std::string& message,
            const std::string& reason) {
    if (!denial_.ok()) return;
    const std::string with =
        binding == nullptr ? "" : StrCat(" with binding '", binding->name, "'");
    denial_ = Denial(
        write_,
        StrCat("ValidatingAdmissionPolicy '", policy.name, "'", with, " denied request: ", message),
        reason);
  }

  const WriteDocuments& DocumentsAs(const ResourceTypePtr& as) {
    std::unique_ptr<WriteDocuments>& documents = documents_[as.get()];
    if (documents == nullptr) {
      documents = std::make_unique<WriteDocuments>(book_.outside().core, target_, as, true);
    }
    return *documents;
  }

  const PolicyBook& book_;
  WriteContext& write_;
  const Target target_;
  std::map<const ResourceType*, std::unique_ptr<WriteDocuments>> documents_;
  absl::Status denial_;
};

}  // namespace

absl::Status ValidateByPolicies(const PolicyBook& book, WriteContext& write) {
  return Verdict(book, write).Reach();
}

}  // namespace bth::apiserver
