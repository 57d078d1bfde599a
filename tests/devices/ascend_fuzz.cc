// Any bytes as the register of Ascend cards: no crash, and what is read is within its bounds.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "devices/hami_ascend/hami_ascend.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bth;
  const auto cards = devices::hami_ascend::ReadRegister(
      std::string_view(reinterpret_cast<const char*>(data), size));
  BTH_CHECK(cards.size() <= devices::kDevicesMax);
  for (size_t i = 0; i < cards.size(); ++i) {
    BTH_CHECK(!cards[i].id.empty() && cards[i].slots >= 0 && cards[i].cores >= 0);
    BTH_CHECK(cards[i].memory >= 0 && cards[i].memory <= devices::kMemoryMax);
    for (size_t j = 0; j < i; ++j) BTH_CHECK(cards[j].id != cards[i].id);
  }
  return 0;
}
