// The families behind QueueSeries and JobSeries. Private to this folder.
#pragma once

#include <array>

#include "metrics/instruments.h"
#include "metrics/series.h"

namespace bth::metrics {

struct QueueFamilies {
  std::array<GaugeFamily, kQueueAmounts> milli_cpu;  // By QueueAmount.
  std::array<GaugeFamily, kQueueAmounts> memory_bytes;
  std::array<GaugeFamily, kQueueAmounts> scalars;
  GaugeFamily share, weight, overused;
  CounterFamily limits;
};

struct JobFamilies {
  GaugeFamily duration, start_time, last_time;  // By job_name, queue, job_namespace.
  GaugeFamily share;                            // By job_ns, job_id.
  GaugeFamily unscheduled_tasks;                // By job_id.
  CounterFamily retries;                        // By job_id.
};

}  // namespace bth::metrics
