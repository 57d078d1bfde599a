// The short way of reading JSON against the long one: what it takes, the other takes too, and both
// read the same; what the other refuses, it refuses.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/types/json_tokens.h"
#include "api/types/text_codec.h"
#include "base/check.h"

namespace {

using bth::types::JsonToken;

bool IsSameToken(const JsonToken& a, const JsonToken& b) {
  if (a.kind != b.kind || a.size != b.size) return false;
  switch (a.kind) {
    case JsonToken::Kind::kBool:
      return a.truth == b.truth;
    case JsonToken::Kind::kInt:
      return a.whole == b.whole;
    case JsonToken::Kind::kText:
      return std::string_view(a.text, a.size) == std::string_view(b.text, b.size);
    case JsonToken::Kind::kDouble:
      return false;  // Left to the long way.
    default:
      return true;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bth::types;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (Utf8ValidPrefix(text) < size) return 0;  // Never scanned.
  constexpr int kDepthMax = 8;
  std::string scanned_text = std::string(text) + std::string(kReaderPadding, '\0');
  JsonTokens scanned;
  if (!ScanTokens(&scanned_text, kDepthMax, &scanned)) return 0;
  std::string read_text;
  JsonTokens read;
  BTH_CHECK(ReadTokens(text, kDepthMax, &read_text, &read).ok());
  BTH_CHECK(scanned.size() == read.size());
  for (size_t i = 0; i < read.size(); ++i) BTH_CHECK(IsSameToken(scanned[i], read[i]));
  return 0;
}
