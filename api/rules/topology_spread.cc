#include "api/rules/topology_spread.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/rules/labels.h"
#include "api/rules/names.h"
#include "base/strings.h"

namespace bth::rules {
namespace {

using types::Json;

constexpr std::string_view kNotPositive = "must be greater than zero";

using Kind = std::pair<std::string_view, std::string_view>;

Kind KindOf(const Json& constraint) {
  return {constraint["topologyKey"].AsString(), constraint["whenUnsatisfiable"].AsString()};
}

// Two constraints of one key and one consequence say the same thing twice: all but the last are
// told.
void CheckRepeated(const Part& constraint, std::map<Kind, size_t>* left) {
  const Kind kind = KindOf(constraint.value());
  if (--(*left)[kind] == 0) return;
  constraint.Duplicate("{topologyKey, whenUnsatisfiable}",
                       Json(StrCat("{", kind.first, ", ", kind.second, "}")));
}

void CheckMinDomains(const Part& constraint) {
  const std::optional<int64_t> domains = constraint.Number("minDomains");
  if (!domains) return;
  if (*domains <= 0) constraint.Invalid("minDomains", Json(*domains), kNotPositive);
  const std::string_view action = constraint.Text("whenUnsatisfiable");
  if (action != "DoNotSchedule") {
    constraint.Invalid(
        "minDomains", Json(*domains),
        StrCat("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ", action));
  }
}

void CheckSpreadKeys(const Part& constraint) {
  const std::vector<std::string_view> keys = constraint.Texts("matchLabelKeys");
  if (keys.empty()) return;
  const Json& selector = constraint["labelSelector"];
  if (selector.is_null()) {
    constraint.Forbidden("matchLabelKeys", "must not be specified when labelSelector is not set");
  }
  std::set<std::string_view> selected;
  for (const auto& [name, value] : selector["matchLabels"].members()) selected.insert(name);
  for (const Json& expression : selector["matchExpressions"].items()) {
    selected.insert(expression["key"].AsString());
  }
  const Place list = constraint.at().Field("matchLabelKeys");
  for (size_t i = 0; i < keys.size(); ++i) {
    for (const std::string& fault : CheckQualifiedName(keys[i])) {
      constraint.Add(Invalid(list.Item(i).Text(), Json(keys[i]), fault));
    }
    if (selected.contains(keys[i])) {
      constraint.Add(Invalid(list.Item(i).Text(), Json(keys[i]),
                             "exists in both matchLabelKeys and labelSelector"));
    }
  }
}

}  // namespace

void CheckTopologySpread(const Part& spec) {
  std::map<Kind, size_t> left;
  for (const Json& constraint : spec["topologySpreadConstraints"].items()) {
    ++left[KindOf(constraint)];
  }
  spec.ForEach("topologySpreadConstraints", [&left](const Part& constraint, size_t) {
    const int64_t skew = constraint.Number("maxSkew").value_or(0);
    if (skew <= 0) constraint.Invalid("maxSkew", Json(skew), kNotPositive);
    if (constraint.Text("topologyKey").empty()) {
      constraint.Required("topologyKey", "can not be empty");
    }
    constraint.OneOf("whenUnsatisfiable", constraint.Text("whenUnsatisfiable"),
                     {"DoNotSchedule", "ScheduleAnyway"});
    CheckRepeated(constraint, &left);
    CheckMinDomains(constraint);
    for (const std::string_view key : {"nodeAffinityPolicy", "nodeTaintsPolicy"}) {
      if (constraint.Has(key)) constraint.OneOf(key, constraint.Text(key), {"Honor", "Ignore"});
    }
    CheckSpreadKeys(constraint);
    CheckLabelSelector(constraint, "labelSelector");
  });
}

}  // namespace bth::rules
