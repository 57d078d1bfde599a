#include "apiserver/patch/field_set.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace bth::apiserver {
namespace {

constexpr int kFieldDepthMax = 128;

class LeafFinder {
 public:
  LeafFinder(const MergeRules& rules, std::string* fault) : rules_(rules), fault_(fault) {}

  // The whole object, but for the members that `other` has as well.
  void Unlike(const Json& other, const Json& object) {
    for (const Json::Member& member : object.members()) {
      const Json* same = other.Find(member.first);
      if (same == nullptr || !(*same == member.second)) Member(member);
    }
  }

  void Object(const Json& object) {
    if (object.empty() || rules_.IsAtomicObject(names_)) {
      if (!path_.empty()) leaves_.emplace(path_, &object);
      return;
    }
    for (const Json::Member& member : object.members()) Member(member);
  }
  FieldMap Finish() { return std::move(leaves_); }

 private:
  bool Skipped(const std::string& key) const {
    if (names_.empty()) return key == "apiVersion" || key == "kind";
    if (names_.size() > 1 || names_[0] != "metadata") return false;
    for (std::string_view fixed :
         {"name", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp",
          "deletionTimestamp", "deletionGracePeriodSeconds", "managedFields", "selfLink"}) {
      if (key == fixed) return true;
    }
    return false;
  }

  void Member(const Json::Member& member) {
    if (Skipped(member.first)) return;
    path_.push_back("f:" + member.first);
    names_.push_back(member.first);
    Value(member.second);
    names_.pop_back();
    path_.pop_back();
  }

  void Value(const Json& value) {
    if (value.is_object()) return Object(value);
    const MergeRule rule = value.is_array() ? rules_.List(names_) : MergeRule{};
    if (rule.list == MergeRule::List::kAtomic || value.empty()) {
      leaves_.emplace(path_, &value);
      return;
    }
    for (const Json& item : value.items()) {
      path_.push_back(rule.list == MergeRule::List::kSet ? "v:" + item.Dump()
                                                         : "k:" + Key(item, rule));
      path_.push_back(".");
      const bool fresh = leaves_.emplace(path_, &item).second;
      path_.pop_back();
      if (!fresh) Fault("duplicate entries for key ");
      if (rule.list == MergeRule::List::kMap && !HasKey(item, rule)) Fault("an entry has no key ");
      if (item.is_object() && !item.empty()) Object(item);
      path_.pop_back();
    }
  }

  void Fault(const char* what) {
    if (fault_ != nullptr && fault_->empty()) *fault_ = StrCat(what, FieldText(path_));
  }

  // Parts of a key may be left out, which have defaults in the API, but not all.
  static bool HasKey(const Json& item, const MergeRule& rule) {
    bool any = false;
    for (std::string_view name : rule.apply_keys) {
      const Json* value = item.Find(name);
      if (value == nullptr) continue;
      if (!value->is_string() && !value->is_number() && !value->is_bool()) return false;
      any = true;
    }
    return any;
  }

  static std::string Key(const Json& item, const MergeRule& rule) {
    Json key = Json::MakeObject();
    for (std::string_view name : rule.apply_keys) {
      const Json* value = item.Find(name);
      // The one key part that has a default in the API.
      if (value == nullptr && name == "protocol") {
        key.Set(name, "TCP");
      } else if (value != nullptr) {
        key.Set(name, *value);
      }
    }
    return key.Dump();
  }

