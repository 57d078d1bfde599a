#include "sim/world/ledger.h"

#include <algorithm>
#include <utility>

#include "api/types/codec.h"
#include "api/types/pod_requests.h"
#include "base/check.h"
#include "base/strings.h"

namespace bth::sim {
namespace {

std::string NameOf(const apiserver::ObjectKey& key) {
  return key.ns.empty() ? key.name : StrCat(key.ns, "/", key.name);
}

// Stories are made of objects that can be read.
template <class T>
T Read(const apiserver::StoredObject& stored) {
  absl::StatusOr<T> object = types::Decode<T>(std::string_view(stored.bytes));
  BTH_CHECK(object.ok());
  return *std::move(object);
}

}  // namespace

template <class T>
void Ledger::Take(const apiserver::StoreEvent& event, Objects<T>* objects,
                  const std::vector<Onlooker*>& onlookers) {
  const std::string name = NameOf(event.object->key);
  Change<T> change;
  const auto it = objects->find(name);
  if (it != objects->end()) change.before = it->second;
  if (event.type == apiserver::EventType::kDeleted) {
    if (it == objects->end()) return;
    objects->erase(it);
  } else {
    change.after = std::make_shared<const T>(Read<T>(*event.object));
    (*objects)[name] = change.after;
  }
  for (Onlooker* const onlooker : onlookers) onlooker->On(change);
}

void Ledger::Note(const std::string& collection, const apiserver::StoreEvent& event,
                  const std::vector<Onlooker*>& onlookers) {
  if (collection == "pods") return Take(event, &pods_, onlookers);
  if (collection == "nodes") return Take(event, &nodes_, onlookers);
  if (collection == "podgroups.scheduling.volcano.sh") return Take(event, &groups_, onlookers);
  if (collection == "queues.scheduling.volcano.sh") return Take(event, &queues_, onlookers);
  if (collection == "jobs.batch.volcano.sh") return Take(event, &jobs_, onlookers);
  if (collection == "resourceclaims.resource.k8s.io") return Take(event, &claims_, onlookers);
  if (collection == "commands.bus.volcano.sh") return Take(event, &commands_, onlookers);
  if (collection == "hypernodes.topology.volcano.sh") return Take(event, &hyper_nodes_, onlookers);
  if (collection == "nodeshards.shard.volcano.sh") return Take(event, &shards_, onlookers);
  if (collection == "resourceslices.resource.k8s.io") return Take(event, &slices_, onlookers);
  if (collection == "jobflows.flow.volcano.sh") return Take(event, &flows_, onlookers);
  if (collection == "jobtemplates.flow.volcano.sh") return Take(event, &templates_, onlookers);
  if (collection == "cronjobs.batch.volcano.sh") return Take(event, &cron_jobs_, onlookers);
  if (collection != "leases.coordination.k8s.io") return;
  if (event.type == apiserver::EventType::kDeleted) {
    leases_.erase(NameOf(event.object->key));
  } else {
    leases_[NameOf(event.object->key)] = event.object;
  }
}

types::LeaseSpec Ledger::LeaseOf(const std::string& lease) const {
  const auto it = leases_.find(lease);
  return it == leases_.end() ? types::LeaseSpec() : Read<types::Lease>(*it->second).spec;
}

const types::ResourceClaim* Ledger::ClaimOf(const types::Pod& pod,
                                            const types::PodResourceClaim& claim) const {
  std::string name = claim.resource_claim_name;
  for (const types::PodResourceClaimStatus& made : pod.status.resource_claim_statuses) {
    if (made.name == claim.name) name = made.resource_claim_name;
  }
  return Find(claims_, StrCat(pod.meta.ns, "/", name));
}

bool Ledger::IsDesired(std::string_view shard, const std::string& node) const {
  const types::NodeShard* const known = Find(shards_, std::string(shard));
  return known != nullptr && std::find(known->nodes_desired.begin(), known->nodes_desired.end(),
                                       node) != known->nodes_desired.end();
}

const types::PodGroup* Ledger::GroupOf(const types::Pod& pod) const {
  const std::string name = GroupNameOf(pod);
  return name.empty() ? nullptr : Find(groups_, StrCat(pod.meta.ns, "/", name));
}

std::vector<const types::Pod*> Ledger::PodsOf(const types::PodGroup& group) const {
  std::vector<const types::Pod*> pods;
  const std::string prefix = group.meta.ns + "/";
  for (auto it = pods_.lower_bound(prefix); it != pods_.end() && it->first.starts_with(prefix);
       ++it) {
    if (GroupNameOf(*it->second) == group.meta.name) pods.push_back(it->second.get());
  }
  return pods;
}

bool IsOurs(const types::Pod& pod) {
  return pod.spec.scheduler_name == "volcano";
}

bool IsNewlyBound(const Change<types::Pod>& change) {
  return change.after != nullptr && !change.after->spec.node_name.empty() &&
         (change.before == nullptr || change.before->spec.node_name.empty());
}

bool HasEnded(const types::Pod& pod) {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

bool IsOver(const types::BatchJob& job) {
  const types::JobPhase phase = job.status.state.phase.value();
  return types::IsFinished(phase) || phase == types::JobPhase::kAborted;
}

bool IsOver(const types::JobFlow& flow) {
  return flow.status.phase == types::FlowPhase::kSucceed ||
         flow.status.phase == types::FlowPhase::kFailed;
}

bool IsRestartedInParts(const types::BatchJob& job) {
  using types::BusAction;
  const auto is_about_parts = [](const std::vector<types::LifecyclePolicy>& policies) {
    return std::any_of(policies.begin(), policies.end(), [](const types::LifecyclePolicy& policy) {
      return policy.action == BusAction::kRestartTask || policy.action == BusAction::kRestartPod ||
             policy.action == BusAction::kRestartPartition;
    });
  };
  const auto& tasks = job.spec.tasks;
  return is_about_parts(job.spec.policies) ||
         std::any_of(tasks.begin(), tasks.end(),
                     [&](const types::BatchTask& task) { return is_about_parts(task.policies); });
}

bool HoldsRoom(const types::Pod& pod) {
  return !pod.spec.node_name.empty() && !HasEnded(pod);
}

std::string GroupNameOf(const types::Pod& pod) {
  return std::string(pod.meta.Annotation("scheduling.k8s.io/group-name"));
}

int64_t MilliCpuOf(const types::ResourceList& list) {
  const types::Quantity* const cpu = list.Find("cpu");
  return cpu == nullptr ? 0 : cpu->MilliValue().value_or(0);
}

int64_t MilliCpuOf(const types::Pod& pod) {
  const auto requests = types::PodRequests(pod);
  return requests.ok() ? MilliCpuOf(*requests) : 0;
}

std::string QueueOf(const types::PodGroup& group) {
  return group.spec.queue.empty() ? "default" : group.spec.queue;
}

std::vector<const types::PodAffinityTerm*> TermsAgainst(const types::Pod& whose,
                                                        const types::Pod& other) {
  std::vector<const types::PodAffinityTerm*> out;
  const auto& affinity = whose.spec.affinity;
  if (!affinity.has_value() || !affinity->pod_anti.has_value()) return out;
  for (const types::PodAffinityTerm& term : affinity->pod_anti->required) {
    const auto& spaces = term.namespaces;
    const bool in_space =
        spaces.empty() ? whose.meta.ns == other.meta.ns
                       : std::find(spaces.begin(), spaces.end(), other.meta.ns) != spaces.end();
    if (in_space && term.label_selector.has_value() &&
        term.label_selector->Matches(other.meta.labels)) {
      out.push_back(&term);
    }
  }
  return out;
}

}  // namespace bth::sim
