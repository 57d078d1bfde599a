#include "apiserver/schema/declared_types.h"

#include <algorithm>
#include <utility>

#include "apiserver/schema/property_names.h"

namespace bth::apiserver {
namespace {

using cel::Type;
using cel::TypePtr;

// The fewest bytes of values in JSON.
constexpr int64_t kTextBytesMin = 2;
constexpr int64_t kBooleanBytesMin = 4;
constexpr int64_t kNumberBytesMin = 1;
constexpr int64_t kDurationBytesMin = 3;
constexpr int64_t kDateBytes = 12;
constexpr int64_t kDateTimeBytesMin = 21;
// The longest texts of durations and times.
constexpr int64_t kTimeBytesMax = 32;
// The most a text can have: all of a request but its quotes.
constexpr int64_t kTextBytesMax = kRequestBytesMax - 2;
// A code point takes up to so many bytes.
constexpr int64_t kPointBytesMax = 4;

class Fields final : public cel::ObjectFields {
 public:
  explicit Fields(std::map<std::string, TypePtr, std::less<>> types) : types_(std::move(types)) {}
  TypePtr FieldType(std::string_view field) const override {
    const auto it = types_.find(field);
    return it == types_.end() ? nullptr : it->second;
  }
  std::vector<std::string> FieldNames() const override {
    std::vector<std::string> names;
    for (const auto& [name, type] : types_) names.push_back(name);
    return names;
  }

