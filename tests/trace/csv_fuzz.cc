// Any bytes as a CSV trace: no crash, and what is accepted reads the same once it was written.
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
  const auto trace = bth::trace::ReadCsv(in, options);
  if (!trace.ok()) {
    BTH_CHECK(trace.status().message().substr(0, 2) == "f:");
    return 0;
  }
  std::ostringstream out;
  bth::trace::WriteCsv(*trace, out);
  std::istringstream written(out.str());
  const auto again = bth::trace::ReadCsv(written, options);
  BTH_CHECK(again.ok());
  BTH_CHECK(again->jobs.size() == trace->jobs.size());
  for (size_t i = 0; i < trace->jobs.size(); ++i) {
    BTH_CHECK(again->jobs[i].submit_s == trace->jobs[i].submit_s);
    BTH_CHECK(again->jobs[i].tasks == trace->jobs[i].tasks);
    BTH_CHECK(again->jobs[i].name == trace->jobs[i].name);
  }
  return 0;
}
