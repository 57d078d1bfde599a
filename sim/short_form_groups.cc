#include "sim/short_form_groups.h"

#include <cstdint>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/strings.h"

namespace bth::sim {

using types::Json;

namespace {

void AddMember(Json* hyper_node, std::string_view type, Json selector) {
  Json member = Json::MakeObject({{"type", type}});
  member.Set("selector", std::move(selector));
  (*hyper_node)["spec"]["members"].MutableItems().push_back(std::move(member));
}

void AddEach(Json* hyper_node, std::string_view type, const std::string& names) {
  for (absl::string_view name : absl::StrSplit(names, '|')) {
    Json selector = Json::MakeObject();
    selector["exactMatch"].Set("name", Json(std::string(name)));
    AddMember(hyper_node, type, std::move(selector));
  }
}

}  // namespace

absl::Status AddRoles(Json* group, const std::string& value) {
  for (absl::string_view role : absl::StrSplit(value, ',')) {
    const std::vector<std::string> parts = absl::StrSplit(role, absl::MaxSplits(':', 1));
    int64_t minimum = 0;
    if (parts.size() != 2 || !absl::SimpleAtoi(parts[1], &minimum)) {
      return absl::InvalidArgumentError("roles: expected <role>:<minimum>,…");
    }
    (*group)["spec"]["minTaskMember"].Set(parts[0], Json(minimum));
  }
  return absl::OkStatus();
}

absl::Status SetTopology(Json* spec, std::string_view value) {
  Json topology = Json::MakeObject();
  if (value == "soft") {
    topology.Set("mode", Json("soft"));
  } else if (value.substr(0, 5) == "hard:" && value.size() > 5) {
    const std::string tier(value.substr(5));
    int64_t number = 0;
    topology.Set("mode", Json("hard"));
    if (absl::SimpleAtoi(tier, &number)) {
      topology.Set("highestTierAllowed", Json(number));
    } else {
      topology.Set("highestTierName", Json(tier));
    }
  } else {
    return absl::InvalidArgumentError(
        StrCat("topology ", value, ": expected soft or hard:<tier or its name>"));
  }
  spec->Set("networkTopology", std::move(topology));
  return absl::OkStatus();
}

absl::Status AddSubGroup(Json* group, const std::string& name, const std::string& value) {
  const std::vector<std::string> parts = absl::StrSplit(value, ':');
  int64_t size = 0;
  int64_t least = 0;
  if (parts.size() < 3 || parts.size() > 5 || !absl::SimpleAtoi(parts[0], &size) ||
      !absl::SimpleAtoi(parts[1], &least)) {
    return absl::InvalidArgumentError(
        StrCat("group.", name, ": expected <size>:<sub-groups>:<label key>[:<topology>]"));
  }
  Json policy = Json::MakeObject({{"name", name},
                                  {"subGroupSize", size},
                                  {"minSubGroups", least},
                                  {"matchLabelKeys", Json::MakeArray({Json(parts[2])})}});
  if (parts.size() > 3) {
    const std::string topology = parts.size() == 4 ? parts[3] : StrCat(parts[3], ":", parts[4]);
    if (absl::Status status = SetTopology(&policy, topology); !status.ok()) return status;
  }
  (*group)["spec"]["subGroupPolicy"].MutableItems().push_back(std::move(policy));
  return absl::OkStatus();
}

void AddNodeMembers(Json* hyper_node, const std::string&, const std::string& names) {
  AddEach(hyper_node, "Node", names);
}

void AddHyperNodeMembers(Json* hyper_node, const std::string&, const std::string& names) {
  AddEach(hyper_node, "HyperNode", names);
}

void AddPatternMember(Json* hyper_node, const std::string&, const std::string& pattern) {
  Json selector = Json::MakeObject();
  selector["regexMatch"].Set("pattern", Json(pattern));
  AddMember(hyper_node, "Node", std::move(selector));
}

void AddLabelMember(Json* hyper_node, const std::string& key, const std::string& value) {
  Json selector = Json::MakeObject();
  selector["labelMatch"]["matchLabels"].Set(key, Json(value));
  AddMember(hyper_node, "Node", std::move(selector));
}

}  // namespace bth::sim
