// The patch languages of the API as pure functions of JSON values.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/types/json.h"

namespace bth::apiserver {

using types::Json;

// RFC 6902. Errors: kInvalidArgument: not a patch; kFailedPrecondition: a path is not
// there; kAborted: a test failed.
// It may have 10,000 operations, and its copies may take as much as a body together. No value
// may be put so that the document gets more than 128 levels. All operations together may pass 1,000
// million members in search of others, or measure or move 200 million values to make and fill gaps.
absl::StatusOr<Json> ApplyJsonPatch(const Json& document, const Json& patch);

// RFC 7386.
Json ApplyMergePatch(const Json& document, const Json& patch);

// Kubernetes' strategic merge patch: lists with a known key are merged item by item. `group` and
// `kind` say which lists those are. Errors: kInvalidArgument with the path.
absl::StatusOr<Json> ApplyStrategicPatch(const Json& document, const Json& patch,
                                         std::string_view group, std::string_view kind);

}  // namespace bth::apiserver
