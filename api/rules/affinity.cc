#include "api/rules/affinity.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/rules/labels.h"
#include "api/rules/names.h"

namespace bth::rules {
namespace {

using types::Json;

constexpr std::string_view kRequiredTerms = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferredTerms = "preferredDuringSchedulingIgnoredDuringExecution";

void CheckWeight(const Part& term) {
  const int64_t weight = term.Number("weight").value_or(0);
  if (weight <= 0 || weight > 100) {
    term.Invalid("weight", Json(weight), "must be in the range 1-100");
  }
}

// Preferred terms may name values that no label has: they then prefer nothing.
void CheckNodeExpression(const Part& part, bool required) {
  const std::string_view op = part.Text("operator");
  const std::vector<std::string_view> values = part.Texts("values");
  if (op == "In" || op == "NotIn") {
    if (values.empty()) {
      part.Required("values", "must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty()) {
      part.Forbidden("values",
                     "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else if (op == "Gt" || op == "Lt") {
    if (values.size() != 1) {
      part.Required("values", "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
  } else {
    part.Invalid("operator", Json(op), "not a valid selector operator");
  }
  CheckLabelName(part, "key");
  if (!required) return;
  const Place list = part.at().Field("values");
  for (size_t i = 0; i < values.size(); ++i) {
    for (const std::string& fault : CheckLabelValue(values[i])) {
      part.Add(Invalid(list.Item(i).Text(), Json(values[i]), fault));
    }
  }
}

void CheckNodeField(const Part& part) {
  const std::string_view op = part.Text("operator");
  const std::vector<std::string_view> values = part.Texts("values");
  if (op == "In" || op == "NotIn") {
    if (values.size() != 1) {
      part.Required("values",
                    "must be only one value when `operator` is 'In' or 'NotIn' for node field "
                    "selector");
    }
  } else {
    part.Invalid("operator", Json(op), "not a valid selector operator");
  }
  const std::string_view key = part.Text("key");
  if (key != "metadata.name") {
    part.Invalid("key", Json(key), "not a valid field selector key");
    return;
  }
  const Place list = part.at().Field("values");
  for (size_t i = 0; i < values.size(); ++i) {
    for (const std::string& fault : CheckDnsSubdomain(values[i])) {
      part.Add(Invalid(list.Item(i).Text(), Json(values[i]), fault));
    }
  }
}

void CheckNodeTerm(const Part& term, bool required) {
  term.ForEach("matchExpressions",
               [required](const Part& part, size_t) { CheckNodeExpression(part, required); });
  term.ForEach("matchFields", [](const Part& part, size_t) { CheckNodeField(part); });
}

void CheckNodeAffinity(const Part& affinity) {
  affinity.Within(kRequiredTerms, [](const Part& selector) {
    if (selector.SizeOf("nodeSelectorTerms") == 0) {
      selector.Required("nodeSelectorTerms", "must have at least one node selector term");
    }
    selector.ForEach("nodeSelectorTerms",
                     [](const Part& term, size_t) { CheckNodeTerm(term, true); });
  });
  affinity.ForEach(kPreferredTerms, [](const Part& term, size_t) {
    CheckWeight(term);
    term.Within("preference", [](const Part& preference) { CheckNodeTerm(preference, false); });
  });
}

void CheckLabelKeys(const Part& term, std::string_view key) {
  const std::vector<std::string_view> keys = term.Texts(key);
  if (keys.empty()) return;
  if (!term.Has("labelSelector")) {
    term.Forbidden(key, "must not be specified when labelSelector is not set");
    return;
  }
  const Place list = term.at().Field(key);
  for (size_t i = 0; i < keys.size(); ++i) {
    for (const std::string& fault : CheckQualifiedName(keys[i])) {
      term.Add(Invalid(list.Item(i).Text(), Json(keys[i]), fault));
    }
  }
}

// Keys from which the server makes a selector must not be in the selector as well.
void CheckMatchLabelKeys(const Part& term) {
  CheckLabelKeys(term, "matchLabelKeys");
  CheckLabelKeys(term, "mismatchLabelKeys");
  const Json& match = term["matchLabelKeys"];
  std::map<std::string_view, size_t> index_of;
  for (size_t i = 0; i < match.size(); ++i) index_of[match[i].AsString()] = i;
  const Json& selector = term["labelSelector"];
  std::set<std::string_view> selected;
  for (const auto& [name, value] : selector["matchLabels"].members()) selected.insert(name);
  for (const Json& expression : selector["matchExpressions"].items()) {
    const std::string_view key = expression["key"].AsString();
    const auto at = index_of.find(key);
    if (at != index_of.end() && selected.contains(key)) {
      term.Add(Invalid(term.at().Item(at->second).Text(), Json(key),
                       "exists in both matchLabelKeys and labelSelector"));
    }
    selected.insert(key);
  }
  const Place list = term.at().Field("matchLabelKeys");
  std::set<std::string_view> mismatch;
  for (const Json& key : term["mismatchLabelKeys"].items()) mismatch.insert(key.AsString());
  for (size_t i = 0; i < match.size(); ++i) {
    if (!mismatch.contains(match[i].AsString())) continue;
    term.Add(Invalid(list.Item(i).Text(), match[i],
                     "exists in both matchLabelKeys and mismatchLabelKeys"));
  }
}

void CheckPodTerm(const Part& term) {
  CheckLabelSelector(term, "labelSelector");
  CheckLabelSelector(term, "namespaceSelector");
  for (const std::string_view ns : term.Texts("namespaces")) {
    term.Invalid("namespace", ns, CheckDnsLabel(ns));
  }
  CheckMatchLabelKeys(term);
  if (term.Text("topologyKey").empty()) term.Required("topologyKey", "can not be empty");
  CheckLabelName(term, "topologyKey");
}

void CheckPodTerms(const Part& affinity) {
  affinity.ForEach(kRequiredTerms, [](const Part& term, size_t) { CheckPodTerm(term); });
  affinity.ForEach(kPreferredTerms, [](const Part& weighted, size_t) {
    CheckWeight(weighted);
    if (!weighted.Has("podAffinityTerm")) return weighted.Required("podAffinityTerm");
    weighted.Within("podAffinityTerm", CheckPodTerm);
  });
}

}  // namespace

void CheckAffinity(const Part& spec) {
  spec.Within("affinity", [](const Part& affinity) {
    affinity.Within("nodeAffinity", CheckNodeAffinity);
    affinity.Within("podAffinity", CheckPodTerms);
    affinity.Within("podAntiAffinity", CheckPodTerms);
  });
}

}  // namespace bth::rules
