// Any bytes as a manifest: no crash, bounded work, and what is accepted runs one cycle.
#include <cstdint>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

#include "base/check.h"
#include "sim/run.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kBytesMax = size_t{64} << 10;
  if (size > kBytesMax) return 0;
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  std::ostringstream out;
  std::ostringstream err;
  bth::sim::RunOptions options;
  options.output = "json";
  options.paths = {"-"};
  const int code = bth::sim::RunManifests(options, in, out, err);
  BTH_CHECK(code == bth::sim::kExitRan || code == bth::sim::kExitInput);
  BTH_CHECK((code == bth::sim::kExitRan) == err.str().empty() ||
            err.str().starts_with("vc-sim: note: "));
  return 0;
}
