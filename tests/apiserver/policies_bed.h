// Admission policies over ConfigMaps, and their bindings.
#pragma once

#include <string>
#include <string_view>

#include "tests/apiserver/webhooks_bed.h"
#include "tests/support/catch.h"

namespace bth::apiserver::testing {

inline constexpr char kConfigMapRules[] = R"("matchConstraints":{"resourceRules":[{
    "operations":["*"],"apiGroups":[""],"apiVersions":["v1"],"resources":["configmaps"]}]})";

inline std::string PolicyPath(bool mutating) {
  return StrCat(kRegistrations, mutating ? "mutating" : "validating", "admissionpolicies");
}

inline std::string PolicyJson(bool mutating, std::string_view name, std::string_view spec) {
  return StrCat(R"({"metadata":{"name":")", name, R"("},"spec":{)", kConfigMapRules,
                mutating ? R"(,"reinvocationPolicy":"Never")" : "", ",", spec, "}}");
}

inline Answer AddPolicy(Bed& bed, bool mutating, std::string_view name, std::string_view spec) {
  return bed.Post(PolicyPath(mutating), PolicyJson(mutating, name, spec));
}

inline Answer Bind(Bed& bed, bool mutating, std::string_view policy, std::string_view more = "") {
  const std::string actions =
      mutating || StrContains(more, "validationActions") ? "" : R"(,"validationActions":["Deny"])";
  return bed.Post(
      StrCat(kRegistrations, mutating ? "mutating" : "validating", "admissionpolicybindings"),
      StrCat(R"({"metadata":{"name":"b-)", policy, R"("},"spec":{"policyName":")", policy, "\"",
             actions, more.empty() ? "" : ",", more, "}}"));
}

// A policy "p" with one validation, bound by "b-p".
inline void Validate(Bed& bed, std::string_view validation, std::string_view more = "",
                     std::string_view binding = "") {
  const Answer made =
      AddPolicy(bed, false, "p",
                StrCat(R"("validations":[{)", validation, "}]", more.empty() ? "" : ",", more));
  CAPTURE(made.text);
  REQUIRE(made.code == 201);
  const Answer bound = Bind(bed, false, "p", binding);
  CAPTURE(bound.text);
  REQUIRE(bound.code == 201);
}

inline constexpr char kDenied[] =
    "configmaps \"c\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b-p' denied "
    "request: ";

}  // namespace bth::apiserver::testing
