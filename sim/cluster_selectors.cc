// Services and workloads: which pods belong together.
#include "cache/intake/compile_selectors.h"
#include "sim/cluster.h"

namespace bth::sim {

absl::Status Cluster::Put(types::Service& object, cache::Mirror* mirror) const {
  mirror->selectors().Put(cache::Compile(object));
  return absl::OkStatus();
}

absl::Status Cluster::Put(types::ReplicationController& object, cache::Mirror* mirror) const {
  mirror->selectors().Put(cache::Compile(object));
  return absl::OkStatus();
}

absl::Status Cluster::Put(types::ReplicaSet& object, cache::Mirror* mirror) const {
  mirror->selectors().Put(cache::Compile(object));
  return absl::OkStatus();
}

absl::Status Cluster::Put(types::StatefulSet& object, cache::Mirror* mirror) const {
  mirror->selectors().Put(cache::Compile(object));
  return absl::OkStatus();
}

bool Cluster::DeleteSelector(std::string_view kind, const std::string& name,
                             cache::Mirror* mirror) {
  const size_t slash = name.find('/');
  const std::string ns = name.substr(0, slash);
  const std::string own_name = slash == name.npos ? "" : name.substr(slash + 1);
  const auto erase = [&](auto& objects, std::string_view workload) {
    objects.fresh.erase(name);
    if (objects.objects.erase(name) == 0) return false;
    if (workload.empty()) {
      mirror->selectors().RemoveService(ns, own_name);
    } else {
      mirror->selectors().RemoveWorkload(cache::WorkloadKey(workload, ns, own_name));
    }
    return true;
  };
  if (kind == "service") return erase(services_, "");
  if (kind == "replicationcontroller") return erase(controllers_, "ReplicationController");
  if (kind == "replicaset") return erase(replica_sets_, "ReplicaSet");
  return kind == "statefulset" && erase(stateful_sets_, "StatefulSet");
}

}  // namespace bth::sim
