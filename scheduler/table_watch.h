// How full the tables are that outside objects fill, as metrics; and metrics of objects that are
// gone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cache/cluster/mirror.h"
#include "client/event_recorder.h"
#include "metrics/scheduler_metrics.h"

namespace bth::scheduler {

// Thread: I/O.
class TableWatch {
 public:
  // After a cycle and before the next one. A cycle that ran while an object went may have made its
  // series anew: those of objects that are gone go again. Cost: the tables, and all series when
  // some are too many.
  void Look(const cache::Mirror& mirror, metrics::SchedulerMetrics& metrics);
  // Events that wait, and whether some were dropped since the last call.
  void LookAtEvents(size_t waiting, const client::EventRecorderCounters& counters,
                    metrics::SchedulerMetrics& metrics);

 private:
  // At the last look.
  uint64_t events_dropped_ = 0;
  size_t without_dimension_ = 0;
  size_t hyper_nodes_cut_off_ = 0;
};

}  // namespace bth::scheduler
