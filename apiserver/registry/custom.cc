#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
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
  return absl::StrSplit(ToAbsl(json_path), '.', absl::SkipEmpty());
}

std::vector<PrinterColumn> ColumnsOf(const Json& version) {
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
  base.collection = absl::StrCat(base.plural, ".", base.group);
  if (base.group.empty() || base.plural.empty() || base.kind.empty()) {
    return absl::InvalidArgumentError(
        "spec.group, spec.names.plural and spec.names.kind are needed");
  }
  if (definition["metadata"]["name"].AsString() != base.collection) {
    return absl::InvalidArgumentError(absl::StrCat(
        "metadata.name must be spec.names.plural+\".\"+spec.group: ", base.collection));
  }
  const Json::Array& versions = spec["versions"].items();
  auto stored = std::find_if(versions.begin(), versions.end(),
                             [](const Json& v) { return v["storage"].AsBool(); });
  if (stored == versions.end()) {
    return absl::InvalidArgumentError("spec.versions: one version must have storage: true");
  }
  base.storage_api_version = absl::StrCat(base.group, "/", ToAbsl((*stored)["name"].AsString()));
  for (const Json& field : (*stored)["selectableFields"].items()) {
    std::vector<std::string> path = Steps(field["jsonPath"].AsString());
    base.fields.push_back({absl::StrJoin(path, "."), path, ""});
  }
  std::vector<ResourceType> types;
  for (const Json& version : versions) {
    if (!version["served"].AsBool()) continue;
    ResourceType type = base;
    type.version = version["name"].AsString();
    if (type.api_version() != base.storage_api_version) type.conversion = Conversion::kApiVersion;
    ReadSubresources(version, type);
    type.columns = ColumnsOf(version);
    type.schema = version["schema"]["openAPIV3Schema"];
    types.push_back(std::move(type));
  }
  return types;
}

void EstablishDefinition(Json& definition, std::string_view now) {
  Json& names = definition.MutableAt({"spec", "names"});
  const std::string kind(names["kind"].AsString());
  if (names["singular"].AsString().empty()) names.Set("singular", absl::AsciiStrToLower(kind));
  if (names["listKind"].AsString().empty()) names.Set("listKind", kind + "List");
  Json& conversion = definition.MutableAt({"spec", "conversion"});
  if (!conversion.is_object()) conversion = Json::MakeObject({{"strategy", "None"}});

  Json::Array conditions;
  auto add = [&](const char* type, const char* reason, const char* message) {
    for (const Json& present : definition["status"]["conditions"].items()) {
      if (present["type"].AsString() == type && present["status"].AsString() == "True") {
        conditions.push_back(present);
        return;
      }
    }
    conditions.push_back(Json::MakeObject({{"lastTransitionTime", now},
                                           {"message", message},
                                           {"reason", reason},
                                           {"status", "True"},
                                           {"type", type}}));
  };
  add("NamesAccepted", "NoConflicts", "no conflicts found");
  add("Established", "InitialNamesAccepted", "the initial names have been accepted");
  Json::Array stored;
  for (const Json& version : definition["spec"]["versions"].items()) {
    if (version["storage"].AsBool()) stored.push_back(version["name"]);
  }
  Json& status = definition["status"];
  status.Set("conditions", Json(std::move(conditions)));
  status.Set("acceptedNames", Json(definition["spec"]["names"]));
  status.Set("storedVersions", Json(std::move(stored)));
}

}  // namespace bth::apiserver
