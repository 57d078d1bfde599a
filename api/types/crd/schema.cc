#include "api/types/crd/schema.h"

#include <utility>

#include "api/types/crd/message_schema.h"
#include "api/types/field_table.h"
#include "api/types/int_or_string.h"
#include "api/types/meta.h"
#include "api/types/time.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::types::crd {
namespace {

constexpr FieldDoc kSilent = {};

Json TextValue(std::string_view text) {
  return text;
}

Json Words(std::span<const std::string_view> words) {
  Json list = Json::MakeArray();
  for (const std::string_view word : words) list.MutableItems().emplace_back(word);
  return list;
}

void SetScalarType(const TypeOps& ops, const Limits& limits, Json* schema) {
  if (&ops == &OpsOf<int32_t>() || &ops == &OpsOf<int64_t>()) {
    schema->Set("type", "integer");
    if (!limits.any_width) schema->Set("format", &ops == &OpsOf<int32_t>() ? "int32" : "int64");
  } else if (&ops == &OpsOf<bool>()) {
    schema->Set("type", "boolean");
  } else if (&ops == &OpsOf<Quantity>()) {
    AllowQuantity(schema);
  } else if (&ops == &OpsOf<IntOrString>()) {
    AllowNumberAndText(schema);
  } else {
    schema->Set("type", "string");
    if (&ops == &OpsOf<absl::Time>() || &ops == &OpsOf<MicroTime>()) {
      schema->Set("format", "date-time");
    }
  }
}

void SetNumber(const char* key, const std::optional<int64_t>& number, Json* schema) {
  if (number) schema->Set(key, *number);
}

absl::Status SetLimits(const Limits& limits, Json* schema) {
  SetNumber("minimum", limits.min, schema);
  SetNumber("maximum", limits.max, schema);
  SetNumber("minLength", limits.length_min, schema);
  SetNumber("maxLength", limits.length_max, schema);
  SetNumber("minItems", limits.items_min, schema);
  if (!limits.pattern.empty()) schema->Set("pattern", TextValue(limits.pattern));
  if (!limits.words.empty()) schema->Set("enum", Words(limits.words));
  if (!limits.fallback.empty()) {
    BTH_ASSIGN_OR_RETURN(Json fallback, Json::Parse(limits.fallback));
    schema->Set("default", std::move(fallback));
  }
  if (limits.nullable) schema->Set("nullable", true);
  if (!limits.list_type.empty()) schema->Set("x-kubernetes-list-type", TextValue(limits.list_type));
  if (!limits.list_key.empty()) {
    schema->Set("x-kubernetes-list-map-keys", Json::MakeArray({TextValue(limits.list_key)}));
  }
  if (!limits.map_type.empty()) schema->Set("x-kubernetes-map-type", TextValue(limits.map_type));
  if (limits.open) schema->Set("x-kubernetes-preserve-unknown-fields", true);
  for (const Rule& rule : limits.rules) {
    (*schema)["x-kubernetes-validations"].MutableItems().push_back(
        Json::MakeObject({{"rule", TextValue(rule.rule)}, {"message", TextValue(rule.message)}}));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Json> SchemaWriter::Write(const KindDoc& kind) {
  Json schema = Json::MakeObject({{"type", "object"}, {"description", TextValue(kind.text)}});
  Json& properties = schema["properties"];
  const auto text = [](const char* description) {
    return Json::MakeObject({{"type", "string"}, {"description", description}});
  };
  properties.Set("apiVersion", text("Version of the schema this object is written in."));
  properties.Set("kind", text("Kind of this object."));
  properties.Set("metadata", Json::MakeObject({{"type", "object"}}));
  BTH_RETURN_IF_ERROR(Fields(*kind.resource().ops->fields, {kind.fields, ""}, &schema));
  BTH_RETURN_IF_ERROR(CheckAllUsed());
  return schema;
}

absl::StatusOr<Json> SchemaWriter::Value(const TypeOps& ops, const FieldDoc& doc,
                                         const Place& place) {
  if (ops.shape == Shape::kOptional || ops.shape == Shape::kRaw) {
    return Value(ops.element(), doc, place);
  }
  if (!doc.limits.message.empty()) {
    Json schema = MessageSchema(doc.limits.message);
    schema.Set("description", TextValue(doc.text));
    return schema;
  }
  Json schema = Json::MakeObject();
  if (ops.shape == Shape::kScalar) {
    SetScalarType(ops, doc.limits, &schema);
  } else {
    schema.Set("type", ops.shape == Shape::kList ? "array" : "object");
  }
  if (!doc.text.empty()) schema.Set("description", TextValue(doc.text));
  BTH_RETURN_IF_ERROR(SetLimits(doc.limits, &schema));
  switch (ops.shape) {
    case Shape::kObject:
      BTH_RETURN_IF_ERROR(Fields(*ops.fields, place, &schema));
      break;
    case Shape::kList: {
      BTH_ASSIGN_OR_RETURN(Json items, Element(ops.element(), place, "[]"));
      schema.Set("items", std::move(items));
      break;
    }
    case Shape::kMap: {
      BTH_ASSIGN_OR_RETURN(Json values, Element(ops.element(), place, "{}"));
      schema.Set("additionalProperties", std::move(values));
      break;
    }
    default:
      break;
  }
  return schema;
}

absl::StatusOr<Json> SchemaWriter::Element(const TypeOps& ops, const Place& place,
                                           std::string_view brackets) {
  // Without a path the table below is about the element itself.
  if (place.path.empty()) return Value(ops, kSilent, place);
  const Place inner = {place.docs, StrCat(place.path, brackets)};
  const FieldDoc* const doc = Find(*inner.docs, inner.path);
  return Value(ops, doc == nullptr ? kSilent : *doc, inner);
}

absl::Status SchemaWriter::Fields(const FieldTable& table, const Place& place, Json* schema) {
  tables_.insert(place.docs);
  Json properties = (*schema)["properties"];
  Json required = Json::MakeArray();
  schema->Erase("properties");
  for (size_t i = 0; i < table.count; ++i) {
    const FieldDef& field = table.fields[i];
    Place inner = {place.docs, StrCat(place.path, place.path.empty() ? "" : ".", field.name)};
    const FieldDoc* const doc = Find(*inner.docs, inner.path);
    if (doc == nullptr) {
      // The metadata of an object is described by Kubernetes itself.
      if (place.docs->partial || &field.ops() == &OpsOf<ObjectMeta>()) continue;
      return absl::InternalError(StrCat("docs: nothing is said about field ", inner.path));
    }
    if (doc->below != nullptr) inner = {doc->below, ""};
    BTH_ASSIGN_OR_RETURN(Json value, Value(field.ops(), *doc, inner));
    properties.Set(field.name, std::move(value));
    if (doc->limits.required) required.MutableItems().emplace_back(field.name);
  }
  if (!required.empty()) schema->Set("required", std::move(required));
  if (!properties.empty()) schema->Set("properties", std::move(properties));
  return absl::OkStatus();
}

const FieldDoc* SchemaWriter::Find(const FieldDocs& docs, std::string_view path) {
  for (const FieldDoc& doc : docs.fields) {
    if (doc.path != path) continue;
    used_.insert(&doc);
    return &doc;
  }
  return nullptr;
}

absl::Status SchemaWriter::CheckAllUsed() const {
  for (const FieldDocs* docs : tables_) {
    for (const FieldDoc& doc : docs->fields) {
      if (used_.count(&doc) > 0) continue;
      return absl::InternalError(StrCat("docs: ", doc.path, " is said twice, or is no field"));
    }
  }
  return absl::OkStatus();
}

}  // namespace bth::types::crd
