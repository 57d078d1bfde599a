// Feeds bytes to what reads encoded messages. The first byte chooses the message. Nothing may
// crash, what comes out says what it is, and the same bytes give the same.
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/strings.h"
#include "cel/messages/packed_message.h"
#include "cel/values/json_values.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  static constexpr std::string_view kNames[] = {"Value",      "Struct",      "ListValue", "Any",
                                                "Int32Value", "StringValue", "Duration",  "Empty"};
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  const std::string url = bth::StrCat("google.protobuf.", kNames[bytes[0] % std::size(kNames)]);
  bth::cel::MakingState state;
  const bth::cel::Value value = bth::cel::UnpackMessage(url, text, state);
  BTH_CHECK(state.members <= size * 3);
  bth::cel::MakingState again;
  BTH_CHECK(bth::cel::UnpackMessage(url, text, again).DebugText() == value.DebugText());
  BTH_CHECK(!value.is_error() || value.AsString().starts_with("unsupported conversion"));
  if (value.is_error()) return 0;
  const auto json = bth::cel::ToJson(value);
  if (json.ok()) static_cast<void>(json->Dump());
  return 0;
}
