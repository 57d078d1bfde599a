#include "api/types/protobuf/message_reader.h"

#include "absl/time/time.h"
#include "api/types/text_codec.h"
#include "base/strings.h"

namespace bth::types {
namespace {

// As texts have it: years 0 to 9999.
constexpr int64_t kSecondsMin = -62'167'219'200;
constexpr int64_t kSecondsMax = 253'402'300'799;

bool IsZero(const WireField& wire) {
  return wire.type == WireType::kVarint ? wire.value == 0 : wire.bytes.empty();
}

bool IsNumber(WireKind kind) {
  return kind == WireKind::kInt || kind == WireKind::kBool;
}

}  // namespace

void MessageReader::Message(const MessagePlan& plan, std::string_view bytes, void* object,
                            const Step* at) {
  WireReader reader(bytes);
  for (WireField wire; reader.Next(&wire);) {
    const FieldPlan* field = plan.Find(wire.number);
    if (field != nullptr) Member(*field, wire, object, at);
  }
  if (reader.error() != nullptr) Fail(at, StrCat("protobuf: ", reader.error()));
  for (const FieldPlan& map : plan.maps) map.ops->finish(map.get(object));
  if (std::string reason; plan.ops->check != nullptr && !plan.ops->check(object, &reason)) {
    Fail(at, reason);
  }
}

void MessageReader::Member(const FieldPlan& field, const WireField& wire, void* object,
                           const Step* at) {
  if (wire.type != (IsNumber(field.kind) ? WireType::kVarint : WireType::kBytes)) {
    const Step here{at, field.name};
    return Fail(&here, "protobuf: wrong wire type");
  }
  if (field.get == nullptr) return Message(*field.message, wire.bytes, object, at);
  void* target = field.get(object);
  const Step here{at, field.name};
  switch (field.ops->shape) {
    case Shape::kList:
      return Element(field, wire, target, &here);
    case Shape::kMap:
      return Entry(field, wire, target, &here);
    default:
      // A struct in the object is there whatever it holds; zeros stand for what JSON leaves out.
      if (!field.always && field.kind != WireKind::kMessage && IsZero(wire)) return;
      return Value(field, wire, field.ops, target, &here);
  }
}

void MessageReader::Element(const FieldPlan& field, const WireField& wire, void* list,
                            const Step* at) {
  if (++elements_ > kElementsMax) {
    return Fail(at, StrCat("more than ", kElementsMax, " elements in one object"));
  }
  const Step here{at, {}, field.ops->size(list)};
  Value(field, wire, &field.ops->element(), field.ops->append(list, {}), &here);
}

// A message of the key (1) and the value (2), either of which may be absent.
void MessageReader::Entry(const FieldPlan& field, const WireField& wire, void* map,
                          const Step* at) {
  if (++elements_ > kElementsMax) {
    return Fail(at, StrCat("more than ", kElementsMax, " elements in one object"));
  }
  std::string_view key;
  WireField value;
  value.type = IsNumber(field.kind) ? WireType::kVarint : WireType::kBytes;
  WireReader reader(wire.bytes);
  for (WireField part; reader.Next(&part);) {
    if (part.number == 1) key = part.bytes;
    if (part.number == 2) value = part;
  }
  if (reader.error() != nullptr) return Fail(at, StrCat("protobuf: ", reader.error()));
  if (value.type != (IsNumber(field.kind) ? WireType::kVarint : WireType::kBytes)) {
    return Fail(at, "protobuf: wrong wire type");
  }
  if (Utf8ValidPrefix(key) < key.size()) return Fail(at, "invalid UTF-8");
  const Step here{at, key};
  Value(field, value, &field.ops->element(), field.ops->append(map, key), &here);
}

void MessageReader::Value(const FieldPlan& field, const WireField& wire, const TypeOps* ops,
                          void* target, const Step* at) {
  SmallMessage small;
  const bool is_small = field.kind >= WireKind::kQuantity && field.kind <= WireKind::kMicroTime;
  if (const char* error = is_small ? ReadSmallMessage(wire.bytes, &small) : nullptr) {
    return Fail(at, StrCat("protobuf: ", error));
  }
  const bool is_time = field.kind == WireKind::kTime || field.kind == WireKind::kMicroTime;
  if (is_time && small.numbers[1] == 0 && small.numbers[2] == 0) return;  // Unset: null in JSON.
  while (ops->shape == Shape::kOptional) {
    target = ops->append(target, {});
    ops = &ops->element();
  }
  switch (field.kind) {
    case WireKind::kInt:
      return Set(*ops, target,
                 {.kind = ScalarKind::kInt, .whole = static_cast<int64_t>(wire.value)}, at);
    case WireKind::kBool:
      return Set(*ops, target, {.kind = ScalarKind::kBool, .truth = wire.value != 0}, at);
    case WireKind::kText:
      return Text(*ops, target, wire.bytes, at);
    case WireKind::kBytes:
      return Text(*ops, target, Base64Escape(wire.bytes), at);
    case WireKind::kQuantity:
      return Text(*ops, target, small.texts[1].empty() ? "0" : small.texts[1], at);
    case WireKind::kIntOrString:
      if (small.numbers[1] != 0) return Text(*ops, target, small.texts[3], at);
      return Set(*ops, target,
                 {.kind = ScalarKind::kInt, .whole = static_cast<int64_t>(small.numbers[2])}, at);
    case WireKind::kTime:
      return Time(*ops, target, small, 0, at);
    case WireKind::kMicroTime:
      return Time(*ops, target, small, small.numbers[2] % 1'000'000'000 / 1000, at);
    case WireKind::kMessage:
      return Message(*field.message, wire.bytes, target, at);
  }
}

void MessageReader::Time(const TypeOps& ops, void* target, const SmallMessage& small,
                         uint64_t micros, const Step* at) {
  const auto seconds = static_cast<int64_t>(small.numbers[1]);
  if (seconds < kSecondsMin || seconds > kSecondsMax) {
    return Fail(at, StrCat("time: ", seconds, " s since 1970 is out of range"));
  }
  const absl::Time time = absl::FromUnixSeconds(seconds) + absl::Microseconds(micros);
  Set(ops, target, {.kind = ScalarKind::kTime, .time = time}, at);
}

void MessageReader::Text(const TypeOps& ops, void* target, std::string_view text, const Step* at) {
  if (Utf8ValidPrefix(text) < text.size()) return Fail(at, "invalid UTF-8");
  Set(ops, target, {.kind = ScalarKind::kString, .text = text}, at);
}

void MessageReader::Set(const TypeOps& ops, void* target, const Scalar& value, const Step* at) {
  std::string reason;
  if (ops.set(target, value, &reason)) return;
  Fail(at, reason.empty() ? StrCat("expected ", ops.expected) : reason);
}

void MessageReader::Fail(const Step* at, std::string_view reason) {
  if (!error_.ok()) return;
  std::string path;
  for (const Step* step = at; step != nullptr; step = step->outer) {
    const std::string own = step->index != kNoIndex ? StrCat("[", step->index, "]")
                                                    : std::string(step->name.substr(0, 128));
    const bool dot = !path.empty() && path.front() != '[';
    path = StrCat(own, dot ? "." : "", path);
  }
  error_ = absl::InvalidArgumentError(StrCat(path, path.empty() ? "" : ": ", reason));
}

}  // namespace bth::types
