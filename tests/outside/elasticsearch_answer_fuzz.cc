// Any bytes as an answer of Elasticsearch: no crash, and never more or fewer results than searches.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "scheduler/node_load/answers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bth::scheduler::node_load;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const size_t searches : {size_t{0}, size_t{1}, size_t{2}}) {
    const auto found = ParseElasticsearchAnswer(text, searches);
    if (found.ok()) BTH_CHECK(found->size() == searches);
  }
  return 0;
}
