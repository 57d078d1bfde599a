#include "api/types/fragment_view.h"

#include <string>

#include "api/types/codec.h"
#include "api/types/type_ops.h"

namespace bth::types {
namespace {

// Whether no limit of Decoder can be reached, however much of the document it looks at. Takes what
// it finds off `elements_left`.
bool IsWithinLimits(const Json& json, int depth, size_t* elements_left) {
  if (!json.is_object() && !json.is_array()) return true;
  if (depth >= kDecodeDepthMax || json.size() > *elements_left) return false;
  *elements_left -= json.size();
  for (const Json::Member& member : json.members()) {
    if (!IsWithinLimits(member.second, depth + 1, elements_left)) return false;
  }
  for (const Json& item : json.items()) {
    if (!IsWithinLimits(item, depth + 1, elements_left)) return false;
  }
  return true;
}

// Does what Decoder does, without events, paths and counters, for documents that it would have
// nothing to say about. False: it would; the target is then in any state.
class SoundReader {
 public:
  // Null leaves what is there.
  static bool Read(const Json& json, const TypeOps* ops, void* target) {
    if (json.is_null()) return true;
    while (ops->shape == Shape::kOptional) {
      target = ops->append(target, {});
      ops = &ops->element();
    }
    switch (ops->shape) {
      case Shape::kScalar:
        return ReadScalar(json, *ops, target);
      case Shape::kObject:
        return json.is_object() && ReadFields(json.members(), *ops, target);
      case Shape::kMap:
        return json.is_object() && ReadMap(json.members(), *ops, target);
      case Shape::kList:
        return json.is_array() && ReadList(json.items(), *ops, target);
      case Shape::kRaw:
        return json.is_object() && ReadRaw(json, *ops, target);
      case Shape::kOptional:
      case Shape::kDynamic:
      case Shape::kItems:
        break;  // Of envelopes, which are not read from trees.
    }
    return false;
  }

 private:
  static bool ReadScalar(const Json& json, const TypeOps& ops, void* target) {
    Scalar value;
    if (json.is_string()) {
      value = {.kind = ScalarKind::kString, .text = json.AsString()};
    } else if (json.is_int()) {
      value = {.kind = ScalarKind::kInt, .whole = json.AsInt()};
    } else if (json.is_double()) {
      value = {.kind = ScalarKind::kDouble, .real = json.AsDouble()};
    } else if (json.is_bool()) {
      value = {.kind = ScalarKind::kBool, .truth = json.AsBool()};
    } else {
      return false;
    }
    std::string reason;
    return ops.set(target, value, &reason);
  }
  static bool Finish(const TypeOps& ops, void* target) {
    if (ops.finish != nullptr) ops.finish(target);
    std::string reason;
    return ops.check == nullptr || ops.check(target, &reason);
  }
  static bool ReadFields(const Json::Object& members, const TypeOps& ops, void* target) {
    size_t expected = 0;
    for (const Json::Member& member : members) {
      const FieldDef* const field = ops.fields->Find(member.first, expected);
      if (field == nullptr) continue;
      expected = static_cast<size_t>(field - ops.fields->fields) + 1;
      if (!Read(member.second, &field->ops(), field->get(target))) return false;
    }
    return Finish(ops, target);
  }
  static bool ReadMap(const Json::Object& members, const TypeOps& ops, void* target) {
    const TypeOps& element = ops.element();
    for (const Json::Member& member : members) {
      if (!Read(member.second, &element, ops.append(target, member.first))) return false;
    }
    return Finish(ops, target);
  }
  static bool ReadList(const Json::Array& items, const TypeOps& ops, void* target) {
    const TypeOps& element = ops.element();
    ops.reserve(target, items.size());
    for (const Json& item : items) {
      if (!Read(item, &element, ops.append(target, {}))) return false;
    }
    return Finish(ops, target);
  }
  static bool ReadRaw(const Json& json, const TypeOps& ops, void* target) {
    *static_cast<Json*>(ops.append(target, {})) = Json::MakeObject();
    return Read(json, &ops.element(), const_cast<void*>(ops.at(target, 0)));
  }
};

}  // namespace

namespace fragment_internal {

bool ViewOfSoundTree(const TypeOps& ops, const Json& json, void* value) {
  size_t elements_left = kElementsMax;
  return IsWithinLimits(json, 0, &elements_left) && SoundReader::Read(json, &ops, value);
}

}  // namespace fragment_internal
}  // namespace bth::types
