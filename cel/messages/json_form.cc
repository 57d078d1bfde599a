#include "cel/messages/json_form.h"

#include <optional>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "cel/values/containers.h"
#include "cel/values/text_forms.h"
#include "cel/values/time_text.h"

namespace bth::cel {
namespace {

constexpr std::string_view kTarget = "*structpb.Value";
// Whole numbers up to here are doubles of their own.
constexpr int64_t kWholeMax = (int64_t{1} << 53) - 1;

Value WholeForm(int64_t value) {
  if (value >= -kWholeMax && value <= kWholeMax) return Value::Double(static_cast<double>(value));
  return Value::String(StrCat(value));
}

Value NaturalForm(uint64_t value) {
  if (value <= static_cast<uint64_t>(kWholeMax)) return Value::Double(static_cast<double>(value));
  return Value::String(StrCat(value));
}

// Recurses along the value: kValueDepthMax deep. What it makes takes memory, however little the
// value takes whose parts are shared: no more members than a list may have.
class JsonFormMaker final {
 public:
  uint64_t members() const { return members_; }

  Value Make(const Value& value) {
    if (++members_ > kListSizeMax) return Value::Error("value too large for a message");
    switch (value.kind()) {
      case ValueKind::kInt:
        return WholeForm(value.AsInt());
      case ValueKind::kUint:
        return NaturalForm(value.AsUint());
      case ValueKind::kBytes:
        return Value::String(EncodeBase64(value.AsBytes()));
      case ValueKind::kDuration:
        return Value::String(DurationText(value.AsDuration()));
      case ValueKind::kTimestamp:
        return Value::String(TimestampText(value.AsTimestamp()));
      case ValueKind::kList:
        return MakeList(value.AsList());
      case ValueKind::kMap:
        return MakeMap(value.AsMap());
      case ValueKind::kObject:
        return MakeObject(value.AsObject());
      case ValueKind::kOptional:
        if (value.AsOptional() == nullptr) return Value::Error("optional.none() dereference");
        return Make(*value.AsOptional());
      case ValueKind::kType:
        return Value::Error("type conversion not supported for 'type'");
      case ValueKind::kOpaque:
        return Value::Error(ConversionFault(value, kTarget));
      default:
        return value;  // Null, bool, double, string; an error stays what it is.
    }
  }

 private:
  Value MakeList(const ListView& list) {
    std::vector<Value> items;
    for (size_t i = 0; i < list.size(); ++i) {
      items.push_back(Make(list.at(i)));
      if (items.back().is_error()) return items.back();
    }
    return Value::List(std::move(items));
  }

  Value MakeMap(const MapView& map) {
    std::vector<std::pair<Value, Value>> entries;
    for (size_t i = 0; i < map.size(); ++i) {
      Value key = map.KeyAt(i);
      if (!key.is(ValueKind::kString)) return Value::Error(ConversionFault(key, "string"));
      Value member = Make(map.ValueAt(i));
      if (member.is_error()) return member;
      entries.emplace_back(std::move(key), std::move(member));
    }
    return Value::Map(std::move(entries));
  }

  Value MakeObject(const ObjectView& object) {
    std::vector<std::pair<Value, Value>> entries;
    for (std::string& name : object.SetFields()) {
      Value member = Make(object.Field(name).value_or(Value::Null()));
      if (member.is_error()) return member;
      entries.emplace_back(Value::String(std::move(name)), std::move(member));
    }
    return Value::Map(std::move(entries));
  }

  uint64_t members_ = 0;
};

}  // namespace

Value JsonForm(const Value& value, uint64_t* members) {
  JsonFormMaker maker;
  Value form = maker.Make(value);
  *members += maker.members();
  return form;
}

std::string ConversionFault(const Value& value, std::string_view target) {
  switch (value.kind()) {
    case ValueKind::kString:
      return StrCat("unsupported native conversion from string to '", target, "'");
    case ValueKind::kInt:
      return StrCat("unsupported type conversion from 'int' to ", target);
    case ValueKind::kUint:
      return StrCat("unsupported type conversion from 'uint' to ", target);
    case ValueKind::kDouble:
      return StrCat("type conversion error from Double to '", target, "'");
    case ValueKind::kBytes:
      return StrCat("type conversion error from Bytes to '", target, "'");
    case ValueKind::kType:
      return "type conversion not supported for 'type'";
    case ValueKind::kNull:
    case ValueKind::kOpaque:
      return StrCat("type conversion error from '", value.type()->RuntimeName(), "' to '", target,
                    "'");
    case ValueKind::kDuration:
      return StrCat("type conversion error from 'Duration' to '", target, "'");
    case ValueKind::kTimestamp:
      return StrCat("type conversion error from 'Timestamp' to '", target, "'");
    default:
      return StrCat("type conversion error from ", value.type()->RuntimeName(), " to '", target,
                    "'");
  }
}

}  // namespace bth::cel
