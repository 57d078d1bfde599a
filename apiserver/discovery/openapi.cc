// OpenAPI documents, as far as clients need them: which kinds exist, under which paths, which
// query parameters they take, and what their fields are (discovery/published.h).
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/discovery/discovery.h"
#include "apiserver/discovery/published.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

constexpr char kGvk[] = "x-kubernetes-group-version-kind";

Json Gvk(const ResourceType& type) {
  return Json::MakeObject({{"group", type.group}, {"kind", type.kind}, {"version", type.version}});
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
  const std::string reference = StrCat("#/components/schemas/", PublishedName(type));
  Json answer = Json::MakeObject(
      {{"description", "OK"}, {"content", Content(reference, {"application/json"})}});
  Json operation = Json::MakeObject({{"operationId", StrCat(action, type.kind)},
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
  const std::string root = type.group.empty() ? StrCat("/api/", type.version)
                                              : StrCat("/apis/", type.group, "/", type.version);
  const std::string base = type.namespaced ? StrCat(root, "/namespaces/{namespace}/", type.plural)
                                           : StrCat(root, "/", type.plural);
  Json collection = Json::MakeObject({{"post", OperationOf(type, "post")}});
  if (!type.virtual_only) {
    collection.Set("get", OperationOf(type, "list"));
    collection.Set("delete", OperationOf(type, "delete"));
    Json item = Json::MakeObject();
    for (const char* action : {"get", "put", "patch", "delete"}) {
      item.Set(action, OperationOf(type, action));
    }
    paths.Set(StrCat(base, "/{name}"), std::move(item));
    if (type.namespaced) {
      paths.Set(StrCat(root, "/", type.plural),
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
      const std::string key = group.group.empty() ? StrCat("api/", version)
                                                  : StrCat("apis/", group.group, "/", version);
      // The hash lets clients keep a document until the registry changes.
      paths.Set(key,
                Json::MakeObject({{"serverRelativeURL",
                                   StrCat("/openapi/v3/", key, "?hash=", registry.generation())}}));
    }
  }
  return Json::MakeObject({{"paths", std::move(paths)}});
}

std::optional<Json> OpenApiV3(const Registry& registry, std::string_view group,
                              std::string_view version) {
  if (!registry.Serves(group, version)) return std::nullopt;
  Json paths = Json::MakeObject();
  const std::vector<ResourceTypePtr> types = registry.Resources(group, version);
  for (const ResourceTypePtr& type : types) AddPaths(*type, paths);
  Json schemas = PublishedSchemas(types, "#/components/schemas/");
  return Json::MakeObject(
      {{"openapi", "3.0.0"},
       {"info", Json::MakeObject({{"title", "Kubernetes"}, {"version", kGitVersion}})},
       {"paths", std::move(paths)},
       {"components", Json::MakeObject({{"schemas", std::move(schemas)}})}});
}

Json OpenApiV2(const Registry& registry) {
  const Json schemas = PublishedSchemas(registry.All(), "#/definitions/");
  Json definitions = Json::MakeObject();
  for (const auto& [name, schema] : schemas.members()) {
    definitions.Set(name, ForOpenApiV2(schema));
  }
  return Json::MakeObject(
      {{"swagger", "2.0"},
       {"info", Json::MakeObject({{"title", "Kubernetes"}, {"version", kGitVersion}})},
       {"paths", Json::MakeObject()},
       {"definitions", std::move(definitions)}});
}

}  // namespace bth::apiserver
