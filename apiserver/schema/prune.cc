// PruneFields and DefaultFields.
#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "apiserver/schema/coerce.h"
#include "apiserver/schema/place.h"

namespace bth::apiserver {
namespace {

bool IsMeta(std::string_view name) {
  return name == "apiVersion" || name == "kind" || name == "metadata";
}

class Pruner {
 public:
  explicit Pruner(std::vector<std::string>* unknown) : unknown_(unknown) {}

  // `node` is null where the schema says nothing: then no field is known.
  void Value(const SchemaNode* node, Json& value, const Place& at) {
    if (value.is_object()) {
      Members(node, value, at);
    } else if (value.is_array()) {
      if (node != nullptr && node->preserves_unknown) return;
      const SchemaNode* items = node == nullptr ? nullptr : node->items.get();
      Json::Array& list = value.MutableItems();
      for (size_t i = 0; i < list.size(); ++i) {
        if (list[i].is_object() || list[i].is_array()) Value(items, list[i], at.Item(i));
      }
    }
  }

  void Members(const SchemaNode* node, Json& value, const Place& at) {
    const bool keeps = node != nullptr && node->preserves_unknown;
    const bool whole = node != nullptr && (node->embedded || at.is_root());
    size_t kept = 0;
    Json::Object& members = value.MutableMembers();
    for (size_t i = 0; i < members.size(); ++i) {
      auto& [name, member] = members[i];
      bool known = whole && IsMeta(name);
      if (!known && node != nullptr) {
        const SchemaNode* child = node->Property(name);
        known = child != nullptr || node->has_additional;
        if (child == nullptr) child = node->additional.get();
        if (known && (member.is_object() || member.is_array())) {
          Value(child, member, at.Field(name));
        }
      }
      if (!known && !keeps) {
        Note(at.Field(name));
        continue;
      }
      if (kept != i) members[kept] = std::move(members[i]);
      ++kept;
    }
    members.resize(kept);
  }

 private:
  void Note(const Place& at) {
    if (unknown_ != nullptr && unknown_->size() < kUnknownMax) unknown_->push_back(at.Text());
  }

  std::vector<std::string>* unknown_;
};

const SchemaNode* MemberNode(const SchemaNode& node, std::string_view name) {
  const SchemaNode* child = node.Property(name);
  return child != nullptr ? child : node.additional.get();
}

}  // namespace

void PruneFields(const StructuralSchema& schema, Json& object, std::vector<std::string>* unknown) {
  if (!object.is_object()) return;
  Pruner(unknown).Members(&schema.root(), object, Place());
  if (unknown != nullptr) std::sort(unknown->begin(), unknown->end());
}

void PruneValue(const SchemaNode& node, Json& value, std::vector<std::string>* unknown) {
  const Place root;
  Pruner(unknown).Value(&node, value, root.Inside());
}

void DefaultFields(const SchemaNode& node, Json& value) {
  if (value.is_array()) {
    if (node.items == nullptr) return;
    for (Json& item : value.MutableItems()) {
      if (item.is_null() && !node.items->nullable && node.items->fallback.has_value()) {
        item = *node.items->fallback;
      } else {
        DefaultFields(*node.items, item);
      }
    }
    return;
  }
  if (!value.is_object()) return;
  for (const uint32_t index : node.defaulted) {
    const SchemaProperty& property = node.properties[index];
    Json* present = value.Find(property.name);
    if (present == nullptr) {
      value.Set(property.name, *property.node->fallback);
    } else if (present->is_null() && !property.node->nullable) {
      *present = *property.node->fallback;
    }
  }
  Json::Object& members = value.MutableMembers();
  bool nulls = false;
  for (auto& [name, member] : members) {
    if (!member.is_object() && !member.is_array() && !member.is_null()) continue;
    const SchemaNode* child = MemberNode(node, name);
    if (child == nullptr) continue;
    if (!member.is_null()) {
      DefaultFields(*child, member);
    } else if (!child->nullable && child->fallback.has_value()) {
      member = *child->fallback;
    } else {
      nulls |= !child->nullable;
    }
  }
  if (!nulls) return;
  std::erase_if(members, [&](const Json::Member& member) {
    if (!member.second.is_null()) return false;
    const SchemaNode* child = MemberNode(node, member.first);
    return child != nullptr && !child->nullable;
  });
}

}  // namespace bth::apiserver
