// Webhook configurations, admission policies and their bindings.
#include <cstdint>
#include <string>
#include <string_view>

#include "apiserver/table/columns.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

Json CountOf(const Json& list) {
  return static_cast<int64_t>(list.size());
}
Json WebhookCount(const Json& object, absl::Time) {
  return CountOf(object["webhooks"]);
}
Json ValidationCount(const Json& object, absl::Time) {
  return CountOf(object["spec"]["validations"]);
}
Json MutationCount(const Json& object, absl::Time) {
  return CountOf(object["spec"]["mutations"]);
}
Json ParamKindCell(const Json& object, absl::Time) {
  const Json& kind = object["spec"]["paramKind"];
  if (kind.is_null()) return "<unset>";
  return StrCat(kind["apiVersion"].AsString(), "/", kind["kind"].AsString());
}
Json PolicyNameCell(const Json& object, absl::Time) {
  return object["spec"]["policyName"].AsString();
}
Json ParamRefCell(const Json& object, absl::Time) {
  const Json& ref = object["spec"]["paramRef"];
  if (ref.is_null()) return "<unset>";
  if (!ref["selector"].is_null()) return LabelText(ref["selector"]["matchLabels"]);
  const std::string_view ns = ref["namespace"].AsString();
  return StrCat(ns.empty() ? "*" : ns, "/", ref["name"].AsString());
}

constexpr Column kWebhooks[] = {{"Name", "string", 0, NameCell},
                                {"Webhooks", "integer", 0, WebhookCount},
                                {"Age", "string", 0, AgeCell}};
constexpr Column kValidatingPolicy[] = {{"Name", "string", 0, NameCell},
                                        {"Validations", "integer", 0, ValidationCount},
                                        {"ParamKind", "string", 0, ParamKindCell},
                                        {"Age", "string", 0, AgeCell}};
constexpr Column kMutatingPolicy[] = {{"Name", "string", 0, NameCell},
                                      {"Mutations", "integer", 0, MutationCount},
                                      {"ParamKind", "string", 0, ParamKindCell},
                                      {"Age", "string", 0, AgeCell}};
constexpr Column kPolicyBinding[] = {{"Name", "string", 0, NameCell},
                                     {"PolicyName", "string", 0, PolicyNameCell},
                                     {"ParamRef", "string", 0, ParamRefCell},
                                     {"Age", "string", 0, AgeCell}};

}  // namespace

std::span<const Column> AdmissionColumns(std::string_view kind) {
  if (kind.ends_with("WebhookConfiguration")) return kWebhooks;
  if (kind.ends_with("PolicyBinding")) return kPolicyBinding;
  return kind.starts_with("Mutating") ? std::span<const Column>(kMutatingPolicy)
                                      : std::span<const Column>(kValidatingPolicy);
}

}  // namespace bth::apiserver
