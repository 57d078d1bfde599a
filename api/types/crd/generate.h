// The CustomResourceDefinitions of our kinds, from their field tables and docs. Pure, any thread.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/types/json.h"
#include "api/types/resource.h"

namespace bth::types::crd {

struct Definition {
  std::string file;  // "batch.volcano.sh_jobs.yaml"
  Json object;
  std::string yaml;  // the object, behind a comment that says where it comes from
};

// All kinds, in a fixed order. kInternal when docs and field tables do not fit together: a field
// without docs, docs without a field, a default that is no JSON.
absl::StatusOr<std::vector<Definition>> GenerateDefinitions();

// The schema of one kind alone. kNotFound when there is no definition of it.
absl::StatusOr<Json> GenerateSchema(const ResourceType& type);

}  // namespace bth::types::crd
