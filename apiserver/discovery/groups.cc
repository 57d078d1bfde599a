#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/discovery/discovery.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

Json Texts(const std::vector<std::string>& list) {
  Json::Array items;
  for (const std::string& item : list) items.emplace_back(item);
  return Json(std::move(items));
}

std::string GroupVersion(const std::string& group, const std::string& version) {
  return group.empty() ? version : StrCat(group, "/", version);
}

Json VersionEntry(const std::string& group, const std::string& version) {
  return Json::MakeObject({{"groupVersion", GroupVersion(group, version)}, {"version", version}});
}

Json GroupEntry(const GroupVersions& group) {
  Json::Array versions;
  for (const std::string& version : group.versions) {
    versions.push_back(VersionEntry(group.group, version));
  }
  Json preferred = versions.front();
  return Json::MakeObject({{"name", group.group},
                           {"versions", Json(std::move(versions))},
                           {"preferredVersion", std::move(preferred)}});
}

// A subresource as discovery names it.
struct Subresource {
  std::string name;
  std::string group;
  std::string version;
  std::string kind;
  Json verbs;
};

std::vector<Subresource> SubresourcesOf(const ResourceType& type) {
  std::vector<Subresource> list;
  if (type.collection == "pods") {
    list.push_back({"binding", "", "v1", "Binding", Json::MakeArray({"create"})});
    list.push_back({"eviction", "policy", "v1", "Eviction", Json::MakeArray({"create"})});
  }
  if (type.collection == "namespaces") {
    list.push_back({"finalize", "", "v1", "Namespace", Json::MakeArray({"update"})});
  }
  if (type.collection == "services") {
    const Json all = Json::MakeArray({"create", "delete", "get", "patch", "update"});
    list.push_back({"proxy", "", "v1", "ServiceProxyOptions", all});
  }
  const Json read_write = Json::MakeArray({"get", "patch", "update"});
  if (type.scale.has_value()) list.push_back({"scale", "autoscaling", "v1", "Scale", read_write});
  if (type.has_status) list.push_back({"status", type.group, type.version, type.kind, read_write});
  return list;
}

Json ResourceEntry(const ResourceType& type) {
  Json entry = Json::MakeObject({{"name", type.plural},
                                 {"singularName", type.singular},
                                 {"namespaced", type.namespaced},
                                 {"kind", type.kind},
                                 {"verbs", VerbsOf(type)}});
  if (!type.short_names.empty()) entry.Set("shortNames", Texts(type.short_names));
  if (!type.categories.empty()) entry.Set("categories", Texts(type.categories));
  return entry;
}

Json Kind(const std::string& group, const std::string& version, const std::string& kind) {
  return Json::MakeObject({{"group", group}, {"version", version}, {"kind", kind}});
}

Json AggregatedResource(const ResourceType& type) {
  Json entry = Json::MakeObject({{"resource", type.plural},
                                 {"responseKind", Kind(type.group, type.version, type.kind)},
                                 {"scope", type.namespaced ? "Namespaced" : "Cluster"},
                                 {"singularResource", type.singular},
                                 {"verbs", VerbsOf(type)}});
  if (!type.short_names.empty()) entry.Set("shortNames", Texts(type.short_names));
  if (!type.categories.empty()) entry.Set("categories", Texts(type.categories));
  Json::Array subresources;
  for (const Subresource& sub : SubresourcesOf(type)) {
    subresources.push_back(
        Json::MakeObject({{"subresource", sub.name},
                          {"responseKind", Kind(sub.group, sub.version, sub.kind)},
                          {"verbs", sub.verbs}}));
  }
  if (!subresources.empty()) entry.Set("subresources", Json(std::move(subresources)));
  return entry;
}

}  // namespace

Json VerbsOf(const ResourceType& type) {
  if (type.virtual_only) return Json::MakeArray({"create"});
  return Json::MakeArray(
      {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"});
}

Json GroupListDocument(const Registry& registry) {
  Json::Array groups;
  for (const GroupVersions& group : registry.Groups()) {
    if (!group.group.empty()) groups.push_back(GroupEntry(group));
  }
  return Json::MakeObject(
      {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", Json(std::move(groups))}});
}

std::optional<Json> GroupDocument(const Registry& registry, std::string_view group) {
  for (const GroupVersions& known : registry.Groups()) {
    if (known.group != group || group.empty()) continue;
    Json document = GroupEntry(known);
    document.Set("kind", "APIGroup");
    document.Set("apiVersion", "v1");
    return document;
  }
  return std::nullopt;
}

Json ResourceListDocument(const Registry& registry, std::string_view group,
                          std::string_view version) {
  Json::Array resources;
  for (const ResourceTypePtr& type : registry.Resources(group, version)) {
    resources.push_back(ResourceEntry(*type));
    for (const Subresource& sub : SubresourcesOf(*type)) {
      Json entry = Json::MakeObject({{"name", StrCat(type->plural, "/", sub.name)},
                                     {"singularName", ""},
                                     {"namespaced", type->namespaced},
                                     {"kind", sub.kind},
                                     {"verbs", sub.verbs}});
      if (sub.group != type->group) {
        entry.Set("group", sub.group);
        entry.Set("version", sub.version);
      }
      resources.push_back(std::move(entry));
    }
  }
  return Json::MakeObject({{"kind", "APIResourceList"},
                           {"apiVersion", "v1"},
                           {"groupVersion", GroupVersion(std::string(group), std::string(version))},
                           {"resources", Json(std::move(resources))}});
}

Json AggregatedDocument(const Registry& registry, bool core_group) {
  Json::Array groups;
  for (const GroupVersions& group : registry.Groups()) {
    if (group.group.empty() != core_group) continue;
    Json::Array versions;
    for (const std::string& version : group.versions) {
      Json::Array resources;
      for (const ResourceTypePtr& type : registry.Resources(group.group, version)) {
        resources.push_back(AggregatedResource(*type));
      }
      versions.push_back(Json::MakeObject({{"version", version},
                                           {"resources", Json(std::move(resources))},
                                           {"freshness", "Current"}}));
    }
    Json metadata = Json::MakeObject({{"creationTimestamp", nullptr}});
    if (!group.group.empty()) metadata.Set("name", group.group);
    groups.push_back(Json::MakeObject(
        {{"metadata", std::move(metadata)}, {"versions", Json(std::move(versions))}}));
  }
  return Json::MakeObject({{"kind", "APIGroupDiscoveryList"},
                           {"apiVersion", "apidiscovery.k8s.io/v2"},
                           {"metadata", Json::MakeObject()},
                           {"items", Json(std::move(groups))}});
}

}  // namespace bth::apiserver
