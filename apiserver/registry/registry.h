// The served resources by group, version and plural name.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apiserver/registry/resource_type.h"

namespace bth::apiserver {

// One group with its versions, preferred first.
struct GroupVersions {
  std::string group;
  std::vector<std::string> versions;
};

// Names that the other definitions of a group hold.
struct TakenNames {
  std::set<std::string> resources;  // Plural, singular and short names.
  std::set<std::string> kinds;      // Of objects and lists.
};

// Thread: the executor's.
class Registry {
 public:
  // Holds the built-in resources from the start.
  Registry();

  // Null when not served.
  ResourceTypePtr Find(std::string_view group, std::string_view version,
                       std::string_view plural) const;
  bool Serves(std::string_view group, std::string_view version) const;
  // The resources of a group version by plural name.
  std::vector<ResourceTypePtr> Resources(std::string_view group, std::string_view version) const;
  // Groups in the order of discovery: core first, then by name; versions preferred first.
  std::vector<GroupVersions> Groups() const;
  std::vector<ResourceTypePtr> All() const;
  // The first resource of that kind.
  ResourceTypePtr FindKind(std::string_view group, std::string_view kind) const;

  // What definitions of `group` other than the one called `definition` hold.
  TakenNames NamesBeside(std::string_view group, std::string_view definition) const;

  // Adds or replaces what a CustomResourceDefinition defines. Errors: kInvalidArgument.
  // Returns the resources now served.
  absl::StatusOr<std::vector<ResourceTypePtr>> Install(const Json& definition);
  // Removes what the definition of that name ("plural.group") defined.
  void Uninstall(std::string_view name);
  // Grows with every change; clients compare it to know that discovery changed.
  uint64_t generation() const { return generation_; }

 private:
  void Add(ResourceType type);

  // group, version, plural.
  using Key = std::tuple<std::string, std::string, std::string>;
  std::map<Key, ResourceTypePtr> types_;
  uint64_t generation_ = 0;
};

// The resources every server serves (registry/builtin.cc).
std::vector<ResourceType> BuiltinTypes();

// Reads a CustomResourceDefinition into one type per served version (registry/custom.cc).
absl::StatusOr<std::vector<ResourceType>> TypesOfDefinition(const Json& definition);
// Fills in what a definition may leave out (registry/establish.cc).
void DefaultDefinition(Json& definition);
// Writes the status of a definition that is stored: its names are accepted unless others hold
// them. A definition that has never been established is served only then.
void EstablishDefinition(Json& definition, const TakenNames& taken, std::string_view now);

}  // namespace bth::apiserver
