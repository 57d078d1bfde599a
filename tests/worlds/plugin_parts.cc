#include "tests/worlds/plugin_parts.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "api/model/device_settings.h"
#include "api/model/devices.h"
#include "api/model/node_load.h"
#include "api/model/numa.h"
#include "api/model/pod_extras.h"
#include "api/model/task_topology.h"
#include "base/strings.h"
#include "tests/support/numa_text.h"
#include "tests/worlds/random_network.h"

namespace bth::test {
namespace {

constexpr char kSharedMemory[] = "volcano.sh/gpu-memory";
constexpr model::DeviceKind kSharedCards{model::DeviceFamily::kGpuShare, 0};

// Most pods of a job want as much; those that have a place have a card where there are some.
void AddCards(Rng& rng, WorldSpec* world) {
  std::map<std::string, int32_t> cards;
  for (NodeSpec& node : world->nodes) {
    if (rng.Chance(0.6)) node.cards = static_cast<int32_t>(rng.Between(1, 3));
    cards[node.name] = node.cards;
  }
  const auto some = [&rng] { return rng.Chance(0.4) ? 100 * rng.Between(1, 10) : 0; };
  std::map<std::string, int64_t> by_job;
  for (PodSpec& pod : world->pods) {
    if (pod.job.empty()) continue;
    const auto [usual, fresh] = by_job.try_emplace(pod.job, 0);
    if (fresh) usual->second = some();
    pod.card_memory = rng.Chance(0.85) ? usual->second : some();
    const int32_t there = pod.node.empty() || pod.card_memory == 0 ? 0 : cards[pod.node];
    if (there > 0) pod.card = StrCat(rng.Below(static_cast<uint64_t>(there)));
  }
}

void AddCpus(Rng& rng, WorldSpec* world) {
  for (NodeSpec& node : world->nodes) {
    if (rng.Chance(0.2)) continue;
    node.cpus = CpuSpec{.policy = Pick(rng, {"", "none", "best-effort", "best-effort", "restricted",
                                             "restricted", "single-numa-node", "single-numa-node"}),
                        .given_out = !rng.Chance(0.15)};
    if (rng.Chance(0.4)) {
      node.cpus->taken = static_cast<int32_t>(rng.Below(static_cast<uint64_t>(CpusOf(node)) + 1));
    }
  }
  std::map<std::string, std::pair<int64_t, std::string>> by_job;  // Cores and policy.
  for (PodSpec& pod : world->pods) {
    if (pod.job.empty() || rng.Chance(0.5)) continue;
    const auto [usual, fresh] = by_job.try_emplace(pod.job);
    if (fresh) {
      usual->second = {rng.Between(1, 4),
                       Pick(rng, {"", "", "best-effort", "restricted", "single-numa-node"})};
    }
    pod.whole_cpus = true;
    pod.cpu_milli = usual->second.first * 1000;
    pod.numa_policy = usual->second.second;
  }
}

void AddLoads(Rng& rng, WorldSpec* world) {
  for (NodeSpec& node : world->nodes) {
    if (rng.Chance(0.8)) node.load = RandomLoad(rng);
  }
}

void AddRoleRelations(Rng& rng, WorldSpec* world) {
  const auto group = [&rng]() -> std::vector<std::string> {
    if (rng.Chance(0.5)) return {"ps", "worker"};
    return {Pick(rng, {"ps", "worker", "worker", "nobody"})};
  };
  for (JobSpec& job : world->jobs) {
    if (rng.Chance(0.5)) job.together.push_back(group());
    if (rng.Chance(0.3)) job.apart.push_back(group());
    if (rng.Chance(0.3)) job.role_order = {"worker", "ps"};
  }
}

}  // namespace

LoadSpec RandomLoad(Rng& rng) {
  const auto percent = [&rng] { return static_cast<double>(rng.Between(0, 20)) * 5; };
  constexpr int64_t kAges[] = {0, 60, 299, 300, 301, 3600};  // Five minutes are the limit.
  LoadSpec load{.cpu_percent = percent(), .memory_percent = percent()};
  load.age_s = kAges[rng.Below(6)];
  return load;
}

void AddPluginParts(Rng& rng, WorldSpec* world) {
  world->counted = {"nvidia.com/gpu"};
  constexpr double kSome = 0.3;
  if (rng.Chance(kSome)) AddCards(rng, world);
  if (rng.Chance(kSome)) AddCpus(rng, world);
  if (rng.Chance(kSome)) AddLoads(rng, world);
  if (rng.Chance(kSome)) AddRoleRelations(rng, world);
  if (rng.Chance(kSome)) AddNetwork(rng, world);
}

void CountCards(bool counted, WorldSpec* world) {
  world->cards_count = counted;
  if (counted) return;
  for (NodeSpec& node : world->nodes) node.cards = 0;
  for (PodSpec& pod : world->pods) {
    pod.card_memory = 0;
    pod.card.clear();
  }
}

int32_t CpusOf(const NodeSpec& node) {
  return static_cast<int32_t>(std::max<int64_t>(node.cpu_milli / 1000, 1));
}

int32_t CpusOfFirstNuma(const NodeSpec& node) {
  return (CpusOf(node) + 1) / 2;
}

int32_t OwnCpusOf(const PodSpec& pod) {
  if (!pod.whole_cpus || pod.cpu_milli % 1000 != 0) return 0;
  return static_cast<int32_t>(pod.cpu_milli / 1000);
}

void PutSettings(const WorldSpec& world, cache::Mirror& mirror) {
  if (world.cards_count) {
    auto settings = std::make_shared<model::DeviceSettings>();
    settings->gpu_memory = true;
    mirror.CountDevices(std::move(settings));
  }
  // There is room for all of them.
  if (!world.counted.empty()) static_cast<void>(mirror.CountResources(world.counted));
  PutLoads(world, mirror);
}

void PutLoads(const WorldSpec& world, cache::Mirror& mirror) {
  constexpr int64_t kMicros = 1'000'000;
  auto loads = std::make_shared<model::NodeLoads>();
  for (const NodeSpec& node : world.nodes) {
    if (!node.load) continue;
    (*loads)[node.name] = {.cpu_percent = node.load->cpu_percent,
                           .memory_percent = node.load->memory_percent,
                           .measured_at_us = (kWorldSeconds - node.load->age_s) * kMicros};
  }
  if (!loads->empty()) mirror.PutLoads(std::move(loads));
}

void PutCpus(const NodeSpec& node, cache::Mirror& mirror) {
  const int32_t first = CpusOfFirstNuma(node);
  const int32_t second = CpusOf(node) - first;
  auto facts = std::make_shared<model::NumaFacts>();
  facts->layout = ReadLayout(second == 0 ? StrCat(first) : StrCat(first, "|", second));
  model::CpuSet taken;
  for (int32_t cpu = 0; cpu < node.cpus->taken; ++cpu) taken.Add(cpu);
  facts->allocatable = facts->layout.all - taken;
  facts->static_cpus = node.cpus->given_out;
  facts->topology_policy = node.cpus->policy;
  cache::CompiledNuma report;
  report.name = node.name;
  report.uid = StrCat("uid-cpus-", node.name);
  report.facts = std::move(facts);
  mirror.numa().Put(std::move(report));
}

void Complete(const NodeSpec& spec, cache::CompiledNode* node) {
  if (spec.cards == 0) return;
  node->allocatable.emplace_back(kSharedMemory, spec.cards * kCardMemory * 1000);
  model::DevicePool pool;
  pool.kind = kSharedCards;
  for (int32_t card = 0; card < spec.cards; ++card) {
    model::Device& device = pool.devices.emplace_back();
    device.id = StrCat(card);
    device.slots = std::numeric_limits<int32_t>::max();
    device.memory = kCardMemory;
    device.cores = 100;
  }
  auto devices = std::make_shared<model::NodeDevices>();
  devices->pools.push_back(std::move(pool));
  node->facts->devices = std::move(devices);
}

namespace {

void AskForCard(const PodSpec& spec, cache::CompiledPod* pod, model::PodConstraints* constraints) {
  pod->requests.emplace_back(kSharedMemory, spec.card_memory * 1000);
  model::PodDeviceRequest request;
  request.kind = kSharedCards;
  request.containers.emplace_back();
  request.containers.back().count = 1;
  request.containers.back().memory = spec.card_memory;
  auto asked = std::make_shared<model::PodDeviceRequests>();
  asked->requests.push_back(std::move(request));
  constraints->devices = std::move(asked);
  if (spec.node.empty() || spec.card.empty()) return;
  model::HeldDevices held;
  held.kind = kSharedCards;
  held.devices.emplace_back();
  held.devices.back().id = spec.card;
  held.devices.back().memory = spec.card_memory;
  auto devices = std::make_shared<model::PodDevices>();
  devices->held.push_back(std::move(held));
  devices->group = spec.job;
  pod->devices = std::move(devices);
}

void AskForCpus(const PodSpec& spec, model::PodConstraints* constraints) {
  auto extras = std::make_shared<model::PodExtras>();
  extras->qos = model::QosClass::kGuaranteed;
  extras->cpu_limit_milli = spec.cpu_milli;
  extras->memory_limit_bytes = spec.memory_bytes;
  if (OwnCpusOf(spec) > 0 || !spec.numa_policy.empty()) {
    auto numa = std::make_shared<model::PodNuma>();
    numa->policy = spec.numa_policy;
    numa->containers = {"c"};
    numa->cpus = {OwnCpusOf(spec)};
    extras->numa = std::move(numa);
  }
  constraints->extras = std::move(extras);
}

}  // namespace

void Complete(const PodSpec& spec, cache::CompiledPod* pod, model::PodConstraints* constraints) {
  if (spec.card_memory > 0) {
    AskForCard(spec, pod, constraints);
    StrAppend(&pod->constraints_key, "card ", spec.card_memory, "/");
  }
  if (spec.whole_cpus) {
    AskForCpus(spec, constraints);
    StrAppend(&pod->constraints_key, "cpus ", spec.numa_policy, " ", spec.cpu_milli, " ",
              spec.memory_bytes, "/");
  }
}

void Complete(const JobSpec& spec, model::JobFacts* facts) {
  if (spec.together.empty() && spec.apart.empty() && spec.role_order.empty()) return;
  auto topology = std::make_shared<model::TaskTopology>();
  topology->affinity = spec.together;
  topology->anti_affinity = spec.apart;
  topology->order = spec.role_order;
  facts->task_topology = {std::move(topology)};
}

}  // namespace bth::test
