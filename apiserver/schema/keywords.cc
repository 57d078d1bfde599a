// CheckKeywords: each keyword of a schema has a value of its type.
#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "apiserver/schema/structural_rules.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

enum class Form { kText, kFlag, kNumber, kWhole, kTexts, kSchema, kSchemas, kNamed, kEither, kAny };

struct Keyword {
  std::string_view name;
  Form form;
  std::string_view type;  // As the API's decoder calls it.
};

constexpr Keyword kKeywords[] = {
    {"$ref", Form::kText, "string"},
    {"$schema", Form::kText, "apiextensions.JSONSchemaURL"},
    {"additionalProperties", Form::kEither, "apiextensions.JSONSchemaPropsOrBool"},
    {"allOf", Form::kSchemas, "[]apiextensions.JSONSchemaProps"},
    {"anyOf", Form::kSchemas, "[]apiextensions.JSONSchemaProps"},
    {"description", Form::kText, "string"},
    {"enum", Form::kAny, "[]apiextensions.JSON"},
    {"exclusiveMaximum", Form::kFlag, "bool"},
    {"exclusiveMinimum", Form::kFlag, "bool"},
    {"format", Form::kText, "string"},
    {"id", Form::kText, "string"},
    {"items", Form::kEither, "apiextensions.JSONSchemaPropsOrArray"},
    {"maxItems", Form::kWhole, "int64"},
    {"maxLength", Form::kWhole, "int64"},
    {"maxProperties", Form::kWhole, "int64"},
    {"maximum", Form::kNumber, "float64"},
    {"minItems", Form::kWhole, "int64"},
    {"minLength", Form::kWhole, "int64"},
    {"minProperties", Form::kWhole, "int64"},
    {"minimum", Form::kNumber, "float64"},
    {"multipleOf", Form::kNumber, "float64"},
    {"not", Form::kSchema, "apiextensions.JSONSchemaProps"},
    {"nullable", Form::kFlag, "bool"},
    {"oneOf", Form::kSchemas, "[]apiextensions.JSONSchemaProps"},
    {"pattern", Form::kText, "string"},
    {"properties", Form::kNamed, "map[string]apiextensions.JSONSchemaProps"},
    {"required", Form::kTexts, "[]string"},
    {"title", Form::kText, "string"},
    {"type", Form::kText, "string"},
    {"uniqueItems", Form::kFlag, "bool"},
    {"x-kubernetes-embedded-resource", Form::kFlag, "bool"},
    {"x-kubernetes-int-or-string", Form::kFlag, "bool"},
    {"x-kubernetes-list-map-keys", Form::kTexts, "[]string"},
    {"x-kubernetes-list-type", Form::kText, "string"},
    {"x-kubernetes-map-type", Form::kText, "string"},
    {"x-kubernetes-preserve-unknown-fields", Form::kFlag, "bool"},
    {"x-kubernetes-validations", Form::kAny, "apiextensions.ValidationRules"},
};

bool AllAre(const Json& list, bool (Json::*is)() const) {
  return list.is_array() && std::all_of(list.items().begin(), list.items().end(),
                                        [is](const Json& item) { return (item.*is)(); });
}

// The form of the value itself; schemas inside are looked at by the caller.
bool HasForm(Form form, const Json& value) {
  switch (form) {
    case Form::kText:
      return value.is_string();
    case Form::kFlag:
      return value.is_bool();
    case Form::kNumber:
      return value.is_number();
    case Form::kWhole:
      return value.is_int();
    case Form::kTexts:
      return AllAre(value, &Json::is_string);
    case Form::kSchema:
    case Form::kNamed:
      return value.is_object();
    case Form::kSchemas:
      return AllAre(value, &Json::is_object);
    case Form::kEither:
      return value.is_object() || value.is_bool() || value.is_array();
    case Form::kAny:
      return value.is_array();
  }
  return false;
}

absl::Status CheckInside(Form form, const Json& value) {
  if (form == Form::kSchema || (form == Form::kEither && value.is_object())) {
    return CheckKeywords(value);
  }
  for (const Json& item : value.items()) {
    if (form == Form::kSchemas) BTH_RETURN_IF_ERROR(CheckKeywords(item));
  }
  for (const auto& [name, member] : value.members()) {
    if (form == Form::kNamed) BTH_RETURN_IF_ERROR(CheckKeywords(member));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckKeywords(const Json& schema) {
  auto wrong = [](const Json& value, std::string_view name, std::string_view type) {
    const std::string_view found = value.is_number() ? "number"
                                   : value.is_bool() ? "bool"
                                                     : value.TypeName();
    return absl::InvalidArgumentError(absl::StrCat(
        "json: cannot unmarshal ", ToAbsl(found), " into Go struct field JSONSchemaProps",
        name.empty() ? "" : ".", ToAbsl(name), " of type ", ToAbsl(type)));
  };
  if (!schema.is_object()) return wrong(schema, "", "apiextensions.JSONSchemaProps");
  for (const auto& [name, value] : schema.members()) {
    const auto* keyword = std::find_if(std::begin(kKeywords), std::end(kKeywords),
                                       [&](const Keyword& row) { return row.name == name; });
    if (keyword == std::end(kKeywords) || value.is_null()) continue;
    if (!HasForm(keyword->form, value)) return wrong(value, name, keyword->type);
    BTH_RETURN_IF_ERROR(CheckInside(keyword->form, value));
  }
  return absl::OkStatus();
}

}  // namespace bth::apiserver
