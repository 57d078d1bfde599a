// What the selector parsers accept prints canonically, and the printed text selects the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/types/selector.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bth::types;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto selector = ParseLabelSelector(text); selector.ok()) {
    const std::string printed = selector->ToString();
    const auto again = ParseLabelSelector(printed);
    // The canonical text may be longer than the input, and only then beyond the limit.
    BTH_CHECK(again.ok() || printed.size() > 16384);
    if (again.ok()) {
      BTH_CHECK(again->ToString() == printed);
      const LabelMap labels = {{"a", "1"}, {"b", ""}, {"app", "web"}};
      BTH_CHECK(again->Matches(labels) == selector->Matches(labels));
    }
  }
  if (const auto selector = ParseFieldSelector(text); selector.ok()) {
    const auto again = ParseFieldSelector(selector->ToString());
    BTH_CHECK(again.ok() || selector->ToString().size() > 16384);
    if (again.ok()) BTH_CHECK(again->terms == selector->terms);
  }
  return 0;
}
