// Patches of requests: which language the body is in, and server-side apply.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "apiserver/patch/patch.h"
#include "apiserver/rest/request.h"

namespace bth::apiserver {

// The object after the request's patch, by its Content-Type. Errors: 400, 415, 422.
absl::StatusOr<Json> ApplyPatchBody(const ApiRequest& request, const Json& object);

// Whether the body is an apply configuration (application/apply-patch+yaml).
bool IsApply(const ApiRequest& request);
// Reads the body of an apply. YAML is refused unless it is JSON, which every YAML parser reads.
absl::StatusOr<Json> ReadApplyBody(const ApiRequest& request);

// The longest name of a field manager.
constexpr size_t kManagerBytesMax = 128;

// One server-side apply: `configuration` is what `manager` wants. `live` is null when the object
// does not exist yet.
struct ApplyInput {
  const Json& live;
  const Json& configuration;
  std::string manager;
  bool force = false;
  std::string now;  // For managedFields.
  std::string subresource;
};
// The object after the apply, with metadata.managedFields brought up to date. What an object holds
// that was never applied belongs to the manager before-first-apply.
// Errors: 409 with the fields that other managers own.
absl::StatusOr<Json> ServerSideApply(const ResourceType& type, const ApplyInput& input);

}  // namespace bth::apiserver
