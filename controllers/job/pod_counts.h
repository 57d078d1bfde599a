// The pods of a batch job by what they are doing.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/types/batch_job.h"
#include "api/types/pod.h"

namespace bth::controllers {

// Thread: any.
struct PodCounts {
  int32_t pending = 0;
  int32_t running = 0;
  int32_t succeeded = 0;
  int32_t failed = 0;
  int32_t terminating = 0;
  int32_t unknown = 0;
  types::SortedMap<types::TaskPodCounts> tasks;

  // By its phase; one without counts as Pending.
  void Add(std::string_view task, const types::Pod& pod);
  void Merge(const PodCounts& other);
  // Replaces the counters of the status.
  void WriteTo(types::BatchJobStatus* status) const;
  bool operator==(const PodCounts&) const = default;
};

}  // namespace bth::controllers
