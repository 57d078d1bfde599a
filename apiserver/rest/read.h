// GET of one object, of lists, and watches.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "apiserver/rest/core.h"
#include "apiserver/rest/request.h"
#include "net/http.h"

namespace bth::apiserver {

// These compute the answer from the state of now; the caller waits until that is on disk.
absl::StatusOr<net::Response> Get(Core& core, const ApiRequest& request);
absl::StatusOr<net::Response> List(Core& core, const ApiRequest& request);
absl::StatusOr<net::Response> Watch(const std::shared_ptr<Core>& core, const ApiRequest& request);

// The label and field selectors and the namespace of a collection request. Errors: 400.
absl::StatusOr<Selection> SelectionOf(Core& core, const ApiRequest& request);
// NotFound for the object of a request when it is absent.
absl::StatusOr<ObjectPtr> Require(Core& core, const ApiRequest& request);

}  // namespace bth::apiserver
