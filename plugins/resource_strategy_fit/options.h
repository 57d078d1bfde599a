// The arguments of plugin resource-strategy-fit.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "conf/arguments.h"

namespace bth::plugins::resource_strategy_fit {

enum class Strategy : uint8_t { kLeastAllocated, kMostAllocated };

struct Rule {
  Strategy strategy = Strategy::kLeastAllocated;
  int64_t weight = 1;
  friend bool operator==(const Rule&, const Rule&) = default;
};

// What a policy says about single resources: exact names, and prefixes such as "nvidia.com/".
struct RuleTable {
  std::map<std::string, Rule, std::less<>> exact;
  std::map<std::string, Rule, std::less<>> prefixes;  // Without the trailing star.

  // The exact rule, else that of the longest prefix, else null.
  const Rule* Find(std::string_view resource) const;
};

// A resource that pods without a need for it should leave alone.
struct ScarceResource {
  std::string name;
  int64_t weight = 1;
};

// Per idle unit of the resource, so many cores and decimal gigabytes stay free.
struct Proportion {
  std::string name;
  double cpu = 1;
  double memory = 1;
};

struct Options {
  int64_t weight = 10;  // 0: no score by strategy.
  RuleTable rules;
  int64_t scarce_weight = 0;  // 0: no score by scarcity.
  std::vector<ScarceResource> scarce;
  bool proportional = false;
  std::vector<Proportion> proportions;
};

// kInvalidArgument for tables that are no tables. What is only odd is reported and replaced.
absl::StatusOr<Options> ReadOptions(const conf::Arguments& args);

}  // namespace bth::plugins::resource_strategy_fit
