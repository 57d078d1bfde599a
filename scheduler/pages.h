// The daemon's HTTP pages that anybody may see: health and metrics.
#pragma once

#include <functional>
#include <string>

#include "metrics/registry.h"
#include "net/http.h"
#include "scheduler/scheduler.h"

namespace bth::scheduler {

// GET /healthz, /livez, /readyz (informers synced, or standing by), /metrics. `last_error` says
// what is wrong on the way to the API server, or nothing; may be null. `scheduler` and `registry`
// outlive the handler. Thread: I/O.
net::Handler MakePages(Scheduler& scheduler, metrics::Registry& registry,
                       std::function<std::string()> last_error = nullptr);

}  // namespace bth::scheduler
