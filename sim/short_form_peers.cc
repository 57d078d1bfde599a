#include "sim/short_form_peers.h"

#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/strings.h"

namespace bth::sim {
namespace {

using types::Json;

Json SelectorOf(const std::vector<std::string>& parts) {
  Json selector = Json::MakeObject();
  selector["matchLabels"].Set(parts[0], Json(parts[1]));
  return selector;
}

}  // namespace

absl::Status AddAffinityTerm(Json* pod, std::string_view kind, const std::string& topology_key,
                             const std::string& value) {
  const std::vector<std::string> parts = absl::StrSplit(value, ':');
  int64_t weight = 0;
  const bool preferred = parts.size() == 3;
  if (parts.size() < 2 || parts.size() > 3 || (preferred && !absl::SimpleAtoi(parts[2], &weight))) {
    return absl::InvalidArgumentError(
        StrCat(kind, " on ", topology_key, ": expected <label>:<value>[:<weight>], not ", value));
  }
  Json term = Json::MakeObject({{"topologyKey", topology_key}});
  term["labelSelector"] = SelectorOf(parts);
  Json& affinity = (*pod)["spec"]["affinity"][kind];
  if (preferred) {
    Json weighted = Json::MakeObject({{"weight", weight}});
    weighted["podAffinityTerm"] = std::move(term);
    affinity["preferredDuringSchedulingIgnoredDuringExecution"].MutableItems().push_back(
        std::move(weighted));
  } else {
    affinity["requiredDuringSchedulingIgnoredDuringExecution"].MutableItems().push_back(
        std::move(term));
  }
  return absl::OkStatus();
}

absl::Status AddSpreadTerm(Json* pod, const std::string& topology_key, const std::string& value) {
  const std::vector<std::string> parts = absl::StrSplit(value, ':');
  int64_t skew = 1;
  const bool soft = parts.size() == 4 && parts[3] == "soft";
  if (parts.size() < 2 || parts.size() > 4 || (parts.size() == 4 && !soft) ||
      (parts.size() > 2 && !absl::SimpleAtoi(parts[2], &skew))) {
    return absl::InvalidArgumentError(
        StrCat("spread over ", topology_key,
               ": expected <label>:<value>[:<largest skew>[:soft]], not ", value));
  }
  Json constraint =
      Json::MakeObject({{"maxSkew", skew},
                        {"topologyKey", topology_key},
                        {"whenUnsatisfiable", soft ? "ScheduleAnyway" : "DoNotSchedule"}});
  constraint["labelSelector"] = SelectorOf(parts);
  (*pod)["spec"]["topologySpreadConstraints"].MutableItems().push_back(std::move(constraint));
  return absl::OkStatus();
}

absl::Status AddAntiAffinity(Json* pod, const std::string& topology_key) {
  Json term = Json::MakeObject({{"topologyKey", topology_key}});
  term["labelSelector"] = Json::MakeObject();
  (*pod)["spec"]["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
      .MutableItems()
      .push_back(std::move(term));
  return absl::OkStatus();
}

absl::Status AddSpread(Json* pod, const std::string& topology_key) {
  Json constraint = Json::MakeObject(
      {{"maxSkew", 1}, {"topologyKey", topology_key}, {"whenUnsatisfiable", "DoNotSchedule"}});
  (*pod)["spec"]["topologySpreadConstraints"].MutableItems().push_back(std::move(constraint));
  return absl::OkStatus();
}

}  // namespace bth::sim
