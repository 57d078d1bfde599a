// What can be done to an object beside reading and writing it.
#pragma once

#include <memory>

#include "apiserver/rest/write.h"

namespace bth::apiserver {

// POST pods/NAME/binding and POST bindings: gives a pod its node. Errors: 409 when it has one, is
// being deleted, is gated, or is another pod than metadata.uid says.
net::Awaitable<WriteResult> Bind(std::shared_ptr<Core> core, const ApiRequest& request);

// POST pods/NAME/eviction: a deletion that PodDisruptionBudgets may refuse with 429.
net::Awaitable<WriteResult> Evict(std::shared_ptr<Core> core, const ApiRequest& request);

// GET, PUT and PATCH of NAME/scale.
absl::StatusOr<Json> ScaleOf(const ResourceType& type, const Json& object);
net::Awaitable<WriteResult> WriteScale(std::shared_ptr<Core> core, const ApiRequest& request);

// PUT namespaces/NAME/finalize.
net::Awaitable<WriteResult> FinalizeNamespace(std::shared_ptr<Core> core,
                                              const ApiRequest& request);

// POST to a resource that answers without storing: reviews.
WriteResult Review(const Core& core, const ApiRequest& request);

}  // namespace bth::apiserver
