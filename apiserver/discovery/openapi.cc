// OpenAPI documents, as far as clients need them: which kinds exist, under which paths, and which
// query parameters they take. Built-in kinds are described by their outline; custom resources by
// the schema of their definition.
#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "apiserver/discovery/discovery.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

constexpr char kGvk[] = "x-kubernetes-group-version-kind";

Json Gvk(const ResourceType& type) {
  return Json::MakeObject({{"group", type.group}, {"kind", type.kind}, {"version", type.version}});
}

// "io.k8s.api.apps.v1.Deployment", "sh.volcano.batch.v1alpha1.Job".
std::string SchemaName(const ResourceType& type) {
  if (!type.custom) {
    std::string group = type.group.empty() ? "core" : type.group;
    group = group.substr(0, group.find('.'));
    return absl::StrCat("io.k8s.api.", group, ".", type.version, ".", type.kind);
  }
  std::vector<std::string> parts = absl::StrSplit(type.group, '.');
  std::reverse(parts.begin(), parts.end());
  return absl::StrCat(absl::StrJoin(parts, "."), ".", type.version, ".", type.kind);
}

Json Field(std::string_view type, std::string_view description) {
  return Json::MakeObject({{"type", type}, {"description", description}});
}

Json SchemaOf(const ResourceType& type) {
  Json schema = type.schema.is_object()
                    ? type.schema
                    : Json::MakeObject(
                          {{"type", "object"},
                           {"description", absl::StrCat("An object of the kind ", type.kind, ".")},
                           {"x-kubernetes-preserve-unknown-fields", true}});
  Json& properties = schema["properties"];
  const std::pair<const char*, Json> common[] = {
      {"apiVersion", Field("string", "The version of this representation.")},
      {"kind", Field("string", "The kind of the object.")},
      {"metadata", Field("object", "Name, labels, annotations and what the server notes.")}};
  for (const auto& [name, field] : common) {
    if (properties.Find(name) == nullptr) properties.Set(name, field);
  }
  if (!type.custom) {
    for (const char* part : {"spec", "status"}) {
      Json field = Field(
          "object", part == std::string_view("spec") ? "What is wanted." : "What is observed.");
      field.Set("x-kubernetes-preserve-unknown-fields", true);
      properties.Set(part, std::move(field));
    }
  }
  schema.Set(kGvk, Json::MakeArray({Gvk(type)}));
  return schema;
}

Json Parameter(std::string_view name, std::string_view type, std::string_view description) {
  return Json::MakeObject({{"name", name},
                           {"in", "query"},
                           {"description", description},
                           {"schema", Json::MakeObject({{"type", type}, {"uniqueItems", true}})}});
}

Json WriteParameters() {
  return Json::MakeArray(
      {Parameter("dryRun", "string", "All: check and answer, but change nothing."),
       Parameter("fieldManager", "string", "Who makes the change."),
       Parameter("fieldValidation", "string", "What to do about unknown fields."),
       Parameter("force", "boolean", "Apply: take fields over from other managers.")});
}

Json Content(const std::string& reference, std::initializer_list<const char*> types) {
  Json content = Json::MakeObject();
  for (const char* type : types) {
    content.Set(type, Json::MakeObject({{"schema", Json::MakeObject({{"$ref", reference}})}}));
  }
  return content;
}

Json OperationOf(const ResourceType& type, std::string_view action) {
  const std::string reference = absl::StrCat("#/components/schemas/", SchemaName(type));
  Json answer = Json::MakeObject(
      {{"description", "OK"}, {"content", Content(reference, {"application/json"})}});
  Json operation = Json::MakeObject({{"operationId", absl::StrCat(ToAbsl(action), type.kind)},
                                     {"responses", Json::MakeObject({{"200", std::move(answer)}})},
                                     {"x-kubernetes-action", action},
                                     {kGvk, Gvk(type)}});
  if (action == "get" || action == "list") return operation;
  operation.Set("parameters", WriteParameters());
  if (action == "patch") {
    // Strategic patches are computed from what clients know of built-in kinds, not from here.
    operation.Set(
        "requestBody",
        Json::MakeObject({{"content", Content(reference, {"application/json-patch+json",
                                                          "application/merge-patch+json",
                                                          "application/apply-patch+yaml"})}}));
  } else if (action != "delete") {
    operation.Set("requestBody",
                  Json::MakeObject({{"content", Content(reference, {"application/json"})}}));
  }
  return operation;
}

void AddPaths(const ResourceType& type, Json& paths) {
  const std::string root = type.group.empty()
                               ? absl::StrCat("/api/", type.version)
                               : absl::StrCat("/apis/", type.group, "/", type.version);
  const std::string base = type.namespaced
                               ? absl::StrCat(root, "/namespaces/{namespace}/", type.plural)
                               : absl::StrCat(root, "/", type.plural);
  Json collection = Json::MakeObject({{"post", OperationOf(type, "post")}});
  if (!type.virtual_only) {
    collection.Set("get", OperationOf(type, "list"));
    collection.Set("delete", OperationOf(type, "delete"));
    Json item = Json::MakeObject();
    for (const char* action : {"get", "put", "patch", "delete"}) {
      item.Set(action, OperationOf(type, action));
    }
    paths.Set(absl::StrCat(base, "/{name}"), std::move(item));
    if (type.namespaced) {
      paths.Set(absl::StrCat(root, "/", type.plural),
                Json::MakeObject({{"get", OperationOf(type, "list")}}));
    }
  }
  paths.Set(base, std::move(collection));
}

}  // namespace

Json OpenApiIndex(const Registry& registry) {
  Json paths = Json::MakeObject();
  for (const GroupVersions& group : registry.Groups()) {
    for (const std::string& version : group.versions) {
      const std::string key = group.group.empty()
                                  ? absl::StrCat("api/", version)
                                  : absl::StrCat("apis/", group.group, "/", version);
      // The hash lets clients keep a document until the registry changes.
      paths.Set(key, Json::MakeObject(
                         {{"serverRelativeURL",
                           absl::StrCat("/openapi/v3/", key, "?hash=", registry.generation())}}));
    }
  }
  return Json::MakeObject({{"paths", std::move(paths)}});
}

std::optional<Json> OpenApiV3(const Registry& registry, std::string_view group,
                              std::string_view version) {
  if (!registry.Serves(group, version)) return std::nullopt;
  Json paths = Json::MakeObject();
  Json schemas = Json::MakeObject();
  for (const ResourceTypePtr& type : registry.Resources(group, version)) {
    AddPaths(*type, paths);
    schemas.Set(SchemaName(*type), SchemaOf(*type));
  }
  return Json::MakeObject(
      {{"openapi", "3.0.0"},
       {"info", Json::MakeObject({{"title", "Kubernetes"}, {"version", kGitVersion}})},
       {"paths", std::move(paths)},
       {"components", Json::MakeObject({{"schemas", std::move(schemas)}})}});
}

Json OpenApiV2() {
  return Json::MakeObject(
      {{"swagger", "2.0"},
       {"info", Json::MakeObject({{"title", "Kubernetes"}, {"version", kGitVersion}})},
       {"paths", Json::MakeObject()},
       {"definitions", Json::MakeObject()}});
}

}  // namespace bth::apiserver
