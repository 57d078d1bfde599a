// Workload traces from files: Standard Workload Format, or CSV with a header line.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "absl/status/statusor.h"
#include "sim/trace/job_trace.h"

namespace bth::trace {

enum class TraceFormat : uint8_t { kSwf, kCsv };

struct ReadOptions {
  std::string file;               // For messages.
  int64_t task_milli_cpu = 8000;  // SWF: a task has at most so many processors.
  int64_t gang_percent = 100;     // SWF: of its tasks a job needs so many at once.
};

// The 18 fields of the Parallel Workloads Archive; -1 is unknown, lines that begin with `;` are
// comments. Jobs that never ran, and those without size or run time, are left out and counted.
// Errors (kInvalidArgument) are "FILE:LINE: what; remedy".
absl::StatusOr<Trace> ReadSwf(std::istream& in, const ReadOptions& options);

// Columns by the names of the first line: submit and duration in seconds, and, if there: tasks,
// min_available, cpu, memory, gpu and other resources by their names, queue, user, priority, name.
absl::StatusOr<Trace> ReadCsv(std::istream& in, const ReadOptions& options);

}  // namespace bth::trace
