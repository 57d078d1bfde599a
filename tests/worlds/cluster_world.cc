#include "tests/worlds/cluster_world.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "tests/worlds/plugin_parts.h"

namespace bth::test {
namespace {

using model::PodGroupPhase;
using model::TaskStatus;

constexpr int64_t kGiOfMemory = int64_t{1} << 30;

NodeSpec RandomClusterNode(Rng& rng, const std::string& name) {
  NodeSpec node;
  node.name = name;
  node.cpu_milli = rng.Between(1, 16) * 1000;
  node.memory_bytes = rng.Between(1, 32) * kGiOfMemory;
  node.gpu_milli = rng.Chance(0.3) ? rng.Between(1, 4) * 1000 : 0;
  node.pods = rng.Between(1, 20);
  node.zone = Pick(rng, {"", "a", "b", "c"});
  node.tainted = rng.Chance(0.1);
  node.prefer_not = rng.Chance(0.1);
  node.cordoned = rng.Chance(0.05);
  if (rng.Chance(0.6)) node.group = Pick(rng, {"g1", "g2"});
  if (rng.Chance(0.15)) node.revocable_zone = Pick(rng, {"open", "closed"});
  return node;
}

// The root is the first; parents come before their children.
void AddQueues(Rng& rng, WorldSpec* world) {
  if (rng.Chance(0.7)) world->queues.push_back({.name = "root"});
  const uint64_t count = 1 + rng.Below(7);
  const bool tree = rng.Chance(0.5);
  const auto cpu = [&rng](double chance) {
    return rng.Chance(chance) ? static_cast<int64_t>(rng.Below(40)) * 500 : 0;
  };
  for (uint64_t i = 0; i < count; ++i) {
    QueueSpec queue;
    queue.name = StrCat("q", i);
    queue.weight = static_cast<int32_t>(rng.Between(1, 4));
    queue.priority = static_cast<int32_t>(rng.Chance(0.2) ? rng.Below(3) : 0);
    queue.capability_cpu_milli = cpu(0.2);
    queue.deserved_cpu_milli = cpu(0.5);
    queue.guarantee_cpu_milli = cpu(0.1);
    queue.strict = rng.Chance(0.2);
    queue.reclaimable = !rng.Chance(0.2);
    queue.closed = rng.Chance(0.05);
    if (tree && i > 0 && rng.Chance(0.6)) queue.parent = StrCat("q", rng.Below(i));
    queue.hierarchy = Pick(rng, {"", "root/a", "root/b/x", "root/b/y"});
    queue.hierarchy_weights = Pick(rng, {"1/2/3", "1/1", ""});
    if (rng.Chance(0.15)) queue.group = Pick(rng, {"g1", "g2"});
    world->queues.push_back(queue);
  }
}

JobSpec RandomJob(Rng& rng, const WorldSpec& world, uint64_t pods) {
  constexpr PodGroupPhase kPhases[] = {
      PodGroupPhase::kPending, PodGroupPhase::kPending, PodGroupPhase::kInqueue,
      PodGroupPhase::kInqueue, PodGroupPhase::kInqueue, PodGroupPhase::kRunning,
      PodGroupPhase::kUnknown, PodGroupPhase::kNone,    PodGroupPhase::kCompleted};
  JobSpec job;
  job.name = StrCat("ns/j", world.jobs.size());
  job.queue = rng.Chance(0.02) ? "nowhere" : world.queues[rng.Below(world.queues.size())].name;
  job.created_us = static_cast<int64_t>(rng.Below(6)) * 1'000'000;
  job.min = static_cast<int32_t>(rng.Below(pods + 2));
  if (rng.Chance(0.5)) job.min = static_cast<int32_t>(std::min<uint64_t>(pods, 1 + rng.Below(3)));
  if (rng.Chance(0.2)) job.roles = {{"ps", 1}, {"worker", static_cast<int32_t>(rng.Below(3))}};
  job.phase = kPhases[rng.Below(9)];
  if (rng.Chance(0.3)) job.minimum_cpu_milli = rng.Between(1, 12) * 500;
  job.priority_class = Pick(rng, {"", "low", "low", "high"});
  job.opts_out = rng.Chance(0.1);
  return job;
}

void PlaceInCluster(Rng& rng, const WorldSpec& world, double busy, PodSpec* pod) {
  if (rng.Chance(busy)) {
    PlaceAtRandom(rng, world, pod);
    PlaceAtRandom(rng, world, pod);
  }
  if (!pod->node.empty() && rng.Chance(0.05)) pod->status = TaskStatus::kUnknown;
  if (pod->node.empty() && rng.Chance(0.03)) {
    pod->status = rng.Chance(0.5) ? TaskStatus::kReleasing : TaskStatus::kFailed;
  }
}

PodSpec RandomShape(Rng& rng, bool plain) {
  PodSpec shape = RandomPod(rng, "");
  shape.revocable = rng.Chance(0.2);
  shape.fixed = rng.Chance(0.1);
  if (rng.Chance(0.1)) shape.port = 8000;
  if (plain) {
    shape.peers.affinity.clear();
    shape.peers.spread.clear();
    shape.port = 0;
  }
  return shape;
}

}  // namespace

WorldSpec RandomCluster(Rng& rng, const ClusterSize& size) {
  WorldSpec world;
  for (uint64_t n = rng.Below(size.nodes_max + 1); n > 0; --n) {
    world.nodes.push_back(RandomClusterNode(rng, StrCat("n", world.nodes.size())));
  }
  AddQueues(rng, &world);
  const uint64_t pods = rng.Below(size.pods_max + 1);
  const double busy = rng.Unit();
  const bool plain = rng.Chance(0.4);  // Nothing but room and ranks counts.
  while (world.pods.size() < pods) {
    const uint64_t left = pods - world.pods.size();
    const uint64_t own = std::min(left, rng.Below(rng.Chance(0.2) ? 40 : 8));
    const bool same = rng.Chance(0.7);
    const PodSpec shape = RandomShape(rng, plain);
    const std::string name = StrCat("j", world.jobs.size());
    for (uint64_t p = 0; p < own; ++p) {
      PodSpec pod = same ? shape : RandomShape(rng, plain);
      pod.name = StrCat(name, "-t-", p);
      pod.job = "ns/" + name;
      if (rng.Chance(0.5)) pod.role = Pick(rng, {"ps", "worker"});
      PlaceInCluster(rng, world, busy, &pod);
      world.pods.push_back(pod);
    }
    world.jobs.push_back(RandomJob(rng, world, own));
    if (own > 0 || world.nodes.empty()) continue;
    PodSpec foreign = shape;
    foreign.name = StrCat("foreign", world.pods.size());
    foreign.node = world.nodes[rng.Below(world.nodes.size())].name;
    foreign.status = TaskStatus::kRunning;
    foreign.ns = "other";
    world.pods.push_back(foreign);
  }
  for (const char* ns : {"ns", "other"}) {
    if (rng.Chance(0.8)) world.teams[ns] = Pick(rng, {"red", "blue"});
  }
  AddPluginParts(rng, &world);
  LeaveOutOf(&world);
  return world;
}

void Crowd(Rng& rng, WorldSpec* world) {
  std::set<std::string> running;
  std::map<std::string, int64_t> used;
  for (PodSpec& pod : world->pods) {
    pod.cpu_milli = std::max<int64_t>(pod.cpu_milli, 500);
    pod.memory_bytes = pod.gpu_milli = 0;
    pod.zone.clear();
    pod.port = 0;
    pod.peers = {};
    pod.card_memory = 0;
    pod.whole_cpus = false;
    if (pod.status == TaskStatus::kBound) pod.status = TaskStatus::kRunning;
    if (pod.node.empty()) continue;
    used[pod.node] += pod.cpu_milli;
    if (pod.status == TaskStatus::kRunning) running.insert(pod.job);
  }
  for (NodeSpec& node : world->nodes) {
    node.cpu_milli = used[node.name] + rng.Between(0, 1) * 500;
    node.pods = 110;
    node.tainted = node.cordoned = false;
    node.group.clear();
    node.revocable_zone.clear();
    node.load.reset();
  }
  for (QueueSpec& queue : world->queues) {
    queue.capability_cpu_milli = queue.guarantee_cpu_milli = 0;
    queue.closed = false;
    queue.group.clear();
  }
  for (JobSpec& job : world->jobs) {
    const bool runs = running.contains(job.name);
    job.min = static_cast<int32_t>(runs ? rng.Below(2) : 1 + rng.Below(2));
    job.phase = runs ? PodGroupPhase::kRunning : PodGroupPhase::kInqueue;
    job.priority_class = runs ? "low" : "high";
    job.roles.clear();
    job.minimum_cpu_milli = 0;
    job.topology.clear();
  }
}

}  // namespace bth::test
