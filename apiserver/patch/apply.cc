#include "apiserver/patch/apply.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/patch/field_managers.h"
#include "apiserver/patch/field_set.h"
#include "apiserver/patch/lookup.h"
#include "apiserver/patch/merge_rules.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

constexpr char kBeforeFirstApply[] = "before-first-apply";
// kubectl's own way of applying leaves what it applied in this annotation.
constexpr char kKubectl[] = "kubectl";
constexpr char kLastApplied[] = "kubectl.kubernetes.io/last-applied-configuration";

// Merges what is applied into the live object: objects by field, lists by the kind's rules.
class Applier {
 public:
  explicit Applier(const MergeRules& rules) : rules_(rules) {}

  void Merge(Json& target, const Json& wanted) {
    if (wanted.is_object() && !rules_.IsAtomicObject(path_)) {
      Members members(target);
      for (const auto& [key, value] : wanted.members()) {
        path_.push_back(key);
        if (value.is_null()) {
          members.Erase(key);
        } else {
          Merge(members[key], value);
        }
        path_.pop_back();
      }
      return;
    }
    const MergeRule rule = wanted.is_array() ? rules_.List(path_) : MergeRule{};
    if (rule.list == MergeRule::List::kAtomic) {
      target = wanted;
    } else {
      MergeList(target, wanted, rule);
    }
  }

 private:
  void MergeList(Json& target, const Json& wanted, const MergeRule& rule) {
    Json::Array& items = target.MutableItems();
    const bool set = rule.list == MergeRule::List::kSet;
    ItemIndex index({items, set ? std::vector<std::string_view>() : rule.apply_keys});
    for (const Json& item : wanted.items()) {
      const std::optional<size_t> present = index.Find(item);
      if (set) {
        if (!present.has_value()) items.push_back(item);
        continue;
      }
      // A new item is merged as well, which drops its nulls.
      Merge(present.has_value() ? items[*present] : items.emplace_back(), item);
    }
  }

  const MergeRules& rules_;
  std::vector<std::string> path_;
};

// What an apply at this endpoint can set: the rest of the configuration is dropped, as a write
// there would drop it.
Json Restricted(const ResourceType& type, const ApplyInput& input) {
  Json result = Json::MakeObject();
  const bool status = input.subresource == "status";
  for (const auto& [key, value] : input.configuration.members()) {
    const bool part = key == "status";
    const bool identity = key == "apiVersion" || key == "kind" || key == "metadata";
    if (status ? part || identity : !(part && type.has_status)) {
      result.MutableMembers().emplace_back(key, value);
    }
  }
  if (!status) return result;
  // Of metadata only the precondition, and of built-in kinds what status writers may note.
  Json metadata = Json::MakeObject();
  for (const auto& [key, value] : input.configuration["metadata"].members()) {
    const bool note = !type.custom && (key == "labels" || key == "annotations");
    if (note || key == "name" || key == "namespace" || key == "resourceVersion") {
      metadata.MutableMembers().emplace_back(key, value);
    }
  }
  result.Set("metadata", std::move(metadata));
  return result;
}

// What kubectl applied before it was told to apply on the server: taking that over is no fight.
FieldSet LastApplied(const Json& live, const MergeRules& rules, PathBudget& budget) {
  const std::string_view text = live["metadata"]["annotations"][kLastApplied].AsString();
  if (text.empty()) return {};
  const absl::StatusOr<Json> configuration = Json::Parse(text);
  if (!configuration.ok()) return {};
  return PathsOf(LeavesOf(*configuration, rules, budget));
}

// One apply on its way.
struct Account {
  FieldMap live;                     // What the object holds.
  FieldMap wanted;                   // What it is to hold.
  FieldManager own;                  // As it was before; without fields if it is new.
  std::vector<FieldManager> others;  // Loses what the apply takes from them.
};

// Whether the apply changes what is at this path. What is no leaf of the live object is not there,
// or holds more than what is wanted.
bool Changes(const Account& account, const FieldPath& path) {
  const auto wanted = account.wanted.find(path);
  if (wanted == account.wanted.end() || path.back() == ".") return false;
  const auto present = account.live.find(path);
  return present == account.live.end() || !(*present->second == *wanted->second);
}

