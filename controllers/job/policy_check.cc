#include "controllers/job/policy_check.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admission/rules/lifecycle_policies.h"
#include "base/status.h"
#include "base/strings.h"
#include "base/suggest.h"

namespace bth::controllers {
namespace {

using admission::PolicyFault;
using admission::PolicyFinding;
using Names = std::vector<std::string_view>;

// The nearest of the words that may stand there, unless the policy names one that is internal.
template <class Word>
std::string Remedy(const std::string& word, const Names& names) {
  const bool unheard = types::ParseWord<Word>(word) == Word::kOther;
  return StrCat(unheard ? DidYouMean(word, names) : "", "; there are ", ListOf(names));
}

Names PolicyActionNames() {
  const std::span<const std::string_view> known = types::PolicyActions();
  return Names(known.begin(), known.end());
}

// The webhook's words for what is wrong, with the place and what to do about it.
std::string Told(const PolicyFinding& finding, const std::string& list) {
  const std::string place = StrCat(list, "[", finding.index, "]");
  const auto told = [&finding](const std::string& at, std::string_view remedy) {
    return StrCat(at, ": ", admission::PolicyText(finding, at), remedy);
  };
  switch (finding.fault) {
    case PolicyFault::kEventAndExitCode:
      return told(place, ": make two policies of it");
    case PolicyFault::kNoTrigger:
      return told(place, ": add one of them");
    case PolicyFault::kUnknownEvent:
      return admission::PolicyText(finding, place + ".event") +
             Remedy<types::BusEvent>(finding.word, admission::PolicyEvents());
    case PolicyFault::kUnknownAction:
      return admission::PolicyText(finding, place + ".action") +
             Remedy<types::BusAction>(finding.word, PolicyActionNames());
    case PolicyFault::kRepeatedEvent:
    case PolicyFault::kRepeatedExitCode:
      return told(place, ": the first one decides, remove the other");
    case PolicyFault::kZeroExitCode:
      return told(place + ".exitCode",
                  ": pods that end with it have succeeded (event TaskCompleted)");
    case PolicyFault::kNotAlone:
      return told(list, "");
  }
  return list;
}

absl::Status CheckList(const std::string& place,
                       const std::vector<types::LifecyclePolicy>& policies) {
  const std::vector<PolicyFinding> findings = admission::CheckPolicies(policies);
  if (findings.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(Told(findings.front(), place));
}

}  // namespace

absl::Status CheckPolicies(const types::BatchJobSpec& spec) {
  for (size_t i = 0; i < spec.tasks.size(); ++i) {
    const std::vector<types::LifecyclePolicy>& policies = spec.tasks[i].policies;
    if (policies.empty()) continue;
    BTH_RETURN_IF_ERROR(CheckList(StrCat("spec.tasks[", i, "].policies"), policies));
  }
  return CheckList("spec.policies", spec.policies);
}

}  // namespace bth::controllers
