#include "scheduler/node_load/answers.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/numbers.h"
#include "api/types/json.h"
#include "api/types/quantity.h"
#include "api/types/time.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::scheduler::node_load {
namespace {

using types::Json;

constexpr size_t kNodesMax = 100'000;

absl::StatusOr<Json> ParseObject(std::string_view text) {
  BTH_ASSIGN_OR_RETURN(Json json,
                       Json::Parse(text, {.bytes_max = size_t{16} << 20, .depth_max = 32}));
  if (!json.is_object()) return absl::InvalidArgumentError("the answer is not a JSON object");
  return json;
}

absl::Status TooMany(size_t count) {
  return absl::ResourceExhaustedError(
      StrCat("the answer has ", count, " entries; at most ", kNodesMax, " are read"));
}

// A share of the node from slightly below nothing to slightly above all, as rounding makes it.
std::optional<double> Percent(double value) {
  constexpr double kSlack = 1;
  if (!std::isfinite(value) || value < -kSlack || value > 100 + kSlack) return std::nullopt;
  return std::clamp(value, 0.0, 100.0);
}

std::optional<double> NumberOrNothing(const Json& value) {
  if (!value.is_number()) return std::nullopt;
  return value.AsDouble();
}

}  // namespace

absl::StatusOr<Samples> ParsePrometheusAnswer(std::string_view text) {
  BTH_ASSIGN_OR_RETURN(const Json json, ParseObject(text));
  if (json["status"].AsString() != "success") {
    return absl::FailedPreconditionError(
        StrCat("the query failed: ",
               std::string(json["error"].AsString("no reason given").substr(0, 160))));
  }
  const Json& data = json["data"];
  if (data["resultType"].AsString() != "vector") {
    return absl::InvalidArgumentError("data.resultType: expected \"vector\"");
  }
  const Json::Array& result = data["result"].items();
  if (result.size() > kNodesMax) return TooMany(result.size());
  Samples out;
  for (const Json& series : result) {
    const std::string_view node = series["metric"]["instance"].AsString();
    const Json& value = series["value"];
    if (node.empty() || value.size() != 2) continue;
    double number = 0;
    if (!SimpleAtod(value[1].AsString(), &number)) continue;
    out.try_emplace(std::string(node), Sample{.value = number, .time = std::nullopt});
  }
  return out;
}

absl::StatusOr<Samples> ParseMetricValues(std::string_view text) {
  BTH_ASSIGN_OR_RETURN(const Json json, ParseObject(text));
  if (!json["items"].is_array()) return absl::InvalidArgumentError("items: expected a list");
  const Json::Array& items = json["items"].items();
  if (items.size() > kNodesMax) return TooMany(items.size());
  Samples out;
  for (const Json& item : items) {
    const std::string_view node = item["describedObject"]["name"].AsString();
    if (node.empty()) continue;
    const absl::StatusOr<types::Quantity> value = types::Quantity::Parse(item["value"].AsString());
    if (!value.ok()) continue;
    const absl::StatusOr<int64_t> milli = value->MilliValue();
    if (!milli.ok()) continue;
    Sample sample{.value = static_cast<double>(*milli) / 1000, .time = std::nullopt};
    const auto time = types::ParseTimestamp(item["timestamp"].AsString());
    if (time.ok()) sample.time = *time;
    out.try_emplace(std::string(node), sample);
  }
  return out;
}

absl::StatusOr<std::vector<CpuAndMemory>> ParseElasticsearchAnswer(std::string_view text,
                                                                   size_t searches) {
  BTH_ASSIGN_OR_RETURN(const Json json, ParseObject(text));
  const Json::Array& responses = json["responses"].items();
  if (responses.size() != searches) {
    return absl::InvalidArgumentError(
        StrCat("responses: expected ", searches, " entries, got ", responses.size()));
  }
  std::vector<CpuAndMemory> out;
  for (const Json& response : responses) {
    const Json& found = response["aggregations"];
    out.push_back({.cpu = NumberOrNothing(found["cpu"]["value"]),
                   .memory = NumberOrNothing(found["mem"]["value"])});
  }
  return out;
}

absl::StatusOr<FileSamples> ParseLoadFile(std::string_view text) {
  BTH_ASSIGN_OR_RETURN(const Json json, ParseObject(text));
  if (json.size() > kNodesMax) return TooMany(json.size());
  FileSamples out;
  for (const auto& [node, load] : json.members()) {
    const std::optional<double> cpu = NumberOrNothing(load["cpu"]);
    const std::optional<double> memory = NumberOrNothing(load["memory"]);
    if (!cpu || !memory) {
      return absl::InvalidArgumentError(
          StrCat(node, ": needs numbers \"cpu\" and \"memory\", in percent"));
    }
    std::optional<absl::Time> time;
    if (load.Find("time") != nullptr) {
      const auto given = types::ParseTimestamp(load["time"].AsString());
      if (!given.ok()) return Annotate(given.status(), StrCat(node, ": time"));
      time = *given;
    }
    out.cpu[node] = {.value = *cpu, .time = time};
    out.memory[node] = {.value = *memory, .time = time};
  }
  return out;
}

Reading Combine(const Samples& cpu, const Samples& memory, double factor, absl::Time now) {
  Reading out;
  for (const auto& [node, sample] : cpu) {
    const auto other = memory.find(node);
    if (other == memory.end()) continue;
    const std::optional<double> cpu_percent = Percent(sample.value * factor);
    const std::optional<double> memory_percent = Percent(other->second.value * factor);
    if (!cpu_percent || !memory_percent) {
      ++out.refused;
      continue;
    }
    const absl::Time measured =
        std::min({now, sample.time.value_or(now), other->second.time.value_or(now)});
    out.loads[node] = {.cpu_percent = *cpu_percent,
                       .memory_percent = *memory_percent,
                       .measured_at_us = absl::ToUnixMicros(measured)};
  }
  return out;
}

}  // namespace bth::scheduler::node_load
