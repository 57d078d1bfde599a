// Traces as files.
#pragma once

#include <iosfwd>

#include "sim/trace/job_trace.h"

namespace bth::trace {

// As CSV, with the columns that some job has something in.
void WriteCsv(const Trace& trace, std::ostream& out);
// As Standard Workload Format: whole processors, and numbers for queues and users. Priorities,
// minimums and resources beside cpu and memory have no place in it.
void WriteSwf(const Trace& trace, std::ostream& out);

}  // namespace bth::trace
