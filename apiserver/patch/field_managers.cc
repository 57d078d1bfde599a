#include "apiserver/patch/field_managers.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

constexpr char kAncient[] = "ancient-changes";

// As kube-apiserver orders them.
bool Before(const FieldManager& a, const FieldManager& b) {
  return std::tuple(!a.applies, a.time, a.name, a.api_version, a.subresource) <
         std::tuple(!b.applies, b.time, b.name, b.api_version, b.subresource);
}

// Needs the order above.
void PutOldTogether(std::vector<FieldManager>& managers) {
  const auto first = std::find_if(managers.begin(), managers.end(),
                                  [](const FieldManager& m) { return !m.applies; });
  const size_t updaters = static_cast<size_t>(managers.end() - first);
  if (updaters <= kUpdatersMax) return;
  const auto end = first + static_cast<std::ptrdiff_t>(updaters - kUpdatersMax + 1);
  FieldManager ancient = *(end - 1);
  ancient.name = kAncient;
  ancient.subresource.clear();
  for (auto it = first; it != end; ++it) ancient.fields.merge(it->fields);
  *first = std::move(ancient);
  managers.erase(first + 1, end);
}

Json EntryOf(const FieldManager& manager) {
  Json entry = Json::MakeObject({{"manager", manager.name},
                                 {"operation", manager.applies ? "Apply" : "Update"},
                                 {"apiVersion", manager.api_version},
                                 {"time", manager.time},
                                 {"fieldsType", "FieldsV1"},
                                 {"fieldsV1", ToFieldsV1(manager.fields)}});
  if (!manager.subresource.empty()) entry.Set("subresource", manager.subresource);
  return entry;
}

// Whether the list is one that this server could have written.
bool IsReadable(const Json& managed_fields) {
  const Json::Array& entries = managed_fields.items();
  return !entries.empty() && std::all_of(entries.begin(), entries.end(), [](const Json& entry) {
    const std::string_view operation = entry["operation"].AsString();
    return (operation == "Apply" || operation == "Update") && entry["fieldsV1"].is_object() &&
           entry["fieldsType"].AsString() == "FieldsV1";
  });
}

// The fields set or changed, and those gone, between two states.
struct Difference {
  FieldSet set;
  FieldSet gone;
};

Difference CompareFields(const Json& current, const Json& next, const MergeRules& rules,
                         PathBudget& budget) {
  const FieldMap before = LeavesUnlike(next, current, rules, budget);
  const FieldMap after = LeavesUnlike(current, next, rules, budget);
  Difference difference;
  for (const auto& [path, value] : after) {
    auto was = before.find(path);
    // That an item is there is no value.
    const bool same = was != before.end() && (path.back() == "." || *was->second == *value);
    if (!same) difference.set.insert(path);
  }
  for (const auto& [path, value] : before) {
    if (!after.contains(path)) difference.gone.insert(path);
  }
  return difference;
}

void Subtract(FieldSet& from, const FieldSet& what) {
  for (const FieldPath& path : what) from.erase(path);
}

}  // namespace

std::string FieldManager::Text() const {
  std::string text = StrCat("\"", name, "\"");
  if (!subresource.empty()) StrAppend(&text, " with subresource \"", subresource, "\"");
  if (!applies) StrAppend(&text, " using ", api_version);
  return text;
}

std::vector<FieldManager> ManagersOf(const Json& managed_fields, PathBudget& budget) {
  std::vector<FieldManager> managers;
  for (const Json& entry : managed_fields.items()) {
    if (!entry["fieldsV1"].is_object()) continue;
    FieldManager& manager = managers.emplace_back();
    manager.name = entry["manager"].AsString();
    manager.applies = entry["operation"].AsString() == "Apply";
    manager.subresource = entry["subresource"].AsString();
    manager.api_version = entry["apiVersion"].AsString();
    manager.time = entry["time"].AsString();
    manager.fields = FromFieldsV1(entry["fieldsV1"], budget);
  }
  return managers;
}

Json ManagersJson(std::vector<FieldManager> managers) {
  std::erase_if(managers, [](const FieldManager& manager) { return manager.fields.empty(); });
  std::sort(managers.begin(), managers.end(), Before);
  PutOldTogether(managers);
  if (managers.empty()) return {};
  Json::Array entries;
  for (const FieldManager& manager : managers) entries.push_back(EntryOf(manager));
  return Json(std::move(entries));
}

absl::Status TrackUpdate(const ResourceType& type, const Writer& writer, const Json& current,
                         Json& next) {
  const Json& was = current["metadata"]["managedFields"];
  const Json& given = std::as_const(next)["metadata"]["managedFields"];
  const bool ends = given.size() == 1 && given[size_t{0}].is_object() && given[size_t{0}].empty();
  const Json& account = IsReadable(given) ? given : was;
  if (ends || account.empty()) {
    next["metadata"].Erase("managedFields");
    return absl::OkStatus();
  }
  PathBudget budget;
  const Difference difference = CompareFields(current, next, MergeRules(type), budget);
  BTH_RETURN_IF_ERROR(budget.Check());
  if (difference.set.empty() && difference.gone.empty()) {
    next["metadata"].Set("managedFields", Json(account));
    return absl::OkStatus();
  }
  std::vector<FieldManager> managers = ManagersOf(account, budget);
  BTH_RETURN_IF_ERROR(budget.Check());
  FieldManager own{writer.name, false, writer.subresource, type.api_version(), writer.now, {}};
  auto mine = std::find_if(managers.begin(), managers.end(),
                           [&](const FieldManager& m) { return m.IsSame(own); });
  if (mine == managers.end()) mine = managers.insert(managers.end(), std::move(own));
  for (FieldManager& manager : managers) {
    Subtract(manager.fields, difference.gone);
    if (&manager != &*mine) Subtract(manager.fields, difference.set);
  }
  if (!difference.set.empty()) {
    mine->fields.insert(difference.set.begin(), difference.set.end());
    mine->time = writer.now;
  }
  Json entries = ManagersJson(std::move(managers));
  if (entries.is_null()) {
    next["metadata"].Erase("managedFields");
  } else {
    next["metadata"].Set("managedFields", std::move(entries));
  }
  return absl::OkStatus();
}

}  // namespace bth::apiserver
