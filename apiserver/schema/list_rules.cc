#include "apiserver/schema/list_rules.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/strings.h"

namespace bth::apiserver {
namespace {

bool Has(const Json& list, std::string_view text) {
  return std::any_of(list.items().begin(), list.items().end(),
                     [&](const Json& item) { return item.AsString() == text; });
}

void CheckKey(const Json& items, const std::string& key, const std::string& field,
              std::vector<Cause>& causes) {
  const Json& property = items["properties"][key];
  if (!property.is_object()) return;
  const std::string at = StrCat(field, ".items.properties[", key, "]");
  const std::string_view type = property["type"].AsString();
  if (type == "object" || type == "array") {
    causes.push_back(
        FieldInvalid(at + ".type", type,
                     "must be a scalar type if parent array's x-kubernetes-list-type is map"));
  } else if (property["default"].is_null() && !Has(items["required"], key)) {
    causes.push_back(FieldRequired(at + ".default",
                                   "this property is in x-kubernetes-list-map-keys, so it must "
                                   "have a default or be a required property"));
  }
}

void CheckMapList(const Json& schema, const std::string& field, std::vector<Cause>& causes) {
  const Json& keys = schema["x-kubernetes-list-map-keys"];
  const Json& items = schema["items"];
  if (keys.empty()) {
    causes.push_back(FieldRequired(field + ".x-kubernetes-list-map-keys",
                                   "must not be empty if x-kubernetes-list-type is map"));
  }
  if (!items.is_object()) return;
  if (items["type"].AsString() != "object") {
    causes.push_back(
        FieldInvalid(field + ".items.type", items["type"],
                     "must be object if parent array's x-kubernetes-list-type is map"));
    return;
  }
  std::set<std::string> names;
  bool known = true;
  for (const Json& key : keys.items()) {
    const std::string name(key.AsString());
    names.insert(name);
    known &= items["properties"].Find(name) != nullptr;
    CheckKey(items, name, field, causes);
  }
  if (!known) {
    causes.push_back(FieldInvalid(field + ".x-kubernetes-list-map-keys", keys,
                                  "entries must all be names of item properties"));
  }
  if (names.size() != keys.size()) {
    causes.push_back(FieldInvalid(field + ".x-kubernetes-list-map-keys", keys,
                                  "must not contain duplicate entries"));
  }
}

void CheckSet(const Json& schema, const std::string& field, std::vector<Cause>& causes) {
  const Json& items = schema["items"];
  if (items["nullable"].AsBool()) {
    causes.push_back(FieldForbidden(field + ".items.nullable",
                                    "cannot be nullable when x-kubernetes-list-type is set"));
  }
  if (items["type"].AsString() == "object" &&
      items["x-kubernetes-map-type"].AsString() != "atomic") {
    causes.push_back(
        FieldInvalid(field + ".items.x-kubernetes-map-type", items["x-kubernetes-map-type"],
                     "must be atomic as item of a list with x-kubernetes-list-type=set"));
  }
  const std::string_view list = items["x-kubernetes-list-type"].AsString();
  if (items["type"].AsString() == "array" && !list.empty() && list != "atomic") {
    causes.push_back(FieldInvalid(field + ".items.x-kubernetes-list-type", list,
                                  "must be atomic as item of a list with "
                                  "x-kubernetes-list-type=set"));
  }
}

// Where `type` must be `wanted` because `keyword` is there.
void CheckOwner(const Json& schema, const std::string& field, std::string_view wanted,
                const std::string& keyword, std::vector<Cause>& causes) {
  const Json& type = schema["type"];
  if (type.AsString() == wanted) return;
  const std::string why = StrCat("must be ", std::string(wanted), " if ", keyword, " is specified");
  causes.push_back(type.AsString().empty() ? FieldRequired(field + ".type", why)
                                           : FieldInvalid(field + ".type", type, why));
}

const SchemaNode* NodeAt(const StructuralSchema& schema, const std::vector<std::string>& path) {
  const SchemaNode* at = &schema.root();
  for (const std::string& step : path) {
    while (at != nullptr && at->items != nullptr) at = at->items.get();
    if (at == nullptr) return nullptr;
    const SchemaNode* child = at->Property(step);
    at = child != nullptr ? child : at->additional.get();
  }
  return at;
}

}  // namespace

void CheckListType(const Json& schema, const std::string& field, std::vector<Cause>& causes) {
  const std::string list(schema["x-kubernetes-list-type"].AsString());
  const std::string map(schema["x-kubernetes-map-type"].AsString());
  if (!list.empty() && list != "atomic" && list != "set" && list != "map") {
    causes.push_back(
        FieldNotSupported(field + ".x-kubernetes-list-type", list, R"("atomic", "set", "map")"));
  } else if (!list.empty()) {
    CheckOwner(schema, field, "array", "x-kubernetes-list-type", causes);
  }
  if (list == "map") CheckMapList(schema, field, causes);
  if (list == "set") CheckSet(schema, field, causes);
  if (list != "map" && !schema["x-kubernetes-list-map-keys"].empty()) {
    const std::string at = field + ".x-kubernetes-list-type";
    const char why[] = "must be map if x-kubernetes-list-map-keys is non-empty";
    causes.push_back(list.empty() ? FieldRequired(at, why) : FieldInvalid(at, list, why));
  }
  if (!map.empty() && map != "atomic" && map != "granular") {
    causes.push_back(
        FieldNotSupported(field + ".x-kubernetes-map-type", map, R"("atomic", "granular")"));
  } else if (!map.empty()) {
    CheckOwner(schema, field, "object", "x-kubernetes-map-type", causes);
  }
}

MergeRule RuleOfSchema(const StructuralSchema& schema, const std::vector<std::string>& path) {
  const SchemaNode* node = NodeAt(schema, path);
  MergeRule rule;
  if (node == nullptr || node->list == ListKind::kAtomic) return rule;
  rule.list = node->list == ListKind::kSet ? MergeRule::List::kSet : MergeRule::List::kMap;
  for (const std::string& key : node->keys) rule.apply_keys.push_back(key);
  if (!rule.apply_keys.empty()) rule.key = rule.apply_keys.front();
  return rule;
}

bool IsAtomicObject(const StructuralSchema& schema, const std::vector<std::string>& path) {
  const SchemaNode* node = NodeAt(schema, path);
  return node != nullptr && node->atomic_object;
}

}  // namespace bth::apiserver
