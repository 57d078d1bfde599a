// What sources of node loads answer, turned into numbers. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "api/model/node_load.h"

namespace bth::scheduler::node_load {

// A number and when it was measured; nothing: the answer does not say.
struct Sample {
  double value = 0;
  std::optional<absl::Time> time;
};
using Samples = std::map<std::string, Sample, std::less<>>;  // By node name.

// The vector of an instant query by label `instance`; the first sample of each counts.
absl::StatusOr<Samples> ParsePrometheusAnswer(std::string_view text);

// A MetricValueList of the custom metrics API, either version, by name of the object.
absl::StatusOr<Samples> ParseMetricValues(std::string_view text);

// The answers of a multi-search, one per search; nothing where the search failed or found nothing.
struct CpuAndMemory {
  std::optional<double> cpu;
  std::optional<double> memory;
};
absl::StatusOr<std::vector<CpuAndMemory>> ParseElasticsearchAnswer(std::string_view text,
                                                                   size_t searches);

// {"node": {"cpu": 12.5, "memory": 40, "time": "2026-01-02T03:04:05Z"}}, in percent.
struct FileSamples {
  Samples cpu;
  Samples memory;
};
absl::StatusOr<FileSamples> ParseLoadFile(std::string_view text);

// What a round brought together.
struct Reading {
  model::NodeLoads loads;
  int64_t refused = 0;  // Values that no node can have.
};

// Nodes for which both values are known and possible; values are multiplied by `factor` to become
// percents. A time in the future is taken for now.
Reading Combine(const Samples& cpu, const Samples& memory, double factor, absl::Time now);

}  // namespace bth::scheduler::node_load