 private:
  std::map<std::string, TypePtr, std::less<>> types_;
};

// Without a size, values count nothing where they are compared.
DeclaredTypePtr Simple(const TypePtr& type, int64_t bytes_min, int64_t size_max = 0) {
  auto declared = std::make_shared<DeclaredType>();
  declared->type = Type::WithSizeMax(type, static_cast<uint64_t>(size_max));
  declared->bytes_min = bytes_min;
  return declared;
}

int64_t NotNegative(int64_t value) {
  return std::max<int64_t>(value, 0);
}

int64_t TextSizeMax(const SchemaNode& node) {
  if (node.bounds == nullptr) return kTextBytesMax;
  if (node.bounds->length_max.has_value()) {
    return NotNegative(*node.bounds->length_max) * kPointBytesMax;
  }
  if (node.bounds->allowed.empty()) return kTextBytesMax;
  size_t longest = 0;
  for (const Json& word : node.bounds->allowed) longest = std::max(longest, word.AsString().size());
  return static_cast<int64_t>(longest);
}

DeclaredTypePtr DeclareText(const SchemaNode& node) {
  if (node.format == "byte") {
    const bool bounded = node.bounds != nullptr && node.bounds->length_max.has_value();
    return Simple(Type::Bytes(), kTextBytesMin,
                  bounded ? NotNegative(*node.bounds->length_max) : kTextBytesMax);
  }
  if (node.format == "duration") {
    return Simple(Type::Duration(), kDurationBytesMin, kTimeBytesMax);
  }
  if (node.format == "date") return Simple(Type::Timestamp(), kDateBytes, kDateBytes);
  if (node.format == "date-time") {
    return Simple(Type::Timestamp(), kDateTimeBytesMin, kTimeBytesMax);
  }
  return Simple(Type::String(), kTextBytesMin, TextSizeMax(node));
}

// Expressions know fields by their escaped names. One that has none is told apart by nothing.
std::shared_ptr<const cel::ListKeys> KeysOf(const SchemaNode& node) {
  if (node.list == ListKind::kAtomic) return nullptr;
  auto keys = std::make_shared<cel::ListKeys>();
  if (node.list == ListKind::kSet) return keys;
  for (const std::string& key : node.keys) {
    keys->fields.push_back(EscapeProperty(key).value_or(key));
  }
  return keys;
}

DeclaredTypePtr DeclareList(const SchemaNode& node) {
  if (node.items == nullptr) return nullptr;
  DeclaredTypePtr element = DeclareType(*node.items, node.items->embedded);
  if (element == nullptr) return nullptr;
  const bool bounded = node.bounds != nullptr && node.bounds->items_max.has_value();
  const int64_t size_max = bounded ? NotNegative(*node.bounds->items_max)
                                   : (kRequestBytesMax - 2) / (element->bytes_min + 1);
  auto declared = std::make_shared<DeclaredType>();
  declared->type = Type::WithSizeMax(Type::List(element->type), static_cast<uint64_t>(size_max));
  declared->bytes_min = 2;
  declared->element = std::move(element);
  declared->keys = KeysOf(node);
  return declared;
}

DeclaredTypePtr DeclareMap(const SchemaNode& node) {
  DeclaredTypePtr element = DeclareType(*node.additional, node.additional->embedded);
  if (element == nullptr) return nullptr;
  const bool bounded = node.bounds != nullptr && node.bounds->properties_max.has_value();
  // Two quotes, two bytes of a key, a colon and a comma beside the value.
  const int64_t size_max = bounded ? NotNegative(*node.bounds->properties_max)
                                   : (kRequestBytesMax - 2) / (element->bytes_min + 6);
  auto declared = std::make_shared<DeclaredType>();
  declared->type =
      Type::WithSizeMax(Type::Map(Type::String(), element->type), static_cast<uint64_t>(size_max));
  declared->bytes_min = 2;
  declared->element = std::move(element);
  return declared;
}

void AddField(std::string_view property, DeclaredTypePtr type, DeclaredType& object) {
  const std::optional<std::string> name = EscapeProperty(property);
  if (name.has_value() && type != nullptr) {
    object.fields[*name] = {std::string(property), std::move(type)};
  }
}

DeclaredTypePtr FinishObject(std::shared_ptr<DeclaredType> object) {
  std::map<std::string, TypePtr, std::less<>> types;
  for (const auto& [name, field] : object->fields) types[name] = field.type->type;
  object->type =
      Type::WithSizeMax(Type::Object("object", std::make_shared<Fields>(std::move(types))), 0);
  return object;
}

// What every object has, of which expressions see the names.
void AddIdentity(DeclaredType& object) {
  const DeclaredTypePtr text = Simple(Type::String(), kTextBytesMin, kTextBytesMax);
  AddField("apiVersion", text, object);
  AddField("kind", text, object);
  auto metadata = std::make_shared<DeclaredType>();
  metadata->bytes_min = 2;
  AddField("name", text, *metadata);
  AddField("generateName", text, *metadata);
  AddField("metadata", FinishObject(std::move(metadata)), object);
}

DeclaredTypePtr DeclareObject(const SchemaNode& node, bool whole) {
  if (node.additional != nullptr) return DeclareMap(node);
  auto declared = std::make_shared<DeclaredType>();
  declared->bytes_min = 2;
  for (const SchemaProperty& property : node.properties) {
    DeclaredTypePtr type = DeclareType(*property.node, property.node->embedded);
    if (type == nullptr) continue;
    const bool required =
        std::find(node.required.begin(), node.required.end(), property.name) != node.required.end();
    if (required && !property.node->fallback.has_value()) {
      declared->bytes_min += static_cast<int64_t>(property.name.size()) + type->bytes_min + 4;
    }
    AddField(property.name, std::move(type), *declared);
  }
  if (whole) AddIdentity(*declared);
  return FinishObject(std::move(declared));
}

}  // namespace

DeclaredTypePtr DeclareType(const SchemaNode& node, bool whole) {
  switch (node.types) {
    case kTypeInteger | kTypeString:
      return Simple(Type::Dyn(), 1, TextSizeMax(node));
    case kTypeArray:
      return DeclareList(node);
    case kTypeObject:
      return DeclareObject(node, whole);
    case kTypeString:
      return DeclareText(node);
    case kTypeBoolean:
      return Simple(Type::Bool(), kBooleanBytesMin);
    case kTypeInteger:
      return Simple(Type::Int(), kNumberBytesMin);
    case kTypeNumber:
      return Simple(Type::Double(), kNumberBytesMin);
    default:
      return nullptr;
  }
}

}  // namespace bth::apiserver
