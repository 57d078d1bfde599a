#include "admission/rules/lifecycle_policies.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>

#include "api/rules/field_error.h"
#include "api/types/json.h"
#include "base/strings.h"

namespace bth::admission {
namespace {

using types::BusAction;
using types::BusEvent;
using types::Json;
using types::LifecyclePolicy;
using Words = std::vector<std::string_view>;

// What the policies of one list have answered so far.
struct Answered {
  std::set<std::string_view> events;
  std::set<int32_t> exit_codes;
};

bool MayBeWaitedFor(const types::Word<BusEvent>& event) {
  return !event.empty() && event.value() != BusEvent::kOther && !types::IsInternal(event.value());
}

bool MayBeDone(const types::Word<BusAction>& action) {
  return !action.empty() && action.value() != BusAction::kOther &&
         !types::IsInternal(action.value());
}

std::optional<PolicyFinding> CheckEvents(const LifecyclePolicy& policy, Answered* seen) {
  std::vector<types::Word<BusEvent>> events = policy.events;
  if (!policy.event.empty()) events.push_back(policy.event);
  std::set<std::string> own;
  for (const types::Word<BusEvent>& event : events) {
    const std::string name(event.text());
    if (!own.insert(name).second) continue;
    if (!MayBeWaitedFor(event)) return PolicyFinding{PolicyFault::kUnknownEvent, 0, name};
    if (!MayBeDone(policy.action)) {
      return PolicyFinding{PolicyFault::kUnknownAction, 0, std::string(policy.action.text())};
    }
    // The vocabulary's own text lives as long as the program.
    const auto [at, added] = seen->events.insert(types::WordText(event.value()));
    if (!added) return PolicyFinding{PolicyFault::kRepeatedEvent, 0, name};
  }
  return std::nullopt;
}

std::optional<PolicyFinding> CheckPolicy(const LifecyclePolicy& policy, Answered* seen) {
  const bool has_event = !policy.event.empty() || !policy.events.empty();
  if (has_event && policy.exit_code.has_value()) {
    return PolicyFinding{PolicyFault::kEventAndExitCode, 0, ""};
  }
  if (has_event) return CheckEvents(policy, seen);
  if (!policy.exit_code.has_value()) return PolicyFinding{PolicyFault::kNoTrigger, 0, ""};
  if (*policy.exit_code == 0) return PolicyFinding{PolicyFault::kZeroExitCode, 0, "0"};
  if (seen->exit_codes.insert(*policy.exit_code).second) return std::nullopt;
  return PolicyFinding{PolicyFault::kRepeatedExitCode, 0, StrCat(*policy.exit_code)};
}

// "[a b c]"
std::string Listed(Words words) {
  std::sort(words.begin(), words.end());
  std::string text = "[";
  for (const std::string_view word : words) StrAppend(&text, text.size() > 1 ? " " : "", word);
  return text + "]";
}

}  // namespace

std::vector<PolicyFinding> CheckPolicies(const std::vector<LifecyclePolicy>& policies) {
  std::vector<PolicyFinding> findings;
  Answered seen;
  for (size_t i = 0; i < policies.size() && findings.empty(); ++i) {
    std::optional<PolicyFinding> finding = CheckPolicy(policies[i], &seen);
    if (!finding) continue;
    finding->index = i;
    findings.push_back(*std::move(finding));
  }
  if (seen.events.size() > 1 && seen.events.contains("*")) {
    findings.push_back({PolicyFault::kNotAlone, 0, "*"});
  }
  return findings;
}

std::string PolicyText(const PolicyFinding& finding, std::string_view path) {
  const std::string& word = finding.word;
  switch (finding.fault) {
    case PolicyFault::kEventAndExitCode:
      return "must not specify event and exitCode simultaneously";
    case PolicyFault::kNoTrigger:
      return "either event and exitCode should be specified";
    case PolicyFault::kUnknownEvent:
      return rules::Invalid(std::string(path), Json(word), "invalid policy event").ToString();
    case PolicyFault::kUnknownAction:
      return rules::Invalid(std::string(path), Json(word), "invalid policy action").ToString();
    case PolicyFault::kRepeatedEvent:
      return StrCat("duplicate event ", word, "  across different policy");
    case PolicyFault::kZeroExitCode:
      return "0 is not a valid error code";
    case PolicyFault::kRepeatedExitCode:
      return StrCat("duplicate exitCode ", word);
    case PolicyFault::kNotAlone:
      return "if there's * here, no other policy should be here";
  }
  return "";
}

std::string PoliciesText(const std::vector<PolicyFinding>& findings, std::string_view path) {
  if (findings.empty()) return "";
  std::string text =
      StrCat(findings.size(), findings.size() == 1 ? " error" : " errors", " occurred:");
  for (const PolicyFinding& finding : findings) {
    StrAppend(&text, "\n\t* ", PolicyText(finding, path));
  }
  const std::span<const std::string_view> actions = types::PolicyActions();
  StrAppend(&text, "\n\n valid events are ", Listed(PolicyEvents()), ", valid actions are ",
            Listed(Words(actions.begin(), actions.end())), ";");
  return text;
}

std::vector<std::string_view> PolicyEvents() {
  Words names;
  for (const std::string_view name : types::KnownWords<BusEvent>()) {
    if (!types::IsInternal(types::ParseWord<BusEvent>(name))) names.push_back(name);
  }
  return names;
}

}  // namespace bth::admission
