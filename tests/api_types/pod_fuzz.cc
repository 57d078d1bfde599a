// Objects, lists and watch events of pods: nothing crashes, what is read can be written and read
// again, and reading in place equals reading from a tree.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/types/codec.h"
#include "api/types/pod.h"
#include "api/types/pod_requests.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bth::types;
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)DecodeList<Pod>(text);
  (void)DecodeWatchEvent<Pod>(text);
  const auto pod = Decode<Pod>(text);
  if (!pod.ok()) return 0;
  (void)PodRequests(*pod);
  const std::string encoded = Encode(*pod);
  const auto again = Decode<Pod>(encoded);
  BTH_CHECK(again.ok());
  BTH_CHECK(Encode(*again) == encoded);
  if (const auto tree = Json::Parse(text); tree.ok()) {
    // Written out once, because the text itself may repeat keys, and a tree does not.
    const auto from_tree = Decode<Pod>(*tree);
    const auto from_text = Decode<Pod>(tree->Dump());
    BTH_CHECK(from_tree.ok() == from_text.ok());
    if (from_tree.ok()) BTH_CHECK(*from_tree == *from_text);
  }
  return 0;
}
