#include "cli/text/typed_yaml.h"

#include <cmath>
#include <string>
#include <utility>

#include "api/manifests/yaml_json.h"
#include "api/types/crd/generate.h"
#include "base/check.h"
#include "base/status.h"
#include "base/strings.h"
#include "cli/print/go_text.h"

namespace bth::cli {
namespace {

using types::Json;

// Definitions leave the metadata of their objects to Kubernetes.
constexpr std::string_view kMetadataSchema = R"({"properties":{
    "name":{"type":"string"},"generateName":{"type":"string"},"namespace":{"type":"string"},
    "labels":{"additionalProperties":{"type":"string"}},
    "annotations":{"additionalProperties":{"type":"string"}},
    "finalizers":{"items":{"type":"string"}},
    "ownerReferences":{"items":{"properties":{
      "apiVersion":{"type":"string"},"kind":{"type":"string"},"name":{"type":"string"},
      "uid":{"type":"string"}}}}}})";

// Not for times, which Go's clients read from texts alone.
bool IsForText(const Json& schema) {
  return schema["type"].AsString() == "string" && schema.Find("format") == nullptr;
}

bool IsForInteger(const Json& schema) {
  return schema["type"].AsString() == "integer" || schema["x-kubernetes-int-or-string"].AsBool();
}

void GiveScalarType(const Json& schema, Json* value) {
  if (IsForText(schema)) {
    if (value->is_bool()) {
      *value = value->AsBool() ? "true" : "false";
    } else if (value->is_int()) {
      *value = StrCat(value->AsInt());
    } else if (value->is_double() && std::abs(value->AsDouble()) < 0x1p63) {
      *value = GoFloat(value->AsDouble());  // Larger ones may have lost digits, and are refused.
    }
  } else if (IsForInteger(schema) && value->is_double()) {
    const double number = value->AsDouble();
    // Both bounds are exact as doubles, the upper one is 2^63.
    const bool fits = number >= -0x1p63 && number < 0x1p63;
    if (fits && std::trunc(number) == number) *value = static_cast<int64_t>(number);
  }
}

// Depth: that of the YAML, which its reader bounds.
void GiveTypes(const Json& schema, Json* value) {
  const Json& each = schema[value->is_array() ? "items" : "additionalProperties"];
  const auto give_each = [&each](Json* element) {
    if (element->is_null() && IsForText(each)) *element = "";
    GiveTypes(each, element);
  };
  if (value->is_object()) {
    const Json& properties = schema["properties"];
    for (auto& [key, member] : value->MutableMembers()) {
      if (const Json* known = properties.Find(key)) {
        GiveTypes(*known, &member);
      } else {
        give_each(&member);
      }
    }
  } else if (value->is_array()) {
    for (Json& item : value->MutableItems()) give_each(&item);
  } else {
    GiveScalarType(schema, value);
  }
}

}  // namespace

Json MakeYamlSchema(const types::ResourceType& type) {
  absl::StatusOr<Json> schema = types::crd::GenerateSchema(type);
  absl::StatusOr<Json> metadata = Json::Parse(kMetadataSchema);
  BTH_CHECK(schema.ok() && metadata.ok());
  schema->MutableAt({"properties", "metadata"}) = *std::move(metadata);
  return *std::move(schema);
}

absl::StatusOr<Json> ObjectFromYaml(std::string_view text, const Json& schema,
                                    std::string_view words) {
  BTH_ASSIGN_OR_RETURN(const Json read, manifests::JsonFromYaml(text));
  if (!read.is_object() && !read.is_null()) {
    const std::string_view type = read.TypeName();
    const bool has_vowel = type.starts_with('a') || type.starts_with('i');
    return absl::InvalidArgumentError(
        StrCat("a ", words, " must be a map of fields, not ", has_vowel ? "an " : "a ", type));
  }
  Json object = Json::MakeObject();
  for (const std::string_view key : {"metadata", "spec"}) {
    if (const Json* part = read.Find(key)) object.Set(key, *part);
  }
  GiveTypes(schema, &object);
  return object;
}

}  // namespace bth::cli
