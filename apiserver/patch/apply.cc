#include "apiserver/patch/apply.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "apiserver/patch/field_set.h"
#include "apiserver/patch/merge_keys.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

// What one entry of managedFields says. Only apply managers are recorded.
struct Owner {
  std::string manager;
  std::string subresource;
  FieldSet fields;
  Json entry;
};

std::vector<Owner> OwnersOf(const Json& object) {
  std::vector<Owner> owners;
  for (const Json& entry : object["metadata"]["managedFields"].items()) {
    if (entry["operation"].AsString() != "Apply") continue;
    owners.push_back({std::string(entry["manager"].AsString()),
                      std::string(entry["subresource"].AsString()), FromFieldsV1(entry["fieldsV1"]),
                      entry});
  }
  return owners;
}

// Merges what is applied into the live object: objects by field, lists by the kind's rules.
class Applier {
 public:
  explicit Applier(const ResourceType& type) : type_(type) {}

  void Merge(Json& target, const Json& wanted) {
    if (wanted.is_object()) {
      if (!target.is_object()) target = Json::MakeObject();
      for (const auto& [key, value] : wanted.members()) {
        path_.push_back(key);
        if (value.is_null()) {
          target.Erase(key);
        } else {
          Merge(target[key], value);
        }
        path_.pop_back();
      }
      return;
    }
    const MergeRule rule = wanted.is_array() ? RuleAt(type_.group, type_.kind, path_) : MergeRule{};
    if (rule.list == MergeRule::List::kAtomic || !target.is_array()) {
      target = wanted;
    } else {
      MergeList(target, wanted, rule);
    }
  }

 private:
  void MergeList(Json& target, const Json& wanted, const MergeRule& rule) {
    Json::Array& items = target.MutableItems();
    auto same = [&](const Json& a, const Json& b) {
      if (rule.list == MergeRule::List::kSet) return a == b;
      for (std::string_view key : rule.apply_keys) {
        const bool default_protocol =
            key == "protocol" && a[key].AsString("TCP") == b[key].AsString("TCP");
        if (!default_protocol && !(a[key] == b[key])) return false;
      }
      return true;
    };
    for (const Json& item : wanted.items()) {
      auto present = std::find_if(items.begin(), items.end(),
                                  [&](const Json& other) { return same(item, other); });
      if (present == items.end()) {
        items.push_back(item);
      } else if (rule.list == MergeRule::List::kMap) {
        Merge(*present, item);
      }
    }
  }

  const ResourceType& type_;
  std::vector<std::string> path_;
};

// Fields of the others that the apply would change.
std::vector<Cause> Conflicts(const ApplyInput& input, const FieldSet& wanted,
                             const std::vector<Owner>& owners) {
  std::vector<Cause> causes;
  for (const Owner& owner : owners) {
    if (owner.manager == input.manager && owner.subresource == input.subresource) continue;
    for (const FieldPath& path : wanted) {
      if (!owner.fields.contains(path) || path.back() == ".") continue;
      const Json* live = FindField(input.live, path);
      const Json* mine = FindField(input.configuration, path);
      if (live != nullptr && mine != nullptr && *live == *mine) continue;
      causes.push_back({"FieldManagerConflict",
                        absl::StrCat("conflict with \"", owner.manager, "\""), FieldText(path)});
    }
  }
  return causes;
}

Json EntryOf(const ResourceType& type, const ApplyInput& input, const FieldSet& fields) {
  Json entry = Json::MakeObject({{"manager", input.manager},
                                 {"operation", "Apply"},
                                 {"apiVersion", type.api_version()},
                                 {"time", input.now},
                                 {"fieldsType", "FieldsV1"},
                                 {"fieldsV1", ToFieldsV1(fields)}});
  if (!input.subresource.empty()) entry.Set("subresource", input.subresource);
  return entry;
}

}  // namespace

absl::StatusOr<Json> ServerSideApply(const ResourceType& type, const ApplyInput& input) {
  if (!input.configuration["metadata"]["managedFields"].empty()) {
    return BadRequest("metadata.managedFields must be nil");
  }
  const FieldSet wanted = FieldsOf(input.configuration, type.group, type.kind);
  const std::vector<Owner> owners = OwnersOf(input.live);
  if (!input.force) {
    std::vector<Cause> causes = Conflicts(input, wanted, owners);
    if (!causes.empty()) {
      return ApplyConflict(
          type.Named(std::string(input.configuration["metadata"]["name"].AsString())),
          std::move(causes));
    }
  }
  Json result = input.live.is_null() ? Json::MakeObject() : input.live;
  Applier(type).Merge(result, input.configuration);
  Json::Array entries;
  FieldSet before;
  FieldSet of_others;
  for (const Owner& owner : owners) {
    if (owner.manager == input.manager && owner.subresource == input.subresource) {
      before = owner.fields;
      // Applying the same again is no change, not even of the time.
      if (owner.fields == wanted) entries.push_back(owner.entry);
      continue;
    }
    FieldSet kept;
    for (const FieldPath& path : owner.fields) {
      const Json* live = FindField(input.live, path);
      const Json* mine = FindField(input.configuration, path);
      const bool taken =
          mine != nullptr && live != nullptr && !(*live == *mine) && path.back() != ".";
      if (!taken) kept.insert(path);
    }
    of_others.insert(kept.begin(), kept.end());
    Json entry = owner.entry;
    entry.Set("fieldsV1", ToFieldsV1(kept));
    if (!kept.empty()) entries.push_back(std::move(entry));
  }
  // What the manager no longer wants goes, unless somebody else does. Whole list items first:
  // without their fields they could not be found any more.
  for (const bool items : {true, false}) {
    for (const FieldPath& path : before) {
      if ((path.back() == ".") == items && !wanted.contains(path) && !of_others.contains(path)) {
        EraseField(result, path);
      }
    }
  }
  if (before != wanted || entries.empty()) entries.push_back(EntryOf(type, input, wanted));
  result["metadata"].Set("managedFields", Json(std::move(entries)));
  return result;
}

}  // namespace bth::apiserver
