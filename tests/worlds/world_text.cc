// Worlds of plain descriptions in words, part by part, for those who look for what made one fail.
#include "absl/strings/str_join.h"
#include "base/strings.h"
#include "tests/support/leave_out.h"
#include "tests/worlds/random_world.h"

namespace bth::test {
namespace {

void AddWord(std::string* out, const std::string& key, const std::string& value) {
  if (!value.empty()) StrAppend(out, " ", key, "=", value);
}
void AddNumber(std::string* out, const std::string& key, int64_t value) {
  if (value != 0) StrAppend(out, " ", key, "=", value);
}
void AddFlag(std::string* out, const std::string& word, bool is_set) {
  if (is_set) StrAppend(out, " ", word);
}

std::string TextOf(const NodeSpec& node) {
  std::string out = node.name;
  AddNumber(&out, "cpu", node.cpu_milli);
  AddNumber(&out, "memory", node.memory_bytes);
  AddNumber(&out, "gpu", node.gpu_milli);
  AddNumber(&out, "pods", node.pods);
  AddWord(&out, "zone", node.zone);
  AddWord(&out, "group", node.group);
  AddWord(&out, "revocable-zone", node.revocable_zone);
  AddFlag(&out, "tainted", node.tainted);
  AddFlag(&out, "prefer-not", node.prefer_not);
  AddFlag(&out, "cordoned", node.cordoned);
  AddFlag(&out, "unnamed", node.unnamed);
  AddNumber(&out, "cards", node.cards);
  if (node.load) {
    StrAppend(&out, " load=", node.load->cpu_percent, "%/", node.load->memory_percent, "%, ",
              node.load->age_s, " s old");
  }
  if (node.cpus) {
    StrAppend(&out, " numa=", node.cpus->policy, node.cpus->given_out ? "" : " cpus-not-given-out");
    AddNumber(&out, "cpus-taken", node.cpus->taken);
  }
  return out;
}

std::string TextOf(const QueueSpec& queue) {
  std::string out = queue.name;
  AddNumber(&out, "weight", queue.weight);
  AddNumber(&out, "priority", queue.priority);
  AddNumber(&out, "capability", queue.capability_cpu_milli);
  AddNumber(&out, "deserved", queue.deserved_cpu_milli);
  AddNumber(&out, "guarantee", queue.guarantee_cpu_milli);
  AddWord(&out, "parent", queue.parent);
  AddWord(&out, "hierarchy", queue.hierarchy);
  AddWord(&out, "weights", queue.hierarchy_weights);
  AddWord(&out, "group", queue.group);
  AddFlag(&out, "strict", queue.strict);
  AddFlag(&out, "not-reclaimable", !queue.reclaimable);
  AddFlag(&out, "closed", queue.closed);
  return out;
}

std::string TextOf(const JobSpec& job) {
  std::string out = job.name;
  AddWord(&out, "queue", job.queue);
  AddNumber(&out, "min", job.min);
  AddNumber(&out, "created", job.created_us);
  AddNumber(&out, "minimum-cpu", job.minimum_cpu_milli);
  AddWord(&out, "phase", std::string(model::PhaseName(job.phase)));
  AddWord(&out, "priority", job.priority_class);
  for (const auto& [role, minimum] : job.roles) StrAppend(&out, " role.", role, "=", minimum);
  for (const SubGroupSpec& group : job.sub_groups) {
    StrAppend(&out, " sub-group=", group.size, ":", group.least);
  }
  AddFlag(&out, "opts-out", job.opts_out);
  for (const model::NetworkTopologySpec& near : job.topology) {
    AddFlag(&out, "near", near.mode == model::NetworkTopologySpec::Mode::kSoft);
    if (near.highest_tier) StrAppend(&out, " near=", *near.highest_tier);
    AddWord(&out, "near", near.highest_tier_name);
  }
  for (const auto& roles : job.together) AddWord(&out, "together", absl::StrJoin(roles, ","));
  for (const auto& roles : job.apart) AddWord(&out, "apart", absl::StrJoin(roles, ","));
  AddWord(&out, "order", absl::StrJoin(job.role_order, ","));
  return out;
}

std::string TextOf(const HyperNodeSpec& hyper_node) {
  std::string out = hyper_node.name;
  AddNumber(&out, "tier", hyper_node.tier);
  AddWord(&out, "tier-name", hyper_node.tier_name);
  AddWord(&out, "nodes", absl::StrJoin(hyper_node.nodes, ","));
  AddWord(&out, "hyper-nodes", absl::StrJoin(hyper_node.hyper_nodes, ","));
  return out;
}

std::string TextOf(const PeerSpecs& peers) {
  std::string out;
  const auto add_selector = [&out](const SelectorSpec& selector) {
    if (selector.absent) {
      StrAppend(&out, "nobody");
    } else if (selector.empty) {
      StrAppend(&out, "all");
    } else {
      StrAppend(&out, selector.label, selector.negated ? "!=" : "=", selector.value);
    }
  };
  for (const auto& [key, value] : peers.labels) StrAppend(&out, " label.", key, "=", value);
  for (const AffinitySpec& term : peers.affinity) {
    StrAppend(&out, term.avoids ? " avoids{" : " seeks{", term.topology_key, ": ");
    add_selector(term.selector);
    for (const std::string& ns : term.namespaces) StrAppend(&out, " in ", ns);
    AddWord(&out, "team", term.team);
    AddNumber(&out, "weight", term.weight);
    StrAppend(&out, "}");
  }
  for (const SpreadSpec& spread : peers.spread) {
    StrAppend(&out, " spreads{", spread.topology_key, ": ");
    add_selector(spread.selector);
    AddNumber(&out, "skew", spread.skew_max);
    AddNumber(&out, "domains", spread.domains_min);
    AddFlag(&out, "soft", !spread.required);
    AddFlag(&out, "any-node", !spread.honor_affinity);
    AddFlag(&out, "honors-taints", spread.honor_taints);
    StrAppend(&out, "}");
  }
  return out;
}

std::string TextOf(const PodSpec& pod) {
  std::string out = pod.Key();
  AddWord(&out, "job", pod.job);
  AddWord(&out, "role", pod.role);
  AddWord(&out, "node", pod.node);
  AddWord(&out, "status", std::string(model::StatusName(pod.status)));
  AddNumber(&out, "priority", pod.priority);
  AddNumber(&out, "cpu", pod.cpu_milli);
  AddNumber(&out, "memory", pod.memory_bytes);
  AddNumber(&out, "gpu", pod.gpu_milli);
  AddNumber(&out, "created", pod.created_us);
  AddNumber(&out, "port", pod.port);
  AddWord(&out, "zone", pod.zone);
  AddWord(&out, "preferred-zone", pod.preferred_zone);
  AddWord(&out, "owner", pod.owner);
  AddFlag(&out, "tolerates", pod.tolerates);
  AddFlag(&out, "fixed", pod.fixed);
  AddFlag(&out, "revocable", pod.revocable);
  AddNumber(&out, "card-memory", pod.card_memory);
  AddWord(&out, "card", pod.card);
  AddFlag(&out, "whole-cpus", pod.whole_cpus);
  AddWord(&out, "numa", pod.numa_policy);
  return out + TextOf(pod.peers);
}

std::string TextOf(const ServiceSpec& service) {
  return StrCat(service.ns, "/", service.name);
}
std::string TextOf(const WorkloadSpec& workload) {
  return StrCat(workload.kind, " ", workload.ns, "/", workload.name);
}

}  // namespace

void LeaveOutOf(WorldSpec* world) {
  const auto words = [](const auto& part) { return TextOf(part); };
  const auto nothing = [](const auto&) { return ""; };
  for (PodSpec& pod : world->pods) {
    LeaveOut(&pod.peers.affinity, pod.name + ".affinity", nothing);
    LeaveOut(&pod.peers.spread, pod.name + ".spread", nothing);
  }
  LeaveOut(&world->nodes, "node", words);
  LeaveOut(&world->queues, "queue", words);
  LeaveOut(&world->jobs, "job", words);
  LeaveOut(&world->pods, "pod", words);
  LeaveOut(&world->services, "service", words);
  LeaveOut(&world->workloads, "workload", words);
  LeaveOut(&world->hyper_nodes, "hypernode", words);
}

}  // namespace bth::test
