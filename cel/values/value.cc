#include "cel/values/value.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "cel/values/containers.h"

namespace bth::cel {
namespace {

Value TooDeepValue() {
  return Value::Error("value nested too deeply");
}

}  // namespace

bool MapView::Contains(const Value& key) const {
  return Find(key).has_value();
}

Value Value::Bool(bool value) {
  Value made;
  made.kind_ = ValueKind::kBool;
  made.small_.boolean = value;
  return made;
}

Value Value::Int(int64_t value) {
  Value made;
  made.kind_ = ValueKind::kInt;
  made.small_.integer = value;
  return made;
}

Value Value::Uint(uint64_t value) {
  Value made;
  made.kind_ = ValueKind::kUint;
  made.small_.natural = value;
  return made;
}

Value Value::Double(double value) {
  Value made;
  made.kind_ = ValueKind::kDouble;
  made.small_.real = value;
  return made;
}

Value Value::String(std::string value) {
  Value made;
  made.kind_ = ValueKind::kString;
  if (value.empty()) {
    made.rest_.text = "";
    made.small_.length = 0;
    return made;
  }
  auto kept = std::make_shared<const std::string>(std::move(value));
  made.rest_.text = kept->data();
  made.small_.length = kept->size();
  made.shared_ = std::move(kept);
  return made;
}

Value Value::StringView(std::string_view value) {
  Value made;
  made.kind_ = ValueKind::kString;
  made.rest_.text = value.data();
  made.small_.length = value.size();
  return made;
}

Value Value::Bytes(std::string value) {
  Value made = String(std::move(value));
  made.kind_ = ValueKind::kBytes;
  return made;
}

Value Value::Error(std::string message) {
  Value made = String(std::move(message));
  made.kind_ = ValueKind::kError;
  return made;
}

Value Value::Of(Duration value) {
  Value made;
  made.kind_ = ValueKind::kDuration;
  made.small_.integer = value.nanos;
  return made;
}

Value Value::Of(Timestamp value) {
  Value made;
  made.kind_ = ValueKind::kTimestamp;
  made.small_.integer = 0;
  made.small_.rest = {value.nanos, value.offset_minutes};
  made.rest_.seconds = value.seconds;
  return made;
}

Value Value::List(std::vector<Value> items) {
  const int depth = DepthAbove(items);
  return Of(std::make_shared<const VectorList>(std::move(items)), depth);
}

Value Value::Of(std::shared_ptr<const ListView> list, int depth) {
  if (depth > kValueDepthMax) return TooDeepValue();
  Value made;
  made.kind_ = ValueKind::kList;
  made.small_.integer = 0;
  made.small_.depth = depth;
  made.shared_ = std::move(list);
  return made;
}

Value Value::Map(std::vector<std::pair<Value, Value>> entries) {
  int depth = 0;
  for (const auto& entry : entries) depth = std::max(depth, entry.second.depth());
  return Of(std::make_shared<const VectorMap>(std::move(entries)), depth + 1);
}

Value Value::Of(std::shared_ptr<const MapView> map, int depth) {
  if (depth > kValueDepthMax) return TooDeepValue();
  Value made;
  made.kind_ = ValueKind::kMap;
  made.small_.integer = 0;
  made.small_.depth = depth;
  made.shared_ = std::move(map);
  return made;
}

Value Value::Of(std::shared_ptr<const ObjectView> object) {
  Value made;
  made.kind_ = ValueKind::kObject;
  made.small_.integer = 0;
  made.small_.depth = kViewDepth;
  made.shared_ = std::move(object);
  return made;
}

Value Value::Of(TypePtr type) {
  Value made;
  made.kind_ = ValueKind::kType;
  made.shared_ = std::make_shared<const TypePtr>(std::move(type));
  return made;
}

Value Value::OptionalOf(Value value) {
  if (value.is_error()) return value;
  const int depth = value.depth() + 1;
  if (depth > kValueDepthMax) return TooDeepValue();
  Value made;
  made.kind_ = ValueKind::kOptional;
  made.small_.integer = 0;
  made.small_.depth = depth;
  made.shared_ = std::make_shared<const Value>(std::move(value));
  return made;
}

Value Value::OptionalNone() {
  Value made;
  made.kind_ = ValueKind::kOptional;
  made.small_.integer = 0;
  made.small_.depth = 1;
  return made;
}

Value Value::Of(std::shared_ptr<const OpaqueValue> value) {
  Value made;
  made.kind_ = ValueKind::kOpaque;
  made.shared_ = std::make_shared<const std::shared_ptr<const OpaqueValue>>(std::move(value));
  return made;
}

bool Value::AsBool() const {
  BTH_DCHECK(kind_ == ValueKind::kBool);
  return small_.boolean;
}

int64_t Value::AsInt() const {
  BTH_DCHECK(kind_ == ValueKind::kInt);
  return small_.integer;
}

uint64_t Value::AsUint() const {
  BTH_DCHECK(kind_ == ValueKind::kUint);
  return small_.natural;
}

double Value::AsDouble() const {
  BTH_DCHECK(kind_ == ValueKind::kDouble);
  return small_.real;
}

std::string_view Value::AsString() const {
  BTH_DCHECK(kind_ == ValueKind::kString || kind_ == ValueKind::kError);
  return {rest_.text, small_.length};
}

std::string_view Value::AsBytes() const {
  BTH_DCHECK(kind_ == ValueKind::kBytes);
  return {rest_.text, small_.length};
}

Duration Value::AsDuration() const {
  BTH_DCHECK(kind_ == ValueKind::kDuration);
  return {small_.integer};
}

Timestamp Value::AsTimestamp() const {
  BTH_DCHECK(kind_ == ValueKind::kTimestamp);
  return {rest_.seconds, small_.rest.nanos, small_.rest.offset_minutes};
}

const ListView& Value::AsList() const {
  BTH_DCHECK(kind_ == ValueKind::kList);
  return *static_cast<const ListView*>(shared_.get());
}

std::shared_ptr<const ListView> Value::list() const {
  BTH_DCHECK(kind_ == ValueKind::kList);
  return std::static_pointer_cast<const ListView>(shared_);
}

const MapView& Value::AsMap() const {
  BTH_DCHECK(kind_ == ValueKind::kMap);
  return *static_cast<const MapView*>(shared_.get());
}

const ObjectView& Value::AsObject() const {
  BTH_DCHECK(kind_ == ValueKind::kObject);
  return *static_cast<const ObjectView*>(shared_.get());
}

const TypePtr& Value::AsType() const {
  BTH_DCHECK(kind_ == ValueKind::kType);
  return *static_cast<const TypePtr*>(shared_.get());
}

const Value* Value::AsOptional() const {
  BTH_DCHECK(kind_ == ValueKind::kOptional);
  return static_cast<const Value*>(shared_.get());
}

const std::shared_ptr<const OpaqueValue>& Value::opaque() const {
  BTH_DCHECK(kind_ == ValueKind::kOpaque);
  return *static_cast<const std::shared_ptr<const OpaqueValue>*>(shared_.get());
}

const OpaqueValue& Value::AsOpaque() const {
  return *opaque();
}

int Value::depth() const {
  switch (kind_) {
    case ValueKind::kList:
    case ValueKind::kMap:
    case ValueKind::kObject:
    case ValueKind::kOptional:
      return small_.depth;
    default:
      return 0;
  }
}

TypePtr Value::type() const {
  switch (kind_) {
    case ValueKind::kError:
      return Type::Error();
    case ValueKind::kNull:
      return Type::Null();
    case ValueKind::kBool:
      return Type::Bool();
    case ValueKind::kInt:
      return Type::Int();
    case ValueKind::kUint:
      return Type::Uint();
    case ValueKind::kDouble:
      return Type::Double();
    case ValueKind::kString:
      return Type::String();
    case ValueKind::kBytes:
      return Type::Bytes();
    case ValueKind::kDuration:
      return Type::Duration();
    case ValueKind::kTimestamp:
      return Type::Timestamp();
    case ValueKind::kList:
      return Type::List(Type::Dyn());
    case ValueKind::kMap:
      return Type::Map(Type::Dyn(), Type::Dyn());
    case ValueKind::kObject:
      return AsObject().type();
    case ValueKind::kType:
      return Type::TypeOf(nullptr);
    case ValueKind::kOptional:
      return Type::Optional(Type::Dyn());
    case ValueKind::kOpaque:
      return AsOpaque().type();
  }
  return Type::Dyn();
}

}  // namespace bth::cel
