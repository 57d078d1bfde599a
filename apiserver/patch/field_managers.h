// metadata.managedFields: who set which field, and how writes other than applies change that.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "apiserver/patch/field_set.h"
#include "apiserver/registry/resource_type.h"

namespace bth::apiserver {

// One entry. Managers that apply and those that update are different ones even under one name.
struct FieldManager {
  std::string name;
  bool applies = false;
  std::string subresource;
  std::string api_version;
  std::string time;
  FieldSet fields;

  bool IsSame(const FieldManager& other) const {
    return name == other.name && applies == other.applies && subresource == other.subresource &&
           (applies || api_version == other.api_version);
  }
  // As conflicts name it: "kubectl-edit" using v1.
  std::string Text() const;
};

// Entries that cannot be read are left out.
std::vector<FieldManager> ManagersOf(const Json& managed_fields, PathBudget& budget);
// Without managers of nothing, in a fixed order; the oldest of too many updaters become one. Null
// when there is none.
Json ManagersJson(std::vector<FieldManager> managers);

// Whose write it is.
struct Writer {
  std::string name;
  std::string subresource;
  std::string now;
};
// Completes the managedFields of `next`, which is to follow `current`: the writer takes over the
// fields that it sets or changes, and nobody owns what is gone. A writer may replace the account
// itself, or with one empty entry end it. Objects that were never applied have no account; that
// begins with the first apply and keeps other writes as cheap as they are. Errors: 413: the paths
// of all these fields are too long together.
absl::Status TrackUpdate(const ResourceType& type, const Writer& writer, const Json& current,
                         Json& next);

// Updaters on one object beyond which the oldest are put together.
constexpr size_t kUpdatersMax = 10;

}  // namespace bth::apiserver
