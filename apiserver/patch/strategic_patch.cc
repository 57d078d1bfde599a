#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_join.h"
#include "apiserver/patch/lookup.h"
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
    if (const Json* retained = patch.Find(kRetainKeys)) {
      BTH_RETURN_IF_ERROR(RetainKeys(target, *retained));
    }
    Members members(target);
    for (const auto& [key, value] : patch.members()) {
      if (key.starts_with('$')) continue;
      path_.push_back(key);
      BTH_RETURN_IF_ERROR(MergeMember(members, key, value, patch));
      path_.pop_back();
    }
    return ListDirectives(members, patch);
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
      if (key.starts_with('$') || member.is_null()) continue;
      object.MutableMembers().emplace_back(key, Stripped(member));
    }
    return object;
  }

  absl::Status RetainKeys(Json& target, const Json& retained) {
    if (!retained.is_array()) return Fail("$retainKeys must be an array");
    absl::flat_hash_set<std::string_view> keys;
    for (const Json& key : retained.items()) keys.insert(key.AsString());
    std::erase_if(target.MutableMembers(),
                  [&](const Json::Member& member) { return !keys.contains(member.first); });
    return absl::OkStatus();
  }

  absl::Status MergeMember(Members& target, const std::string& key, const Json& value,
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
      target[key] = value;
      return absl::OkStatus();
    }
    const MergeRule rule = RuleAt(group_, kind_, path_);
    if (rule.list == MergeRule::List::kAtomic) {
      target[key] = Stripped(value);
      return absl::OkStatus();
    }
    const Json* order = patch.Find(StrCat(kOrder, key));
    if (rule.list == MergeRule::List::kSet) return MergeSet(target[key], value);
    return MergeMap(target[key], value, rule.key, order);
  }

  absl::Status MergeSet(Json& target, const Json& patch) {
    Json::Array& items = target.MutableItems();
    ItemIndex present({items, {}});
    for (const Json& item : patch.items()) {
      if (!present.Find(item).has_value()) items.push_back(item);
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
    // As in kube-apiserver what is deleted goes first, so that it may come back as something new.
    Json::Array gone;
    for (const Json& item : patch.items()) {
      if (!item.is_object() || item[key].is_null()) {
        return Fail(StrCat("an item lacks its merge key \"", key, "\""));
      }
      if (IsDeletion(item)) gone.push_back(item);
    }
    EraseItems(items, gone, {key});
    ItemIndex present({items, {key}});
    for (const Json& item : patch.items()) {
      if (IsDeletion(item)) continue;
      if (const std::optional<size_t> position = present.Find(item)) {
        BTH_RETURN_IF_ERROR(MergeObject(items[*position], item));
      } else {
        items.push_back(Stripped(item));
      }
    }
    if (order != nullptr) Reorder(items, original, *order, key);
    return absl::OkStatus();
  }

  static bool IsDeletion(const Json& item) { return item[kDirective].AsString() == "delete"; }

  static void EraseItems(Json::Array& items, const Json::Array& gone,
                         std::vector<std::string_view> keys) {
    ItemIndex index({gone, std::move(keys)});
    std::erase_if(items, [&](const Json& item) { return index.Find(item).has_value(); });
  }

  // The items that `order` names come in its order; the others keep their place among those they
  // stood before.
  static void Reorder(Json::Array& items, const Json::Array& original, const Json& order,
                      std::string_view key) {
    std::vector<std::string_view> keys;
    if (!key.empty()) keys.push_back(key);
    struct Ranked {
      std::optional<size_t> wanted;  // In `order`.
      std::optional<size_t> was;     // In `original`.
      Json item;
    };
    ItemIndex in_order({order.items(), keys});
    ItemIndex in_original({original, keys});
    std::vector<Ranked> named;
    std::vector<Ranked> others;
    for (Json& item : items) {
      Ranked ranked{in_order.Find(item), in_original.Find(item), std::move(item)};
      (ranked.wanted.has_value() ? named : others).push_back(std::move(ranked));
    }
    std::stable_sort(named.begin(), named.end(),
                     [](const Ranked& a, const Ranked& b) { return a.wanted < b.wanted; });
    items.clear();
    size_t next = 0;
    for (Ranked& ranked : named) {
      // What was not there before, nullopt, is less than any place.
      while (next < others.size() && others[next].was < ranked.was) {
        items.push_back(std::move(others[next++].item));
      }
      items.push_back(std::move(ranked.item));
    }
    for (; next < others.size(); ++next) items.push_back(std::move(others[next].item));
  }

  // $deleteFromPrimitiveList/x, and $setElementOrder/x where the patch has no x.
  absl::Status ListDirectives(Members& target, const Json& patch) {
    for (const auto& [key, value] : patch.members()) {
      if (key.starts_with(kDeleteFrom)) {
        Json* list = target.Find(key.substr(kDeleteFrom.size()));
        if (list == nullptr || !list->is_array()) continue;
        EraseItems(list->MutableItems(), value.items(), {});
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
