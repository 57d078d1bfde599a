#include "controllers/sharding/sharding_config.h"

#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "api/types/duration.h"
#include "base/status.h"
#include "base/strings.h"
#include "base/suggest.h"
#include "conf/map_reader.h"

namespace bth::controllers {
namespace {

using conf::MapReader;
using conf::Value;

constexpr std::string_view kAllocationRate = "allocation-rate";
constexpr std::string_view kWarmup = "warmup";
constexpr std::string_view kNodeLimit = "node-limit";
const MapReader::Keys kPolicyNames = {kAllocationRate, kWarmup, kNodeLimit};
const MapReader::Keys kRateKeys = {"minCPUUtil", "maxCPUUtil"};
const MapReader::Keys kWarmupKeys = {"warmupLabel", "warmupLabelValue"};
const MapReader::Keys kLimitKeys = {"minNodes", "maxNodes"};

absl::Status Invalid(std::string_view text) {
  return absl::InvalidArgumentError(ToAbsl(text));
}

// `what` is "cpuUtilization" or "CPUUtil": the names of the two bounds differ.
absl::Status CheckRate(const AllocationRate& rate, std::string_view min, std::string_view max) {
  const auto out_of_range = [](std::string_view name, double value) {
    return Invalid(StrCat(name, " ", value, " out of range [0,1]"));
  };
  if (!(rate.min >= 0 && rate.min <= 1)) return out_of_range(min, rate.min);
  if (!(rate.max >= 0 && rate.max <= 1)) return out_of_range(max, rate.max);
  if (rate.min > rate.max) {
    return Invalid(StrCat(min, " (", rate.min, ") must be <= ", max, " (", rate.max, ")"));
  }
  return absl::OkStatus();
}

absl::Status CheckLimit(const NodeLimit& limit) {
  if (limit.min < 0) return Invalid("minNodes must be >= 0");
  if (limit.max < 0) return Invalid("maxNodes must be >= 0");
  if (limit.max > 0 && limit.max < limit.min) {
    return Invalid(StrCat("maxNodes (", limit.max, ") must be >= minNodes (", limit.min, ")"));
  }
  return absl::OkStatus();
}

// A number of nodes may be written as 5 or 5.0.
absl::StatusOr<int64_t> ReadCount(const MapReader& map, std::string_view key) {
  BTH_ASSIGN_OR_RETURN(const std::optional<double> number, map.Number(key));
  const double value = number.value_or(0);
  if (std::abs(value) > 1e9) return map.Refuse(key, "must be at most 1000000000");
  return static_cast<int64_t>(value);
}

absl::StatusOr<NodeLimit> ReadLimit(const MapReader& map) {
  NodeLimit limit;
  BTH_ASSIGN_OR_RETURN(limit.min, ReadCount(map, "minNodes"));
  BTH_ASSIGN_OR_RETURN(limit.max, ReadCount(map, "maxNodes"));
  BTH_RETURN_IF_ERROR(CheckLimit(limit));
  return limit;
}

// Bounds that are left out are the widest.
absl::StatusOr<AllocationRate> ReadRate(const MapReader& map, std::string_view min,
                                        std::string_view max) {
  AllocationRate rate;
  BTH_ASSIGN_OR_RETURN(const std::optional<double> low, map.Number(min));
  BTH_ASSIGN_OR_RETURN(const std::optional<double> high, map.Number(max));
  rate.min = low.value_or(rate.min);
  rate.max = high.value_or(rate.max);
  BTH_RETURN_IF_ERROR(CheckRate(rate, min, max));
  return rate;
}

absl::Status RefuseLimits(const Value& arguments) {
  for (const std::string_view key : kLimitKeys) {
    if (arguments.Find(key) != nullptr) {
      return Invalid(StrCat(key, " is only supported by the node-limit policy"));
    }
  }
  return absl::OkStatus();
}

// Reads one scheduler. Lives for one call.
class SchedulerReader {
 public:
  SchedulerReader(const Value& value, std::string path, std::vector<conf::Finding>& findings)
      : value_(value), path_(std::move(path)), findings_(findings) {}

