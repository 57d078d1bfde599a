// The daemon's HTTP pages for those who look after it: why a pod waits, what the last cycle did.
#pragma once

#include "metrics/scheduler_metrics.h"
#include "net/http.h"
#include "scheduler/scheduler.h"

namespace bth::scheduler {

// GET /debug/explain?pod=ns/name|job=ns/name, /debug/queues, /debug/cycle, /debug/invariants,
// /debug/dump (the cluster as manifests, a JSON document per line; one at a time, and one in ten
// seconds). They show names, labels and places of everybody's pods: who may see them is for the
// server in front to say. `scheduler` and `metrics`, which may be null, outlive the handler.
// Thread: I/O.
net::Handler MakeDebugPages(net::Executor& executor, Scheduler& scheduler,
                            metrics::SchedulerMetrics* metrics);

}  // namespace bth::scheduler
