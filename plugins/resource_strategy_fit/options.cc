#include "plugins/resource_strategy_fit/options.h"

#include <algorithm>

#include "base/status.h"
#include "base/strings.h"

namespace bth::plugins::resource_strategy_fit {
namespace {

constexpr std::string_view kWeightKey = "resourceStrategyFitWeight";

// The key under which the field stands, in whatever case it is written.
std::string_view KeyOf(const conf::Arguments& args, std::string_view field) {
  const conf::Value::Member* member = args.values().FindField(field);
  return member == nullptr ? field : std::string_view(member->key);
}

absl::StatusOr<Rule> ReadRule(const conf::Arguments& args) {
  Rule rule;
  const std::string_view type_key = KeyOf(args, "type");
  const std::string_view weight_key = KeyOf(args, "weight");
  BTH_ASSIGN_OR_RETURN(const std::string type, args.String(type_key, "LeastAllocated"));
  if (type == "MostAllocated") {
    rule.strategy = Strategy::kMostAllocated;
  } else if (type != "LeastAllocated") {
    args.Report(type_key, "is neither LeastAllocated nor MostAllocated; LeastAllocated is used");
  }
  BTH_ASSIGN_OR_RETURN(rule.weight, args.Int(weight_key, 1));
  if (rule.weight <= 0) {
    args.Report(weight_key, "is not positive; 1 is used instead");
    rule.weight = 1;
  }
  return rule;
}

// One star at most, at the end of a name that has more than the star.
bool IsResourcePattern(std::string_view name) {
  const size_t star = name.find('*');
  return star == std::string_view::npos || (star == name.size() - 1 && star > 0);
}

absl::StatusOr<RuleTable> ReadRules(const conf::Arguments& args) {
  BTH_ASSIGN_OR_RETURN(const conf::Arguments section, args.Section("resources"));
  RuleTable table;
  if (section.empty()) {
    table.exact = {{"cpu", Rule()}, {"memory", Rule()}};
    return table;
  }
  for (std::string_view name : section.Keys()) {
    BTH_ASSIGN_OR_RETURN(const conf::Arguments entry, section.Section(name));
    BTH_ASSIGN_OR_RETURN(const Rule rule, ReadRule(entry));
    if (!IsResourcePattern(name)) {
      section.Report(name, "may have one star, at the end of a longer name; the entry is left out");
    } else if (name.ends_with('*')) {
      table.prefixes[std::string(name.substr(0, name.size() - 1))] = rule;
    } else {
      table.exact[std::string(name)] = rule;
    }
  }
  return table;
}

absl::Status ReadScarcity(const conf::Arguments& args, Options* out) {
  BTH_ASSIGN_OR_RETURN(const conf::Arguments section, args.Section("sra"));
  BTH_ASSIGN_OR_RETURN(const bool enable, section.Bool(KeyOf(section, "enable"), false));
  BTH_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                       section.CommaList(KeyOf(section, "resources")));
  BTH_ASSIGN_OR_RETURN(const int64_t weight, section.Int(KeyOf(section, "weight"), 0));
  BTH_ASSIGN_OR_RETURN(const conf::Arguments weights,
                       section.Section(KeyOf(section, "resourceWeight")));
  for (const std::string& name : names) {
    ScarceResource resource{.name = name};
    BTH_ASSIGN_OR_RETURN(resource.weight, weights.Int(name, 1));
    if (resource.weight < 0) {
      weights.Report(name, "is negative; 1 is used instead");
      resource.weight = 1;
    }
    out->scarce.push_back(std::move(resource));
  }
  if (enable) out->scarce_weight = std::max<int64_t>(weight, 0);
  return absl::OkStatus();
}

absl::StatusOr<double> ReadRate(const conf::Arguments& rates, const std::string& key) {
  BTH_ASSIGN_OR_RETURN(const double rate, rates.Double(key, 1));
  if (rate >= 0) return rate;
  rates.Report(key, "is negative; 1 is used instead");
  return 1;
}

absl::Status ReadProportions(const conf::Arguments& args, Options* out) {
  BTH_ASSIGN_OR_RETURN(const conf::Arguments section, args.Section("proportional"));
  BTH_ASSIGN_OR_RETURN(out->proportional, section.Bool(KeyOf(section, "enable"), false));
  BTH_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                       section.CommaList(KeyOf(section, "resources")));
  BTH_ASSIGN_OR_RETURN(const conf::Arguments rates,
                       section.Section(KeyOf(section, "resourceProportion")));
  for (const std::string& name : names) {
    Proportion proportion{.name = name};
    BTH_ASSIGN_OR_RETURN(proportion.cpu, ReadRate(rates, StrCat(name, ".cpu")));
    BTH_ASSIGN_OR_RETURN(proportion.memory, ReadRate(rates, StrCat(name, ".memory")));
    out->proportions.push_back(std::move(proportion));
  }
  return absl::OkStatus();
}

}  // namespace

const Rule* RuleTable::Find(std::string_view resource) const {
  if (const auto known = exact.find(resource); known != exact.end()) return &known->second;
  const Rule* best = nullptr;
  size_t length = 0;
  for (const auto& [prefix, rule] : prefixes) {
    if (!resource.starts_with(prefix) || prefix.size() < length) continue;
    best = &rule;
    length = prefix.size();
  }
  return best;
}

absl::StatusOr<Options> ReadOptions(const conf::Arguments& args) {
  constexpr int64_t kDefaultWeight = 10;
  Options out;
  BTH_ASSIGN_OR_RETURN(out.weight, args.Int(kWeightKey, kDefaultWeight));
  if (out.weight < 0) {
    args.Report(kWeightKey, "is negative; 10 is used instead");
    out.weight = kDefaultWeight;
  }
  BTH_ASSIGN_OR_RETURN(out.rules, ReadRules(args));
  BTH_RETURN_IF_ERROR(ReadScarcity(args, &out));
  BTH_RETURN_IF_ERROR(ReadProportions(args, &out));
  return out;
}

}  // namespace bth::plugins::resource_strategy_fit
