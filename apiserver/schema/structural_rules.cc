#include "apiserver/schema/structural_rules.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "absl/functional/function_ref.h"
#include "api/rules/pattern_fault.h"
#include "apiserver/schema/default_rules.h"
#include "apiserver/schema/formats.h"
#include "apiserver/schema/list_rules.h"
#include "apiserver/schema/rule_checks.h"
#include "base/status.h"
#include "base/strings.h"
#include "re2/re2.h"

namespace bth::apiserver {
namespace {

using Causes = std::vector<Cause>;
using Visit = absl::FunctionRef<void(const Json& schema, const std::string& field)>;

constexpr std::string_view kMetadataOnly =
    "must not specify anything other than name and generateName, but metadata is implicitly "
    "specified";

// The schemas directly below one.
void EachChild(const Json& schema, const std::string& field, Visit visit) {
  for (const auto& [name, child] : schema["properties"].members()) {
    visit(child, StrCat(field, ".properties[", name, "]"));
  }
  if (schema["additionalProperties"].is_object()) {
    visit(schema["additionalProperties"], field + ".additionalProperties");
  }
  if (schema["items"].is_object()) visit(schema["items"], field + ".items");
  for (const char* key : {"allOf", "anyOf", "oneOf"}) {
    const Json::Array& list = schema[key].items();
    for (size_t i = 0; i < list.size(); ++i) {
      visit(list[i], StrCat(field, ".", key, "[", i, "]"));
    }
  }
  if (schema["not"].is_object()) visit(schema["not"], field + ".not");
}

bool IsSet(const Json& value) {
  return !value.is_null() && !(value.is_bool() && !value.AsBool());
}

void CheckType(const Json& schema, const std::string& field, Causes& causes) {
  const std::string_view type = schema["type"].AsString();
  static constexpr std::string_view kTypes[] = {"",       "array",  "boolean", "integer",
                                                "number", "object", "string"};
  if (std::find(std::begin(kTypes), std::end(kTypes), type) == std::end(kTypes)) {
    causes.push_back(FieldNotSupported(
        field + ".type", type, R"("array", "boolean", "integer", "number", "object", "string")"));
  }
  if (type == "null") {
    causes.push_back(FieldForbidden(field + ".type",
                                    "type cannot be set to null, use nullable as an alternative"));
  }
}

void CheckPattern(const Json& schema, const std::string& field, Causes& causes) {
  const std::string pattern(schema["pattern"].AsString());
  if (pattern.empty()) return;
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(int64_t{1} << 20);
  const re2::RE2 compiled(pattern, options);
  if (compiled.ok()) return;
  causes.push_back(FieldInvalid(
      field + ".pattern", pattern,
      StrCat("must be a valid regular expression, but isn't: ", rules::PatternFault(compiled))));
}

// Keywords of JSON schema that resources cannot have, anywhere.
void CheckForbidden(const Json& schema, const std::string& field, Causes& causes) {
  for (const char* key :
       {"$ref", "id", "patternProperties", "definitions", "dependencies", "additionalItems"}) {
    if (IsSet(schema[key])) {
      causes.push_back(FieldForbidden(StrCat(field, ".", key), StrCat(key, " is not supported")));
    }
  }
  if (schema["uniqueItems"].AsBool()) {
    causes.push_back(FieldForbidden(
        field + ".uniqueItems",
        "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"));
  }
  if (schema["items"].is_array()) {
    causes.push_back(
        FieldForbidden(field + ".items", "items must be a schema object and not an array"));
  }
  const Json& additional = schema["additionalProperties"];
  if (!schema["properties"].empty() && (additional.is_object() || additional.AsBool())) {
    causes.push_back(FieldForbidden(field + ".additionalProperties",
                                    "additionalProperties and properties are mutual exclusive"));
  }
  CheckType(schema, field, causes);
  CheckPattern(schema, field, causes);
  const Json& preserve = schema["x-kubernetes-preserve-unknown-fields"];
  if (preserve.is_bool() && !preserve.AsBool()) {
    causes.push_back(FieldInvalid(field + ".x-kubernetes-preserve-unknown-fields", false,
                                  "must be true or undefined"));
  }
  CheckRuleForm(schema, field, causes);
  EachChild(schema, field,
            [&](const Json& child, const std::string& at) { CheckForbidden(child, at, causes); });
}

// Whether some schema names its dialect, which is told of the whole.
bool HasDialect(const Json& schema) {
  bool found = IsSet(schema["$schema"]);
  EachChild(schema, "", [&](const Json& child, const std::string&) { found |= HasDialect(child); });
  return found;
}

// anyOf: [{type: integer}, {type: string}], as the definition of an int-or-string may repeat.
bool NamesIntOrString(const Json& any) {
  return any.size() == 2 && any[size_t{0}]["type"].AsString() == "integer" &&
         any[size_t{1}]["type"].AsString() == "string";
}

// Inside of junctors only values are judged: what makes the shape must stand outside.
void CheckJunctor(const Json& schema, const std::string& field, bool may_have_type,
                  Causes& causes) {
  auto forbid = [&](const char* key, const char* why) {
    if (IsSet(schema[key])) causes.push_back(FieldForbidden(StrCat(field, ".", key), why));
  };
  if (!may_have_type) forbid("type", "must be empty to be structural");
  forbid("title", "must be empty to be structural");
  forbid("description", "must be empty to be structural");
  forbid("default", "must be undefined to be structural");
  forbid("additionalProperties", "must be undefined to be structural");
  forbid("nullable", "must be false to be structural");
  forbid("x-kubernetes-preserve-unknown-fields", "must be false to be structural");
  forbid("x-kubernetes-embedded-resource", "must be false to be structural");
  forbid("x-kubernetes-int-or-string", "must be false to be structural");
  forbid("x-kubernetes-list-type", "must be undefined to be structural");
  forbid("x-kubernetes-list-map-keys", "must be empty to be structural");
  forbid("x-kubernetes-map-type", "must be undefined to be structural");
  forbid("x-kubernetes-validations", "must be empty to be structural");
  EachChild(schema, field, [&](const Json& child, const std::string& at) {
    if (!at.ends_with(".additionalProperties")) CheckJunctor(child, at, false, causes);
  });
}

void CheckJunctors(const Json& schema, const std::string& field, Causes& causes) {
  const bool either = schema["x-kubernetes-int-or-string"].AsBool();
  for (const char* key : {"allOf", "anyOf", "oneOf"}) {
    const Json::Array& list = schema[key].items();
    const bool typed = either && std::string_view(key) == "anyOf" && NamesIntOrString(schema[key]);
    for (size_t i = 0; i < list.size(); ++i) {
      const std::string at = StrCat(field, ".", key, "[", i, "]");
      const Json& inner = list[i]["anyOf"];
      if (either && i == 0 && std::string_view(key) == "allOf" && NamesIntOrString(inner)) {
        Json rest = list[i];
        rest.Erase("anyOf");
        CheckJunctor(rest, at, false, causes);
        continue;
      }
      CheckJunctor(list[i], at, typed, causes);
    }
  }
  if (schema["not"].is_object()) CheckJunctor(schema["not"], field + ".not", false, causes);
}

// The fields every object has must not be described differently.
void CheckIdentity(const Json& schema, const std::string& field, Causes& causes) {
  const Json& properties = schema["properties"];
  for (const char* key : {"apiVersion", "kind"}) {
    const Json& type = properties[key]["type"];
    if (type.is_string() && type.AsString() != "string") {
      causes.push_back(
          FieldInvalid(StrCat(field, ".properties[", key, "].type"), type, "must be string"));
    }
  }
  const Json& metadata = properties["metadata"];
  if (!metadata.is_object()) return;
  const std::string at = field + ".properties[metadata]";
  if (const Json& type = metadata["type"]; type.is_string() && type.AsString() != "object") {
    causes.push_back(FieldInvalid(at + ".type", type, "must be object"));
    return;
  }
  if (metadata.Find("default") != nullptr) {
    causes.push_back(FieldForbidden(at + ".default", "must not be set in top-level metadata"));
    return;
  }
  bool more = false;
  for (const auto& [key, value] : metadata.members()) {
    more |= key != "type" && key != "description" && key != "title" && key != "properties";
  }
  for (const auto& [name, value] : metadata["properties"].members()) {
    more |= name != "name" && name != "generateName";
  }
  if (more) causes.push_back(FieldForbidden(at, kMetadataOnly));
}

void CheckEmbedded(const Json& schema, const std::string& field, Causes& causes) {
  if (!schema["x-kubernetes-embedded-resource"].AsBool()) return;
  if (schema["type"].AsString() != "object") {
    causes.push_back(FieldInvalid(field + ".type", schema["type"],
                                  "must be object if x-kubernetes-embedded-resource is true"));
  } else if (schema["properties"].empty() &&
             !schema["x-kubernetes-preserve-unknown-fields"].AsBool()) {
    causes.push_back(FieldRequired(field + ".properties",
                                   "must not be empty if x-kubernetes-embedded-resource is true "
                                   "without x-kubernetes-preserve-unknown-fields"));
  }
  CheckIdentity(schema, field, causes);
}

enum class Role { kRoot, kField, kItem };

// The shape: each node outside of junctors has a type, unless it says that anything may come.
void CheckShapeOf(const Json& schema, const std::string& field, Role role, Causes& causes) {
  const std::string_view type = schema["type"].AsString();
  const bool open = schema["x-kubernetes-int-or-string"].AsBool() ||
                    schema["x-kubernetes-preserve-unknown-fields"].AsBool();
  if (role == Role::kRoot) {
    if (type.empty()) {
      causes.push_back(FieldRequired(field + ".type", "must not be empty at the root"));
    } else if (type != "object") {
      causes.push_back(FieldInvalid(field + ".type", type, "must be object at the root"));
    }
    CheckIdentity(schema, field, causes);
  } else if (type.empty() && !open) {
    causes.push_back(FieldRequired(
        field + ".type", role == Role::kItem ? "must not be empty for specified array items"
                                             : "must not be empty for specified object fields"));
  }
  if (type == "array" && !schema["items"].is_object()) {
    causes.push_back(FieldRequired(field + ".items", "must be specified"));
  }
  CheckEmbedded(schema, field, causes);
  CheckJunctors(schema, field, causes);
  for (const auto& [name, child] : schema["properties"].members()) {
    CheckShapeOf(child, StrCat(field, ".properties[", name, "]"), Role::kField, causes);
  }
  if (schema["additionalProperties"].is_object()) {
    CheckShapeOf(schema["additionalProperties"], field + ".additionalProperties", Role::kField,
                 causes);
  }
  if (schema["items"].is_object()) {
    CheckShapeOf(schema["items"], field + ".items", Role::kItem, causes);
  }
}

void CheckLists(const Json& schema, const std::string& field, Causes& causes) {
  CheckListType(schema, field, causes);
  EachChild(schema, field,
            [&](const Json& child, const std::string& at) { CheckLists(child, at, causes); });
}

void CheckDefaults(const Json& schema, const std::string& field, Causes& causes) {
  if (!schema["default"].is_null()) CheckDefault(schema, field + ".default", causes);
  EachChild(schema, field,
            [&](const Json& child, const std::string& at) { CheckDefaults(child, at, causes); });
}

void CollectWarnings(const Json& schema, std::set<std::string>& warnings) {
  const std::string format(schema["format"].AsString());
  if (!format.empty() && !IsKnownFormat(format)) {
    warnings.insert(StrCat("unrecognized format ", Json(format).Dump()));
  }
  EachChild(schema, "",
            [&](const Json& child, const std::string&) { CollectWarnings(child, warnings); });
}

}  // namespace

std::vector<Cause> CheckStructural(const Json& schema, const std::string& field) {
  Causes causes;
  CheckForbidden(schema, field, causes);
  if (HasDialect(schema)) {
    causes.push_back(FieldInvalid(field, "", "OpenAPIV3Schema 'schema' is not supported"));
  }
  // A schema with such keywords has no shape that could be judged.
  if (!causes.empty()) return causes;
  CheckShapeOf(schema, field, Role::kRoot, causes);
  CheckLists(schema, field, causes);
  if (const Json& whole = schema["default"]; causes.empty() && whole.is_object()) {
    // An object that is made up must say what it is.
    for (const char* key : {"apiVersion", "kind"}) {
      if (whole.Find(key) == nullptr) {
        causes.push_back(FieldRequired(StrCat(field, ".default.", key)));
      }
    }
  }
  if (causes.empty()) CheckDefaults(schema, field, causes);
  if (causes.empty()) causes = CheckRules(schema, field);
  if (causes.size() > kSchemaCausesMax) causes.resize(kSchemaCausesMax);
  return causes;
}

std::vector<std::string> SchemaWarnings(const Json& schema) {
  std::set<std::string> found;
  CollectWarnings(schema, found);
  return {found.begin(), found.end()};
}

}  // namespace bth::apiserver
