#include "apiserver/patch/field_set.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "apiserver/patch/lookup.h"
#include "apiserver/rest/errors.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

constexpr int kFieldDepthMax = 128;
// How many sets of names the keys of one list's items may be made of, and how many names each.
// Parts of a key may be left out, so that there are some.
constexpr size_t kKeySetsMax = 8;
constexpr size_t kKeyNamesMax = 16;

// The path to where a walk over an object is, and what a copy of it takes.
class GrowingPath {
 public:
  explicit GrowingPath(PathBudget& budget) : budget_(budget) {}
  void Push(std::string step) {
    bytes_ += sizeof(step) + step.size();
    path_.push_back(std::move(step));
  }
  void Pop() {
    bytes_ -= sizeof(std::string) + path_.back().size();
    path_.pop_back();
  }
  // Whether the budget allows for one more copy.
  bool MayKeep() { return budget_.Take(bytes_); }
  const FieldPath& get() const { return path_; }

 private:
  PathBudget& budget_;
  FieldPath path_;
  size_t bytes_ = 0;
};

class LeafFinder {
 public:
  LeafFinder(const MergeRules& rules, PathBudget& budget, std::string* fault)
      : rules_(rules), fault_(fault), path_(budget) {}

  // The whole object, but for the members that `other` has as well.
  void Unlike(const Json& other, const Json& object) {
    MemberIndex others({other.members()});
    for (const Json::Member& member : object.members()) {
      const std::optional<size_t> same = others.Find(member.first);
      if (!same.has_value() || !(other.members()[*same].second == member.second)) Member(member);
    }
  }

