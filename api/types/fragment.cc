#include "api/types/fragment.h"

#include "api/types/codec.h"
#include "api/types/decoder.h"
#include "api/types/encoder.h"
#include "api/types/reader.h"
#include "base/check.h"

namespace bth::types::fragment_internal {

std::string EncodeText(const TypeOps& ops, const void* value) {
  std::string out;
  AppendValue(ops, value, &out);
  return out;
}

Json ToTree(const TypeOps& ops, const void* value) {
  const std::string text = EncodeText(ops, value);
  // Our own writing. Raw views hold what was read, which is less deep than this.
  absl::StatusOr<Json> json = Json::Parse(text, {text.size(), 4 * kDecodeDepthMax});
  BTH_CHECK(json.ok());
  return *std::move(json);
}

absl::Status FromTree(const TypeOps& ops, const Json& json, void* value) {
  Decoder decoder(ops, value);
  ReadTree(json, &decoder);
  return decoder.error();
}

}  // namespace bth::types::fragment_internal
