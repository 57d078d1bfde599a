#include "controllers/job/policy_check.h"

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "base/suggest.h"

namespace bth::controllers {
namespace {

using types::BusAction;
using types::BusEvent;
using types::LifecyclePolicy;
using EventWord = types::Word<BusEvent>;
using Names = std::vector<std::string_view>;

template <typename... Parts>
absl::Status WrongPolicy(const Parts&... parts) {
  return absl::InvalidArgumentError(StrCat(parts...));
}

Names PolicyEvents() {
  Names names;
  for (const std::string_view name : types::KnownWords<BusEvent>()) {
    if (!types::IsInternal(types::ParseWord<BusEvent>(name))) names.push_back(name);
  }
  return names;
}

absl::Status CheckEvent(const std::string& place, const EventWord& event) {
  if (event.value() != BusEvent::kOther && !types::IsInternal(event.value())) {
    return absl::OkStatus();
  }
  const Names names = PolicyEvents();
  return WrongPolicy(place, ".event: Invalid value: \"", event.text(), "\": invalid policy event",
                     event == BusEvent::kOther ? DidYouMean(event.text(), names) : "",
                     "; there are ", ListOf(names));
}

absl::Status CheckAction(const std::string& place, const types::Word<BusAction>& action) {
  const std::span<const std::string_view> known = types::PolicyActions();
  const Names names(known.begin(), known.end());
  for (const std::string_view name : names) {
    if (action.text() == name) return absl::OkStatus();
  }
  return WrongPolicy(place, ".action: Invalid value: \"", action.text(),
                     "\": invalid policy action",
                     action == BusAction::kOther ? DidYouMean(action.text(), names) : "",
                     "; there are ", ListOf(names));
}

// What the policies of one list have answered so far.
struct Answered {
  std::set<std::string_view> events;
  std::set<int32_t> exit_codes;
};

absl::Status CheckEvents(const std::string& place, const LifecyclePolicy& policy, Answered* seen) {
  std::set<std::string_view> own;
  const auto take = [&](const EventWord& event) -> absl::Status {
    if (event.empty()) return absl::OkStatus();
    BTH_RETURN_IF_ERROR(CheckEvent(place, event));
    if (!own.insert(event.text()).second) return absl::OkStatus();
    if (seen->events.insert(event.text()).second) return absl::OkStatus();
    return WrongPolicy(place, ": duplicate event ", event.text(),
                       "  across different policy: the first one decides, remove the other");
  };
  for (const EventWord& event : policy.events) BTH_RETURN_IF_ERROR(take(event));
  BTH_RETURN_IF_ERROR(take(policy.event));
  return CheckAction(place, policy.action);
}

absl::Status CheckPolicy(const std::string& place, const LifecyclePolicy& policy, Answered* seen) {
  const bool has_event = !policy.event.empty() || !policy.events.empty();
  if (has_event && policy.exit_code.has_value()) {
    return WrongPolicy(place,
                       ": must not specify event and exitCode simultaneously: make two policies "
                       "of it");
  }
  if (has_event) return CheckEvents(place, policy, seen);
  if (!policy.exit_code.has_value()) {
    return WrongPolicy(place, ": either event and exitCode should be specified: add one of them");
  }
  if (*policy.exit_code == 0) {
    return WrongPolicy(place,
                       ".exitCode: 0 is not a valid error code: pods that end with it have "
                       "succeeded (event TaskCompleted)");
  }
  if (!seen->exit_codes.insert(*policy.exit_code).second) {
    return WrongPolicy(place, ": duplicate exitCode ", *policy.exit_code,
                       ": the first one decides, remove the other");
  }
  return absl::OkStatus();
}

absl::Status CheckList(const std::string& place, const std::vector<LifecyclePolicy>& policies) {
  Answered seen;
  for (size_t i = 0; i < policies.size(); ++i) {
    BTH_RETURN_IF_ERROR(CheckPolicy(StrCat(place, "[", i, "]"), policies[i], &seen));
  }
  if (seen.events.size() > 1 && seen.events.contains("*")) {
    return WrongPolicy(place, ": if there's * here, no other policy should be here");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckPolicies(const types::BatchJobSpec& spec) {
  for (size_t i = 0; i < spec.tasks.size(); ++i) {
    const std::vector<LifecyclePolicy>& policies = spec.tasks[i].policies;
    if (policies.empty()) continue;
    BTH_RETURN_IF_ERROR(CheckList(StrCat("spec.tasks[", i, "].policies"), policies));
  }
  return CheckList("spec.policies", spec.policies);
}

}  // namespace bth::controllers
