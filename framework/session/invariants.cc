#include "framework/session/invariants.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "api/model/device_claims.h"
#include "base/strings.h"
#include "framework/topology/gang_places.h"
#include "framework/topology/topology.h"

namespace bth::framework {
namespace {

using model::JobId;
using model::NodeId;
using model::QueueId;
using model::ResourceVec;
using model::TaskId;
using model::TaskState;
using model::TaskStatus;
using model::Usage;

class Findings {
 public:
  explicit Findings(const Session& session) : session_(session) {}

  void AddNode(std::string_view invariant, NodeId node, std::string_view claim) {
    const model::NodeRow& row = session_.base().nodes[node];
    const std::string name = row.has_object() ? row.facts->name : "(no object)";
    Add({std::string(invariant), StrCat("node ", name, ": ", claim), node, QueueId()});
  }
  void AddJob(std::string_view invariant, JobId job, std::string_view claim) {
    const model::JobRow& row = session_.job(job);
    const std::string name = row.facts == nullptr ? "(gone)" : row.facts->Key();
    Add({std::string(invariant), StrCat("job ", name, ": ", claim), NodeId(), row.queue});
  }
  void Add(Violation violation) {
    if (all_.size() < kViolationsMax) all_.push_back(std::move(violation));
  }
  std::vector<Violation> Take() { return std::move(all_); }

