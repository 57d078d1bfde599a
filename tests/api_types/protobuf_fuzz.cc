// Lists, events and refusals in protobuf: nothing crashes or reads behind the end, and what is read
// can be written as JSON and read again.
#include <cstddef>
#include <cstdint>
#include <string>

#include "api/types/api_status.h"
#include "api/types/codec.h"
#include "api/types/node.h"
#include "api/types/pod.h"
#include "api/types/pod_disruption_budget.h"
#include "base/check.h"

namespace {

template <class T>
void ReadList(const std::string& message) {
  using namespace bth::types;
  const auto list = DecodeList<T>(message, Encoding::kProtobuf);
  if (!list.ok()) return;
  for (const T& object : list->items) {
    const auto again = Decode<T>(Encode(object));
    BTH_CHECK(again.ok());
    BTH_CHECK(*again == object);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bth::types;
  const std::string text(reinterpret_cast<const char*>(data), size);
  ReadList<Pod>(text);
  ReadList<Node>(text);
  ReadList<PodDisruptionBudget>(text);
  (void)DecodeWatchEvent<Pod>(text, Encoding::kProtobuf);
  (void)StatusFromResponse(410, text);
  return 0;
}
