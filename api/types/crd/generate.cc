#include "api/types/crd/generate.h"

#include <string_view>
#include <utility>

#include "api/types/crd/kind_docs.h"
#include "api/types/crd/schema.h"
#include "api/types/crd/yaml.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::types::crd {
namespace {

constexpr const char* kComment =
    "# Written by `make crds` from the field tables and docs of api/types; do not edit.\n";

Json Names(const KindDoc& kind, const ResourceType& type) {
  Json names = Json::MakeObject({{"kind", type.kind},
                                 {"listKind", StrCat(type.kind, "List")},
                                 {"plural", type.plural},
                                 {"singular", kind.singular}});
  for (const std::string_view name : kind.short_names) {
    names["shortNames"].MutableItems().emplace_back(name);
  }
  return names;
}

Json Columns(const KindDoc& kind) {
  Json columns = Json::MakeArray();
  for (const Column& column : kind.columns) {
    Json json =
        Json::MakeObject({{"name", column.name}, {"type", column.type}, {"jsonPath", column.path}});
    if (column.priority != 0) json.Set("priority", column.priority);
    columns.MutableItems().push_back(std::move(json));
  }
  return columns;
}

absl::StatusOr<Json> DefinitionOf(const KindDoc& kind) {
  const ResourceType& type = *kind.resource().type;
  BTH_ASSIGN_OR_RETURN(Json schema, SchemaWriter().Write(kind));
  Json version = Json::MakeObject({{"name", type.version}, {"served", true}, {"storage", true}});
  if (kind.subresources != Subresources::kAbsent) {
    Json& subresources = version["subresources"];
    subresources = Json::MakeObject();
    if (kind.subresources == Subresources::kStatus) subresources.Set("status", Json::MakeObject());
  }
  if (!kind.columns.empty()) version.Set("additionalPrinterColumns", Columns(kind));
  version.Set("schema", Json::MakeObject({{"openAPIV3Schema", std::move(schema)}}));
  Json spec = Json::MakeObject({{"group", type.group},
                                {"scope", type.namespaced ? "Namespaced" : "Cluster"},
                                {"names", Names(kind, type)},
                                {"versions", Json::MakeArray({std::move(version)})}});
  // Uninstalling a chart must not take the objects along.
  Json metadata =
      Json::MakeObject({{"name", type.FullName()},
                        {"annotations", Json::MakeObject({{"helm.sh/resource-policy", "keep"}})}});
  return Json::MakeObject({{"apiVersion", "apiextensions.k8s.io/v1"},
                           {"kind", "CustomResourceDefinition"},
                           {"metadata", std::move(metadata)},
                           {"spec", std::move(spec)}});
}

}  // namespace

absl::StatusOr<std::vector<Definition>> GenerateDefinitions() {
  std::vector<Definition> definitions;
  for (const auto kinds : {BatchKinds(), ClusterKinds(), SchedulingKinds()}) {
    for (const KindDoc& kind : kinds) {
      const ResourceType& type = *kind.resource().type;
      absl::StatusOr<Json> object = DefinitionOf(kind);
      if (!object.ok()) return Annotate(object.status(), type.FullName());
      Definition definition;
      definition.file = StrCat(type.group, "_", type.plural, ".yaml");
      definition.yaml = StrCat(kComment, ToYaml(*object));
      definition.object = *std::move(object);
      definitions.push_back(std::move(definition));
    }
  }
  return definitions;
}

absl::StatusOr<Json> GenerateSchema(const ResourceType& type) {
  for (const auto kinds : {BatchKinds(), ClusterKinds(), SchedulingKinds()}) {
    for (const KindDoc& kind : kinds) {
      if (kind.resource().type->FullName() == type.FullName()) return SchemaWriter().Write(kind);
    }
  }
  return absl::NotFoundError(StrCat(type.FullName(), " has no definition here"));
}

}  // namespace bth::types::crd
