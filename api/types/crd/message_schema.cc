#include "api/types/crd/message_schema.h"

#include <string>
#include <utility>

#include "api/types/protobuf/schema.h"

namespace bth::types::crd {
namespace {

constexpr const char* kQuantityPattern =
    R"(^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?)"
    R"((([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$)";
constexpr const char* kOpen = "x-kubernetes-preserve-unknown-fields";

// The API refuses pods that are created with them.
constexpr std::string_view kEphemeral = "core.EphemeralContainer";

std::string_view TextOf(std::string_view message, std::string_view field) {
  message.remove_prefix(message.find('.') + 1);
  for (const MessageDoc& doc : PodDocs()) {
    const std::string_view name = doc.field;
    if (name.size() == message.size() + 1 + field.size() && name.starts_with(message) &&
        name[message.size()] == '.' && name.ends_with(field)) {
      return doc.text;
    }
  }
  return {};
}

Json Object(std::string_view message);

Json One(const std::string& type) {
  Json schema = Json::MakeObject();
  if (type == "q") {
    // The API of pods takes `cpu: 0.5` as well, which int-or-string would refuse.
    schema.Set("pattern", kQuantityPattern);
    schema.Set(kOpen, true);
  } else if (type == "n") {
    AllowNumberAndText(&schema);
  } else if (type == "i") {
    schema.Set("type", "integer");
  } else if (type == "b") {
    schema.Set("type", "boolean");
  } else if (type.size() == 1) {
    schema.Set("type", "string");
  } else {
    schema = Object(type);
  }
  return schema;
}

Json Value(const ProtoField& field) {
  if (!field.list && !field.map) return One(field.type);
  Json schema = Json::MakeObject({{"type", field.list ? "array" : "object"}});
  schema.Set(field.list ? "items" : "additionalProperties", One(field.type));
  return schema;
}

void AddFields(std::string_view message, Json* properties) {
  for (const auto& [number, field] : *FindMessage(message)) {
    if (field.inlined) {
      AddFields(field.type, properties);
      continue;
    }
    if (field.type == kEphemeral) continue;
    Json value = Value(field);
    const std::string_view text = TextOf(message, field.name);
    if (!text.empty()) value.Set("description", text);
    value.Set("nullable", true);
    properties->Set(field.name, std::move(value));
  }
}

Json Object(std::string_view message) {
  Json schema = Json::MakeObject({{"type", "object"}});
  // Of metadata inside of a pod nothing is read but what somebody else checks.
  if (message != "meta.ObjectMeta") {
    Json properties = Json::MakeObject();
    AddFields(message, &properties);
    schema.Set("properties", std::move(properties));
  }
  schema.Set(kOpen, true);
  return schema;
}

}  // namespace

Json MessageSchema(std::string_view message) {
  return Object(message);
}

void AllowNumberAndText(Json* schema) {
  schema->Set("anyOf", Json::MakeArray({Json::MakeObject({{"type", "integer"}}),
                                        Json::MakeObject({{"type", "string"}})}));
  schema->Set("x-kubernetes-int-or-string", true);
}

void AllowQuantity(Json* schema) {
  AllowNumberAndText(schema);
  schema->Set("pattern", kQuantityPattern);
}

}  // namespace bth::types::crd