  const MergeRules& rules_;
  std::string* const fault_;
  FieldPath path_;
  std::vector<std::string> names_;
  FieldMap leaves_;
};

void ReadFields(const Json& fields, FieldPath& path, FieldSet& out, int depth) {
  if (depth > kFieldDepthMax) return;
  for (const auto& [key, value] : fields.members()) {
    path.push_back(key);
    if (value.empty()) {
      out.insert(path);
    } else {
      ReadFields(value, path, out, depth + 1);
    }
    path.pop_back();
  }
}

// The item of a list that a step names.
Json::Array::const_iterator FindItem(const Json& list, const std::string& step) {
  const Json::Array& items = list.items();
  // Paths may come from clients.
  if (!step.starts_with("k:") && !step.starts_with("v:")) return items.end();
  const absl::StatusOr<Json> wanted = Json::Parse(step.substr(2));
  if (!wanted.ok()) return items.end();
  return std::find_if(items.begin(), items.end(), [&](const Json& item) {
    if (step.starts_with("v:")) return item == *wanted;
    const Json::Object& key = wanted->members();
    return !key.empty() && std::all_of(key.begin(), key.end(), [&](const Json::Member& part) {
      const Json* value = item.Find(part.first);
      if (value == nullptr) return part.first == "protocol" && part.second.AsString() == "TCP";
      return *value == part.second;
    });
  });
}

void EraseAt(Json& object, const FieldPath& path, size_t at) {
  const std::string& step = path[at];
  const bool last = at + 1 == path.size() || (at + 2 == path.size() && path[at + 1] == ".");
  if (step.starts_with("f:")) {
    const std::string name = step.substr(2);
    Json* value = object.Find(name);
    if (value == nullptr) return;
    if (last) {
      object.Erase(name);
      return;
    }
    EraseAt(*value, path, at + 1);
    if ((value->is_object() || value->is_array()) && value->empty()) object.Erase(name);
    return;
  }
  if (!object.is_array()) return;
  const auto index = FindItem(object, step) - std::as_const(object).items().begin();
  Json::Array& items = object.MutableItems();
  if (index >= static_cast<std::ptrdiff_t>(items.size())) return;
  if (last) {
    items.erase(items.begin() + index);
  } else {
    EraseAt(items[index], path, at + 1);
  }
}

}  // namespace

FieldMap LeavesOf(const Json& object, const MergeRules& rules, std::string* fault) {
  LeafFinder finder(rules, fault);
  finder.Object(object);
  return finder.Finish();
}

FieldMap LeavesUnlike(const Json& other, const Json& object, const MergeRules& rules) {
  LeafFinder finder(rules, nullptr);
  finder.Unlike(other, object);
  return finder.Finish();
}

FieldSet FieldsOf(const Json& object, const MergeRules& rules) {
  FieldSet fields;
  for (const auto& [path, value] : LeavesOf(object, rules)) fields.insert(path);
  return fields;
}

bool HasAtOrBelow(const FieldSet& fields, const FieldPath& path) {
  FieldPath prefix = path;
  if (!prefix.empty() && prefix.back() == ".") prefix.pop_back();
  // Paths below follow their prefix in the order of the set.
  const auto it = fields.lower_bound(prefix);
  return it != fields.end() && it->size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), it->begin());
}

Json ToFieldsV1(const FieldSet& fields) {
  Json root = Json::MakeObject();
  for (const FieldPath& path : fields) {
    Json* at = &root;
    for (const std::string& step : path) {
      at = &(*at)[step];
      if (!at->is_object()) *at = Json::MakeObject();
    }
  }
  return root;
}

FieldSet FromFieldsV1(const Json& fields) {
  FieldSet set;
  FieldPath path;
  ReadFields(fields, path, set, 0);
  return set;
}

const Json* FindField(const Json& object, const FieldPath& path) {
  const Json* at = &object;
  for (const std::string& step : path) {
    if (step == ".") return at;
    if (step.starts_with("f:")) {
      at = at->Find(step.substr(2));
      if (at == nullptr) return nullptr;
      continue;
    }
    const auto item = FindItem(*at, step);
    if (item == at->items().end()) return nullptr;
    at = &*item;
  }
  return at;
}

void EraseField(Json& object, const FieldPath& path) {
  if (!path.empty()) EraseAt(object, path, 0);
}

std::string FieldText(const FieldPath& path) {
  std::string text;
  for (const std::string& step : path) {
    if (step == "." || step.size() < 2) continue;
    if (step.starts_with("f:")) {
      StrAppend(&text, ".", step.substr(2));
      continue;
    }
    const absl::StatusOr<Json> key = Json::Parse(step.substr(2));
    std::string inside;
    if (key.ok() && step.starts_with("k:")) {
      for (const auto& [name, value] : key->members()) {
        StrAppend(&inside, inside.empty() ? "" : ",", name, "=", value.Dump());
      }
    } else {
      inside = "=" + step.substr(2);
    }
    StrAppend(&text, "[", inside, "]");
  }
  return text;
}

}  // namespace bth::apiserver
