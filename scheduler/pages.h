// The daemon's HTTP pages that anybody may see: health and metrics.
#pragma once

#include "metrics/registry.h"
#include "net/http.h"
#include "scheduler/scheduler.h"

namespace bth::scheduler {

// GET /healthz, /livez, /readyz (informers synced, or standing by), /metrics. `scheduler` and
// `registry` outlive the handler. Thread: I/O.
net::Handler MakePages(Scheduler& scheduler, metrics::Registry& registry);

}  // namespace bth::scheduler
