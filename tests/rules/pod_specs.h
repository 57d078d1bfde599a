// Pod specs in tests, and the errors in them.
#pragma once

#include <string>
#include <vector>

#include "api/rules/pod_defaults.h"
#include "api/rules/pod_template.h"
#include "base/strings.h"
#include "tests/support/catch.h"

namespace bth::rules::testing {

using types::Json;
using Texts = std::vector<std::string>;

inline Json ReadJson(const std::string& text) {
  const absl::StatusOr<Json> json = Json::Parse(text);
  INFO(text << ": " << json.status().ToString());
  REQUIRE(json.ok());
  return *json;
}

inline Texts TextsOf(const FieldErrors& errors) {
  Texts texts;
  for (const FieldError& error : errors) texts.push_back(error.ToString());
  return texts;
}

// The errors of a spec that has its defaults; `fields` are its members beside one container.
inline Texts ErrorsOf(const std::string& fields, const PodRuleOptions& options = {}) {
  Json spec = ReadJson(StrCat(R"({"containers":[{"name":"c","image":"i"}])",
                              fields.empty() ? "" : ",", fields, "}"));
  DefaultPodSpec(spec);
  if (options.is_pod) DefaultPodOnly(spec);
  return TextsOf(CheckPodSpec(spec, "spec", options));
}

// The same where the container has these fields as well.
inline Texts ErrorsOfContainer(const std::string& fields, const std::string& more = "",
                               const PodRuleOptions& options = {}) {
  Json spec =
      ReadJson(StrCat(R"({"containers":[{"name":"c","image":"i",)", fields, "}]", more, "}"));
  DefaultPodSpec(spec);
  return TextsOf(CheckPodSpec(spec, "spec", options));
}

struct SpecCase {
  std::string fields;
  Texts errors;
};

}  // namespace bth::rules::testing
