#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "apiserver/patch/merge_keys.h"
#include "apiserver/patch/patch.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

constexpr std::string_view kDirective = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kOrder = "$setElementOrder/";
constexpr std::string_view kDeleteFrom = "$deleteFromPrimitiveList/";

class Merger {
 public:
  Merger(std::string_view group, std::string_view kind) : group_(group), kind_(kind) {}

  absl::Status MergeObject(Json& target, const Json& patch) {
    const std::string_view directive = patch[kDirective].AsString();
    if (directive == "replace") {
      target = Stripped(patch);
      return absl::OkStatus();
    }
    if (directive == "delete") {
      target = Json::MakeObject();
      return absl::OkStatus();
    }
    if (!directive.empty() && directive != "merge") {
      return Fail(StrCat("unknown $patch directive \"", directive, "\""));
    }
    if (!target.is_object()) target = Json::MakeObject();
    if (const Json* retained = patch.Find(kRetainKeys)) {
      BTH_RETURN_IF_ERROR(RetainKeys(target, *retained));
    }
    for (const auto& [key, value] : patch.members()) {
      if (key.starts_with('$')) continue;
      path_.push_back(key);
      BTH_RETURN_IF_ERROR(MergeMember(target, key, value, patch));
      path_.pop_back();
    }
    return ListDirectives(target, patch);
  }

 private:
  absl::Status Fail(std::string_view why) const {
    return absl::InvalidArgumentError(
        StrCat("strategic merge patch: ", absl::StrJoin(path_, "."), ": ", why));
  }

  // A patch value without directives and nulls, as it stands for something new.
  static Json Stripped(const Json& value) {
    if (value.is_array()) {
      Json::Array items;
      for (const Json& item : value.items()) {
        if (std::string_view d = item[kDirective].AsString(); d == "delete" || d == "replace") {
          if (d == "delete" || item.size() == 1) continue;
        }
        items.push_back(Stripped(item));
      }
      return Json(std::move(items));
    }
    if (!value.is_object()) return value;
    Json object = Json::MakeObject();
    for (const auto& [key, member] : value.members()) {
      if (!key.starts_with('$') && !member.is_null()) object.Set(key, Stripped(member));
    }
    return object;
  }

  absl::Status RetainKeys(Json& target, const Json& retained) {
    if (!retained.is_array()) return Fail("$retainKeys must be an array");
    Json::Object& members = target.MutableMembers();
    std::erase_if(members, [&](const Json::Member& member) {
      const Json::Array& keys = retained.items();
      return std::none_of(keys.begin(), keys.end(),
                          [&](const Json& key) { return key.AsString() == member.first; });
    });
    return absl::OkStatus();
  }

  absl::Status MergeMember(Json& target, const std::string& key, const Json& value,
                           const Json& patch) {
    if (value.is_null()) {
      target.Erase(key);
      return absl::OkStatus();
    }
    if (value.is_object()) {
      if (value[kDirective].AsString() == "delete") {
        target.Erase(key);
        return absl::OkStatus();
      }
      return MergeObject(target[key], value);
    }
    if (!value.is_array()) {
      target.Set(key, value);
      return absl::OkStatus();
    }
    const MergeRule rule = RuleAt(group_, kind_, path_);
    if (rule.list == MergeRule::List::kAtomic) {
      target.Set(key, Stripped(value));
      return absl::OkStatus();
    }
    const Json* order = patch.Find(StrCat(kOrder, key));
    if (rule.list == MergeRule::List::kSet) return MergeSet(target[key], value);
    return MergeMap(target[key], value, rule.key, order);
  }

  absl::Status MergeSet(Json& target, const Json& patch) {
    Json::Array& items = target.MutableItems();
    for (const Json& item : patch.items()) {
      if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(item);
    }
    return absl::OkStatus();
  }