  absl::StatusOr<ShardScheduler> Read() {
    BTH_ASSIGN_OR_RETURN(
        const MapReader map,
        MapReader::Open(&value_, path_,
                        {"name", "type", "policies", "arguments", "cpuUtilizationMin",
                         "cpuUtilizationMax", "preferWarmupNodes", "minNodes", "maxNodes"},
                        findings_));
    ShardScheduler scheduler;
    BTH_ASSIGN_OR_RETURN(scheduler.name, map.Text("name"));
    if (scheduler.name.empty()) return Invalid("name must not be empty");
    BTH_ASSIGN_OR_RETURN(scheduler.type, map.Text("type"));
    BTH_ASSIGN_OR_RETURN(const AllocationRate rate,
                         ReadRate(map, "cpuUtilizationMin", "cpuUtilizationMax"));
    BTH_ASSIGN_OR_RETURN(const NodeLimit limit, ReadLimit(map));
    BTH_ASSIGN_OR_RETURN(const std::optional<bool> warmup, map.Bool("preferWarmupNodes"));
    BTH_ASSIGN_OR_RETURN(const Value::List* policies, map.List("policies", kShardPoliciesMax));
    BTH_ASSIGN_OR_RETURN(const Value* arguments, map.AnyMap("arguments"));
    BTH_RETURN_IF_ERROR(RefuseLimits(*arguments));
    for (size_t j = 0; j < policies->size(); ++j) {
      BTH_ASSIGN_OR_RETURN(ShardPolicy policy, ReadPolicy((*policies)[j], j));
      scheduler.policies.push_back(std::move(policy));
    }
    if (!policies->empty()) {
      for (const std::string_view key :
           {"arguments", "cpuUtilizationMin", "cpuUtilizationMax", "preferWarmupNodes"}) {
        if (value_.Find(key) != nullptr) map.Warn(key, "without effect beside `policies`");
      }
    } else {
      AllocationRate used = rate;
      if (!arguments->members().empty()) {
        BTH_ASSIGN_OR_RETURN(const MapReader given, map.Map("arguments", kRateKeys));
        BTH_ASSIGN_OR_RETURN(used, ReadRate(given, "minCPUUtil", "maxCPUUtil"));
      }
      scheduler.policies.push_back({used, 1});
      if (warmup.value_or(false)) scheduler.policies.push_back({Warmup(), 1});
    }
    AddLimit(limit, scheduler);
    return scheduler;
  }

  static void AddLimit(const NodeLimit& limit, ShardScheduler& scheduler) {
    if (limit.min == 0 && limit.max == 0) return;
    for (const ShardPolicy& policy : scheduler.policies) {
      if (std::holds_alternative<NodeLimit>(policy.rule)) return;
    }
    scheduler.policies.push_back({limit, 1});
  }

 private:
  absl::StatusOr<ShardPolicy> ReadPolicy(const Value& value, size_t j) {
    const std::string place = StrCat("policies[", j, "]");
    BTH_ASSIGN_OR_RETURN(const MapReader map,
                         MapReader::Open(&value, StrCat(path_, ".", place),
                                         {"name", "weight", "arguments"}, findings_));
    BTH_ASSIGN_OR_RETURN(const std::string name, map.Text("name"));
    if (name.empty()) return Invalid(StrCat(place, ".name must not be empty"));
    BTH_ASSIGN_OR_RETURN(const std::optional<double> weight, map.Number("weight"));
    if (weight.value_or(1) < 0) {
      return Invalid(StrCat(place, ": weight must be >= 0 (omit for default of 1)"));
    }
    ShardPolicy policy;
    policy.weight = weight.value_or(1) > 0 ? weight.value_or(1) : 1;
    const absl::Status read = ReadRule(map, name, &policy);
    if (!read.ok()) return Annotate(read, place);
    return policy;
  }

  absl::Status ReadRule(const MapReader& map, std::string_view name, ShardPolicy* policy) {
    if (name == kNodeLimit) {
      BTH_ASSIGN_OR_RETURN(const MapReader arguments, map.Map("arguments", kLimitKeys));
      BTH_ASSIGN_OR_RETURN(policy->rule, ReadLimit(arguments));
      return absl::OkStatus();
    }
    BTH_ASSIGN_OR_RETURN(const Value* given, map.AnyMap("arguments"));
    BTH_RETURN_IF_ERROR(RefuseLimits(*given));
    if (name == kAllocationRate) {
      BTH_ASSIGN_OR_RETURN(const MapReader arguments, map.Map("arguments", kRateKeys));
      BTH_ASSIGN_OR_RETURN(policy->rule, ReadRate(arguments, "minCPUUtil", "maxCPUUtil"));
      return absl::OkStatus();
    }
    if (name == kWarmup) {
      BTH_ASSIGN_OR_RETURN(const MapReader arguments, map.Map("arguments", kWarmupKeys));
      Warmup rule;
      BTH_ASSIGN_OR_RETURN(std::string label, arguments.Text("warmupLabel"));
      BTH_ASSIGN_OR_RETURN(std::string value, arguments.Text("warmupLabelValue"));
      const bool says_label = given->Find("warmupLabel") != nullptr;
      if (says_label && label.empty()) return Invalid("warmupLabel must not be empty");
      if (says_label) rule.label = std::move(label);
      if (given->Find("warmupLabelValue") != nullptr) rule.value = std::move(value);
      policy->rule = std::move(rule);
      return absl::OkStatus();
    }
    return Invalid(StrCat("unknown policy \"", name, "\"", DidYouMean(name, kPolicyNames)));
  }

