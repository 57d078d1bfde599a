// What the stages are told of a request's write.
#pragma once

#include "apiserver/admission/stage.h"
#include "apiserver/rest/core.h"
#include "apiserver/rest/request.h"

namespace bth::apiserver {

// All that follows from the request; left to the caller: the object's name, its states and options.
// `request` outlives the result.
WriteContext ContextOf(const Core& core, const ApiRequest& request, Operation operation);

}  // namespace bth::apiserver
