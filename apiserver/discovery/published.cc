#include "apiserver/discovery/published.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "apiserver/protobuf/known_fields.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

constexpr char kMeta[] = "io.k8s.apimachinery.pkg.apis.meta.v1.";

Json Described(Json schema, std::string_view description) {
  schema.Set("description", description);
  return schema;
}

Json TypeOnly(std::string_view type, std::string_view format = {}) {
  Json schema = Json::MakeObject({{"type", type}});
  if (!format.empty()) schema.Set("format", format);
  return schema;
}

// "core.PodSpec" as "io.k8s.api.core.v1.PodSpec".
std::string NameOfMessage(std::string_view message) {
  const size_t dot = message.find('.');
  const std::string package(message.substr(0, dot));
  const std::string kind(message.substr(dot + 1));
  if (package == "meta") return StrCat(kMeta, kind);
  return StrCat("io.k8s.api.", package, ".v1.", kind);
}

class Publisher {
 public:
  explicit Publisher(std::string root) : root_(std::move(root)) {}

  Json Take() { return std::move(schemas_); }

  void Add(const ResourceType& type) {
    Json schema = type.custom ? Custom(type) : Builtin(type);
    Identify(schema["properties"]);
    schema.Set("x-kubernetes-group-version-kind",
               Json::MakeArray({Json::MakeObject(
                   {{"group", type.group}, {"kind", type.kind}, {"version", type.version}})}));
    schemas_.Set(PublishedName(type), std::move(schema));
  }

 private:
  Json Custom(const ResourceType& type) {
    if (type.schema.is_object()) return type.schema;
    return Json::MakeObject({{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}});
  }

  Json Builtin(const ResourceType& type) {
    const std::string message = StrCat(types::PackageOfGroup(type.group), ".", type.kind);
    Json schema = OfMessage(message);
    schema.Set("description", StrCat("An object of the kind ", type.kind, "."));
    if (!FieldsOfMessage(message).empty()) return schema;
    // The fields of this kind are not known here.
    schema.Set("x-kubernetes-preserve-unknown-fields", true);
    for (const char* part : {"spec", "status"}) {
      Json field = TypeOnly("object");
      field.Set("x-kubernetes-preserve-unknown-fields", true);
      schema["properties"].Set(part, std::move(field));
    }
    return schema;
  }

  // What every object has.
  void Identify(Json& properties) {
    const std::pair<const char*, Json> common[] = {
        {"apiVersion", Described(TypeOnly("string"), "The version of this representation.")},
        {"kind", Described(TypeOnly("string"), "The kind of the object.")},
        {"metadata", Described(Reference("meta.ObjectMeta"),
                               "Name, labels, annotations and what the server notes.")}};
    for (const auto& [name, field] : common) {
      const Json* present = properties.Find(name);
      Json described = field;
      if (present != nullptr && (*present)["description"].is_string()) {
        described.Set("description", (*present)["description"]);
      }
      properties.Set(name, std::move(described));
    }
  }

  Json OfMessage(const std::string& message) {
    Json properties = Json::MakeObject();
    for (const types::ProtoField& field : FieldsOfMessage(message)) {
      Json value = OfType(field.type);
      if (field.list) value = Json::MakeObject({{"type", "array"}, {"items", std::move(value)}});
      if (field.map) {
        value = Json::MakeObject({{"type", "object"}, {"additionalProperties", std::move(value)}});
      }
      properties.Set(field.name, std::move(value));
    }
    return Json::MakeObject({{"type", "object"}, {"properties", std::move(properties)}});
  }

  Json OfType(const std::string& type) {
    if (type == "s") return TypeOnly("string");
    if (type == "i") return TypeOnly("integer", "int64");
    if (type == "b") return TypeOnly("boolean");
    if (type == "y") return TypeOnly("string", "byte");
    if (type == "r") return TypeOnly("object");
    if (type == "q") {
      return Small("io.k8s.apimachinery.pkg.api.resource.Quantity", TypeOnly("string"));
    }
    if (type == "n") {
      return Small("io.k8s.apimachinery.pkg.util.intstr.IntOrString",
                   TypeOnly("string", "int-or-string"));
    }
    if (type == "t") return Small(StrCat(kMeta, "Time"), TypeOnly("string", "date-time"));
    if (type == "u") {
      return Small(StrCat(kMeta, "MicroTime"), TypeOnly("string", "date-time"));
    }
    return Reference(type);
  }

  Json Small(const std::string& name, Json schema) {
    if (schemas_.Find(name) == nullptr) schemas_.Set(name, std::move(schema));
    return Link(name);
  }

  // Messages may contain themselves, so the name is taken before the content is looked at.
  Json Reference(const std::string& message) {
    const std::string name = NameOfMessage(message);
    if (schemas_.Find(name) == nullptr) {
      schemas_.Set(name, Json::MakeObject());
      Json content = OfMessage(message);
      schemas_.Set(name, std::move(content));
    }
    return Link(name);
  }

  // A reference that may have a description of its own beside it.
  Json Link(const std::string& name) const {
    return Json::MakeObject(
        {{"allOf", Json::MakeArray({Json::MakeObject({{"$ref", StrCat(root_, name)}})})}});
  }

  const std::string root_;
  Json schemas_ = Json::MakeObject();
};

}  // namespace

std::string PublishedName(const ResourceType& type) {
  if (!type.custom) {
    std::string group = type.group.empty() ? "core" : type.group;
    group = group.substr(0, group.find('.'));
    return StrCat("io.k8s.api.", group, ".", type.version, ".", type.kind);
  }
  std::vector<std::string> parts = absl::StrSplit(type.group, '.');
  std::reverse(parts.begin(), parts.end());
  return StrCat(absl::StrJoin(parts, "."), ".", type.version, ".", type.kind);
}

Json PublishedSchemas(const std::vector<ResourceTypePtr>& types, const std::string& root) {
  Publisher publisher(root);
  for (const ResourceTypePtr& type : types) publisher.Add(*type);
  return publisher.Take();
}

Json ForOpenApiV2(const Json& schema) {
  if (schema.is_array()) {
    Json::Array items;
    for (const Json& item : schema.items()) items.push_back(ForOpenApiV2(item));
    return Json(std::move(items));
  }
  if (!schema.is_object()) return schema;
  Json out = Json::MakeObject();
  for (const auto& [key, value] : schema.members()) {
    if (key == "properties") {
      Json properties = Json::MakeObject();
      for (const auto& [name, child] : value.members()) properties.Set(name, ForOpenApiV2(child));
      out.Set(key, std::move(properties));
    } else if (key == "allOf" && value[size_t{0}].Find("$ref") != nullptr) {
      out.Set("$ref", value[size_t{0}]["$ref"]);
    } else if (key == "items" || key == "additionalProperties") {
      out.Set(key, ForOpenApiV2(value));
    } else if (key != "allOf" && key != "anyOf" && key != "oneOf" && key != "not" &&
               key != "nullable" && key != "default" && key != "x-kubernetes-validations") {
      out.Set(key, value);
    }
  }
  // A field that may be null has no type there.
  if (schema["nullable"].AsBool()) out.Erase("type");
  return out;
}

}  // namespace bth::apiserver
