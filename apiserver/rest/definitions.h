// CustomResourceDefinitions: what they define is served as soon as they are stored.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "apiserver/rest/core.h"

namespace bth::apiserver {

// Serves the stored definitions, creates those of `manifests` that are not there, and follows
// the store: created and changed definitions are served at once, and a deleted one takes its
// objects with it. Errors: a definition is invalid.
absl::Status ServeDefinitions(const std::shared_ptr<Core>& core,
                              const std::vector<Json>& manifests);

}  // namespace bth::apiserver
