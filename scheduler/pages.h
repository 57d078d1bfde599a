// The daemon's HTTP pages: health, metrics and explanations.
#pragma once

#include <functional>
#include <string>

#include "metrics/registry.h"
#include "net/http.h"
#include "scheduler/scheduler.h"

namespace bth::scheduler {

// GET /healthz, /livez, /readyz (informers synced, or standing by), /metrics,
// /debug/explain?pod=ns/name|job=ns/name, /debug/queues, /debug/cycle,
// /debug/invariants, /debug/dump (the cluster as manifests, a JSON document per line). `scheduler`
// and `registry` outlive the handler. Thread: I/O.
net::Handler MakePages(net::Executor& executor, Scheduler& scheduler, metrics::Registry& registry);

}  // namespace bth::scheduler
