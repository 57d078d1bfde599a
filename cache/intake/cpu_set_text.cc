#include "cache/intake/cpu_set_text.h"

#include <algorithm>
#include <charconv>

#include "base/status.h"
#include "base/strings.h"

namespace bth::cache {
namespace {

constexpr size_t kCpuSetBytesMax = size_t{8} << 10;

// Digits alone, a number that has a place in a set.
absl::StatusOr<int> CpuNumber(std::string_view text) {
  const bool digits = !text.empty() && std::all_of(text.begin(), text.end(),
                                                   [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) {
    return absl::InvalidArgumentError(StrCat("\"", text.substr(0, 32), "\" is no CPU number"));
  }
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number >= model::CpuSet::kCpusMax) {
    return absl::InvalidArgumentError(StrCat("CPU ", text.substr(0, 32), " is beyond ",
                                             model::CpuSet::kCpusMax - 1,
                                             ", the last one that is counted"));
  }
  return number;
}

}  // namespace

absl::StatusOr<model::CpuSet> ParseCpuSet(std::string_view text) {
  model::CpuSet cpus;
  if (text.empty()) return cpus;
  if (text.size() > kCpuSetBytesMax) {
    return absl::InvalidArgumentError(
        StrCat("a CPU set is longer than ", kCpuSetBytesMax, " bytes"));
  }
  for (const auto& piece : SplitText(text, ',')) {
    const std::string_view range = ToStd(piece);
    const size_t dash = range.find('-');
    BTH_ASSIGN_OR_RETURN(const int first, CpuNumber(range.substr(0, dash)));
    int last = first;
    if (dash != std::string_view::npos) {
      BTH_ASSIGN_OR_RETURN(last, CpuNumber(range.substr(dash + 1)));
    }
    if (first > last) {
      return absl::InvalidArgumentError(StrCat("the CPUs ", range, " run backwards"));
    }
    for (int cpu = first; cpu <= last; ++cpu) cpus.Add(cpu);
  }
  return cpus;
}

}  // namespace bth::cache
