#include "api/types/fragment_view.h"

#include <algorithm>
#include <string>

#include "api/types/codec.h"
#include "api/types/type_ops.h"

namespace bth::types {
namespace {

// Whether no limit of Decoder can be reached, however much of the document it looks at. Takes what
// it finds off `elements_left`.
bool IsWithinLimits(const Json& json, int depth, size_t* elements_left) {
  const auto may_hold = [&](size_t size) {
    if (depth >= kDecodeDepthMax || size > *elements_left) return false;
    *elements_left -= size;
    return true;
  };
  if (json.is_object()) {
    const Json::Object& members = json.members();
    return may_hold(members.size()) &&
           std::all_of(members.begin(), members.end(), [&](const Json::Member& member) {
             return IsWithinLimits(member.second, depth + 1, elements_left);
           });
  }
  if (!json.is_array()) return true;
  const Json::Array& items = json.items();
  return may_hold(items.size()) && std::all_of(items.begin(), items.end(), [&](const Json& item) {
           return IsWithinLimits(item, depth + 1, elements_left);
         });
}

// Does what Decoder does, without events, paths and counters, for documents that it would have
// nothing to say about. False: it would; the target is then in any state.
class SoundReader {
 public:
  explicit SoundReader(bool fills_views) : fills_views_(fills_views) {}

  // Null leaves what is there.
  bool Read(const Json& json, const TypeOps* ops, void* target) {
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
  bool ReadScalar(const Json& json, const TypeOps& ops, void* target) {
    if (json.is_string()) {
      scalar_.kind = ScalarKind::kString;
      scalar_.text = json.AsString();
    } else if (json.is_int()) {
      scalar_.kind = ScalarKind::kInt;
      scalar_.whole = json.AsInt();
    } else if (json.is_double()) {
      scalar_.kind = ScalarKind::kDouble;
      scalar_.real = json.AsDouble();
    } else if (json.is_bool()) {
      scalar_.kind = ScalarKind::kBool;
      scalar_.truth = json.AsBool();
    } else {
      return false;
    }
    return ops.set(target, scalar_, &reason_);
  }
  bool Finish(const TypeOps& ops, void* target) {
    if (ops.finish != nullptr) ops.finish(target);
    return ops.check == nullptr || ops.check(target, &reason_);
  }
  bool ReadFields(const Json::Object& members, const TypeOps& ops, void* target) {
    size_t expected = 0;
    for (const Json::Member& member : members) {
      const FieldDef* const field = ops.fields->Find(member.first, expected);
      if (field == nullptr) continue;
      expected = static_cast<size_t>(field - ops.fields->fields) + 1;
      if (!Read(member.second, &field->ops(), field->get(target))) return false;
    }
    return Finish(ops, target);
  }
  bool ReadMap(const Json::Object& members, const TypeOps& ops, void* target) {
    const TypeOps& element = ops.element();
    for (const Json::Member& member : members) {
      if (!Read(member.second, &element, ops.append(target, member.first))) return false;
    }
    return Finish(ops, target);
  }
  bool ReadList(const Json::Array& items, const TypeOps& ops, void* target) {
    const TypeOps& element = ops.element();
    ops.reserve(target, items.size());
    for (const Json& item : items) {
      if (!Read(item, &element, ops.append(target, {}))) return false;
    }
    return Finish(ops, target);
  }
  bool ReadRaw(const Json& json, const TypeOps& ops, void* target) {
    Json* raw = ops.raw(target);
    if (!raw->is_null()) raw = static_cast<Json*>(ops.append(target, {}));  // Not the first.
    *raw = Json::MakeObject();
    if (!fills_views_) return MayRead(json, &ops.element());
    return Read(json, &ops.element(), const_cast<void*>(ops.at(target, 0)));
  }

  // Whether Read would succeed. What it reads into is made only where that has to be tried.
  bool MayRead(const Json& json, const TypeOps* ops) {
    if (json.is_null()) return true;
    while (ops->shape == Shape::kOptional) ops = &ops->element();
    if (ops->with_scratch != nullptr) return TryToRead(json, *ops);
    switch (ops->shape) {
      case Shape::kScalar:
        return ops->takes_any_text && json.is_string();
      case Shape::kObject:
        return json.is_object() && ops->check == nullptr && MayReadFields(json.members(), *ops);
      case Shape::kMap:
        return json.is_object() && MayReadEach(json.members(), ops->element());
      case Shape::kList:
        return json.is_array() && MayReadEach(json.items(), ops->element());
      case Shape::kRaw:
        return json.is_object() && MayRead(json, &ops->element());
      case Shape::kOptional:
      case Shape::kDynamic:
      case Shape::kItems:
        break;
    }
    return false;
  }
  bool TryToRead(const Json& json, const TypeOps& ops) {
    struct Attempt {
      SoundReader& reader;
      const Json& json;
      const TypeOps& ops;
    } attempt{*this, json, ops};
    return ops.with_scratch(&attempt, [](void* context, void* target) {
      const auto& tried = *static_cast<const Attempt*>(context);
      return tried.reader.Read(tried.json, &tried.ops, target);
    });
  }
  bool MayReadFields(const Json::Object& members, const TypeOps& ops) {
    size_t expected = 0;
    for (const Json::Member& member : members) {
      const FieldDef* const field = ops.fields->Find(member.first, expected);
      if (field == nullptr) continue;
      expected = static_cast<size_t>(field - ops.fields->fields) + 1;
      if (!MayRead(member.second, &field->ops())) return false;
    }
    return true;
  }
  bool MayReadEach(const Json::Object& members, const TypeOps& element) {
    return std::all_of(members.begin(), members.end(), [&](const Json::Member& member) {
      return MayRead(member.second, &element);
    });
  }
  bool MayReadEach(const Json::Array& items, const TypeOps& element) {
    return std::all_of(items.begin(), items.end(),
                       [&](const Json& item) { return MayRead(item, &element); });
  }

  const bool fills_views_;

  Scalar scalar_;       // Used again, as only the members of its kind are looked at.
  std::string reason_;  // Not wanted.
};

}  // namespace

namespace fragment_internal {

bool ViewOfSoundTree(const TypeOps& ops, const Json& json, void* value) {
  size_t elements_left = kElementsMax;
  return IsWithinLimits(json, 0, &elements_left) &&
         SoundReader(/*fills_views=*/true).Read(json, &ops, value);
}

bool OutlineOfSoundTree(const TypeOps& ops, const Json& json, void* value) {
  size_t elements_left = kElementsMax;
  return IsWithinLimits(json, 0, &elements_left) &&
         SoundReader(/*fills_views=*/false).Read(json, &ops, value);
}

}  // namespace fragment_internal
}  // namespace bth::types
