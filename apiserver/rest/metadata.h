// The rules of object metadata that hold for every resource.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "apiserver/rest/core.h"
#include "apiserver/rest/request.h"

namespace bth::apiserver {

// Checks kind, apiVersion and namespace of a body against the request and fills in what is left
// out. Errors: 400.
absl::Status MatchRequest(const ApiRequest& request, Json& object);

// 400: the body is about another object than the URL.
absl::Status WrongName(const ApiRequest& request, std::string_view name);

// Gives a new object its name (from generateName if need be), uid, stamps and first generation,
// and takes away what only the server may write. Errors: 422.
absl::Status PrepareCreate(Core& core, const ApiRequest& request, Json& object);

// Makes `next` a legal successor of `current`: server-owned metadata stays, the status or
// everything else stays depending on the subresource, the generation counts. Errors: 409, 422.
absl::Status PrepareUpdate(const ApiRequest& request, const Json& current, Json& next);

// Whether an object that patches put together is still one that could have been sent: no deeper
// and no larger. Errors: 413, 400.
absl::Status CheckShape(const Json& object);

// Broken rules of names, labels, annotations, finalizers and owner references.
std::vector<Cause> CheckMetadata(const ResourceType& type, const Json& metadata);

bool HasFinalizers(const Json& object);
bool IsDeleting(const Json& object);
// Nothing of the pod runs, and nothing will: it has succeeded or failed.
bool HasEnded(const Json& pod);

}  // namespace bth::apiserver