  const Value& value_;
  const std::string path_;
  std::vector<conf::Finding>& findings_;
};

absl::Status CheckSchedulerNames(const std::vector<ShardScheduler>& schedulers) {
  std::set<std::string_view> names;
  for (const ShardScheduler& scheduler : schedulers) {
    if (names.insert(scheduler.name).second) continue;
    return Invalid(
        StrCat("scheduler ", scheduler.name, " is configured twice: give each one entry"));
  }
  return absl::OkStatus();
}

absl::Status ReadPeriod(const MapReader& root, ShardingConfig* config) {
  BTH_ASSIGN_OR_RETURN(const std::string text, root.Text("shardSyncPeriod"));
  if (text.empty()) return absl::OkStatus();
  const absl::StatusOr<absl::Duration> period = types::ParseDuration(text);
  if (period.ok() && *period > absl::ZeroDuration()) {
    config->period = *period;
  } else {
    root.Warn("shardSyncPeriod", "not a positive duration such as 60s; passed over");
  }
  return absl::OkStatus();
}

bool ParseRate(absl::string_view text, double* out) {
  const bool is_negative = absl::StartsWith(text, "-");
  const absl::string_view digits = is_negative ? text.substr(1) : text;
  if (absl::EqualsIgnoreCase(digits, "inf") || absl::EqualsIgnoreCase(digits, "infinity")) {
    *out = is_negative ? 0 : 1;
    return true;
  }
  return absl::SimpleAtod(text, out) && std::isfinite(*out);
}

}  // namespace

absl::StatusOr<ShardScheduler> ParseSchedulerFlag(std::string_view text) {
  const std::vector<absl::string_view> parts = SplitText(text, ':');
  if (parts.size() != 7) {
    return Invalid(StrCat("scheduler config \"", text,
                          "\": expected 7 colon-separated parts "
                          "(NAME:TYPE:MIN:MAX:PREFER_WARMUP:MIN_NODES:MAX_NODES)"));
  }
  const auto wrong = [text](std::string_view reason) {
    return Invalid(StrCat("scheduler config \"", text, "\": ", reason));
  };
  ShardScheduler scheduler;
  scheduler.name = std::string(parts[0]);
  scheduler.type = std::string(parts[1]);
  AllocationRate rate;
  NodeLimit limit;
  bool prefers_warmup = false;
  if (scheduler.name.empty()) return wrong("name must not be empty");
  if (!ParseRate(parts[2], &rate.min)) return wrong("the third part must be a number");
  if (!ParseRate(parts[3], &rate.max)) return wrong("the fourth part must be a number");
  if (!absl::SimpleAtob(parts[4], &prefers_warmup)) return wrong("the fifth must be true or false");
  if (!absl::SimpleAtoi(parts[5], &limit.min)) return wrong("the sixth part must be an integer");
  if (!absl::SimpleAtoi(parts[6], &limit.max)) return wrong("the seventh part must be an integer");
  absl::Status check = CheckRate(rate, "cpuUtilizationMin", "cpuUtilizationMax");
  check.Update(CheckLimit(limit));
  if (!check.ok()) return wrong(ToStd(check.message()));
  scheduler.policies.push_back({rate, 1});
  SchedulerReader::AddLimit(limit, scheduler);
  return scheduler;
}

absl::StatusOr<ShardingConfig> ShardingConfigOfFlags(const ManagerOptions& options) {
  ShardingConfig config;
  for (const std::string& text : options.scheduler_configs) {
    BTH_ASSIGN_OR_RETURN(ShardScheduler scheduler, ParseSchedulerFlag(text));
    config.schedulers.push_back(std::move(scheduler));
  }
  BTH_RETURN_IF_ERROR(CheckSchedulerNames(config.schedulers));
  if (options.shard_sync_period > absl::ZeroDuration()) config.period = options.shard_sync_period;
  config.node_event_trigger = options.enable_node_event_trigger;
  return config;
}

absl::StatusOr<LoadedSharding> ParseShardingConfig(std::string_view yaml,
                                                   const ShardingConfig& base) {
  BTH_ASSIGN_OR_RETURN(const conf::YamlDocument document, conf::ParseYaml(yaml));
  LoadedSharding loaded;
  loaded.config = base;
  loaded.config.schedulers.clear();
  BTH_ASSIGN_OR_RETURN(const MapReader root, MapReader::Open(&document.root, "",
                                                             {"schedulerConfigs", "shardSyncPeriod",
                                                              "enableNodeEventTrigger"},
                                                             loaded.findings));
  BTH_ASSIGN_OR_RETURN(const Value::List* entries,
                       root.List("schedulerConfigs", kShardSchedulersMax));
  if (entries->empty()) {
    return Invalid("sharding config must contain at least one schedulerConfig entry");
  }
  for (size_t i = 0; i < entries->size(); ++i) {
    const std::string path = StrCat("schedulerConfigs[", i, "]");
    SchedulerReader reader((*entries)[i], path, loaded.findings);
    absl::StatusOr<ShardScheduler> scheduler = reader.Read();
    if (!scheduler.ok()) return Annotate(scheduler.status(), path);
    loaded.config.schedulers.push_back(*std::move(scheduler));
  }
  BTH_RETURN_IF_ERROR(CheckSchedulerNames(loaded.config.schedulers));
  BTH_RETURN_IF_ERROR(ReadPeriod(root, &loaded.config));
  BTH_ASSIGN_OR_RETURN(const std::optional<bool> trigger, root.Bool("enableNodeEventTrigger"));
  loaded.config.node_event_trigger = trigger.value_or(base.node_event_trigger);
  return loaded;
}

}  // namespace bth::controllers
