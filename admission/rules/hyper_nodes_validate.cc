#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "admission/rules/member_pattern.h"
#include "admission/rules/rules.h"
#include "admission/rules/typed_object.h"
#include "api/rules/field_error.h"
#include "api/types/hyper_node.h"
#include "base/strings.h"

namespace bth::admission {
namespace {

constexpr std::string_view kMembersField = "[].spec.members";
constexpr std::string_view kPatternField = "[].spec.members.selector.regexMatch.pattern";

// Instructions of all compiled patterns together, and what one that does not compile counts as:
// compiling takes time in proportion. It is some seconds' worth of none, and thousands of ordinary
// patterns.
constexpr int kPatternWorkMax = 1'000'000;
constexpr int kFaultyPatternWork = 1'000;
constexpr size_t kPatternFaultsMax = 100;

rules::FieldError NoMembers(const Request& request) {
  // Absent, null and empty are told apart only here.
  const bool is_list =
      request.object != nullptr && request.object->At({"spec", "members"}).is_array();
  return rules::Invalid(std::string(kMembersField), is_list ? Json(Json::Array()) : Json(),
                        "member must have at least one member");
}

rules::FieldErrors CheckPatterns(const types::HyperNode& hyper_node) {
  rules::FieldErrors errors;
  int work = 0;
  std::map<std::string_view, bool> known;
  for (const types::HyperNodeMember& member : hyper_node.members) {
    const std::string& pattern = member.regex_pattern;
    // One finding per text: others like it would be left out of the message anyway.
    if (pattern.empty() || !known.emplace(pattern, true).second) continue;
    const auto compiled = CompilePattern(pattern);
    work += compiled.ok() ? (*compiled)->ProgramSize() : kFaultyPatternWork;
    if (!compiled.ok()) {
      errors.push_back(rules::Invalid(
          std::string(kPatternField), pattern,
          StrCat("member regexMatch pattern is invalid: ", ToStd(compiled.status().message()))));
    }
    if (work > kPatternWorkMax) {
      errors.push_back(rules::Forbidden(std::string(kMembersField),
                                        "the patterns of all members together are too large"));
    }
    if (work > kPatternWorkMax || errors.size() >= kPatternFaultsMax) break;
  }
  return errors;
}

}  // namespace

Verdict ValidateHyperNode(const Request& request, const Settings&, const Known&) {
  const absl::StatusOr<types::HyperNode> hyper_node = ReadObject<types::HyperNode>(request);
  if (!hyper_node.ok()) return RefuseUnreadable(hyper_node.status());
  if (request.operation != "CREATE" && request.operation != "UPDATE") return Verdict::Allow();
  if (hyper_node->members.empty()) {
    return Verdict::Refuse("no_members", rules::Aggregate({NoMembers(request)}));
  }
  const rules::FieldErrors errors = CheckPatterns(*hyper_node);
  if (errors.empty()) return Verdict::Allow();
  return Verdict::Refuse("member_pattern", rules::Aggregate(errors));
}

}  // namespace bth::admission