  void Object(const Json& object) {
    if (object.empty() || rules_.IsAtomicObject(names_)) {
      if (!path_.get().empty()) Leaf(object);
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
    path_.Push("f:" + member.first);
    names_.push_back(member.first);
    Value(member.second);
    names_.pop_back();
    path_.Pop();
  }

  // True if the path is new.
  bool Leaf(const Json& value) {
    return !path_.MayKeep() || leaves_.emplace(path_.get(), &value).second;
  }

  void Value(const Json& value) {
    if (value.is_object()) return Object(value);
    const MergeRule rule = value.is_array() ? rules_.List(names_) : MergeRule{};
    if (rule.list == MergeRule::List::kAtomic || value.empty()) {
      Leaf(value);
      return;
    }
    for (const Json& item : value.items()) {
      path_.Push(rule.list == MergeRule::List::kSet ? "v:" + item.Dump() : "k:" + Key(item, rule));
      path_.Push(".");
      const bool fresh = Leaf(item);
      path_.Pop();
      if (!fresh) Fault("duplicate entries for key ");
      if (rule.list == MergeRule::List::kMap && !HasKey(item, rule)) Fault("an entry has no key ");
      if (item.is_object() && !item.empty()) Object(item);
      path_.Pop();
    }
  }

  void Fault(const char* what) {
    if (fault_ != nullptr && fault_->empty()) *fault_ = StrCat(what, FieldText(path_.get()));
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
  GrowingPath path_;
  std::vector<std::string> names_;
  FieldMap leaves_;
};

void ReadFields(const Json& fields, GrowingPath& path, FieldSet& out, int depth) {
  if (depth > kFieldDepthMax) return;
  for (const auto& [key, value] : fields.members()) {
    path.Push(key);
    if (!value.empty()) {
      ReadFields(value, path, out, depth + 1);
    } else if (path.MayKeep()) {
      out.insert(path.get());
    }
    path.Pop();
  }
}

// Whether the path ends at this step, or says there that it means the item as a whole.
bool EndsAt(const FieldPath& path, size_t at) {
  return at + 1 == path.size() || (at + 2 == path.size() && path[at + 1] == ".");
}

// Erases many values in one walk.
class Eraser {
 public:
  // In the order of their steps from `at` on; those before lead to the same value.
  using Paths = absl::Span<const FieldPath* const>;

  static void Erase(Json& value, Paths paths, size_t at) {
    if (value.is_object()) EraseMembers(value, paths, at);
    if (value.is_array()) EraseItems(value.MutableItems(), paths, at);
  }

 private:
  // Those in front that have the same step at `at`.
  static Paths Group(Paths paths, size_t at) {
    const std::string& step = (*paths.front())[at];
    const auto end = std::find_if(paths.begin(), paths.end(),
                                  [&](const FieldPath* path) { return (*path)[at] != step; });
    return paths.first(static_cast<size_t>(end - paths.begin()));
  }

  // Whether what the step of a group names is to go, and not only something in it.
  static bool IsWhole(Paths group, size_t at) {
    return std::any_of(group.begin(), group.end(),
                       [at](const FieldPath* path) { return EndsAt(*path, at); });
  }

  static void EraseMembers(Json& object, Paths paths, size_t at) {
    Members members(object);
    for (Paths group; !paths.empty(); paths.remove_prefix(group.size())) {
      group = Group(paths, at);
      const std::string& step = (*group.front())[at];
      if (!step.starts_with("f:")) continue;
      const std::string_view name = std::string_view(step).substr(2);
      Json* member = members.Find(name);
      if (member == nullptr) continue;
      const bool whole = IsWhole(group, at);
      if (!whole) Erase(*member, group, at + 1);
      if (whole || ((member->is_object() || member->is_array()) && member->empty())) {
        members.Erase(name);
      }
    }
  }

  static void EraseItems(Json::Array& items, Paths paths, size_t at) {
    std::vector<bool> gone(items.size(), false);
    // One item may be named in many ways, but it is walked through once.
    std::map<size_t, std::vector<const FieldPath*>> inside;
    Finder finder(items);
    for (Paths group; !paths.empty(); paths.remove_prefix(group.size())) {
      group = Group(paths, at);
      const std::optional<size_t> position = finder.Find((*group.front())[at]);
      if (!position.has_value()) continue;
      if (IsWhole(group, at)) {
        gone[*position] = true;
      } else {
        std::vector<const FieldPath*>& of_item = inside[*position];
        of_item.insert(of_item.end(), group.begin(), group.end());
      }
    }
    for (auto& [position, of_item] : inside) {
      if (gone[position]) continue;
      SortFrom(of_item, at + 1);
      Erase(items[position], of_item, at + 1);
    }
    size_t position = 0;
    std::erase_if(items, [&](const Json&) { return gone[position++]; });
  }

  // By their steps from `at` on, which they all have.
  static void SortFrom(std::vector<const FieldPath*>& paths, size_t at) {
    const auto skip = static_cast<std::ptrdiff_t>(at);
    std::sort(paths.begin(), paths.end(), [skip](const FieldPath* a, const FieldPath* b) {
      return std::lexicographical_compare(a->begin() + skip, a->end(), b->begin() + skip, b->end());
    });
  }

  // The item of a list that a step names.
  class Finder {
   public:
    explicit Finder(const Json::Array& items) : items_(items) {}

    std::optional<size_t> Find(const std::string& step) {
      // Paths may come from clients.
      const bool by_value = step.starts_with("v:");
      if (!by_value && !step.starts_with("k:")) return std::nullopt;
      absl::StatusOr<Json> wanted = Json::Parse(step.substr(2));
      if (!wanted.ok() || (!by_value && wanted->empty())) return std::nullopt;
      std::vector<std::string> names;
      if (!by_value) {
        for (const Json::Member& part : wanted->members()) names.push_back(part.first);
        std::sort(names.begin(), names.end());
      }
      ItemIndex* index = IndexBy(std::move(names));
      return index == nullptr ? std::nullopt : index->Find(*wanted);
    }

   private:
    // Null for what would be too many. Whole values have no names.
    ItemIndex* IndexBy(std::vector<std::string> names) {
      auto it = indexes_.find(names);
      if (it == indexes_.end()) {
        if (indexes_.size() == kKeySetsMax || names.size() > kKeyNamesMax) return nullptr;
        it = indexes_.try_emplace(std::move(names)).first;
        it->second.emplace(ItemRows{items_, {it->first.begin(), it->first.end()}});
      }
      return &*it->second;
    }

    const Json::Array& items_;
    // By the names in a key. Steps with different ones may take turns.
    std::map<std::vector<std::string>, std::optional<ItemIndex>> indexes_;
  };
};

}  // namespace

bool PathBudget::Take(size_t bytes) {
  exceeded_ = exceeded_ || bytes > left_;
  if (!exceeded_) left_ -= bytes;
  return !exceeded_;
}

absl::Status PathBudget::Check() const {
  if (!exceeded_) return absl::OkStatus();
  return TooLarge(StrCat("the paths of the fields that managedFields tell of are longer than ",
                         kPathBytesMax, " bytes together"));
}

FieldMap LeavesOf(const Json& object, const MergeRules& rules, PathBudget& budget,
                  std::string* fault) {
  LeafFinder finder(rules, budget, fault);
  finder.Object(object);
  return finder.Finish();
}

FieldMap LeavesUnlike(const Json& other, const Json& object, const MergeRules& rules,
                      PathBudget& budget) {
  LeafFinder finder(rules, budget, nullptr);
  finder.Unlike(other, object);
  return finder.Finish();
}

FieldSet PathsOf(const FieldMap& leaves) {
  FieldSet fields;
  for (const auto& [path, value] : leaves) fields.insert(fields.end(), path);
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
      // Paths that begin alike stand together.
      Json::Object& members = at->MutableMembers();
      if (members.empty() || members.back().first != step) {
        members.emplace_back(step, Json::MakeObject());
      }
      at = &members.back().second;
    }
  }
  return root;
}

FieldSet FromFieldsV1(const Json& fields, PathBudget& budget) {
  FieldSet set;
  GrowingPath path(budget);
  ReadFields(fields, path, set, 0);
  return set;
}

void EraseFields(Json& object, absl::Span<const FieldPath* const> paths) {
  Eraser::Erase(object, paths, 0);
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
