// Values of expressions as JSON documents.
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status.h"
#include "base/strings.h"
#include "cel/values/json_values.h"
#include "cel/values/text_forms.h"
#include "cel/values/time_text.h"

namespace bth::cel {
namespace {

// Bounds of a document, since a value may be larger than what it is made of.
constexpr size_t kJsonNodesMax = 1'000'000;
constexpr size_t kJsonTextMax = size_t{16} << 20;

absl::Status NoJsonForm(std::string_view what) {
  return absl::InvalidArgumentError(StrCat("result: ", what, " has no form in JSON"));
}

// The text of a key. Nothing: no JSON object has such a key.
std::optional<std::string> JsonKey(const Value& key) {
  switch (key.kind()) {
    case ValueKind::kBool:
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kString:
      return KeyText(key);
    default:
      return std::nullopt;
  }
}

// Recurses along the value: kValueDepthMax deep.
class JsonWriter final {
 public:
  absl::StatusOr<types::Json> Write(const Value& value) {
    if (++nodes_ > kJsonNodesMax) {
      return absl::InvalidArgumentError(
          StrCat("result: more than ", kJsonNodesMax, " values, too large for a document"));
    }
    switch (value.kind()) {
      case ValueKind::kNull:
        return types::Json();
      case ValueKind::kBool:
        return types::Json(value.AsBool());
      case ValueKind::kInt:
        return types::Json(value.AsInt());
      case ValueKind::kUint:
        return WriteUint(value.AsUint());
      case ValueKind::kDouble:
        return WriteDouble(value.AsDouble());
      case ValueKind::kString:
        return WriteText(std::string(value.AsString()));
      case ValueKind::kBytes:
        return WriteText(EncodeBase64(value.AsBytes()));
      case ValueKind::kDuration:
        return WriteText(DurationText(value.AsDuration()));
      case ValueKind::kTimestamp:
        return WriteText(TimestampText(value.AsTimestamp()));
      case ValueKind::kList:
        return WriteList(value.AsList());
      case ValueKind::kMap:
        return WriteMap(value.AsMap());
      case ValueKind::kObject:
        return WriteObject(value.AsObject());
      case ValueKind::kOptional:
        return value.AsOptional() == nullptr ? types::Json() : Write(*value.AsOptional());
      case ValueKind::kOpaque:
        return WriteOpaque(value.AsOpaque());
      case ValueKind::kType:
        return NoJsonForm("a type");
      case ValueKind::kError:
        return absl::InvalidArgumentError(ToAbsl(value.AsString()));
    }
    return NoJsonForm("a value of this kind");
  }

 private:
  // Beyond int64 as digits in a string: a double would not be the number.
  static absl::StatusOr<types::Json> WriteUint(uint64_t number) {
    if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return types::Json(StrCat(number));
    }
    return types::Json(static_cast<int64_t>(number));
  }

  static absl::StatusOr<types::Json> WriteDouble(double number) {
    if (!std::isfinite(number)) return NoJsonForm(DoubleText(number));
    return types::Json(number);
  }

  absl::StatusOr<types::Json> WriteText(std::string text) {
    text_bytes_ += text.size();
    if (text_bytes_ > kJsonTextMax) {
      return absl::InvalidArgumentError(
          StrCat("result: more than ", kJsonTextMax, " bytes of text, too large for a document"));
    }
    return types::Json(std::move(text));
  }

  absl::StatusOr<types::Json> WriteList(const ListView& list) {
    types::Json::Array items;
    for (size_t i = 0; i < list.size(); ++i) {
      BTH_ASSIGN_OR_RETURN(types::Json item, Write(list.at(i)));
      items.push_back(std::move(item));
    }
    return types::Json(std::move(items));
  }

  absl::StatusOr<types::Json> WriteMap(const MapView& map) {
    types::Json json = types::Json::MakeObject();
    types::Json::Object& members = json.MutableMembers();
    for (size_t i = 0; i < map.size(); ++i) {
      std::optional<std::string> key = JsonKey(map.KeyAt(i));
      if (!key) return NoJsonForm("a map with such keys");
      BTH_ASSIGN_OR_RETURN(types::Json item, Write(map.ValueAt(i)));
      text_bytes_ += key->size();
      members.emplace_back(*std::move(key), std::move(item));
    }
    return json;
  }

  absl::StatusOr<types::Json> WriteObject(const ObjectView& object) {
    types::Json json = types::Json::MakeObject();
    types::Json::Object& members = json.MutableMembers();
    for (const std::string& field : object.SetFields()) {
      BTH_ASSIGN_OR_RETURN(types::Json item, Write(object.Field(field).value_or(Value::Null())));
      text_bytes_ += field.size();
      members.emplace_back(field, std::move(item));
    }
    return json;
  }

  absl::StatusOr<types::Json> WriteOpaque(const OpaqueValue& value) {
    std::optional<std::string> text = value.JsonText();
    if (!text) return NoJsonForm(StrCat("a value of type ", value.type()->name()));
    return WriteText(*std::move(text));
  }

  size_t nodes_ = 0;
  size_t text_bytes_ = 0;
};

}  // namespace

absl::StatusOr<types::Json> ToJson(const Value& value) {
  return JsonWriter().Write(value);
}

}  // namespace bth::cel
