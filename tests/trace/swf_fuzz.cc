// Any bytes as Standard Workload Format: no crash, and what is accepted keeps within its limits.
#include <cstdint>
#include <sstream>
#include <string>

#include "base/check.h"
#include "sim/trace/read_trace.h"
#include "sim/trace/write_trace.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  bth::trace::ReadOptions options;
  options.file = "f";
  const auto trace = bth::trace::ReadSwf(in, options);
  if (!trace.ok()) {
    BTH_CHECK(trace.status().message().substr(0, 2) == "f:");
    return 0;
  }
  for (const bth::trace::TraceJob& job : trace->jobs) {
    BTH_CHECK(job.submit_s >= 0 && job.run_s >= 0);
    BTH_CHECK(job.min_available >= 1 && job.min_available <= job.tasks);
    BTH_CHECK(job.shape < trace->shapes.size());
  }
  std::ostringstream out;
  bth::trace::WriteSwf(*trace, out);
  return 0;
}
