// Namespaces: objects may only be made in one that exists, and go away with it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "apiserver/rest/core.h"
#include "apiserver/rest/request.h"

namespace bth::apiserver {

// Errors: 404 the namespace of the request does not exist, 403 it is being deleted.
absl::Status CheckNamespace(const Core& core, const ApiRequest& request, std::string_view name);

// default, kube-system, kube-public, kube-node-lease and the system priority classes, unless
// they are there.
void CreateSystemObjects(Core& core);

// Watches the store and empties namespaces that are being deleted. Deleting one object is a
// write of its own, posted to the executor; a namespace goes when its last object is gone.
void CollectNamespaces(const std::shared_ptr<Core>& core);

}  // namespace bth::apiserver
