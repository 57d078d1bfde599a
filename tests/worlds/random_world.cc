#include "tests/worlds/random_world.h"

#include <algorithm>
#include <functional>

#include "base/strings.h"
#include "cache/intake/compile_selectors.h"
#include "tests/worlds/plugin_parts.h"
#include "tests/worlds/random_network.h"

namespace bth::test {
namespace {

constexpr char kGpu[] = "nvidia.com/gpu";
constexpr int64_t kGi = int64_t{1} << 30;

}  // namespace

PodSpec RandomPod(Rng& rng, const std::string& name) {
  PodSpec pod;
  pod.name = name;
  pod.priority = static_cast<int32_t>(rng.Below(3));
  pod.cpu_milli = static_cast<int64_t>(rng.Below(5)) * 500;
  pod.memory_bytes = static_cast<int64_t>(rng.Below(4)) * kGi;
  pod.gpu_milli = rng.Chance(0.15) ? 1000 : 0;
  pod.created_us = static_cast<int64_t>(rng.Below(5)) * 1'000'000;
  if (rng.Chance(0.2)) pod.zone = Pick(rng, {"a", "b"});
  if (rng.Chance(0.2)) pod.preferred_zone = Pick(rng, {"a", "b", "c"});
  pod.tolerates = rng.Chance(0.3);
  if (rng.Chance(0.1)) pod.port = static_cast<int32_t>(8000 + rng.Below(2));
  pod.peers = RandomPeers(rng);
  return pod;
}

void PlaceAtRandom(Rng& rng, const WorldSpec& world, PodSpec* pod) {
  if (world.nodes.empty() || !rng.Chance(0.35)) return;
  pod->node = world.nodes[rng.Below(world.nodes.size())].name;
  const model::TaskStatus statuses[] = {
      model::TaskStatus::kRunning,   model::TaskStatus::kRunning,   model::TaskStatus::kBound,
      model::TaskStatus::kReleasing, model::TaskStatus::kSucceeded, model::TaskStatus::kFailed};
  pod->status = statuses[rng.Below(6)];
}

namespace {

bool SameObject(const ServiceSpec& a, const ServiceSpec& b) {
  return a.ns == b.ns && a.name == b.name;
}

bool SameObject(const WorkloadSpec& a, const WorkloadSpec& b) {
  return a.ns == b.ns && a.name == b.name && a.kind == b.kind;
}

template <typename Spec>
void Replace(std::vector<Spec>* all, Spec spec) {
  for (Spec& known : *all) {
    if (!SameObject(known, spec)) continue;
    known = std::move(spec);
    return;
  }
  all->push_back(std::move(spec));
}

void AddSelectors(Rng& rng, WorldSpec* world) {
  if (rng.Chance(0.5)) return;
  for (uint64_t i = rng.Below(4); i > 0; --i) Replace(&world->services, RandomService(rng));
  for (uint64_t i = rng.Below(3); i > 0; --i) {
    WorkloadSpec workload = RandomWorkload(rng);
    Replace(&world->workloads, std::move(workload));
  }
  for (PodSpec& pod : world->pods) pod.owner = RandomOwner(rng);
}

}  // namespace

WorldSpec RandomWorld(Rng& rng) {
  WorldSpec world;
  for (uint64_t i = rng.Below(12); i > 0; --i) {
    NodeSpec node;
    node.name = StrCat("n", world.nodes.size());
    node.cpu_milli = static_cast<int64_t>(1 + rng.Below(8)) * 1000;
    node.memory_bytes = static_cast<int64_t>(1 + rng.Below(16)) * kGi;
    node.gpu_milli = rng.Chance(0.3) ? 2000 : 0;
    node.pods = static_cast<int64_t>(1 + rng.Below(10));
    node.zone = Pick(rng, {"", "a", "b", "c"});
    node.tainted = rng.Chance(0.2);
    node.prefer_not = rng.Chance(0.2);
    node.cordoned = rng.Chance(0.1);
    node.unnamed = rng.Chance(0.1);
    world.nodes.push_back(node);
  }
  for (uint64_t i = 1 + rng.Below(3); i > 0; --i) {
    world.queues.push_back(
        {.name = StrCat("q", world.queues.size()),
         .weight = static_cast<int32_t>(1 + rng.Below(3)),
         .capability_cpu_milli = rng.Chance(0.3) ? static_cast<int64_t>(rng.Below(10)) * 1000 : 0});
  }
  for (uint64_t j = rng.Below(6); j > 0; --j) {
    JobSpec job;
    job.name = StrCat("ns/j", world.jobs.size());
    job.queue = StrCat("q", rng.Below(world.queues.size() + (rng.Chance(0.05) ? 1 : 0)));
    job.created_us = static_cast<int64_t>(rng.Below(4)) * 1'000'000;
    const uint64_t pods = rng.Below(8);
    job.min = static_cast<int32_t>(rng.Below(pods + 2));
    if (rng.Chance(0.3)) job.roles = {{"ps", 1}, {"worker", static_cast<int32_t>(rng.Below(3))}};
    const bool same_shape = rng.Chance(0.5);
    const PodSpec shape = RandomPod(rng, "");
    for (uint64_t p = 0; p < pods; ++p) {
      PodSpec pod = same_shape ? shape : RandomPod(rng, "");
      pod.name = StrCat("j", world.jobs.size(), "-t-", p);
      pod.job = job.name;
      if (rng.Chance(0.5)) pod.role = Pick(rng, {"ps", "worker"});
      PlaceAtRandom(rng, world, &pod);
      world.pods.push_back(pod);
    }
    world.jobs.push_back(job);
  }
  for (uint64_t f = rng.Below(4); f > 0; --f) {
    PodSpec pod = RandomPod(rng, StrCat("foreign", f));
    PlaceAtRandom(rng, world, &pod);
    if (rng.Chance(0.5)) pod.ns = "other";
    if (!pod.node.empty()) world.pods.push_back(pod);
  }
  for (const char* ns : {"ns", "other"}) {
    if (rng.Chance(0.8)) world.teams[ns] = Pick(rng, {"red", "blue"});
  }
  AddSelectors(rng, &world);
  LeaveOutOf(&world);
  return world;
}

void AddRanks(Rng& rng, WorldSpec* world) {
  for (QueueSpec& queue : world->queues) {
    queue.reclaimable = !rng.Chance(0.2);
    if (rng.Chance(0.6)) queue.deserved_cpu_milli = static_cast<int64_t>(1 + rng.Below(8)) * 500;
  }
  for (JobSpec& job : world->jobs) {
    job.priority_class = Pick(rng, {"", "low", "low", "high"});
    job.opts_out = rng.Chance(0.1);
    if (rng.Chance(0.3)) job.min = static_cast<int32_t>(rng.Below(3));
  }
  const bool plain = rng.Chance(0.7);  // Nothing but room and ranks counts.
  for (PodSpec& pod : world->pods) {
    pod.fixed = rng.Chance(0.1);
    if (!plain) continue;
    pod.zone.clear();
    pod.gpu_milli = 0;
    pod.port = 0;
    pod.peers = {};
    if (pod.status == model::TaskStatus::kBound) pod.status = model::TaskStatus::kRunning;
  }
  for (NodeSpec& node : world->nodes) {
    if (!plain) break;
    node.tainted = node.cordoned = false;
    node.cpu_milli = 2000;
    node.memory_bytes = 64 * kGi;
  }
}

void MakeAlike(Rng& rng, WorldSpec* world) {
  const auto cpu_milli = static_cast<int64_t>(1 + rng.Below(3)) * 500;
  for (NodeSpec& node : world->nodes) {
    node.zone = Pick(rng, {"a", "a", "b"});
    node.cpu_milli = static_cast<int64_t>(1 + rng.Below(4)) * 500;
    node.memory_bytes = kGi;
  }
  for (PodSpec& pod : world->pods) {
    pod = {.name = pod.name,
           .job = pod.job,
           .node = pod.node,
           .status = pod.status,
           .cpu_milli = cpu_milli,
           .created_us = pod.created_us,
           .ns = pod.ns};
    pod.peers.labels = {{"app", Pick(rng, {"x", "y"})}};
    if (pod.node.empty() || !rng.Chance(0.3)) continue;
    pod.cpu_milli = 0;
    pod.peers.affinity = {{.topology_key = "zone",
                           .selector = {.label = "app", .value = Pick(rng, {"x", "y", "z", "z"})},
                           .avoids = true}};
  }
}

void PutPriorities(cache::Mirror& mirror) {
  mirror.PutPriorityClass("low", 10, false);
  mirror.PutPriorityClass("high", 1000, false);
}

void Put(const NodeSpec& spec, cache::Mirror& mirror) {
  Interner& symbols = mirror.vocabulary().symbols();
  cache::CompiledNode node;
  node.facts = std::make_shared<model::NodeFacts>();
  node.facts->name = spec.name;
  node.facts->unschedulable = spec.cordoned;
  node.facts->node_group = spec.group;
  node.facts->revocable_zone = spec.revocable_zone;
  if (!spec.zone.empty()) {
    for (const char* key : {"zone", "topology.kubernetes.io/zone"}) {
      node.facts->labels.push_back({symbols.Intern(key), symbols.Intern(spec.zone), std::nullopt});
    }
  }
  if (!spec.unnamed) {
    node.facts->labels.push_back(
        {symbols.Intern(kHostKey), symbols.Intern(spec.name), std::nullopt});
  }
  std::sort(node.facts->labels.begin(), node.facts->labels.end(),
            [](const auto& a, const auto& b) { return a.key < b.key; });
  if (spec.tainted) {
    node.facts->taints.push_back(
        {symbols.Intern("special"), symbols.Intern(""), model::TaintEffect::kNoSchedule});
  }
  if (spec.prefer_not) {
    node.facts->taints.push_back(
        {symbols.Intern("busy"), symbols.Intern(""), model::TaintEffect::kPreferNoSchedule});
  }
  node.allocatable = {{"cpu", spec.cpu_milli}, {"memory", spec.memory_bytes}, {"pods", spec.pods}};
  if (spec.gpu_milli > 0) node.allocatable.emplace_back(kGpu, spec.gpu_milli);
  Complete(spec, &node);
  mirror.PutNode(std::move(node));
}

void Put(const QueueSpec& spec, cache::Mirror& mirror) {
  cache::CompiledQueue queue;
  queue.row.name = std::make_shared<const std::string>(spec.name);
  queue.row.uid = "uid-" + spec.name;
  queue.row.weight = spec.weight;
  queue.row.reclaimable = spec.reclaimable;
  queue.row.parent = spec.parent;
  queue.row.priority = spec.priority;
  if (spec.closed) queue.row.state = model::QueueState::kClosed;
  if (!spec.group.empty()) {
    queue.node_groups.has_affinity = true;
    queue.node_groups.required = {spec.group};
  }
  if (spec.guarantee_cpu_milli > 0) queue.guarantee = {{"cpu", spec.guarantee_cpu_milli}};
  if (spec.deserved_cpu_milli > 0) queue.deserved = {{"cpu", spec.deserved_cpu_milli}};
  if (spec.strict) queue.row.dequeue_strategy = "fifo";
  queue.row.hierarchy = spec.hierarchy;
  queue.row.hierarchy_weights = spec.hierarchy_weights;
  if (spec.capability_cpu_milli > 0) queue.capability = {{"cpu", spec.capability_cpu_milli}};
  mirror.PutQueue(std::move(queue));
}

void Put(const JobSpec& spec, cache::Mirror& mirror) {
  cache::CompiledPodGroup group;
  group.facts = std::make_shared<model::JobFacts>();
  group.facts->ns = "ns";
  group.facts->name = spec.name.substr(3);
  group.facts->uid = "uid-" + spec.name;
  group.facts->created_us = spec.created_us;
  group.facts->topology = spec.topology;
  group.has_network_topology = !spec.topology.empty();
  Complete(spec, group.facts.get());
  group.queue = spec.queue;
  group.min_member = spec.min;
  group.priority_class = spec.priority_class;
  group.opts_out = spec.opts_out;
  group.role_minimums = spec.roles;
  for (size_t i = 0; i < spec.sub_groups.size(); ++i) {
    group.sub_groups.push_back({.name = SubGroupLabel(i),
                                .size = spec.sub_groups[i].size,
                                .min_sub_groups = spec.sub_groups[i].least,
                                .match_label_keys = {SubGroupLabel(i)}});
  }
  group.shown.phase = spec.phase;
  group.has_min_resources = spec.minimum_cpu_milli > 0;
  if (group.has_min_resources) group.min_resources = {{"cpu", spec.minimum_cpu_milli}};
  mirror.PutPodGroup(std::move(group));
}

void Put(const HyperNodeSpec& spec, cache::Mirror& mirror) {
  cache::CompiledHyperNode object;
  object.name = spec.name;
  object.uid = "uid-" + spec.name;
  object.tier = spec.tier;
  object.tier_name = spec.tier_name;
  object.nodes = spec.nodes;
  object.hyper_nodes = spec.hyper_nodes;
  mirror.PutHyperNode(std::move(object));
}

void Put(const PodSpec& spec, cache::Mirror& mirror) {
  Interner& symbols = mirror.vocabulary().symbols();
  cache::CompiledPod pod;
  pod.names = {.ns = spec.ns,
               .name = spec.name,
               .uid = "uid-" + spec.name,
               .role = spec.role,
               .created_us = spec.created_us};
  pod.job_key = spec.job;
  pod.ours = !spec.job.empty();
  pod.node_name = spec.node;
  pod.status = spec.status;
  pod.priority = spec.priority;
  pod.preemptable = !spec.fixed;
  pod.requests = {{"cpu", spec.cpu_milli}, {"memory", spec.memory_bytes}};
  if (spec.gpu_milli > 0) pod.requests.emplace_back(kGpu, spec.gpu_milli);
  pod.requests.emplace_back("pods", 1);
  pod.nonzero = {.cpu_milli = std::max<int64_t>(spec.cpu_milli, 100),
                 .memory_bytes = std::max<int64_t>(spec.memory_bytes, 200 << 20)};
  auto constraints = std::make_shared<model::PodConstraints>();
  if (!spec.zone.empty()) {
    constraints->node_selector.emplace_back(symbols.Intern("zone"), symbols.Intern(spec.zone));
  }
  if (!spec.preferred_zone.empty()) {
    constraints->has_preferred_terms = true;
    model::NodeTerm term;
    term.labels.push_back({.key = symbols.Intern("zone"),
                           .op = model::SelectorOp::kIn,
                           .values = {symbols.Intern(spec.preferred_zone)}});
    constraints->preferred_terms.push_back({std::move(term), 10});
  }
  if (spec.tolerates) {
    constraints->tolerations.push_back({.key = symbols.Intern("special"), .exists = true});
  }
  if (spec.port > 0) constraints->ports.push_back({.port = spec.port});
  constraints->revocable = spec.revocable;
  pod.constraints_key = StrCat(spec.zone, "/", spec.preferred_zone, "/", spec.tolerates, "/",
                               spec.port, "/", spec.revocable, "/");
  Complete(spec, &pod, constraints.get());
  for (const auto& [key, value] : spec.peers.labels) pod.labels.emplace_back(key, value);
  constraints->peer_terms = CompileSpecs(spec.peers, spec.ns, symbols, &pod.constraints_key);
  pod.constraints = std::move(constraints);
  if (!spec.owner.empty()) {
    const size_t space = spec.owner.find(' ');
    pod.owner =
        cache::WorkloadKey(spec.owner.substr(0, space), spec.ns, spec.owner.substr(space + 1));
  }
  mirror.PutPod(std::move(pod));
}

void Feed(const WorldSpec& world, cache::Mirror& mirror, uint64_t order) {
  PutSettings(world, mirror);
  std::vector<std::function<void()>> steps;
  for (const NodeSpec& node : world.nodes) {
    steps.push_back([&] { Put(node, mirror); });
    if (node.cpus) steps.push_back([&] { PutCpus(node, mirror); });
  }
  for (const QueueSpec& queue : world.queues) steps.push_back([&] { Put(queue, mirror); });
  for (const JobSpec& job : world.jobs) steps.push_back([&] { Put(job, mirror); });
  for (const PodSpec& pod : world.pods) steps.push_back([&] { Put(pod, mirror); });
  for (const HyperNodeSpec& one : world.hyper_nodes) steps.push_back([&] { Put(one, mirror); });
  for (const ServiceSpec& service : world.services) {
    steps.push_back([&] { Put(service, mirror); });
  }
  for (const WorkloadSpec& workload : world.workloads) {
    steps.push_back([&] { Put(workload, mirror); });
  }
  for (const auto& [ns, team] : world.teams) {
    steps.push_back([&] { mirror.PutNamespace(ns, {{"team", team}}); });
  }
  if (order != 0) {
    Rng rng(order);
    for (size_t i = steps.size(); i > 1; --i) std::swap(steps[i - 1], steps[rng.Below(i)]);
  }
  for (const auto& step : steps) step();
}

namespace {

// What two mirrors must agree on; which labels are kept apart follows from their past.
std::string DescribePeers(const model::PodsOnNode& peers) {
  int32_t pods = 0;
  int32_t with_terms = 0;
  int32_t terminating = 0;
  if (peers != nullptr) {
    for (const model::LabelledPods& row : *peers) {
      pods += row.pods;
      with_terms += row.terms.valid() ? row.pods : 0;
      terminating += row.terminating ? row.pods : 0;
    }
  }
  return StrCat(pods, ", with terms ", with_terms, ", terminating ", terminating);
}

}  // namespace

std::string Describe(const model::Snapshot& snapshot) {
  std::string out;
  // A dimension stays after the last pod that asked for it; only asked ones are compared.
  model::DimMask asked = (1u << model::kFixedDims) - 1;
  for (model::ShapeId shape : snapshot.shapes.ids()) {
    asked |= snapshot.shapes[shape].request.Positive();
  }
  const auto amounts = [&](const model::ResourceVec& v) {
    std::map<std::string_view, int64_t> by_name;
    for (int d = 0; d < snapshot.dims->size(); ++d) {
      if (v[d] != 0 && (asked >> d & 1u) != 0) by_name[snapshot.dims->name(d)] = v[d];
    }
    std::string text;
    for (const auto& [name, value] : by_name) StrAppend(&text, name, "=", value, " ");
    return text;
  };
  for (model::NodeId node : *snapshot.nodes_by_name) {
    StrAppend(&out, "node ", snapshot.node_facts(node).name, " rank ",
              snapshot.nodes[node].name_rank, " alloc ", amounts(snapshot.allocatable[node]),
              "idle ", amounts(snapshot.usage.idle[node]), "releasing ",
              amounts(snapshot.usage.releasing[node]), "nonzero ",
              snapshot.usage.nonzero[node].cpu_milli, " ports ",
              snapshot.nodes[node].ports ? snapshot.nodes[node].ports->size() : 0, " peers ",
              DescribePeers(snapshot.pods_on_nodes[node]), "\n");
  }
  for (model::JobId job : *snapshot.all_jobs) {
    const model::JobRow& row = snapshot.jobs[job];
    const model::JobCounts& counts = snapshot.usage.jobs[job];
    StrAppend(&out, "job ", row.facts->Key(), " queue ", *snapshot.queues[row.queue].name, " min ",
              row.min_available, " allocated ", amounts(counts.allocated), "pending ",
              amounts(counts.pending), "counts");
    for (int32_t count : counts.by_status) StrAppend(&out, " ", count);
    for (model::TaskId task : *row.tasks) {
      const model::TaskState& state = snapshot.usage.tasks[task];
      StrAppend(&out, "\n  ", snapshot.tasks[task].names->name, " ",
                model::StatusName(state.status), " ",
                amounts(snapshot.shapes[snapshot.tasks[task].shape].request));
    }
    for (model::RoleId role : *row.roles) {
      StrAppend(&out, "\n  role ", *snapshot.roles[role].name, " min ",
                snapshot.roles[role].min_available, " of ",
                model::CountStatuses(snapshot.usage.roles[role].by_status, ~0u));
    }
    StrAppend(&out, "\n");
  }
  StrAppend(&out, "active");
  for (model::JobId job : *snapshot.active_jobs) {
    StrAppend(&out, " ", snapshot.jobs[job].facts->Key());
  }
  StrAppend(&out, "\ntotal ", amounts(snapshot.total), "\nwith terms ",
            snapshot.pods_with_anti_affinity, " ", snapshot.pods_with_preferred_terms, "\n");
  return out;
}

}  // namespace bth::test
