#include "api/types/reader.h"

#include "api/types/rapidjson_reader.h"
#include "api/types/text_codec.h"
#include "base/strings.h"

namespace bth::types {
namespace {

struct Events {
  Decoder* decoder;

  bool Null() { return decoder->Value(Scalar{}); }
  bool Bool(bool value) { return decoder->Value({.kind = ScalarKind::kBool, .truth = value}); }
  bool Int(int value) { return Int64(value); }
  bool Uint(unsigned value) { return Int64(value); }
  bool Int64(int64_t value) { return decoder->Value({.kind = ScalarKind::kInt, .whole = value}); }
  bool Uint64(uint64_t value) {
    if (value > static_cast<uint64_t>(INT64_MAX)) return Double(static_cast<double>(value));
    return Int64(static_cast<int64_t>(value));
  }
  bool Double(double value) { return decoder->Value({.kind = ScalarKind::kDouble, .real = value}); }
  bool RawNumber(const char*, rapidjson::SizeType, bool) { return false; }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    return decoder->Value({.kind = ScalarKind::kString, .text = {text, size}});
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) { return decoder->Key({text, size}); }
  bool StartObject() { return decoder->StartObject(); }
  bool EndObject(rapidjson::SizeType) { return decoder->EndObject(); }
  bool StartArray() { return decoder->StartArray(); }
  bool EndArray(rapidjson::SizeType) { return decoder->EndArray(); }
};

absl::Status SyntaxError(size_t offset, std::string_view reason) {
  return absl::InvalidArgumentError(StrCat("JSON: byte ", offset, ": ", reason));
}

bool Walk(const Json& json, Decoder* decoder) {
  if (json.is_object()) {
    if (!decoder->StartObject()) return false;
    for (const Json::Member& member : json.members()) {
      if (!decoder->Key(member.first) || !Walk(member.second, decoder)) return false;
    }
    return decoder->EndObject();
  }
  if (json.is_array()) {
    if (!decoder->StartArray()) return false;
    for (const Json& item : json.items()) {
      if (!Walk(item, decoder)) return false;
    }
    return decoder->EndArray();
  }
  Scalar value;
  if (json.is_string()) {
    value = {.kind = ScalarKind::kString, .text = json.AsString()};
  } else if (json.is_int()) {
    value = {.kind = ScalarKind::kInt, .whole = json.AsInt()};
  } else if (json.is_double()) {
    value = {.kind = ScalarKind::kDouble, .real = json.AsDouble()};
  } else if (json.is_bool()) {
    value = {.kind = ScalarKind::kBool, .truth = json.AsBool()};
  }
  return decoder->Value(value);
}

}  // namespace

absl::Status ReadInPlace(std::string* text, Decoder* decoder) {
  const size_t size = text->size();
  if (const size_t valid = Utf8ValidPrefix(*text); valid < size) {
    return SyntaxError(valid, "invalid UTF-8");
  }
  text->append(kReaderPadding, '\0');
  InPlaceText stream(text->data());
  rapidjson::Reader reader;
  Events events{decoder};
  const rapidjson::ParseResult result = reader.Parse<rapidjson::kParseInsituFlag>(stream, events);
  if (!decoder->refusal().empty()) return SyntaxError(stream.Tell(), decoder->refusal());
  if (result.IsError()) {
    return SyntaxError(result.Offset(), rapidjson::GetParseError_En(result.Code()));
  }
  // The reader takes a NUL byte for the end of the text.
  if (stream.Tell() < size) return SyntaxError(stream.Tell(), "unexpected NUL byte");
  return absl::OkStatus();
}

absl::Status ReadTree(const Json& json, Decoder* decoder) {
  if (Walk(json, decoder)) return absl::OkStatus();
  return absl::InvalidArgumentError(decoder->refusal());
}

}  // namespace bth::types
