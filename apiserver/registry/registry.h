// The served resources by group, version and plural name.
#pragma once

#include <map>
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
// Fills in the names that a definition may leave out, and the status of an established one.
void EstablishDefinition(Json& definition, std::string_view now);

}  // namespace bth::apiserver
