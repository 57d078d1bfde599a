#include "api/types/reader.h"

#include "api/types/rapidjson_reader.h"
#include "api/types/text_codec.h"
#include "base/strings.h"

namespace bth::types {
namespace {

struct Events {
  Decoder* decoder;
  InPlaceText* stream;

  bool Null() { return Value(Scalar{}); }
  bool Bool(bool value) { return Value({.kind = ScalarKind::kBool, .truth = value}); }
  bool Int(int value) { return Int64(value); }
  bool Uint(unsigned value) { return Int64(value); }
  bool Int64(int64_t value) { return Value({.kind = ScalarKind::kInt, .whole = value}); }
  bool Uint64(uint64_t value) {
    if (value > static_cast<uint64_t>(INT64_MAX)) return Double(static_cast<double>(value));
    return Int64(static_cast<int64_t>(value));
  }
  bool Double(double value) { return Value({.kind = ScalarKind::kDouble, .real = value}); }
  bool RawNumber(const char*, rapidjson::SizeType, bool) { return false; }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    return Value({.kind = ScalarKind::kString, .text = {text, size}});
  }
  bool Value(const Scalar& value) {
    decoder->Value(value);
    return true;
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    decoder->Key({text, size});
    return true;
  }
  bool StartObject() {
    decoder->StartObject();
    return PassOver();
  }
  bool EndObject(rapidjson::SizeType) { return End(); }
  bool StartArray() {
    decoder->StartArray();
    return PassOver();
  }
  bool EndArray(rapidjson::SizeType) { return End(); }
  bool End() {
    decoder->End();
    return true;
  }
  // The reader calls itself for each level: so deep that a writer could end the thread's stack.
  bool PassOver() {
    if (decoder->passes_over()) stream->PassInside();
    return true;
  }
};

absl::Status SyntaxError(size_t offset, std::string_view reason) {
  return absl::InvalidArgumentError(StrCat("JSON: byte ", offset, ": ", reason));
}

void Walk(const Json& json, Decoder* decoder) {
  if (json.is_object()) {
    decoder->StartObject();
    for (const Json::Member& member : json.members()) {
      decoder->Key(member.first);
      Walk(member.second, decoder);
    }
    return decoder->End();
  }
  if (json.is_array()) {
    decoder->StartArray();
    for (const Json& item : json.items()) Walk(item, decoder);
    return decoder->End();
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
  decoder->Value(value);
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
  Events events{decoder, &stream};
  const rapidjson::ParseResult result = reader.Parse<rapidjson::kParseInsituFlag>(stream, events);
  if (result.IsError()) {
    return SyntaxError(result.Offset(), rapidjson::GetParseError_En(result.Code()));
  }
  // The reader takes a NUL byte for the end of the text.
  if (stream.Tell() < size) return SyntaxError(stream.Tell(), "unexpected NUL byte");
  return absl::OkStatus();
}

void ReadTree(const Json& json, Decoder* decoder) {
  Walk(json, decoder);
}

}  // namespace bth::types