  absl::Status MergeMap(Json& target, const Json& patch, std::string_view key, const Json* order) {
    const Json::Array original = std::as_const(target).items();
    Json::Array& items = target.MutableItems();
    for (const Json& item : patch.items()) {
      if (item[kDirective].AsString() == "replace" && item.size() == 1) {
        target = Stripped(patch);
        return absl::OkStatus();
      }
    }
    for (const Json& item : patch.items()) {
      const Json& name = item[key];
      if (!item.is_object() || name.is_null()) {
        return Fail(StrCat("an item lacks its merge key \"", key, "\""));
      }
      auto same = [&](const Json& other) { return other[key] == name; };
      const std::string_view directive = item[kDirective].AsString();
      if (directive == "delete") {
        std::erase_if(items, same);
        continue;
      }
      auto present = std::find_if(items.begin(), items.end(), same);
      if (present == items.end()) {
        items.push_back(Stripped(item));
      } else {
        BTH_RETURN_IF_ERROR(MergeObject(*present, item));
      }
    }
    if (order != nullptr) Reorder(items, original, *order, key);
    return absl::OkStatus();
  }

  // The items that `order` names come in its order; the others keep their place among those they
  // stood before.
  static void Reorder(Json::Array& items, const Json::Array& original, const Json& order,
                      std::string_view key) {
    auto name = [&](const Json& item) -> const Json& { return key.empty() ? item : item[key]; };
    auto rank = [&](const Json::Array& list, const Json& item) {
      auto at = std::find_if(list.begin(), list.end(),
                             [&](const Json& other) { return name(other) == name(item); });
      return at == list.end() ? -1 : at - list.begin();
    };
    Json::Array named;
    Json::Array others;
    for (Json& item : items) {
      (rank(order.items(), item) >= 0 ? named : others).push_back(std::move(item));
    }
    std::stable_sort(named.begin(), named.end(), [&](const Json& a, const Json& b) {
      return rank(order.items(), a) < rank(order.items(), b);
    });
    items.clear();
    size_t next = 0;
    for (Json& item : named) {
      const auto place = rank(original, item);
      while (next < others.size() && place >= 0 && rank(original, others[next]) < place) {
        items.push_back(std::move(others[next++]));
      }
      items.push_back(std::move(item));
    }
    for (; next < others.size(); ++next) items.push_back(std::move(others[next]));
  }

  // $deleteFromPrimitiveList/x, and $setElementOrder/x where the patch has no x.
  absl::Status ListDirectives(Json& target, const Json& patch) {
    for (const auto& [key, value] : patch.members()) {
      if (key.starts_with(kDeleteFrom)) {
        Json* list = target.Find(key.substr(kDeleteFrom.size()));
        if (list == nullptr || !list->is_array()) continue;
        std::erase_if(list->MutableItems(), [&](const Json& item) {
          const Json::Array& gone = value.items();
          return std::find(gone.begin(), gone.end(), item) != gone.end();
        });
      } else if (key.starts_with(kOrder)) {
        const std::string field = key.substr(kOrder.size());
        Json* list = target.Find(field);
        if (list == nullptr || !list->is_array() || !value.is_array()) continue;
        path_.push_back(field);
        const MergeRule rule = RuleAt(group_, kind_, path_);
        path_.pop_back();
        if (rule.list == MergeRule::List::kAtomic) continue;
        if (rule.list == MergeRule::List::kMap && patch.Find(field) != nullptr) continue;
        const Json::Array original = std::as_const(*list).items();
        Reorder(list->MutableItems(), original, value, rule.key);
      }
    }
    return absl::OkStatus();
  }

  const std::string_view group_;
  const std::string_view kind_;
  std::vector<std::string> path_;
};

}  // namespace

absl::StatusOr<Json> ApplyStrategicPatch(const Json& document, const Json& patch,
                                         std::string_view group, std::string_view kind) {
  Json result = document;
  BTH_RETURN_IF_ERROR(Merger(group, kind).MergeObject(result, patch));
  return result;
}

}  // namespace bth::apiserver
