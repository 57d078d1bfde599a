#include "apiserver/patch/apply.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/patch/field_managers.h"
#include "apiserver/patch/field_set.h"
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
      if (rule.list == MergeRule::List::kSet) {
        if (present == items.end()) items.push_back(item);
        continue;
      }
      // A new item is merged as well, which drops its nulls.
      Merge(present == items.end() ? items.emplace_back() : *present, item);
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
    if (status ? part || identity : !(part && type.has_status)) result.Set(key, value);
  }
  if (!status) return result;
  // Of metadata only the precondition, and of built-in kinds what status writers may note.
  Json metadata = Json::MakeObject();
  for (const auto& [key, value] : input.configuration["metadata"].members()) {
    const bool note = !type.custom && (key == "labels" || key == "annotations");
    if (note || key == "name" || key == "namespace" || key == "resourceVersion") {
      metadata.Set(key, value);
    }
  }
  result.Set("metadata", std::move(metadata));
  return result;
}

// What kubectl applied before it was told to apply on the server: taking that over is no fight.
FieldSet LastApplied(const Json& live, const MergeRules& rules) {
  const std::string_view text = live["metadata"]["annotations"][kLastApplied].AsString();
  if (text.empty()) return {};
  const absl::StatusOr<Json> configuration = Json::Parse(text);
  if (!configuration.ok()) return {};
  return FieldsOf(*configuration, rules);
}

// One apply on its way.
struct Account {
  FieldMap wanted;
  FieldManager own;                  // As it was before; without fields if it is new.
  std::vector<FieldManager> others;  // Loses what the apply takes from them.
};

bool Changes(const FieldPath& path, const Json* wanted, const Json& live) {
  if (path.back() == ".") return false;
  const Json* present = FindField(live, path);
  return present == nullptr || !(*present == *wanted);
}

// Fields of the others that the apply would change.
std::vector<Cause> Conflicts(const Account& account, const Json& live, const FieldSet& allowed) {
  std::vector<Cause> causes;
  for (const FieldManager& other : account.others) {
    for (const auto& [path, value] : account.wanted) {
      if (!other.fields.contains(path) || allowed.contains(path)) continue;
      if (!Changes(path, value, live)) continue;
      causes.push_back({"FieldManagerConflict", "conflict with " + other.Text(), FieldText(path)});
    }
  }
  std::stable_sort(causes.begin(), causes.end(),
                   [](const Cause& a, const Cause& b) { return a.message < b.message; });
  return causes;
}

Account AccountOf(const ResourceType& type, const ApplyInput& input, FieldMap wanted,
                  const MergeRules& rules) {
  Account account;
  account.wanted = std::move(wanted);
  account.own = {input.manager, true, input.subresource, type.api_version(), input.now, {}};
  for (FieldManager& manager : ManagersOf(input.live["metadata"]["managedFields"])) {
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
        {kBeforeFirstApply, false, "", type.api_version(), input.now, FieldsOf(input.live, rules)});
  }
  return account;
}

// Takes away what the manager no longer wants and nobody else does. Whole list items first:
// without their fields they could not be found any more.
void Prune(const Account& account, Json& result) {
  FieldSet of_others;
  for (const FieldManager& other : account.others) {
    of_others.insert(other.fields.begin(), other.fields.end());
  }
  FieldSet wanted;
  for (const auto& [path, value] : account.wanted) wanted.insert(path);
  for (const bool items : {true, false}) {
    for (const FieldPath& path : account.own.fields) {
      if ((path.back() == ".") != items) continue;
      if (!HasAtOrBelow(wanted, path) && !HasAtOrBelow(of_others, path)) EraseField(result, path);
    }
  }
}

}  // namespace

absl::StatusOr<Json> ServerSideApply(const ResourceType& type, const ApplyInput& input) {
  if (!input.configuration["metadata"]["managedFields"].empty()) {
    return BadRequest("metadata.managedFields must be nil");
  }
  const MergeRules rules(type);
  const Json configuration = Restricted(type, input);
  std::string fault;
  FieldMap leaves = LeavesOf(configuration, rules, &fault);
  if (!fault.empty()) return BadRequest(StrCat("the apply configuration: ", fault));
  Account account = AccountOf(type, input, std::move(leaves), rules);
  if (!input.force) {
    const FieldSet allowed =
        input.manager == kKubectl ? LastApplied(input.live, rules) : FieldSet();
    const std::vector<Cause> causes = Conflicts(account, input.live, allowed);
    if (!causes.empty()) return ApplyConflict(causes);
  }
  Json result = input.live.is_null() ? Json::MakeObject() : input.live;
  Applier(rules).Merge(result, configuration);
  for (FieldManager& other : account.others) {
    std::erase_if(other.fields, [&](const FieldPath& path) {
      auto mine = account.wanted.find(path);
      return mine != account.wanted.end() && Changes(path, mine->second, input.live);
    });
  }
  Prune(account, result);
  FieldSet fields;
  for (const auto& [path, value] : account.wanted) fields.insert(path);
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
