// The logs of simulated containers, for the API server beside them.
#pragma once

#include "apiserver/logs/log_source.h"

namespace bth::cmd {

// Thread: any.
apiserver::LogSource LogsOfSimulatedContainers();

}  // namespace bth::cmd
