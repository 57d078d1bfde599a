#include "apiserver/registry/registry.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

// Kubernetes' order of versions: stable before beta before alpha, higher numbers first, and
// names of any other form last, alphabetically.
struct VersionRank {
  int stability = 3;  // 0 stable, 1 beta, 2 alpha, 3 other.
  int64_t major = 0;
  int64_t minor = 0;
};

VersionRank Rank(const std::string& version) {
  VersionRank rank;
  if (!version.starts_with('v')) return rank;
  const size_t letter = version.find_first_not_of("0123456789", 1);
  if (!absl::SimpleAtoi(version.substr(1, letter == version.npos ? letter : letter - 1),
                        &rank.major)) {
    return rank;
  }
  if (letter == version.npos) {
    rank.stability = 0;
    return rank;
  }
  const std::string rest = version.substr(letter);
  const bool beta = rest.starts_with("beta");
  if (!beta && !rest.starts_with("alpha")) return rank;
  if (!absl::SimpleAtoi(rest.substr(beta ? 4 : 5), &rank.minor)) return rank;
  rank.stability = beta ? 1 : 2;
  return rank;
}

bool Preferred(const std::string& a, const std::string& b) {
  const VersionRank x = Rank(a);
  const VersionRank y = Rank(b);
  if (x.stability != y.stability) return x.stability < y.stability;
  if (x.stability == 3) return a < b;
  return x.major != y.major ? x.major > y.major : x.minor > y.minor;
}

}  // namespace

Registry::Registry() {
  for (ResourceType& type : BuiltinTypes()) Add(std::move(type));
}

void Registry::Add(ResourceType type) {
  Key key{type.group, type.version, type.plural};
  types_[std::move(key)] = std::make_shared<const ResourceType>(std::move(type));
  ++generation_;
}

ResourceTypePtr Registry::Find(std::string_view group, std::string_view version,
                               std::string_view plural) const {
  auto it = types_.find(Key(group, version, plural));
  return it == types_.end() ? nullptr : it->second;
}

bool Registry::Serves(std::string_view group, std::string_view version) const {
  auto it = types_.lower_bound(Key(group, version, ""));
  return it != types_.end() && std::get<0>(it->first) == group && std::get<1>(it->first) == version;
}

std::vector<ResourceTypePtr> Registry::Resources(std::string_view group,
                                                 std::string_view version) const {
  std::vector<ResourceTypePtr> found;
  for (auto it = types_.lower_bound(Key(group, version, ""));
       it != types_.end() && std::get<0>(it->first) == group && std::get<1>(it->first) == version;
       ++it) {
    found.push_back(it->second);
  }
  return found;
}

std::vector<GroupVersions> Registry::Groups() const {
  std::vector<GroupVersions> groups;
  for (const auto& [key, type] : types_) {
    if (groups.empty() || groups.back().group != type->group) groups.push_back({type->group, {}});
    std::vector<std::string>& versions = groups.back().versions;
    if (versions.empty() || versions.back() != type->version) versions.push_back(type->version);
  }
  for (GroupVersions& group : groups) {
    std::sort(group.versions.begin(), group.versions.end(), Preferred);
  }
  return groups;
}

std::vector<ResourceTypePtr> Registry::All() const {
  std::vector<ResourceTypePtr> all;
  for (const auto& [key, type] : types_) all.push_back(type);
  return all;
}

ResourceTypePtr Registry::FindKind(std::string_view group, std::string_view kind) const {
  for (const auto& [key, type] : types_) {
    if (type->group == group && type->kind == kind && !type->virtual_only) return type;
  }
  return nullptr;
}

TakenNames Registry::NamesBeside(std::string_view group, std::string_view definition) const {
  TakenNames taken;
  for (const auto& [key, type] : types_) {
    if (type->group != group || !type->custom || type->collection == definition) continue;
    taken.resources.insert({type->plural, type->singular});
    taken.resources.insert(type->short_names.begin(), type->short_names.end());
    taken.kinds.insert({type->kind, type->list_kind});
  }
  return taken;
}

absl::StatusOr<std::vector<ResourceTypePtr>> Registry::Install(const Json& definition) {
  BTH_ASSIGN_OR_RETURN(std::vector<ResourceType> types, TypesOfDefinition(definition));
  for (const ResourceType& type : types) {
    const ResourceTypePtr present = Find(type.group, type.version, type.plural);
    if (present != nullptr && !present->custom) {
      return absl::InvalidArgumentError("the resource is built in: " + type.collection);
    }
  }
  Uninstall(definition["metadata"]["name"].AsString());
  std::vector<ResourceTypePtr> installed;
  for (ResourceType& type : types) {
    const Key key{type.group, type.version, type.plural};
    Add(std::move(type));
    installed.push_back(types_[key]);
  }
  return installed;
}

void Registry::Uninstall(std::string_view name) {
  ++generation_;
  std::erase_if(types_, [&](const auto& entry) {
    return entry.second->custom && entry.second->collection == name;
  });
}

}  // namespace bth::apiserver
