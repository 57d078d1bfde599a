// CheckUniqueItems: x-kubernetes-list-type set and map.
#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "apiserver/schema/place.h"
#include "apiserver/schema/validate.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

class Uniqueness {
 public:
  explicit Uniqueness(std::string_view field) : field_(field) {}

  std::vector<Cause> TakeCauses() { return std::move(causes_); }

  void Value(const SchemaNode& node, const Json& value, const Place& at) {
    if (value.is_array()) {
      if (node.list != ListKind::kAtomic) Items(node, value, at);
      if (node.items == nullptr) return;
      for (size_t i = 0; i < value.size(); ++i) Value(*node.items, value[i], at.Item(i));
    } else if (value.is_object()) {
      for (const auto& [name, member] : value.members()) {
        if (!member.is_array() && !member.is_object()) continue;
        const SchemaNode* child = node.Property(name);
        if (child == nullptr) child = node.additional.get();
        if (child != nullptr) Value(*child, member, at.Field(name));
      }
    }
  }

 private:
  void Items(const SchemaNode& node, const Json& value, const Place& at) {
    if (value.size() < 2) return;
    absl::flat_hash_map<std::string, int> seen;
    for (size_t i = 0; i < value.size(); ++i) {
      const std::string identity = Identity(node, value[i]);
      // Each value is told of once.
      if (++seen[identity] != 2 || causes_.size() >= kCausesMax) continue;
      const std::string below = at.Item(i).Text();
      causes_.push_back({"FieldValueDuplicate", StrCat("Duplicate value: ", identity),
                         field_.empty() ? below : StrCat(field_, ".", below)});
    }
  }

  // Equal texts mean equal items, whatever the order of their members.
  static std::string Identity(const SchemaNode& node, const Json& item) {
    if (node.list == ListKind::kSet) return Sorted(item).Dump();
    Json keys = Json::MakeObject();
    for (const std::string& key : node.keys) {
      if (const Json* value = item.Find(key)) keys.Set(key, *value);
    }
    return Sorted(keys).Dump();
  }

  static Json Sorted(const Json& value) {
    if (value.is_array()) {
      Json::Array items;
      for (const Json& item : value.items()) items.push_back(Sorted(item));
      return Json(std::move(items));
    }
    if (!value.is_object()) return value;
    Json out = Json::MakeObject();
    for (const auto& [name, member] : value.members()) out.Set(name, Sorted(member));
    Json::Object& members = out.MutableMembers();
    std::sort(members.begin(), members.end(),
              [](const Json::Member& a, const Json::Member& b) { return a.first < b.first; });
    return out;
  }

  const std::string_view field_;
  std::vector<Cause> causes_;
};

std::vector<Cause> Duplicates(const SchemaNode& node, const Json& value, std::string_view field) {
  Uniqueness check(field);
  check.Value(node, value, Place());
  return check.TakeCauses();
}

}  // namespace

std::vector<Cause> CheckUniqueItems(const Checked& checked) {
  std::vector<Cause> causes = Duplicates(checked.node, checked.value, checked.field);
  if (!causes.empty() && checked.old != nullptr &&
      !Duplicates(checked.node, *checked.old, checked.field).empty()) {
    return {};
  }
  return causes;
}

}  // namespace bth::apiserver
