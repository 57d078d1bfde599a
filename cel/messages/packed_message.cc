#include "cel/messages/packed_message.h"

#include <bit>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "cel/messages/message_spec.h"
#include "cel/messages/wire_reader.h"
#include "cel/values/text_forms.h"

namespace bth::cel {
namespace {

// Each level of messages copies what is below it.
constexpr uint64_t kBytesPerMember = 64;

WireType WireTypeOf(FieldKind kind) {
  switch (kind) {
    case FieldKind::kDouble:
      return WireType::kFixed64;
    case FieldKind::kFloat:
      return WireType::kFixed32;
    case FieldKind::kString:
    case FieldKind::kBytes:
    case FieldKind::kList:
    case FieldKind::kStruct:
    case FieldKind::kItems:
    case FieldKind::kEntries:
      return WireType::kBytes;
    default:
      return WireType::kVarint;
  }
}

// Numbers that are too long are cut to their size.
Value NumberOf(FieldKind kind, uint64_t bits) {
  switch (kind) {
    case FieldKind::kBool:
      return Value::Bool(bits != 0);
    case FieldKind::kInt64:
      return Value::Int(static_cast<int64_t>(bits));
    case FieldKind::kUint32:
      return Value::Uint(static_cast<uint32_t>(bits));
    case FieldKind::kUint64:
      return Value::Uint(bits);
    case FieldKind::kDouble:
      return Value::Double(std::bit_cast<double>(bits));
    case FieldKind::kFloat:
      return Value::Double(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    default:
      return Value::Int(static_cast<int32_t>(bits));
  }
}

Value NoMessage() {
  return Value::Error("bytes are no such message");
}

// Recurses along messages in messages, kMessageDepthMax deep. Errors stand for the whole.
class Unpacker final {
 public:
  explicit Unpacker(MakingState& state) : state_(state) {}

  Value Message(std::string_view name, std::string_view bytes) {
    const MessageSpec* spec = FindWellKnownMessage(name);
    if (spec == nullptr) return Value::Error(StrCat("unknown type: '", name, "'"));
    return MessageOf(*spec, bytes);
  }

 private:
  // What is found of a field. A message that comes in parts is one message: its parts are joined.
  struct Found {
    std::optional<Value> value;
    std::string parts;
    bool has_parts = false;
    std::vector<Value> items;
    std::vector<std::pair<Value, Value>> entries;
    std::unordered_map<std::string, size_t> places;  // Of entries, by their keys.
  };

  Value MessageOf(const MessageSpec& spec, std::string_view bytes) {
    if (++state_.depth > kMessageDepthMax) return Value::Error("message nested too deeply");
    state_.members += bytes.size() / kBytesPerMember;
    std::vector<Found> found(spec.fields.size());
    WireReader reader(bytes);
    while (const std::optional<WireField> field = reader.Next()) {
      ++state_.members;
      Value fault = Take(spec, *field, &found);
      if (fault.is_error()) return fault;
    }
    if (reader.failed()) return NoMessage();
    std::vector<std::optional<Value>> values;
    for (size_t i = 0; i < found.size(); ++i) {
      values.push_back(Finish(spec.fields[i].kind, std::move(found[i])));
      if (values.back() && values.back()->is_error()) return *values.back();
    }
    Value value = spec.value(spec, values, state_);
    --state_.depth;
    return value;
  }

  // Fields that the message has not, and those of another form, are passed over.
  Value Take(const MessageSpec& spec, const WireField& field, std::vector<Found>* found) {
    for (size_t i = 0; i < spec.fields.size(); ++i) {
      const FieldKind kind = spec.fields[i].kind;
      if (spec.fields[i].number != field.number || WireTypeOf(kind) != field.type) continue;
      for (size_t other = 0; spec.is_union && other < found->size(); ++other) {
        if (other != i) (*found)[other] = {};
      }
      return Keep(kind, field, &(*found)[i]);
    }
    return Value::Null();
  }

  Value Keep(FieldKind kind, const WireField& field, Found* found) {
    switch (kind) {
      case FieldKind::kString:
        if (!IsValidUtf8(field.bytes)) return NoMessage();
        found->value = Value::String(std::string(field.bytes));
        break;
      case FieldKind::kBytes:
        found->value = Value::Bytes(std::string(field.bytes));
        break;
      case FieldKind::kList:
      case FieldKind::kStruct:
        found->parts += field.bytes;
        found->has_parts = true;
        break;
      case FieldKind::kItems: {
        Value item = Message("google.protobuf.Value", field.bytes);
        if (item.is_error()) return item;
        found->items.push_back(std::move(item));
        break;
      }
      case FieldKind::kEntries:
        return KeepEntry(field.bytes, found);
      default:
        found->value = NumberOf(kind, field.bits);
    }
    return Value::Null();
  }

  // A message of its own: the key, and the value. Of equal keys the last stands.
  Value KeepEntry(std::string_view bytes, Found* found) {
    std::string key;
    std::string parts;
    WireReader reader(bytes);
    while (const std::optional<WireField> field = reader.Next()) {
      ++state_.members;
      if (field->type != WireType::kBytes) continue;
      if (field->number == 1) key = field->bytes;
      if (field->number == 2) parts += field->bytes;
    }
    if (reader.failed() || !IsValidUtf8(key)) return NoMessage();
    Value value = Message("google.protobuf.Value", parts);
    if (value.is_error()) return value;
    const auto [place, is_new] = found->places.try_emplace(key, found->entries.size());
    if (is_new) found->entries.emplace_back(Value::String(std::move(key)), Value());
    found->entries[place->second].second = std::move(value);
    return Value::Null();
  }

  std::optional<Value> Finish(FieldKind kind, Found found) {
    switch (kind) {
      case FieldKind::kItems:
        return Value::List(std::move(found.items));
      case FieldKind::kEntries:
        return Value::Map(std::move(found.entries));
      case FieldKind::kList:
        if (!found.has_parts) return std::nullopt;
        return Message("google.protobuf.ListValue", found.parts);
      case FieldKind::kStruct:
        if (!found.has_parts) return std::nullopt;
        return Message("google.protobuf.Struct", found.parts);
      default:
        return std::move(found.value);
    }
  }

  MakingState& state_;
};

}  // namespace

Value UnpackMessage(std::string_view type_url, std::string_view bytes, MakingState& state) {
  const size_t slash = type_url.rfind('/');
  const std::string_view name =
      slash == std::string_view::npos ? type_url : type_url.substr(slash + 1);
  const bool is_outermost = state.depth == 0;
  Value value = Unpacker(state).Message(name, bytes);
  if (!value.is_error() || !is_outermost) return value;
  return Value::Error(StrCat("unsupported conversion of a google.protobuf.Any of type ",
                             QuotedText(type_url), ": ", value.AsString()));
}

}  // namespace bth::cel
