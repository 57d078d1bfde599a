// GET pods/NAME/log.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "apiserver/rest/core.h"
#include "apiserver/rest/request.h"
#include "net/http.h"

namespace bth::apiserver {

// Plain text from the server's source of logs, which there must be: all there is by now, or with
// `follow` until the container's run is over or the pod is gone. Of a pod without a node: 204.
absl::StatusOr<net::Response> ServePodLog(const std::shared_ptr<Core>& core,
                                          const ApiRequest& request);

}  // namespace bth::apiserver