 private:
  const Session& session_;
  std::vector<Violation> all_;
};

// Nodes that got a task in this session must hold what is on them.
void CheckNodes(const Session& session, Findings& findings) {
  IdVector<NodeId, uint8_t> seen(session.base().nodes.size(), 0);
  for (NodeId node : session.placements().node_changes()) {
    if (seen[node] != 0) continue;
    seen[node] = 1;
    const ResourceVec& now = session.usage().idle[node];
    const ResourceVec& before = session.base().usage.idle[node];
    for (int d = 0; d < session.dims().size(); ++d) {
      // Others may have overcommitted the node; what we took must have been there.
      if (now[d] >= 0 || now[d] >= before[d]) continue;
      findings.AddNode("node_over_allocatable", node,
                       StrCat("lacks ", -now[d], " of ", session.dims().name(d)));
      break;
    }
  }
}

// All sums from nothing, by the rule by which they change.
Usage CountAnew(const Session& session) {
  const model::Snapshot& base = session.base();
  const Usage& now = session.usage();
  Usage out;
  out.idle = base.allocatable;
  out.idle.Resize(now.idle.size());
  out.releasing.Resize(now.releasing.size());
  out.pipelined.Resize(now.pipelined.size());
  out.nonzero.Resize(now.nonzero.size());
  out.jobs.Resize(now.jobs.size());
  out.sub_jobs.Resize(now.sub_jobs.size());
  out.roles.Resize(now.roles.size());
  for (TaskId task : base.tasks.ids()) {
    const model::TaskRow& row = base.tasks[task];
    if (row.names == nullptr) continue;
    out.Count(row, base.shapes[row.shape], now.tasks[task], +1);
  }
  return out;
}

bool SameCounts(const model::JobCounts& a, const model::JobCounts& b) {
  return a.by_status == b.by_status && a.pending_best_effort == b.pending_best_effort &&
         a.releasing_on_node == b.releasing_on_node && a.allocated == b.allocated &&
         a.pending == b.pending && a.request == b.request && a.leaving == b.leaving &&
         a.gated == b.gated && a.succeeded == b.succeeded;
}

// The first job of which a sub-job or role is counted otherwise.
template <typename Column, typename Rows, typename Report>
void CheckParts(const Column& now, const Column& anew, const Rows& rows, const Report& report) {
  for (auto id : now.ids()) {
    if (now[id].by_status == anew[id].by_status &&
        now[id].pending_best_effort == anew[id].pending_best_effort) {
      continue;
    }
    if (rows[id].job.valid()) report(rows[id].job);
  }
}

void CheckSums(const Session& session, Findings& findings) {
  const model::Snapshot& base = session.base();
  const Usage& now = session.usage();
  const Usage anew = CountAnew(session);
  for (NodeId node : now.idle.ids()) {
    if (now.idle[node] == anew.idle[node] && now.releasing[node] == anew.releasing[node] &&
        now.pipelined[node] == anew.pipelined[node] && now.nonzero[node] == anew.nonzero[node]) {
      continue;
    }
    findings.AddNode("node_sums", node, "its sums differ from the tasks on it");
  }
  for (JobId job : now.jobs.ids()) {
    if (SameCounts(now.jobs[job], anew.jobs[job])) continue;
    findings.AddJob("job_sums", job, "its sums differ from its tasks");
  }
  CheckParts(now.sub_jobs, anew.sub_jobs, base.sub_jobs, [&findings](JobId job) {
    findings.AddJob("sub_job_sums", job, "the sums of a sub-job differ from its tasks");
  });
  CheckParts(now.roles, anew.roles, base.roles, [&findings](JobId job) {
    findings.AddJob("role_sums", job, "the sums of a role differ from its tasks");
  });
}

// Of the HyperNodes that somebody asked about.
void CheckDomains(const Session& session, Findings& findings) {
  const Topology& topology = session.topology();
  if (!topology.keeps_sums()) return;
  const model::HyperNodeTree& tree = topology.tree();
  for (size_t i = 0; i < tree.rows.size(); ++i) {
    const auto id = model::HyperNodeId::FromIndex(i);
    const DomainSum anew = CountDomain(session.base(), session.usage(), tree[id]);
    if (SameAmounts(topology.sums().Of(id), anew)) continue;
    findings.Add({"hyper_node_sums",
                  StrCat("HyperNode ", tree[id].name, ": its sums differ from its nodes"), NodeId(),
                  QueueId()});
  }
}

// A job of which tasks were committed in this session must be ready, unless it lost others to
// evictions afterwards.
void CheckGangs(const Session& session, Findings& findings) {
  for (JobId job : session.touched_jobs()) {
    const model::JobRow& row = session.job(job);
    if (row.facts == nullptr || !row.has_pod_group) continue;
    const int32_t bound_here = session.counts(job).count(TaskStatus::kBinding) -
                               session.base().usage.jobs[job].count(TaskStatus::kBinding);
    if (bound_here <= 0 || session.hooks().job_ready(job)) continue;
    if (session.counts(job).count(TaskStatus::kReleasing) >
        session.base().usage.jobs[job].count(TaskStatus::kReleasing)) {
      continue;
    }
    findings.AddJob("gang_in_part", job,
                    StrCat(bound_here, " tasks are bound below the gang's minimum"));
  }
}

// Moving pods about for their own sake is for nobody else's.
bool EvictsForOthers(std::string_view action) {
  return action != "shuffle";
}

// The parent of each queue by id; invalid: none. False when parents form a circle: then no sum
// is right, and the queue controller has said so.
bool FindParents(const model::Snapshot& base, IdVector<QueueId, QueueId>* parents) {
  std::map<std::string_view, QueueId> by_name;
  for (QueueId queue : *base.queues_by_name) by_name[*base.queues[queue].name] = queue;
  const auto root = by_name.find("root");
  parents->assign(base.queues.size(), QueueId());
  if (root == by_name.end()) return true;
  for (QueueId queue : *base.queues_by_name) {
    const std::string& parent = base.queues[queue].parent;
    if (queue == root->second) continue;
    const auto named = parent.empty() ? root : by_name.find(parent);
    if (named != by_name.end()) (*parents)[queue] = named->second;
  }
  for (QueueId queue : *base.queues_by_name) {
    size_t steps = 0;
    for (QueueId at = queue; (*parents)[at].valid(); at = (*parents)[at]) {
      if (++steps > by_name.size()) return false;
    }
  }
  return true;
}

}  // namespace

std::vector<Violation> CheckInvariants(const Session& session) {
  Findings findings(session);
  CheckNodes(session, findings);
  CheckGangs(session, findings);
  CheckSums(session, findings);
  CheckDomains(session, findings);
  return findings.Take();
}

namespace {

// CPUs are free before they are given, and given once.
void CheckCpus(const Session& session, const BindEffect& bind,
               absl::flat_hash_map<NodeId, model::CpuSet>* given, Findings* findings) {
  const model::NodeNuma* numa = session.base().nodes[bind.node].numa.get();
  model::CpuSet& taken = (*given)[bind.node];
  const bool free = numa != nullptr && bind.cpus->Within(numa->free - taken);
  taken |= *bind.cpus;
  if (free) return;
  findings->AddNode(
      "cpu_twice", bind.node,
      StrCat("pod ", session.task(bind.task).names->name, " is given CPUs that are not free"));
}

// No volume is given to two claims.
void CheckVolumes(const BindEffect& bind, absl::flat_hash_map<std::string, std::string>* claim_of,
                  Findings* findings) {
  for (const model::VolumePlan::Choice& choice : bind.volumes->choices) {
    if (choice.volume.empty()) continue;
    const auto [known, fresh] = claim_of->try_emplace(choice.volume, choice.claim);
    if (fresh || known->second == choice.claim) continue;
    findings->AddNode(
        "volume_twice", bind.node,
        StrCat("volume ", choice.volume, " is given to ", known->second, " and to ", choice.claim));
  }
}

// The lowest HyperNode that the placed tasks of the gang were in, or are in; `sub_job` may be
// invalid: of the job as a whole.
model::HyperNodeId PlaceOf(const Session& session, const model::Usage& usage, JobId job,
                           model::SubJobId sub_job) {
  GangPlaces places;
  const absl::Span<const TaskId> tasks =
      sub_job.valid() ? session.topology().TasksOf(sub_job) : *session.job(job).tasks;
  for (TaskId task : tasks) {
    const TaskState& state = usage.tasks[task];
    const bool placed = state.node.valid() && model::InGroup(state.status, model::kAllocatedGroup);
    if (placed) places.Move(session.topology().tree(), state.node, +1);
  }
  return places.Allocated(session.topology().tree());
}

// What was inside its bound on the network still is; beyond one that nothing keeps, nobody follows.
void CheckBound(const Session& session, JobId job, model::SubJobId sub_job, Findings* findings) {
  const Topology& topology = session.topology();
  const std::optional<int32_t> bound =
      sub_job.valid() ? topology.BoundOf(sub_job) : topology.BoundOf(job);
  if (!bound) return;
  const auto within = [&](const model::Usage& usage) {
    const model::HyperNodeId place = PlaceOf(session, usage, job, sub_job);
    return !place.valid() || topology.tree().tier(place) <= *bound;
  };
  if (!within(session.base().usage) || within(session.usage())) return;
  findings->AddJob("gang_spread", job,
                   StrCat("its pods are spread beyond tier ", *bound, " of the network"));
}

void CheckBounds(const Session& session, absl::Span<const EffectBatch> batches,
                 Findings* findings) {
  if (!session.topology().enforced()) return;
  absl::flat_hash_set<JobId> jobs;
  for (const EffectBatch& batch : batches) {
    for (const BindEffect& bind : batch.binds) {
      const JobId job = session.task(bind.task).job;
      if (!session.job(job).has_network_topology) continue;
      if (session.topology().NamesUnknownTier(bind.task)) {
        findings->AddJob("gang_spread", job, "a pod is bound, and no HyperNode has its tierName");
      }
      if (!jobs.insert(job).second) continue;
      CheckBound(session, job, {}, findings);
      for (model::SubJobId sub_job : *session.job(job).sub_jobs) {
        CheckBound(session, job, sub_job, findings);
      }
    }
  }
}

// No device is given to two claims, unless they share it or only look at it.
void CheckDevices(const BindEffect& bind, absl::flat_hash_map<std::string, std::string>* claim_of,
                  Findings* findings) {
  for (const model::ClaimPlan::Claim& claim : bind.claims->claims) {
    if (claim.allocation == nullptr) continue;
    // One that is to be made has no name yet.
    const std::string name = claim.key.empty() ? StrCat("task ", bind.task.value()) : claim.key;
    for (const model::AllocatedDeviceFacts& device : claim.allocation->devices) {
      if (device.admin || !device.share_id.empty()) continue;
      const std::string key = device.Key();
      const auto [known, fresh] = claim_of->try_emplace(key, name);
      if (fresh || known->second == name) continue;
      findings->AddNode("device_twice", bind.node,
                        StrCat("device ", key, " is given to ", known->second, " and to ", name));
    }
  }
}

// No part of a shared device is given to two pods; `holders` are those of nodes, with what was
// given.
void CheckShares(const Session& session, const BindEffect& bind,
                 absl::flat_hash_map<NodeId, model::DeviceHolders>* holders, Findings* findings) {
  const model::NodeRow& row = session.base().nodes[bind.node];
  const auto [there, fresh] = holders->try_emplace(bind.node);
  if (fresh && row.device_holders != nullptr) there->second = *row.device_holders;
  std::string why = "is placed without the devices it asks for";
  if (bind.devices->held != nullptr && row.facts->devices != nullptr) {
    why = WhyNotFree(*row.facts->devices, &there->second, *bind.devices->held);
    there->second.push_back({.task = bind.task, .devices = bind.devices->held});
  }
  if (why.empty()) return;
  findings->AddNode("device_twice", bind.node,
                    StrCat("pod ", session.task(bind.task).names->name, ": ", why));
}

}  // namespace

std::vector<Violation> CheckEffects(const Session& session, absl::Span<const EffectBatch> batches) {
  Findings findings(session);
  absl::flat_hash_set<TaskId> seen;
  absl::flat_hash_map<std::string, std::string> claim_of;         // By volume.
  absl::flat_hash_map<std::string, std::string> device_claim_of;  // By device.
  absl::flat_hash_map<NodeId, model::DeviceHolders> holders;      // Of shared devices.
  absl::flat_hash_map<NodeId, model::CpuSet> cpus_given;
  for (const EffectBatch& batch : batches) {
    for (const BindEffect& bind : batch.binds) {
      if (bind.volumes != nullptr) CheckVolumes(bind, &claim_of, &findings);
      if (bind.claims != nullptr) CheckDevices(bind, &device_claim_of, &findings);
      if (bind.devices != nullptr) CheckShares(session, bind, &holders, &findings);
      if (bind.cpus != nullptr) CheckCpus(session, bind, &cpus_given, &findings);
      const std::string& pod = session.task(bind.task).names->name;
      const TaskState& state = session.state(bind.task);
      if (!seen.insert(bind.task).second) {
        findings.AddJob("bound_twice", session.task(bind.task).job,
                        StrCat("pod ", pod, " is bound twice in one cycle"));
      } else if (state.node != bind.node || state.status != TaskStatus::kBinding) {
        findings.AddNode("bound_elsewhere", bind.node,
                         StrCat("the session does not have pod ", pod, " there"));
      } else if (session.shard().Refuses(bind.node)) {
        findings.AddNode("bound_outside_shard", bind.node,
                         StrCat("pod ", pod, " is bound there, outside of the shard"));
      }
    }
    for (const EvictEffect& eviction : batch.evictions) {
      if (eviction.beneficiary.valid() || !EvictsForOthers(eviction.action)) continue;
      const std::string& pod = session.task(eviction.victim).names->name;
      findings.AddNode("eviction_for_nobody", session.state(eviction.victim).node,
                       StrCat("pod ", pod, " is evicted for nobody"));
    }
  }
  CheckBounds(session, batches, &findings);
  return findings.Take();
}

std::vector<Violation> CheckReport(const Session& session, const CycleReport& report) {
  const model::Snapshot& base = session.base();
  IdVector<QueueId, QueueId> parents;
  if (base.queues_by_name == nullptr || !FindParents(base, &parents)) return {};
  IdVector<QueueId, ResourceVec> expected(base.queues.size());
  for (TaskId task : base.tasks.ids()) {
    const model::TaskRow& row = base.tasks[task];
    if (row.names == nullptr || !row.job.valid()) continue;
    const model::JobRow& job = session.job(row.job);
    if (!job.has_pod_group || !job.queue.valid()) continue;
    if (model::InGroup(session.state(task).status, model::kAllocatedGroup)) {
      expected[job.queue] += base.shapes[row.shape].request;
    }
  }
  for (const QueueReport& queue : report.queues) {
    if (parents[queue.queue].valid()) expected[parents[queue.queue]] += queue.allocated;
  }
  Findings findings(session);
  for (const QueueReport& queue : report.queues) {
    if (expected[queue.queue] == queue.allocated) continue;
    findings.Add({"queue_sums",
                  StrCat("queue ", *base.queues[queue.queue].name,
                         ": what it uses differs from its tasks and children"),
                  NodeId(), queue.queue});
  }
  return findings.Take();
}

std::vector<Violation> CheckCycle(const Session& session, absl::Span<const EffectBatch> batches,
                                  const CycleReport* report) {
  std::vector<Violation> found = CheckInvariants(session);
  const auto add = [&found](std::vector<Violation> more) {
    std::move(more.begin(), more.end(), std::back_inserter(found));
  };
  add(CheckEffects(session, batches));
  if (report != nullptr) add(CheckReport(session, *report));
  return found;
}

}  // namespace bth::framework
