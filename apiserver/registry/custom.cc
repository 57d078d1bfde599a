#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "apiserver/registry/registry.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

std::vector<std::string> Strings(const Json& list) {
  std::vector<std::string> out;
  for (const Json& item : list.items()) out.emplace_back(item.AsString());
  return out;
}

// ".spec.replicas" as steps; only plain steps occur in scale and selectable fields.
std::vector<std::string> Steps(std::string_view json_path) {
  return SplitText(json_path, '.', absl::SkipEmpty());
}

std::vector<PrinterColumn> PrinterColumnsOf(const Json& version) {
  std::vector<PrinterColumn> columns;
  for (const Json& item : version["additionalPrinterColumns"].items()) {
    columns.push_back(
        {std::string(item["name"].AsString()), std::string(item["type"].AsString()),
         std::string(item["jsonPath"].AsString()), std::string(item["description"].AsString()),
         std::string(item["format"].AsString()), static_cast<int>(item["priority"].AsInt())});
  }
  return columns;
}

void ReadSubresources(const Json& version, ResourceType& type) {
  const Json& subresources = version["subresources"];
  type.has_status = subresources.Find("status") != nullptr;
  if (const Json& scale = subresources["scale"]; scale.is_object()) {
    type.scale = ScalePaths{Steps(scale["specReplicasPath"].AsString()),
                            Steps(scale["statusReplicasPath"].AsString()),
                            Steps(scale["labelSelectorPath"].AsString())};
  }
}

absl::StatusOr<StructuralSchemaPtr> CompileVersion(const Json& schema, const Json& version) {
  absl::StatusOr<StructuralSchemaPtr> compiled = StructuralSchema::Compile(schema);
  if (!compiled.ok()) {
    return Annotate(compiled.status(),
                    StrCat("spec.versions: schema of ", version["name"].AsString()));
  }
  return compiled;
}

}  // namespace

absl::StatusOr<std::vector<ResourceType>> TypesOfDefinition(const Json& definition) {
  const Json& spec = definition["spec"];
  const Json& names = spec["names"];
  ResourceType base;
  base.custom = true;
  base.has_generation = true;
  base.group = spec["group"].AsString();
  base.plural = names["plural"].AsString();
  base.kind = names["kind"].AsString();
  base.singular = names["singular"].AsString(absl::AsciiStrToLower(base.kind));
  base.list_kind = names["listKind"].AsString(base.kind + "List");
  base.short_names = Strings(names["shortNames"]);
  base.categories = Strings(names["categories"]);
  base.namespaced = spec["scope"].AsString() == "Namespaced";
  base.collection = StrCat(base.plural, ".", base.group);
  if (base.group.empty() || base.plural.empty() || base.kind.empty()) {
    return absl::InvalidArgumentError(
        "spec.group, spec.names.plural and spec.names.kind are needed");
  }
  if (definition["metadata"]["name"].AsString() != base.collection) {
    return absl::InvalidArgumentError(
        StrCat("metadata.name must be spec.names.plural+\".\"+spec.group: ", base.collection));
  }
  const Json::Array& versions = spec["versions"].items();
  auto stored = std::find_if(versions.begin(), versions.end(),
                             [](const Json& v) { return v["storage"].AsBool(); });
  if (stored == versions.end()) {
    return absl::InvalidArgumentError("spec.versions: one version must have storage: true");
  }
  base.storage_api_version = StrCat(base.group, "/", (*stored)["name"].AsString());
  for (const Json& field : (*stored)["selectableFields"].items()) {
    std::vector<std::string> path = Steps(field["jsonPath"].AsString());
    base.fields.push_back({absl::StrJoin(path, "."), path, ""});
  }
  const Json& stored_schema = (*stored)["schema"]["openAPIV3Schema"];
  BTH_ASSIGN_OR_RETURN(const StructuralSchemaPtr stored_structural,
                       CompileVersion(stored_schema, *stored));
  const auto storage_schema = std::make_shared<const Json>(stored_schema);
  std::vector<ResourceType> types;
  for (const Json& version : versions) {
    if (!version["served"].AsBool()) continue;
    ResourceType type = base;
    type.version = version["name"].AsString();
    if (type.api_version() != base.storage_api_version) type.conversion = Conversion::kApiVersion;
    ReadSubresources(version, type);
    type.columns = PrinterColumnsOf(version);
    type.schema = version["schema"]["openAPIV3Schema"];
    type.structural = stored_structural;
    type.storage_schema = storage_schema;
    if (!(type.schema == stored_schema)) {
      BTH_ASSIGN_OR_RETURN(type.structural, CompileVersion(type.schema, version));
      type.stored_as = stored_structural;
    }
    types.push_back(std::move(type));
  }
  return types;
}

}  // namespace bth::apiserver
