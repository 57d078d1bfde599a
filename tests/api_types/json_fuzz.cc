// What Json::Parse accepts is dumped as a document that reads back as the same value.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/types/json.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using bth::types::Json;
  const auto json = Json::Parse({reinterpret_cast<const char*>(data), size});
  if (!json.ok()) return 0;
  const auto again = Json::Parse(json->Dump());
  BTH_CHECK(again.ok());
  BTH_CHECK(*again == *json);
  const auto pretty = Json::Parse(json->Pretty());
  BTH_CHECK(pretty.ok());
  BTH_CHECK(*pretty == *json);
  return 0;
}
