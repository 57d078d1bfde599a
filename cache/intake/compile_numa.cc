#include "cache/intake/compile_numa.h"

#include <algorithm>
#include <map>
#include <utility>

#include "api/types/json.h"
#include "api/types/quantity.h"
#include "base/status.h"
#include "base/strings.h"
#include "cache/intake/cpu_set_text.h"

namespace bth::cache {
namespace {

using model::CpuLayout;
using model::CpuSet;

constexpr std::string_view kCpuManagerPolicy = "CPUManagerPolicy";
constexpr std::string_view kTopologyManagerPolicy = "TopologyManagerPolicy";
constexpr std::string_view kNumaPolicy = "volcano.sh/numa-topology-policy";
// Names of policies are short; what is longer is none of them, and is quoted in reasons.
constexpr size_t kPolicyBytesMax = 64;

std::string ShortText(std::string_view text) {
  return std::string(text.substr(0, kPolicyBytesMax));
}

// The CPU that a key of cpuDetail names.
absl::StatusOr<int> NamedCpu(const std::string& key) {
  BTH_ASSIGN_OR_RETURN(const CpuSet one, ParseCpuSet(key));
  if (one.size() != 1) return absl::InvalidArgumentError(StrCat("\"", key, "\" is not one CPU"));
  int cpu = 0;
  one.ForEach([&cpu](int number) { cpu = number; });
  return cpu;
}

absl::StatusOr<CpuLayout> LayoutOf(const types::Numatopology& report) {
  CpuLayout layout;
  std::map<int32_t, CpuSet> numa_nodes;
  std::map<int32_t, CpuSet> sockets;
  std::map<std::pair<int32_t, int32_t>, CpuSet> cores;  // By socket and core.
  for (const auto& [key, place] : report.cpus) {
    const absl::StatusOr<int> cpu = NamedCpu(key);
    BTH_RETURN_IF_ERROR(Annotate(cpu.status(), "spec.cpuDetail"));
    const std::string where = StrCat("spec.cpuDetail.", *cpu, ": ");
    if (layout.all.Has(*cpu)) {
      return absl::InvalidArgumentError(StrCat(where, "is there twice"));
    }
    if (place.numa < 0 || place.socket < 0 || place.core < 0) {
      return absl::InvalidArgumentError(StrCat(where, "numa, socket and core are 0 or more"));
    }
    layout.all.Add(*cpu);
    numa_nodes[place.numa].Add(*cpu);
    sockets[place.socket].Add(*cpu);
    cores[{place.socket, place.core}].Add(*cpu);
  }
  if (numa_nodes.size() > model::kNumaNodesMax) {
    return absl::InvalidArgumentError(StrCat("spec.cpuDetail: ", numa_nodes.size(),
                                             " NUMA nodes; no more than ", model::kNumaNodesMax,
                                             " are looked at"));
  }
  for (const auto& [id, cpus] : numa_nodes) {
    layout.numa_nodes.push_back(cpus);
    layout.numa_ids.push_back(id);
  }
  std::map<int32_t, size_t> positions;
  for (const auto& [id, cpus] : sockets) {
    positions[id] = layout.sockets.size();
    layout.sockets.push_back(cpus);
  }
  for (const auto& [id, cpus] : cores) {
    layout.cores.push_back({.socket = positions.at(id.first), .cpus = cpus});
  }
  return layout;
}

// Whole CPUs, rounded up, as far as there may be any.
absl::StatusOr<int32_t> ReservedCpus(const types::Numatopology& report) {
  const std::string* text = report.reserved.Find("cpu");
  if (text == nullptr || text->empty()) return 0;
  const absl::StatusOr<types::Quantity> amount = types::Quantity::Parse(*text);
  BTH_RETURN_IF_ERROR(Annotate(amount.status(), "spec.resReserved.cpu"));
  if (amount->is_negative()) {
    return absl::InvalidArgumentError("spec.resReserved.cpu: is below zero");
  }
  return static_cast<int32_t>(std::min<int64_t>(amount->Value(), CpuSet::kCpusMax));
}

std::string_view PolicyNamed(const types::Numatopology& report, std::string_view key) {
  const std::string* policy = report.policies.Find(key);
  return policy == nullptr ? std::string_view() : std::string_view(*policy);
}

// CPUs that the container has to itself: whole ones.
int32_t OwnCpus(const types::Container& container) {
  const types::Quantity* request = container.resources.requests.Find("cpu");
  if (request == nullptr) request = container.resources.limits.Find("cpu");
  if (request == nullptr) return 0;
  const absl::StatusOr<int64_t> milli = request->MilliValue();
  constexpr int64_t kMilli = 1000;
  if (!milli.ok() || *milli <= 0 || *milli % kMilli != 0) return 0;
  // One more than there can be will do to be refused.
  return static_cast<int32_t>(std::min<int64_t>(*milli / kMilli, CpuSet::kCpusMax + 1));
}

}  // namespace

absl::StatusOr<CompiledNuma> Compile(const types::Numatopology& report) {
  auto facts = std::make_shared<model::NumaFacts>();
  BTH_ASSIGN_OR_RETURN(facts->layout, LayoutOf(report));
  BTH_ASSIGN_OR_RETURN(facts->reserved_cpus, ReservedCpus(report));
  if (const types::NumaResource* cpu = report.resources.Find("cpu"); cpu != nullptr) {
    const absl::StatusOr<CpuSet> allocatable = ParseCpuSet(cpu->allocatable);
    BTH_RETURN_IF_ERROR(Annotate(allocatable.status(), "spec.numares.cpu.allocatable"));
    // What has no place can be given to nobody.
    facts->allocatable = *allocatable & facts->layout.all;
  }
  facts->static_cpus = PolicyNamed(report, kCpuManagerPolicy) == "static";
  facts->topology_policy = ShortText(PolicyNamed(report, kTopologyManagerPolicy));
  CompiledNuma out{.name = report.meta.name, .uid = report.meta.uid, .facts = std::move(facts)};
  for (const types::NumaPodAllocation& pod : report.pod_allocations) {
    if (!pod.uid.empty()) out.pod_uids.push_back(pod.uid);
    out.pod_keys.push_back(StrCat(pod.ns, "/", pod.name));
  }
  return out;
}

NumaDecision DecisionOf(const types::Pod& pod) {
  constexpr size_t kDecisionBytesMax = 4096;
  const std::string_view text = pod.meta.Annotation(kNumaDecision);
  if (text.empty() || text.size() > kDecisionBytesMax) return {};
  const absl::StatusOr<types::Json> json = types::Json::Parse(text);
  if (!json.ok()) return {};
  NumaDecision out;
  const types::Json& nodes = std::as_const(*json)["numa"];
  for (const auto& [id, resources] : nodes.members()) {
    int32_t number = 0;
    const absl::StatusOr<types::Quantity> amount =
        types::Quantity::Parse(resources["cpu"].AsString());
    if (!SimpleAtoi(id, &number) || number < 0) return {};
    if (!amount.ok() || amount->is_negative()) return {};
    const auto cpus = static_cast<int32_t>(std::min<int64_t>(amount->Value(), CpuSet::kCpusMax));
    if (cpus > 0) out.emplace_back(number, cpus);
  }
  // No more than the pod asks for, whatever somebody wrote.
  int64_t asked = 0;
  for (const types::Container& container : pod.spec.containers) asked += OwnCpus(container);
  int64_t decided = 0;
  for (const auto& [id, cpus] : out) decided += cpus;
  if (decided > asked || out.size() > model::kNumaNodesMax) return {};
  std::sort(out.begin(), out.end());
  const auto twice = [](const auto& a, const auto& b) { return a.first == b.first; };
  return std::adjacent_find(out.begin(), out.end(), twice) == out.end() ? out : NumaDecision();
}

std::string DecisionText(const model::CpuLayout& layout, const CpuSet& cpus) {
  types::Json nodes = types::Json::MakeObject();
  for (size_t n = 0; n < layout.numa_nodes.size(); ++n) {
    const int count = (layout.numa_nodes[n] & cpus).size();
    if (count == 0) continue;
    nodes.Set(StrCat(layout.numa_ids[n]),
              types::Json::MakeObject({{"cpu", types::Json(StrCat(count))}}));
  }
  return types::Json::MakeObject({{"numa", std::move(nodes)}}).Dump();
}

std::shared_ptr<const model::PodNuma> CompilePodNuma(const types::Pod& pod) {
  auto out = std::make_shared<model::PodNuma>();
  out->policy = ShortText(pod.meta.Annotation(kNumaPolicy));
  if (out->policy == "none") out->policy.clear();
  bool any = false;
  for (const types::Container& container : pod.spec.containers) {
    out->containers.push_back(container.name);
    out->cpus.push_back(OwnCpus(container));
    any |= out->cpus.back() > 0;
  }
  if (!any && out->policy.empty()) return nullptr;
  return out;
}

}  // namespace bth::cache
