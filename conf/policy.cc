#include "conf/policy.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/strings.h"
#include "conf/value.h"

namespace bth::conf {
namespace {

// By HookFlag.
constexpr std::array<std::string_view, kHookFlags> kYamlKeys = {
    "enableJobOrder",          "enableHierarchy",        "enableJobReady",
    "enableJobPipelined",      "enableTaskOrder",        "enablePreemptable",
    "enableReclaimable",       "enablePreemptive",       "enableQueueOrder",
    "enabledClusterOrder",     "enablePredicate",        "enableBestNode",
    "enableNodeOrder",         "enableTargetJob",        "enableReservedNodes",
    "enableJobEnqueued",       "enabledVictim",          "enableJobStarving",
    "enabledOverused",         "enabledAllocatable",     "enabledHyperNodeOrder",
    "enabledSubJobReady",      "enabledSubJobPipelined", "enabledSubJobOrder",
    "enabledHyperNodeGradient"};

constexpr const char* kHidden = "<hidden>";

bool IsSecretKey(std::string_view key) {
  const std::string lower = AsciiStrToLower(key);
  for (const char* word : {"password", "passwd", "token", "secret", "credential", "apikey"}) {
    if (lower.find(word) != std::string::npos) return true;
  }
  return false;
}

// `scheme://user:password@host` without the part before the host.
std::string HideUserInfo(const std::string& text) {
  const size_t scheme = text.find("://");
  if (scheme == std::string::npos) return text;
  const size_t host = scheme + 3;
  const size_t at = text.substr(0, text.find_first_of("/?#", host)).rfind('@');
  if (at == std::string::npos || at < host) return text;
  return text.substr(0, host) + kHidden + text.substr(at);
}

Value HideSecrets(const Value& value) {
  if (value.is_string()) return Value::MakeString(HideUserInfo(value.text()));
  if (value.is_list()) {
    Value::List items;
    for (const Value& item : value.items()) items.push_back(HideSecrets(item));
    return Value::MakeList(std::move(items));
  }
  if (!value.is_map()) return value;
  Value::Map members = value.members();
  for (Value::Member& member : members) {
    member.value = IsSecretKey(member.key) ? Value::MakeString(kHidden) : HideSecrets(member.value);
  }
  return Value::MakeMap(std::move(members));
}

Value::Member Field(std::string_view key, Value value) {
  return {std::string(key), std::move(value), 0, true};
}

Value PluginTree(const PluginOption& plugin) {
  Value::Map fields = {Field("name", Value::MakeString(plugin.name))};
  for (size_t i = 0; i < kHookFlags; ++i) {
    const HookFlag flag = static_cast<HookFlag>(i);
    const bool on = plugin.flags[flag];
    if (on != DefaultOf(flag)) fields.push_back(Field(YamlKey(flag), Value::MakeBool(on, "")));
  }
  if (!plugin.arguments.empty()) fields.push_back(Field("arguments", plugin.arguments.values()));
  return Value::MakeMap(std::move(fields));
}

Value PolicyTree(const Policy& policy) {
  Value::List tiers;
  for (const Tier& tier : policy.tiers) {
    Value::List plugins;
    for (const PluginOption& plugin : tier.plugins) plugins.push_back(PluginTree(plugin));
    tiers.push_back(Value::MakeMap({Field("plugins", Value::MakeList(std::move(plugins)))}));
  }
  Value::Map fields = {Field("actions", Value::MakeString(absl::StrJoin(policy.actions, ", "))),
                       Field("tiers", Value::MakeList(std::move(tiers)))};
  if (!policy.configurations.empty()) {
    Value::List entries;
    for (const ActionArguments& entry : policy.configurations) {
      Value::Map entry_fields = {Field("name", Value::MakeString(entry.name))};
      if (!entry.arguments.empty()) {
        entry_fields.push_back(Field("arguments", entry.arguments.values()));
      }
      entries.push_back(Value::MakeMap(std::move(entry_fields)));
    }
    fields.push_back(Field("configurations", Value::MakeList(std::move(entries))));
  }
  if (!policy.metrics.empty()) {
    Value::Map metrics;
    for (const auto& [key, text] : policy.metrics) {
      metrics.push_back(Field(key, Value::MakeString(text)));
    }
    fields.push_back(Field("metrics", Value::MakeMap(std::move(metrics))));
  }
  return Value::MakeMap(std::move(fields));
}

}  // namespace

std::string_view YamlKey(HookFlag flag) {
  return kYamlKeys[static_cast<size_t>(flag)];
}

std::optional<HookFlag> HookFlagByKey(std::string_view key) {
  const auto found = std::find(kYamlKeys.begin(), kYamlKeys.end(), key);
  if (found == kYamlKeys.end()) return std::nullopt;
  return static_cast<HookFlag>(found - kYamlKeys.begin());
}

bool DefaultOf(HookFlag flag) {
  return flag != HookFlag::kHierarchy && flag != HookFlag::kClusterOrder;
}

HookFlags::HookFlags() {
  for (size_t i = 0; i < kHookFlags; ++i) bits_[i] = DefaultOf(static_cast<HookFlag>(i));
}

HookFlags HookFlags::AllOff() {
  HookFlags flags;
  flags.bits_.reset();
  return flags;
}

bool Policy::HasAction(std::string_view name) const {
  return std::find(actions.begin(), actions.end(), name) != actions.end();
}

Arguments Policy::ActionArgumentsOf(std::string_view name) const {
  for (const ActionArguments& entry : configurations) {
    if (entry.name == name) return entry.arguments;
  }
  return Arguments();
}

const PluginOption* Policy::FirstPlugin(std::string_view name) const {
  for (const Tier& tier : tiers) {
    for (const PluginOption& plugin : tier.plugins) {
      if (plugin.name == name) return &plugin;
    }
  }
  return nullptr;
}

std::string_view Policy::Metric(std::string_view key) const {
  const auto found = metrics.find(std::string(key));
  return found == metrics.end() ? std::string_view() : std::string_view(found->second);
}

std::string CanonicalText(const Policy& policy) {
  return ToYaml(PolicyTree(policy));
}

std::string PrintableText(const Policy& policy) {
  return ToYaml(HideSecrets(PolicyTree(policy)));
}

}  // namespace bth::conf
