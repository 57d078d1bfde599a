#include "cel/stdlib/index.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "cel/values/text_forms.h"

namespace bth::cel {
namespace {

constexpr size_t kNoPlace = std::numeric_limits<size_t>::max();

// Where in a list: kNoPlace for whole numbers that no list has a place for. Nothing: not a whole
// number.
std::optional<size_t> PlaceInList(const Value& index) {
  switch (index.kind()) {
    case ValueKind::kInt:
      return index.AsInt() < 0 ? kNoPlace : static_cast<size_t>(index.AsInt());
    case ValueKind::kUint:
      return static_cast<size_t>(index.AsUint());
    case ValueKind::kDouble: {
      const double number = index.AsDouble();
      if (std::trunc(number) != number || std::fabs(number) >= 0x1p63) return std::nullopt;
      return number < 0 ? kNoPlace : static_cast<size_t>(number);
    }
    default:
      return std::nullopt;
  }
}

// The value of an optional member: an optional as well.
Member AsOptionalMember(Member member) {
  if (!member.fault.empty()) return member;
  if (!member.value) return {.value = Value::OptionalNone()};
  return {.value = Value::OptionalOf(*std::move(member.value))};
}

Member FindInList(const ListView& list, const Value& index) {
  const std::optional<size_t> place = PlaceInList(index);
  if (!place) {
    if (index.is(ValueKind::kDouble)) {
      return {.fault = StrCat("unsupported index value ", KeyText(index), " in list")};
    }
    return {.fault = StrCat("unsupported index type '", index.type()->RuntimeName(), "' in list")};
  }
  if (*place >= list.size()) return {};
  return {.value = list.at(*place)};
}

}  // namespace

Member FindMember(const Value& container, const Value& key) {
  switch (container.kind()) {
    case ValueKind::kError:
      return {.value = container};
    case ValueKind::kMap:
      return {.value = container.AsMap().Find(key)};
    case ValueKind::kList:
      return FindInList(container.AsList(), key);
    case ValueKind::kObject:
      if (key.is(ValueKind::kString)) return FindField(container, key.AsString());
      return {};
    case ValueKind::kOptional:
      if (container.AsOptional() == nullptr) return {.value = container};
      return AsOptionalMember(FindMember(*container.AsOptional(), key));
    default:
      return {};  // What has no members has not this one either.
  }
}

Member FindField(const Value& operand, std::string_view field) {
  switch (operand.kind()) {
    case ValueKind::kError:
      return {.value = operand};
    case ValueKind::kMap:
      return {.value = operand.AsMap().Find(Value::StringView(field))};
    case ValueKind::kObject: {
      Member member{.value = operand.AsObject().Field(field)};
      if (member.value) return member;
      const ObjectFields* fields = operand.AsObject().type()->fields();
      if (fields == nullptr || fields->FieldType(field) != nullptr) return member;
      return {.fault = StrCat("no such field '", field, "'")};
    }
    case ValueKind::kOptional:
      if (operand.AsOptional() == nullptr) return {.value = operand};
      return AsOptionalMember(FindField(*operand.AsOptional(), field));
    case ValueKind::kList:
      return {.fault = "unsupported index type 'string' in list"};
    default:
      return {};
  }
}

Value IndexValue(const Value& container, const Value& key) {
  if (key.is_error()) return key;
  Member member = FindMember(container, key);
  if (member.value) return *std::move(member.value);
  if (!member.fault.empty()) return Value::Error(std::move(member.fault));
  return Value::Error(StrCat(
      container.is(ValueKind::kList) ? "index out of bounds: " : "no such key: ", KeyText(key)));
}

Value SelectValue(const Value& operand, std::string_view field) {
  Member member = FindField(operand, field);
  if (member.value) return *std::move(member.value);
  if (!member.fault.empty()) return Value::Error(std::move(member.fault));
  return Value::Error(StrCat("no such key: ", field));
}

}  // namespace bth::cel
