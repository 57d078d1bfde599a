// Values as text for messages and tests.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "cel/values/text_forms.h"
#include "cel/values/time_text.h"
#include "cel/values/value.h"

namespace bth::cel {
namespace {

constexpr size_t kDebugTextMax = 64 << 10;  // Bytes, about.

// Recurses along the value: kValueDepthMax deep. Stops at kDebugTextMax.
class DebugWriter final {
 public:
  std::string Take() && { return std::move(out_); }

  void Write(const Value& value) {
    if (Full()) return;
    switch (value.kind()) {
      case ValueKind::kList:
        return WriteList(value.AsList());
      case ValueKind::kMap:
        return WriteMap(value.AsMap());
      case ValueKind::kObject:
        return WriteObject(value.AsObject());
      case ValueKind::kOptional:
        return WriteOptional(value.AsOptional());
      default:
        WriteScalar(value);
    }
  }

 private:
  bool Full() {
    if (out_.size() < kDebugTextMax) return false;
    if (!out_.ends_with("...")) out_ += "...";
    return true;
  }

  void WriteScalar(const Value& value) {
    switch (value.kind()) {
      case ValueKind::kError:
        return StrAppend(&out_, "error: ", value.AsString());
      case ValueKind::kBool:
        return StrAppend(&out_, value.AsBool() ? "true" : "false");
      case ValueKind::kInt:
        return StrAppend(&out_, value.AsInt());
      case ValueKind::kUint:
        return StrAppend(&out_, value.AsUint(), "u");
      case ValueKind::kDouble:
        return WriteDouble(value.AsDouble());
      case ValueKind::kString:
        return StrAppend(&out_, QuotedText(value.AsString()));
      case ValueKind::kBytes:
        return WriteBytes(value.AsBytes());
      case ValueKind::kDuration:
        return StrAppend(&out_, "duration(\"", DurationText(value.AsDuration()), "\")");
      case ValueKind::kTimestamp:
        return StrAppend(&out_, "timestamp(\"", TimestampText(value.AsTimestamp()), "\")");
      case ValueKind::kType:
        return StrAppend(&out_, value.AsType()->RuntimeName());
      case ValueKind::kOpaque:
        return StrAppend(&out_, value.AsOpaque().DebugText());
      default:
        out_ += "null";
    }
  }

  // A whole number keeps a fraction, so that it is not taken for an int.
  void WriteDouble(double value) {
    const std::string text = DoubleText(value);
    out_ += text;
    if (text.find_first_not_of("-0123456789") == std::string::npos) out_ += ".0";
  }

  void WriteBytes(std::string_view bytes) {
    out_ += "b\"";
    for (const char c : bytes) {
      if (Full()) return;
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 || byte > 0x7E || c == '"' || c == '\\') {
        StrAppend(&out_, "\\x", absl::Hex(byte, absl::kZeroPad2));
      } else {
        out_ += c;
      }
    }
    out_ += '"';
  }

  void WriteList(const ListView& list) {
    out_ += '[';
    for (size_t i = 0; i < list.size() && !Full(); ++i) {
      if (i > 0) out_ += ", ";
      Write(list.at(i));
    }
    out_ += ']';
  }

  void WriteMap(const MapView& map) {
    out_ += '{';
    for (size_t i = 0; i < map.size() && !Full(); ++i) {
      if (i > 0) out_ += ", ";
      Write(map.KeyAt(i));
      out_ += ": ";
      Write(map.ValueAt(i));
    }
    out_ += '}';
  }

  void WriteObject(const ObjectView& object) {
    StrAppend(&out_, object.type()->name(), "{");
    bool first = true;
    for (const std::string& field : object.SetFields()) {
      if (Full()) break;
      if (!first) out_ += ", ";
      first = false;
      StrAppend(&out_, field, ": ");
      Write(object.Field(field).value_or(Value::Null()));
    }
    out_ += '}';
  }

  void WriteOptional(const Value* value) {
    if (value == nullptr) {
      out_ += "optional.none()";
      return;
    }
    out_ += "optional.of(";
    Write(*value);
    out_ += ')';
  }

  std::string out_;
};

}  // namespace

std::string Value::DebugText() const {
  DebugWriter writer;
  writer.Write(*this);
  return std::move(writer).Take();
}

}  // namespace bth::cel
