// Makes snapshots for tests out of a few words.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "api/model/snapshot.h"
#include "base/interner.h"

namespace bth::test {

// A snapshot and the ids of what was named in its description.
struct World {
  std::shared_ptr<const model::Snapshot> snapshot;
  std::shared_ptr<Interner> symbols;
  std::map<std::string, model::NodeId, std::less<>> nodes;
  std::map<std::string, model::QueueId, std::less<>> queues;
  std::map<std::string, model::JobId, std::less<>> jobs;
  std::map<std::string, model::TaskId, std::less<>> tasks;

  // Throw std::out_of_range for unknown names.
  model::NodeId node(std::string_view name) const { return nodes.at(std::string(name)); }
  model::QueueId queue(std::string_view name) const { return queues.at(std::string(name)); }
  model::JobId job(std::string_view name) const { return jobs.at(std::string(name)); }
  model::TaskId task(std::string_view name) const { return tasks.at(std::string(name)); }
};

// Statements (see cluster_text.h), in any order; objects are created in the order written, one
// second after the other. All of it is optional but kind and name.
//
//   node N cpu=4 mem=8Gi pods=110 gpu=2 res.<resource>=1 label.<key>=v taint=key=value:NoSchedule
//        cordoned gone (pods are left of it, but no Node object) image.<name>=50M port=80
//        kube.cpu=2 (what scores see, when it differs)
//        numa=restricted layout=4|4 free=1-7 reserved=1 shared (numa_text.h: the topology manager's
//        policy, sizes of NUMA nodes, CPUs; `shared`: to nobody alone)
//   queue Q weight=1 prio=0 state=open|closed|closing|unknown reclaimable=false
//         cap.<r>= deserved.<r>= guarantee.<r>= hierarchy=root/a weights=100/50 parent=Q
//         groups=1|3 groups.preferred= groups.anti= groups.antipreferred= (node group affinity)
//         limit.<group>=cpu:3,mem:8Gi badlimits (of node groups)
//   job J queue=default min=1 prio=0 phase=pending|inqueue|running|unknown|completed|none
//         minres.<r>= (minres: present but empty) quota.<name>=2 (minimum as quotas see it) wait=1h
//         budget.min=3 budget.max=30% created=-60 (seconds since the epoch) roles=worker:2,ps:1
//         preemptable ns=ns group.<name>=<size>:<minimum of sub-jobs>  nogroup (pods without a
//         PodGroup) tasks=3 and everything of `task`, for each of the tasks J-0, J-1 …; their
//         priority is taskprio=1
//         together=ps,worker|ps,chief apart=ps order=ps,worker (topology of its tasks by role)
//   task T job=J cpu=1 mem=1Gi gpu=1 res.<resource>=1 node=N status=running|… prio=1 role=worker
//         ns=ns sub=<group>/<value> fixed (not preemptable) critical gated owngate nominated=N
//         select.<key>=v need.<key>=v|w prefer.<key>=v|w:<weight> names=N|M
//         tolerate=key=value:Effect tolerate=key tolerate=* port=80/UDP@1.2.3.4 image=name:tag
//         unsupported=claims|dims revocable budgets=B|C
//         own=2|1 policy=restricted (CPUs that its containers have to themselves; of NUMA nodes)
//         protected=600 (cooldown until then, in seconds since the epoch)
//   budget B allowed=1 disrupted=T|T
//   quota Q ns=ns hard.<name>=2 used.<name>=1
//
// <r> is cpu, mem, pods, gpu or a full resource name. cpu and memory of a pod default to nothing,
// those of a node too; a node takes 110 pods. A task with a node runs there unless `status` says
// otherwise. Jobs are in line (inqueue) unless `phase` says otherwise; a job without a job
// statement does not exist. Queues that only jobs name are created.
// Throws std::invalid_argument for what it does not understand.
World MakeWorld(std::string_view description);

}  // namespace bth::test
