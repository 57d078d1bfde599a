#include "cache/intake/compile_extras.h"

#include <algorithm>
#include <limits>
#include <map>

#include "api/rules/quantities.h"
#include "api/types/codec.h"
#include "api/types/json.h"
#include "api/types/pod_requests.h"
#include "base/strings.h"
#include "cache/intake/compile_devices.h"
#include "cache/intake/compile_numa.h"

namespace bth::cache {
namespace {

constexpr std::string_view kStrategyType = "volcano.sh/resource-strategy-scoring-type";
constexpr std::string_view kStrategyWeight = "volcano.sh/resource-strategy-weight";

// No sum of limits may come near overflow; the largest ones mean "no limit" to any node.
constexpr int64_t kLimitMax = int64_t{1} << 48;

struct Limits {
  int64_t cpu_milli = 0;
  int64_t memory_bytes = 0;

  Limits operator+(const Limits& other) const {
    return {std::min(cpu_milli + other.cpu_milli, kLimitMax),
            std::min(memory_bytes + other.memory_bytes, kLimitMax)};
  }
  void RaiseTo(const Limits& other) {
    cpu_milli = std::max(cpu_milli, other.cpu_milli);
    memory_bytes = std::max(memory_bytes, other.memory_bytes);
  }
};

Limits LimitsOf(const types::ResourceList& list) {
  const auto bounded = [](int64_t amount) { return std::clamp(amount, int64_t{0}, kLimitMax); };
  Limits out;
  if (const types::Quantity* cpu = list.Find("cpu")) {
    out.cpu_milli = bounded(cpu->MilliValue().value_or(std::numeric_limits<int64_t>::max()));
  }
  if (const types::Quantity* memory = list.Find("memory")) {
    out.memory_bytes = bounded(memory->Value());
  }
  return out;
}

// Containers and sidecars together, or the largest need while init containers run.
Limits LimitsOf(const types::PodSpec& spec) {
  Limits total;
  for (const types::Container& container : spec.containers) {
    total = total + LimitsOf(container.resources.limits);
  }
  Limits sidecars;
  Limits init_max;
  for (const types::Container& container : spec.init_containers) {
    Limits need = LimitsOf(container.resources.limits);
    if (types::IsSidecar(container)) {
      total = total + need;
      sidecars = sidecars + need;
      need = sidecars;
    } else {
      need = need + sidecars;
    }
    init_max.RaiseTo(need);
  }
  total.RaiseTo(init_max);
  if (spec.resources) {
    const Limits pod = LimitsOf(spec.resources->limits);
    if (pod.cpu_milli > 0) total.cpu_milli = pod.cpu_milli;
    if (pod.memory_bytes > 0) total.memory_bytes = pod.memory_bytes;
  }
  const Limits with_overhead = total + LimitsOf(spec.overhead);
  if (total.cpu_milli > 0) total.cpu_milli = with_overhead.cpu_milli;
  if (total.memory_bytes > 0) total.memory_bytes = with_overhead.memory_bytes;
  return total;
}

model::QosClass QosOf(const types::Pod& pod) {
  if (pod.status.qos_class == "Guaranteed") return model::QosClass::kGuaranteed;
  if (pod.status.qos_class == "Burstable") return model::QosClass::kBurstable;
  if (pod.status.qos_class == "BestEffort") return model::QosClass::kBestEffort;
  bool asks = false;
  bool guaranteed = true;
  for (const auto* containers : {&pod.spec.containers, &pod.spec.init_containers}) {
    for (const types::Container& container : *containers) {
      for (const std::string_view name : {"cpu", "memory"}) {
        const types::Quantity* limit = container.resources.limits.Find(name);
        const types::Quantity* request = container.resources.requests.Find(name);
        if (limit != nullptr && limit->is_zero()) limit = nullptr;
        if (request != nullptr && request->is_zero()) request = nullptr;
        asks |= limit != nullptr || request != nullptr;
        guaranteed &= limit != nullptr && (request == nullptr || *request == *limit);
      }
    }
  }
  if (!asks) return model::QosClass::kBestEffort;
  return guaranteed ? model::QosClass::kGuaranteed : model::QosClass::kBurstable;
}

// {"cpu": 2, "memory": 1}; nothing when it is anything else.
std::vector<std::pair<std::string, int64_t>> ReadWeights(std::string_view text) {
  constexpr size_t kBytesMax = size_t{16} << 10;
  const absl::StatusOr<types::Json> json =
      types::Json::Parse(text, {.bytes_max = kBytesMax, .depth_max = 4});
  if (!json.ok() || !json->is_object()) return {};
  std::map<std::string, int64_t> weights;
  for (const auto& [name, weight] : json->members()) {
    if (!weight.is_int()) return {};
    weights[name] = weight.AsInt();
  }
  return {weights.begin(), weights.end()};
}

// Which devices may serve; amounts of them are whole.
bool MayBeDevices(std::string_view name) {
  if (name.starts_with(kExtendedOfClass)) return name.size() > kExtendedOfClass.size();
  return rules::IsExtendedResource(name);
}

std::vector<model::ContainerRequests> RequestsOf(const types::PodSpec& spec) {
  std::vector<model::ContainerRequests> out;
  bool any = false;
  for (const auto* containers : {&spec.init_containers, &spec.containers}) {
    for (const types::Container& container : *containers) {
      model::ContainerRequests& row = out.emplace_back();
      row.name = container.name;
      row.ends_first = containers == &spec.init_containers && !types::IsSidecar(container);
      for (const auto& [name, amount] : container.resources.requests) {
        row.names.push_back(name);
        if (!MayBeDevices(name) || amount.is_negative() || amount.is_zero()) continue;
        row.extended.emplace_back(name, amount.Value());
        any = true;
      }
      std::sort(row.names.begin(), row.names.end());
      std::sort(row.extended.begin(), row.extended.end());
    }
  }
  if (!any) out.clear();
  return out;
}

}  // namespace

std::shared_ptr<const model::PodExtras> CompileExtras(const types::Pod& pod, PodPart part) {
  auto out = std::make_shared<model::PodExtras>();
  const Limits limits = LimitsOf(pod.spec);
  out->cpu_limit_milli = limits.cpu_milli;
  out->memory_limit_bytes = limits.memory_bytes;
  out->qos = QosOf(pod);
  if (part == PodPart::kPlaced) return out;
  for (const auto* containers : {&pod.spec.containers, &pod.spec.init_containers}) {
    for (const types::Container& container : *containers) {
      for (const auto* list : {&container.resources.requests, &container.resources.limits}) {
        for (const auto& [name, amount] : *list) {
          out->named_resources.push_back(name);
        }
      }
    }
  }
  std::sort(out->named_resources.begin(), out->named_resources.end());
  out->named_resources.erase(std::unique(out->named_resources.begin(), out->named_resources.end()),
                             out->named_resources.end());
  out->requests = RequestsOf(pod.spec);
  if (out->qos == model::QosClass::kGuaranteed) out->numa = CompilePodNuma(pod);
  out->strategy = std::string(pod.meta.Annotation(kStrategyType));
  if (!out->strategy.empty()) {
    out->strategy_weights = ReadWeights(pod.meta.Annotation(kStrategyWeight));
  }
  return out;
}

std::string KeyOf(const model::PodExtras& extras) {
  std::string key = StrCat("e", extras.cpu_limit_milli, ",", extras.memory_limit_bytes, ",",
                           static_cast<int>(extras.qos), ";");
  for (const std::string& name : extras.named_resources) StrAppend(&key, name, ",");
  StrAppend(&key, extras.strategy.size(), ":", extras.strategy);
  for (const auto& [name, weight] : extras.strategy_weights) {
    StrAppend(&key, name.size(), ":", name, "=", weight, ",");
  }
  for (const model::ContainerRequests& row : extras.requests) {
    StrAppend(&key, "r", row.name.size(), ":", row.name, int{row.ends_first});
    for (const std::string& name : row.names) StrAppend(&key, ",", name);
    for (const auto& [name, amount] : row.extended) {
      StrAppend(&key, ";", name.size(), ":", name, "=", amount);
    }
  }
  if (extras.numa == nullptr) return key;
  StrAppend(&key, "n", extras.numa->policy.size(), ":", extras.numa->policy);
  for (size_t c = 0; c < extras.numa->containers.size(); ++c) {
    const std::string& name = extras.numa->containers[c];
    StrAppend(&key, name.size(), ":", name, "=", extras.numa->cpus[c], ",");
  }
  return key;
}

std::shared_ptr<const std::string> DocumentOf(const types::Pod& pod) {
  return std::make_shared<const std::string>(types::Encode(pod));
}

std::shared_ptr<const std::string> DocumentOf(const types::Node& node) {
  types::Node lasting = node;
  lasting.meta.resource_version.clear();
  for (types::Condition& condition : lasting.status.conditions) {
    condition.last_heartbeat_time.reset();
  }
  return std::make_shared<const std::string>(types::Encode(lasting));
}

}  // namespace bth::cache
