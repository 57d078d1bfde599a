// What Quantity::Parse accepts prints canonically: the text reads back as the same number. It
// prints the same again in the same notation, and settles after that if the notation changed: as
// in Kubernetes 62.5Ki prints as 64000, which has lost its binary suffix and prints as 64k.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/types/quantity.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using bth::types::Quantity;
  const auto quantity = Quantity::Parse({reinterpret_cast<const char*>(data), size});
  if (!quantity.ok()) return 0;
  const std::string text = quantity->ToString();
  const auto again = Quantity::Parse(text);
  BTH_CHECK(again.ok());
  BTH_CHECK(*again == *quantity);
  if (again->format() == quantity->format()) {
    BTH_CHECK(again->ToString() == text);
  } else {
    const auto settled = Quantity::Parse(again->ToString());
    BTH_CHECK(settled.ok());
    BTH_CHECK(*settled == *quantity);
    BTH_CHECK(settled->ToString() == again->ToString());
  }
  const auto milli = quantity->MilliValue();
  if (milli.ok()) {
    // Rounded once to thousandths, then to units: never below the unit count itself.
    BTH_CHECK(Quantity::FromMilli(*milli).Value() == quantity->Value());
  }
  return 0;
}