// Fields of the others that the apply would change.
std::vector<Cause> Conflicts(const Account& account, const FieldSet& allowed) {
  std::vector<Cause> causes;
  for (const FieldManager& other : account.others) {
    for (const FieldPath& path : other.fields) {
      if (allowed.contains(path) || !Changes(account, path)) continue;
      causes.push_back({"FieldManagerConflict", "conflict with " + other.Text(), FieldText(path)});
    }
  }
  std::stable_sort(causes.begin(), causes.end(),
                   [](const Cause& a, const Cause& b) { return a.message < b.message; });
  return causes;
}

Account AccountOf(const ResourceType& type, const ApplyInput& input, FieldMap wanted,
                  const MergeRules& rules, PathBudget& budget) {
  Account account;
  account.live = LeavesOf(input.live, rules, budget);
  account.wanted = std::move(wanted);
  account.own = {input.manager, true, input.subresource, type.api_version(), input.now, {}};
  for (FieldManager& manager : ManagersOf(input.live["metadata"]["managedFields"], budget)) {
    if (manager.IsSame(account.own)) {
      account.own.fields = std::move(manager.fields);
      account.own.time = std::move(manager.time);
    } else {
      account.others.push_back(std::move(manager));
    }
  }
  const bool first = input.live["metadata"]["managedFields"].empty();
  if (first && !input.live.is_null()) {
    account.others.push_back(
        {kBeforeFirstApply, false, "", type.api_version(), input.now, PathsOf(account.live)});
  }
  return account;
}

// Takes away what the manager no longer wants and nobody else does. Whole list items first:
// without their fields they could not be found any more.
void Prune(const Account& account, const FieldSet& wanted, Json& result) {
  FieldSet of_others;
  for (const FieldManager& other : account.others) {
    of_others.insert(other.fields.begin(), other.fields.end());
  }
  for (const bool items : {true, false}) {
    std::vector<const FieldPath*> gone;
    for (const FieldPath& path : account.own.fields) {
      if ((path.back() == ".") != items) continue;
      if (!HasAtOrBelow(wanted, path) && !HasAtOrBelow(of_others, path)) gone.push_back(&path);
    }
    EraseFields(result, gone);
  }
}

}  // namespace

absl::StatusOr<Json> ServerSideApply(const ResourceType& type, const ApplyInput& input) {
  if (!input.configuration["metadata"]["managedFields"].empty()) {
    return BadRequest("metadata.managedFields must be nil");
  }
  const MergeRules rules(type);
  const Json configuration = Restricted(type, input);
  PathBudget budget;
  std::string fault;
  FieldMap leaves = LeavesOf(configuration, rules, budget, &fault);
  if (!fault.empty()) return BadRequest(StrCat("the apply configuration: ", fault));
  Account account = AccountOf(type, input, std::move(leaves), rules, budget);
  const FieldSet allowed =
      input.manager == kKubectl ? LastApplied(input.live, rules, budget) : FieldSet();
  BTH_RETURN_IF_ERROR(budget.Check());
  if (!input.force) {
    const std::vector<Cause> causes = Conflicts(account, allowed);
    if (!causes.empty()) return ApplyConflict(causes);
  }
  Json result = input.live.is_null() ? Json::MakeObject() : input.live;
  Applier(rules).Merge(result, configuration);
  for (FieldManager& other : account.others) {
    std::erase_if(other.fields, [&](const FieldPath& path) { return Changes(account, path); });
  }
  FieldSet fields = PathsOf(account.wanted);
  Prune(account, fields, result);
  // Applying the same again is no change, not even of the time.
  if (fields != account.own.fields) account.own.time = input.now;
  account.own.fields = std::move(fields);
  account.others.push_back(std::move(account.own));
  Json entries = ManagersJson(std::move(account.others));
  if (entries.is_null()) {
    result["metadata"].Erase("managedFields");
  } else {
    result["metadata"].Set("managedFields", std::move(entries));
  }
  return result;
}

}  // namespace bth::apiserver
