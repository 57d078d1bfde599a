#include "devices/read.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "devices/family.h"
#include "devices/mindcluster/mindcluster.h"

namespace bth::devices {
namespace {

void AddText(std::string_view text, std::string* key) {
  StrAppend(key, text.size(), ":", text);
}

void AddTexts(const std::vector<std::string>& texts, std::string* key) {
  StrAppend(key, "[", texts.size());
  for (const std::string& text : texts) AddText(text, key);
}

void AddRequest(const model::PodDeviceRequest& request, std::string* key) {
  StrAppend(key, "d", static_cast<int>(request.kind.family), ",", int{request.kind.number}, ";");
  for (const model::ContainerDeviceRequest& ask : request.containers) {
    StrAppend(key, ask.count, ",", ask.memory, ",", ask.percent.value_or(-1), ",", ask.cores, ";");
  }
  StrAppend(key, "h", request.high ? 1 : 0, "m", request.mode ? 1 : 0);
  AddText(request.mode.value_or(""), key);
  AddTexts(request.only_ids, key);
  AddTexts(request.never_ids, key);
  StrAppend(key, "t", request.only_types ? 1 : 0);
  if (request.only_types) AddTexts(*request.only_types, key);
  AddTexts(request.never_types, key);
  StrAppend(key, "a", request.apart_from ? 1 : 0);
  AddText(request.apart_from.value_or(""), key);
}

std::vector<model::NodeLock> ReadLocks(const types::Node& node) {
  std::vector<model::NodeLock> locks;
  for (const Family* family : Families()) {
    for (std::string_view name : family->locks()) {
      const std::string* text = node.meta.annotations.Find(name);
      if (text == nullptr) continue;
      model::NodeLock lock{.name = std::string(name)};
      absl::Time since;
      if (absl::ParseTime(absl::RFC3339_full, *text, &since, nullptr)) {
        lock.since_us = absl::ToUnixMicros(since);
      }
      locks.push_back(std::move(lock));
    }
  }
  return locks;
}

}  // namespace

std::shared_ptr<const model::NodeDevices> ReadNode(const types::Node& node,
                                                   const model::DeviceSettings& settings) {
  auto out = std::make_shared<model::NodeDevices>();
  for (const Family* family : Families()) family->ReadNode(node, settings, out.get());
  if (out->pools.empty() && out->layout.chips == 0) return nullptr;
  out->locks = ReadLocks(node);
  return out;
}

std::shared_ptr<const model::PodDeviceRequests> ReadRequests(
    const types::Pod& pod, const model::DeviceSettings& settings) {
  auto out = std::make_shared<model::PodDeviceRequests>();
  for (const Family* family : Families()) family->ReadRequest(pod, settings, out.get());
  if (out->requests.empty()) return nullptr;
  out->rules = RulesOf(pod.meta, settings);
  return out;
}

std::shared_ptr<const model::PodDevices> ReadHeld(const types::Pod& pod,
                                                  const model::DeviceSettings& settings) {
  if (pod.meta.annotations.empty()) return nullptr;
  auto out = std::make_shared<model::PodDevices>();
  for (const Family* family : Families()) family->ReadHeld(pod, settings, out.get());
  if (out->held.empty()) return nullptr;
  out->group = GroupOf(pod.meta);
  out->rules = RulesOf(pod.meta, settings);
  return out;
}

absl::StatusOr<std::vector<model::ChipNews>> ReadChips(const types::ConfigMap& object,
                                                       const model::DeviceSettings& settings) {
  if (!settings.mind_cluster) return std::vector<model::ChipNews>();
  return mindcluster::ReadReports(object, settings.cluster_reports);
}

absl::Span<const ChipSource> ChipSourcesOf(const model::DeviceSettings& settings) {
  if (!settings.mind_cluster) return {};
  return mindcluster::SourcesOf(settings.cluster_reports);
}

bool IsChipSource(absl::FunctionRef<std::string_view(std::string_view key)> label) {
  for (const bool by_cluster : {true, false}) {
    for (const ChipSource& source : mindcluster::SourcesOf(by_cluster)) {
      const size_t equals = source.label.find('=');
      if (label(source.label.substr(0, equals)) == source.label.substr(equals + 1)) return true;
    }
  }
  return false;
}

bool IsIgnored(std::string_view resource, const model::DeviceSettings& settings) {
  const absl::Span<const Family* const> families = Families();
  return std::any_of(families.begin(), families.end(),
                     [&](const Family* family) { return family->IsIgnored(resource, settings); });
}

std::string KeyOf(const model::PodDeviceRequests& asked) {
  std::string key = StrCat("w", asked.rules, ";");
  for (const model::PodDeviceRequest& request : asked.requests) AddRequest(request, &key);
  return key;
}

std::string GroupOf(const types::ObjectMeta& pod) {
  for (std::string_view key :
       {"scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name"}) {
    if (const std::string_view group = pod.Annotation(key); !group.empty()) {
      return StrCat(pod.ns, "/", group);
    }
  }
  return "";
}

uint64_t RulesOf(const types::ObjectMeta& pod, const model::DeviceSettings& settings) {
  uint64_t rules = 0;
  for (size_t i = 0; i < settings.exclusive_rules.size(); ++i) {
    const auto& rule = settings.exclusive_rules[i];
    const bool all = std::all_of(rule.begin(), rule.end(), [&pod](const auto& pair) {
      const std::string* value = pod.labels.Find(pair.first);
      return value != nullptr && *value == pair.second;
    });
    if (all) rules |= uint64_t{1} << i;
  }
  return rules;
}

}  // namespace bth::devices
