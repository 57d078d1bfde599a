// What a process gives its controllers beside the API server.
#pragma once

#include "controllers/manager/tools.h"
#include "net/awaitable.h"

namespace bth::cmd {

// `executor` is the network's (an IoContext) and outlives the tools.
controllers::ControllerTools MakeControllerTools(net::Executor& executor);

}  // namespace bth::cmd
