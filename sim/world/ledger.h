// What an onlooker knows of the cluster, who misses nothing: every object as it is in the store.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/batch_job.h"
#include "api/types/command.h"
#include "api/types/cron_job.h"
#include "api/types/device.h"
#include "api/types/hyper_node.h"
#include "api/types/job_flow.h"
#include "api/types/lease.h"
#include "api/types/node.h"
#include "api/types/node_shard.h"
#include "api/types/pod.h"
#include "api/types/pod_group.h"
#include "api/types/queue.h"
#include "api/types/resource_claim.h"
#include "apiserver/store/watcher.h"

namespace bth::sim {

// One write to an object. `before` is null for a new one, `after` for one that is gone.
template <class T>
struct Change {
  std::shared_ptr<const T> before;
  std::shared_ptr<const T> after;
  const T& any() const { return after != nullptr ? *after : *before; }
};

template <class T>
using Objects = std::map<std::string, std::shared_ptr<const T>>;  // By "namespace/name".

// What happens in the cluster, as promises hear it.
class Onlooker {
 public:
  virtual ~Onlooker() = default;
  virtual void On(const Change<types::Pod>&) {}
  virtual void On(const Change<types::Node>&) {}
  virtual void On(const Change<types::PodGroup>&) {}
  virtual void On(const Change<types::Queue>&) {}
  virtual void On(const Change<types::BatchJob>&) {}
  virtual void On(const Change<types::ResourceClaim>&) {}
  virtual void On(const Change<types::Command>&) {}
  virtual void On(const Change<types::HyperNode>&) {}
  virtual void On(const Change<types::NodeShard>&) {}
  virtual void On(const Change<types::ResourceSlice>&) {}
  virtual void On(const Change<types::JobFlow>&) {}
  virtual void On(const Change<types::JobTemplate>&) {}
  virtual void On(const Change<types::CronJob>&) {}
};

// Thread: one.
class Ledger final {
 public:
  // Takes the event in, and tells `onlookers` of it afterwards.
  void Note(const std::string& collection, const apiserver::StoreEvent& event,
            const std::vector<Onlooker*>& onlookers);

  const Objects<types::Pod>& pods() const { return pods_; }
  const Objects<types::Node>& nodes() const { return nodes_; }
  const Objects<types::PodGroup>& groups() const { return groups_; }
  const Objects<types::Queue>& queues() const { return queues_; }
  const Objects<types::BatchJob>& jobs() const { return jobs_; }
  const Objects<types::ResourceClaim>& claims() const { return claims_; }
  const Objects<types::Command>& commands() const { return commands_; }
  const Objects<types::HyperNode>& hyper_nodes() const { return hyper_nodes_; }
  const Objects<types::NodeShard>& shards() const { return shards_; }
  const Objects<types::ResourceSlice>& slices() const { return slices_; }
  const Objects<types::JobFlow>& flows() const { return flows_; }
  const Objects<types::JobTemplate>& templates() const { return templates_; }
  const Objects<types::CronJob>& cron_jobs() const { return cron_jobs_; }
  // Null when there is none.
  template <class T>
  static const T* Find(const Objects<T>& objects, const std::string& key) {
    const auto it = objects.find(key);
    return it == objects.end() ? nullptr : it->second.get();
  }
  // Whether the NodeShard of that name desires the node.
  bool IsDesired(std::string_view shard, const std::string& node) const;
  // By its key; empty: there is none.
  types::LeaseSpec LeaseOf(const std::string& lease) const;
  // Who holds it; empty: nobody.
  std::string HolderOf(const std::string& lease) const { return LeaseOf(lease).holder_identity; }
  // Null: it is not made yet, or gone.
  const types::ResourceClaim* ClaimOf(const types::Pod& pod,
                                      const types::PodResourceClaim& claim) const;
  // The pod group of a pod; null: it is in none.
  const types::PodGroup* GroupOf(const types::Pod& pod) const;
  // By key.
  std::vector<const types::Pod*> PodsOf(const types::PodGroup& group) const;

 private:
  template <class T>
  void Take(const apiserver::StoreEvent& event, Objects<T>* objects,
            const std::vector<Onlooker*>& onlookers);

  Objects<types::Pod> pods_;
  Objects<types::Node> nodes_;
  Objects<types::PodGroup> groups_;
  Objects<types::Queue> queues_;
  Objects<types::BatchJob> jobs_;
  Objects<types::ResourceClaim> claims_;
  Objects<types::Command> commands_;
  Objects<types::HyperNode> hyper_nodes_;
  Objects<types::NodeShard> shards_;
  Objects<types::ResourceSlice> slices_;
  Objects<types::JobFlow> flows_;
  Objects<types::JobTemplate> templates_;
  Objects<types::CronJob> cron_jobs_;
  // They change all the time and are seldom asked for: read when they are.
  std::map<std::string, apiserver::ObjectPtr> leases_;
};

// Facts of single objects, as the promises need them.
bool IsOurs(const types::Pod& pod);  // To be scheduled by us.
bool IsNewlyBound(const Change<types::Pod>& change);
bool HasEnded(const types::Pod& pod);
// It has ended, or waits for somebody to resume it.
bool IsOver(const types::BatchJob& job);
// It starts no more jobs.
bool IsOver(const types::JobFlow& flow);
// Policies restart parts of it, not the whole.
bool IsRestartedInParts(const types::BatchJob& job);
// It has a node, and takes room there.
bool HoldsRoom(const types::Pod& pod);
std::string GroupNameOf(const types::Pod& pod);
int64_t MilliCpuOf(const types::Pod& pod);
int64_t MilliCpuOf(const types::ResourceList& list);
std::string QueueOf(const types::PodGroup& group);
// Its required anti-affinity, as far as it is about the other pod. Stories name namespaces and do
// not select them.
std::vector<const types::PodAffinityTerm*> TermsAgainst(const types::Pod& whose,
                                                        const types::Pod& other);

}  // namespace bth::sim
