// Answers of lists in protobuf: nothing crashes, and where the pieces end makes no difference.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "client/protobuf_list_splitter.h"

namespace {

struct Outcome {
  std::string items;
  std::string around;
  absl::Status status;
};

Outcome SplitInSteps(std::string_view text, size_t step) {
  bth::client::ProtobufListSplitter splitter(1 << 20);
  Outcome out;
  for (size_t at = 0; at < text.size() && out.status.ok(); at += step) {
    out.status = splitter.Feed(text.substr(at, step));
    out.items += splitter.TakeItems();
  }
  if (out.status.ok()) out.status = splitter.End(&out.around);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Outcome whole = SplitInSteps(text, std::max<size_t>(1, size));
  BTH_CHECK(whole.items.size() + whole.around.size() <= size);
  for (const size_t step : {1, 7}) {
    const Outcome pieces = SplitInSteps(text, step);
    BTH_CHECK(pieces.status == whole.status);
    BTH_CHECK(pieces.items == whole.items);
    BTH_CHECK(pieces.around == whole.around);
  }
  return 0;
}
