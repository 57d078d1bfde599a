// CheckKeywords: each keyword of a schema has a value of its type.
#include <algorithm>
#include <string_view>

#include "apiserver/schema/structural_rules.h"
#include "apiserver/schema/wrong_type.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

enum class KeywordForm {
  kText,
  kFlag,
  kNumber,
  kWhole,
  kTexts,
  kSchema,
  kSchemas,
  kNamed,
  kEither,
  kAny
};

struct Keyword {
  std::string_view name;
  KeywordForm form;
  std::string_view type;  // As the API's decoder calls it.
};

constexpr Keyword kKeywords[] = {
    {"$ref", KeywordForm::kText, "string"},
    {"$schema", KeywordForm::kText, "apiextensions.JSONSchemaURL"},
    {"additionalProperties", KeywordForm::kEither, "apiextensions.JSONSchemaPropsOrBool"},
    {"allOf", KeywordForm::kSchemas, "[]apiextensions.JSONSchemaProps"},
    {"anyOf", KeywordForm::kSchemas, "[]apiextensions.JSONSchemaProps"},
    {"description", KeywordForm::kText, "string"},
    {"enum", KeywordForm::kAny, "[]apiextensions.JSON"},
    {"exclusiveMaximum", KeywordForm::kFlag, "bool"},
    {"exclusiveMinimum", KeywordForm::kFlag, "bool"},
    {"format", KeywordForm::kText, "string"},
    {"id", KeywordForm::kText, "string"},
    {"items", KeywordForm::kEither, "apiextensions.JSONSchemaPropsOrArray"},
    {"maxItems", KeywordForm::kWhole, "int64"},
    {"maxLength", KeywordForm::kWhole, "int64"},
    {"maxProperties", KeywordForm::kWhole, "int64"},
    {"maximum", KeywordForm::kNumber, "float64"},
    {"minItems", KeywordForm::kWhole, "int64"},
    {"minLength", KeywordForm::kWhole, "int64"},
    {"minProperties", KeywordForm::kWhole, "int64"},
    {"minimum", KeywordForm::kNumber, "float64"},
    {"multipleOf", KeywordForm::kNumber, "float64"},
    {"not", KeywordForm::kSchema, "apiextensions.JSONSchemaProps"},
    {"nullable", KeywordForm::kFlag, "bool"},
    {"oneOf", KeywordForm::kSchemas, "[]apiextensions.JSONSchemaProps"},
    {"pattern", KeywordForm::kText, "string"},
    {"properties", KeywordForm::kNamed, "map[string]apiextensions.JSONSchemaProps"},
    {"required", KeywordForm::kTexts, "[]string"},
    {"title", KeywordForm::kText, "string"},
    {"type", KeywordForm::kText, "string"},
    {"uniqueItems", KeywordForm::kFlag, "bool"},
    {"x-kubernetes-embedded-resource", KeywordForm::kFlag, "bool"},
    {"x-kubernetes-int-or-string", KeywordForm::kFlag, "bool"},
    {"x-kubernetes-list-map-keys", KeywordForm::kTexts, "[]string"},
    {"x-kubernetes-list-type", KeywordForm::kText, "string"},
    {"x-kubernetes-map-type", KeywordForm::kText, "string"},
    {"x-kubernetes-preserve-unknown-fields", KeywordForm::kFlag, "bool"},
    {"x-kubernetes-validations", KeywordForm::kAny, "apiextensions.ValidationRules"},
};

bool AllAre(const Json& list, bool (Json::*is)() const) {
  return list.is_array() && std::all_of(list.items().begin(), list.items().end(),
                                        [is](const Json& item) { return (item.*is)(); });
}

// The form of the value itself; schemas inside are looked at by the caller.
bool HasForm(KeywordForm form, const Json& value) {
  switch (form) {
    case KeywordForm::kText:
      return value.is_string();
    case KeywordForm::kFlag:
      return value.is_bool();
    case KeywordForm::kNumber:
      return value.is_number();
    case KeywordForm::kWhole:
      return value.is_int();
    case KeywordForm::kTexts:
      return AllAre(value, &Json::is_string);
    case KeywordForm::kSchema:
    case KeywordForm::kNamed:
      return value.is_object();
    case KeywordForm::kSchemas:
      return AllAre(value, &Json::is_object);
    case KeywordForm::kEither:
      return value.is_object() || value.is_bool() || value.is_array();
    case KeywordForm::kAny:
      return value.is_array();
  }
  return false;
}

absl::Status CheckInside(KeywordForm form, const Json& value) {
  if (form == KeywordForm::kSchema || (form == KeywordForm::kEither && value.is_object())) {
    return CheckKeywords(value);
  }
  for (const Json& item : value.items()) {
    if (form == KeywordForm::kSchemas) BTH_RETURN_IF_ERROR(CheckKeywords(item));
  }
  for (const auto& [name, member] : value.members()) {
    if (form == KeywordForm::kNamed) BTH_RETURN_IF_ERROR(CheckKeywords(member));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckKeywords(const Json& schema) {
  if (!schema.is_object()) {
    return WrongType("JSONSchemaProps", schema, "apiextensions.JSONSchemaProps");
  }
  for (const auto& [name, value] : schema.members()) {
    const auto* keyword = std::find_if(std::begin(kKeywords), std::end(kKeywords),
                                       [&](const Keyword& row) { return row.name == name; });
    if (keyword == std::end(kKeywords) || value.is_null()) continue;
    if (!HasForm(keyword->form, value)) {
      return WrongType(StrCat("JSONSchemaProps.", name), value, keyword->type);
    }
    BTH_RETURN_IF_ERROR(CheckInside(keyword->form, value));
  }
  return absl::OkStatus();
}

}  // namespace bth::apiserver
