// Any text as --requests or --limits: what is accepted reads back as the same list.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/strings.h"
#include "cli/text/resource_list.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto list = bth::cli::ParseResourceList(text);
  if (!list.ok()) {
    BTH_CHECK(absl::IsInvalidArgument(list.status()));
    BTH_CHECK(!list.status().message().empty());
    return 0;
  }
  BTH_CHECK(list->is_null() == text.empty());
  if (list->is_null()) return 0;
  std::string shown;
  for (const auto& [name, quantity] : list->members()) {
    bth::StrAppend(&shown, shown.empty() ? "" : ",", name, "=", quantity.AsString());
  }
  const auto again = bth::cli::ParseResourceList(shown);
  BTH_CHECK(again.ok());
  BTH_CHECK(again->members().size() == list->members().size());
  return 0;
}
