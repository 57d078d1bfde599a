// Sets of CPUs as reports write them: what is read has no other numbers than the text, and what it
// says is read again as the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "cache/intake/cpu_set_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto cpus = bth::cache::ParseCpuSet(text);
  if (!cpus.ok()) {
    BTH_CHECK(cpus.status().message().size() < 200);
    return 0;
  }
  std::string again;
  int count = 0;
  cpus->ForEach([&](int cpu) {
    BTH_CHECK(cpus->Has(cpu));
    if (count++ > 0) again += ',';
    again += std::to_string(cpu);
  });
  BTH_CHECK(count == cpus->size());
  const auto same = bth::cache::ParseCpuSet(again);
  BTH_CHECK(same.ok() && *same == *cpus);
  return 0;
}
