#include "sim/cluster.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "api/model/device_settings.h"
#include "api/model/shard_mode.h"
#include "api/types/codec.h"
#include "api/types/namespace.h"
#include "api/types/storage.h"
#include "base/status.h"
#include "base/strings.h"
#include "cache/intake/object_key.h"
#include "devices/read.h"

namespace bth::sim {
namespace {

using types::Json;

constexpr int kListDepthMax = 4;
constexpr std::string_view kQueueOfNamespace = "scheduling.volcano.sh/queue-name";

bool IsChipReport(const Json& labels) {
  return devices::IsChipSource([&labels](std::string_view key) { return labels[key].AsString(); });
}

types::Queue StandingQueue(std::string name, bool reclaimable) {
  types::Queue queue;
  queue.meta.name = std::move(name);
  queue.spec.weight = 1;
  queue.spec.reclaimable = reclaimable;
  return queue;
}

// As an API server does: what has a limit and no request asks for its limit.
void RequestLimits(std::vector<types::Container>* containers) {
  for (types::Container& container : *containers) {
    for (const auto& [name, limit] : container.resources.limits) {
      if (!container.resources.requests.Contains(name)) {
        container.resources.requests.Set(name, limit);
      }
    }
  }
}

// The class that every cluster has, or null.
const types::PriorityClass* SystemPriority(std::string_view name) {
  static const std::vector<types::PriorityClass>& kClasses = *[] {
    auto* classes = new std::vector<types::PriorityClass>(2);
    (*classes)[0].meta.name = "system-cluster-critical";
    (*classes)[0].value = 2'000'000'000;
    (*classes)[1].meta.name = "system-node-critical";
    (*classes)[1].value = 2'000'001'000;
    return classes;
  }();
  for (const types::PriorityClass& known : kClasses) {
    if (known.meta.name == name) return &known;
  }
  return nullptr;
}

}  // namespace

Cluster::Cluster() {
  for (const auto& [name, reclaimable] : {std::pair("root", false), std::pair("default", true)}) {
    queues_.objects[name] = StandingQueue(name, reclaimable);
    queues_.fresh[name] = "the standing queues";
  }
  for (const char* name : {"system-cluster-critical", "system-node-critical"}) {
    priorities_.objects[name] = *SystemPriority(name);
    priorities_.fresh[name] = "the standing priority classes";
  }
}

bool Cluster::IsOurs(const types::Pod& pod) const {
  return responsibility_.scheduler_names.contains(pod.spec.scheduler_name);
}

absl::Status Cluster::Add(const Json& manifest, std::string_view origin, Existing existing) {
  return Annotate(TakeAny({manifest, origin, existing}, 0), origin);
}

// Lists are taken apart; items of a PodList need no kind of their own.
absl::Status Cluster::TakeAny(const Arrival& arrival, int depth) {
  const Json& manifest = arrival.manifest;
  if (!manifest.is_object()) {
    return absl::InvalidArgumentError(
        StrCat("expected an object with apiVersion and kind, found ", manifest.TypeName()));
  }
  const std::string kind(manifest["kind"].AsString());
  if (kind.empty()) return absl::InvalidArgumentError("kind: missing");
  if (manifest["apiVersion"].AsString().empty())
    return absl::InvalidArgumentError("apiVersion: missing");
  const bool is_list = kind.size() >= 4 && kind.compare(kind.size() - 4, 4, "List") == 0;
  if (!is_list) return TakeOne(arrival, kind);
  if (depth >= kListDepthMax) return absl::InvalidArgumentError("items: lists in lists in lists");
  if (!manifest["items"].is_array()) return absl::InvalidArgumentError("items: expected an array");
  for (size_t i = 0; i < manifest["items"].size(); ++i) {
    Json item = manifest["items"][i];
    if (item.is_object() && kind != "List" && item["kind"].is_null()) {
      item.Set("kind", Json(kind.substr(0, kind.size() - 4)));
      item.Set("apiVersion", manifest["apiVersion"]);
    }
    const absl::Status status = TakeAny({item, arrival.origin, arrival.existing}, depth + 1);
    if (!status.ok()) return Annotate(status, StrCat("items[", i, "]"));
  }
  return absl::OkStatus();
}

absl::Status Cluster::TakeDumpHeader(const Json& manifest) {
  std::string error;
  const absl::string_view time = ToAbsl(manifest["time"].AsString());
  if (!absl::ParseTime(absl::RFC3339_full, time, &dumped_at_, &error)) {
    return absl::InvalidArgumentError(StrCat("time: \"", time, "\": ", error));
  }
  const Json& names = manifest["schedulerNames"];
  if (!names.is_array() || names.empty())
    return absl::InvalidArgumentError("schedulerNames: expected a list of names");
  responsibility_.scheduler_names.clear();
  for (size_t i = 0; i < names.size(); ++i) {
    responsibility_.scheduler_names.emplace(names[i].AsString());
  }
  return manifest["sharding"].is_null() ? absl::OkStatus() : TakeSharding(manifest["sharding"]);
}

absl::Status Cluster::TakeSharding(const Json& sharding) {
  const auto mode = model::ParseShardMode(sharding["mode"].AsString());
  const std::string name(sharding["name"].AsString());
  if (!mode || name.empty()) {
    return absl::InvalidArgumentError("sharding: expected a mode (none, hard, soft) and a name");
  }
  SetShard({.mode = *mode, .name = name});
  return absl::OkStatus();
}

absl::Status Cluster::TakeOne(const Arrival& arrival, std::string_view kind) {
  if (kind == "ClusterDump") return TakeDumpHeader(arrival.manifest);
  if (kind == "Pod") return Take(arrival, &pods_);
  if (kind == "PodGroup") return Take(arrival, &groups_);
  if (kind == "Node") return Take(arrival, &nodes_);
  if (kind == "HyperNode") return Take(arrival, &hyper_nodes_);
  if (kind == "Numatopology") return Take(arrival, &numa_reports_);
  if (kind == "Queue") return Take(arrival, &queues_);
  if (kind == "PriorityClass") return Take(arrival, &priorities_);
  if (kind == "PodDisruptionBudget") return Take(arrival, &budgets_);
  if (kind == "ResourceQuota") return Take(arrival, &quotas_);
  if (kind == "StorageClass") return Take(arrival, &storage_classes_);
  if (kind == "CSIDriver") return Take(arrival, &csi_drivers_);
  if (kind == "CSINode") return Take(arrival, &csi_nodes_);
  if (kind == "CSIStorageCapacity") return Take(arrival, &capacities_);
  if (kind == "PersistentVolume") return Take(arrival, &volumes_);
  if (kind == "PersistentVolumeClaim") return Take(arrival, &claims_);
  if (kind == "VolumeAttachment") return Take(arrival, &attachments_);
  if (kind == "DeviceClass") return Take(arrival, &device_classes_);
  if (kind == "ResourceSlice") return Take(arrival, &slices_);
  if (kind == "DeviceTaintRule") return Take(arrival, &taint_rules_);
  if (kind == "ResourceClaim") return Take(arrival, &device_claims_);
  if (kind == "ResourceClaimTemplate") return Take(arrival, &claim_templates_);
  if (kind == "Service") return Take(arrival, &services_);
  if (kind == "ReplicationController") return Take(arrival, &controllers_);
  if (kind == "ReplicaSet") return Take(arrival, &replica_sets_);
  if (kind == "StatefulSet") return Take(arrival, &stateful_sets_);
  if (kind == "NodeShard") return Take(arrival, &shards_);
  // There is another kind of that name, which nothing here acts on.
  const std::string_view version = arrival.manifest["apiVersion"].AsString();
  if (kind == "Job" && version.starts_with("batch.volcano.sh/")) return Take(arrival, &jobs_);
  const Json& meta = arrival.manifest["metadata"];
  if (kind == "ConfigMap" && IsChipReport(meta["labels"])) return Take(arrival, &chip_reports_);
  const std::string name(meta["name"].AsString());
  if (name.empty()) return absl::InvalidArgumentError("metadata.name: missing");
  if (kind == "Namespace") {
    const std::string_view queue = meta["annotations"][kQueueOfNamespace].AsString();
    if (!queue.empty()) namespace_queues_[name] = std::string(queue);
    return Take(arrival, &namespaces_);
  }
  const std::string key = StrCat(kind, " ", meta["namespace"].AsString(), "/", name);
  if (!others_.insert(key).second) {
    if (arrival.existing == Existing::kRefuse)
      return absl::InvalidArgumentError(StrCat(key, ": given twice"));
    return absl::OkStatus();
  }
  ++unused_[std::string(kind)];
  return absl::OkStatus();
}

template <typename T>
absl::Status Cluster::Check(const Arrival& arrival) {
  const std::string version = types::ResourceTraits<T>::type().ApiVersion();
  const std::string_view given = arrival.manifest["apiVersion"].AsString();
  if (given != version) {
    return absl::InvalidArgumentError(StrCat("apiVersion: ", given, " has no kind ",
                                             types::ResourceTraits<T>::type().kind, "; use ",
                                             version));
  }
  return types::Decode<T>(arrival.manifest).status();
}

template <typename T>
absl::Status Cluster::Take(const Arrival& arrival, Kind<T>* kind) {
  const types::ResourceType& type = types::ResourceTraits<T>::type();
  BTH_RETURN_IF_ERROR(Check<T>(arrival));
  BTH_ASSIGN_OR_RETURN(T object, types::Decode<T>(arrival.manifest));
  if (object.meta.name.empty()) return absl::InvalidArgumentError("metadata.name: missing");
  if (type.namespaced && object.meta.ns.empty()) object.meta.ns = "default";
  if (!type.namespaced) object.meta.ns.clear();
  const std::string key = object.meta.Key();
  // Standing objects may be replaced until they are handed over.
  const auto fresh = kind->fresh.find(key);
  const bool standing = fresh != kind->fresh.end() && fresh->second.starts_with("the standing");
  if (const auto known = kind->objects.find(key); known != kind->objects.end() && !standing) {
    if (arrival.existing == Existing::kRefuse) {
      const std::string where = fresh == kind->fresh.end() ? "earlier" : fresh->second;
      return absl::InvalidArgumentError(
          StrCat(type.kind, " ", key, ": given twice, first in ", where));
    }
    const types::ObjectMeta& old = known->second.meta;
    if (object.meta.uid.empty()) object.meta.uid = old.uid;
    if (object.meta.creation_time == absl::UnixEpoch()) {
      object.meta.creation_time = old.creation_time;
    }
  }
  kind->objects[key] = std::move(object);
  kind->fresh[key] = std::string(arrival.origin);
  return absl::OkStatus();
}

template <typename T>
absl::Status Cluster::FlushKind(absl::Time now, Kind<T>* kind, cache::Mirror* mirror) {
  for (const auto& [key, origin] : kind->fresh) {
    T& object = kind->objects.at(key);
    if (object.meta.uid.empty()) {
      object.meta.uid = absl::StrFormat("00000000-0000-4000-8000-%012d", ++uids_given_);
    }
    if (object.meta.creation_time == absl::UnixEpoch()) object.meta.creation_time = now;
    if (absl::Status status = Put(&object, mirror); !status.ok()) {
      const std::string& name = types::ResourceTraits<T>::type().kind;
      return Annotate(status, StrCat(origin, ": ", name, " ", key));
    }
  }
  kind->fresh.clear();
  return absl::OkStatus();
}

absl::Status Cluster::Flush(absl::Time now, cache::Mirror* mirror) {
  BTH_RETURN_IF_ERROR(FlushKind(now, &priorities_, mirror));
  BTH_RETURN_IF_ERROR(FlushKind(now, &budgets_, mirror));
  BTH_RETURN_IF_ERROR(FlushKind(now, &quotas_, mirror));
  BTH_RETURN_IF_ERROR(FlushKind(now, &queues_, mirror));
  BTH_RETURN_IF_ERROR(FlushKind(now, &storage_classes_, mirror));
  BTH_RETURN_IF_ERROR(FlushKind(now, &csi_drivers_, mirror));
  BTH_RETURN_IF_ERROR(FlushKind(now, &csi_nodes_, mirror));
  BTH_RETURN_IF_ERROR(FlushKind(now, &capacities_, mirror));
  BTH_RETURN_IF_ERROR(FlushKind(now, &volumes_, mirror));
  BTH_RETURN_IF_ERROR(FlushKind(now, &claims_, mirror));
  BTH_RETURN_IF_ERROR(FlushKind(now, &attachments_, mirror));
  BTH_RETURN_IF_ERROR(FlushKind(now, &device_classes_, mirror));
  BTH_RETURN_IF_ERROR(FlushKind(now, &slices_, mirror));
  BTH_RETURN_IF_ERROR(FlushKind(now, &taint_rules_, mirror));
  BTH_RETURN_IF_ERROR(FlushKind(now, &services_, mirror));
  BTH_RETURN_IF_ERROR(FlushKind(now, &controllers_, mirror));
  BTH_RETURN_IF_ERROR(FlushKind(now, &replica_sets_, mirror));
  BTH_RETURN_IF_ERROR(FlushKind(now, &stateful_sets_, mirror));
  BTH_RETURN_IF_ERROR(FlushKind(now, &shards_, mirror));
  BTH_RETURN_IF_ERROR(FlushKind(now, &nodes_, mirror));
  BTH_RETURN_IF_ERROR(FlushKind(now, &hyper_nodes_, mirror));
  BTH_RETURN_IF_ERROR(FlushKind(now, &numa_reports_, mirror));
  BTH_RETURN_IF_ERROR(FlushKind(now, &chip_reports_, mirror));
  BTH_RETURN_IF_ERROR(FlushJobs(now));
  BTH_RETURN_IF_ERROR(FlushKind(now, &groups_, mirror));
  MakeClaims();
  BTH_RETURN_IF_ERROR(FlushKind(now, &device_claims_, mirror));
  BTH_RETURN_IF_ERROR(FlushKind(now, &pods_, mirror));
  return FlushKind(now, &namespaces_, mirror);
}

absl::Status Cluster::FillIn(types::ResourceQuota* quota) const {
  if (quota->status_hard.empty()) quota->status_hard = quota->spec_hard;
  return absl::OkStatus();
}

// The label that every server sets.
absl::Status Cluster::FillIn(types::Namespace* ns) const {
  ns->meta.labels["kubernetes.io/metadata.name"] = ns->meta.name;
  return absl::OkStatus();
}

absl::Status Cluster::FillIn(types::Queue* queue) const {
  if (queue->spec.weight == 0) queue->spec.weight = 1;
  return absl::OkStatus();
}

absl::Status Cluster::FillIn(types::Node* node) const {
  if (node->status.allocatable.empty()) node->status.allocatable = node->status.capacity;
  return absl::OkStatus();
}

absl::Status Cluster::FillIn(types::PodGroup* group) const {
  if (group->spec.queue.empty()) group->spec.queue = "default";
  if (auto own = namespace_queues_.find(group->meta.ns);
      own != namespace_queues_.end() && group->spec.queue == "default") {
    group->spec.queue = own->second;
  }
  return absl::OkStatus();
}

absl::Status Cluster::FillIn(types::Pod* pod) const {
  if (pod->status.phase.empty()) pod->status.phase = "Pending";
  RequestLimits(&pod->spec.containers);
  RequestLimits(&pod->spec.init_containers);
  return GivePriority(&pod->spec);
}

absl::Status Cluster::GivePriority(types::PodSpec* spec) const {
  if (spec->priority) return absl::OkStatus();
  const types::PriorityClass* found = nullptr;
  if (!spec->priority_class_name.empty()) {
    const auto known = priorities_.objects.find(spec->priority_class_name);
    if (known == priorities_.objects.end()) {
      return absl::InvalidArgumentError(StrCat("spec.priorityClassName: there is no PriorityClass ",
                                               spec->priority_class_name,
                                               "; add it, or set spec.priority"));
    }
    found = &known->second;
  } else {
    // Of several defaults the lowest counts.
    for (const auto& [name, priority] : priorities_.objects) {
      if (!priority.global_default) continue;
      if (found == nullptr || priority.value < found->value) found = &priority;
    }
  }
  spec->priority = found == nullptr ? 0 : found->value;
  if (found != nullptr && spec->preemption_policy.empty()) {
    spec->preemption_policy = found->preemption_policy;
  }
  return absl::OkStatus();
}

template <typename T>
bool Cluster::Erase(Kind<T>* kind, const std::string& name, cache::Mirror* mirror) {
  kind->fresh.erase(name);
  if (kind->objects.erase(name) == 0) return false;
  cache::ObjectName object{.ns = "", .name = name};
  if (types::ResourceTraits<T>::type().namespaced) {
    std::tie(object.ns, object.name) = cache::SplitKey(name);
  }
  cache::Router(*mirror, responsibility_).Remove(cache::Kind<T>(), object);
  return true;
}

absl::Status Cluster::Delete(std::string_view kind, const std::string& name,
                             cache::Mirror* mirror) {
  bool erased = false;
  if (kind == "pod") {
    pods_.fresh.erase(name);
    erased = pods_.objects.contains(name);
    Vanish(name, mirror);
  } else if (kind == "podgroup") {
    erased = Erase(&groups_, name, mirror);
  } else if (kind == "node") {
    erased = Erase(&nodes_, name, mirror);
  } else if (kind == "hypernode") {
    erased = Erase(&hyper_nodes_, name, mirror);
  } else if (kind == "queue") {
    erased = Erase(&queues_, name, mirror);
  } else if (kind == "priorityclass") {
    erased = Erase(&priorities_, name, mirror);
  } else if (kind == "poddisruptionbudget") {
    erased = Erase(&budgets_, name, mirror);
  } else if (kind == "resourcequota") {
    erased = Erase(&quotas_, name, mirror);
  } else if (kind == "resourceclaim") {
    erased = Erase(&device_claims_, name, mirror);
  } else if (kind == "resourceslice") {
    erased = Erase(&slices_, name, mirror);
  } else if (kind == "deviceclass") {
    erased = Erase(&device_classes_, name, mirror);
  } else if (kind == "service") {
    erased = Erase(&services_, name, mirror);
  } else if (kind == "replicationcontroller") {
    erased = Erase(&controllers_, name, mirror);
  } else if (kind == "replicaset") {
    erased = Erase(&replica_sets_, name, mirror);
  } else if (kind == "statefulset") {
    erased = Erase(&stateful_sets_, name, mirror);
  } else if (kind == "nodeshard") {
    erased = Erase(&shards_, name, mirror);
  } else if (kind == "numatopology") {
    erased = Erase(&numa_reports_, name, mirror);
  } else {
    return absl::InvalidArgumentError(
        StrCat("unknown kind ", kind,
               "; use pod, podgroup, node, hypernode, queue, priorityclass, "
               "poddisruptionbudget, resourcequota, resourceclaim, resourceslice, deviceclass, "
               "service, replicationcontroller, replicaset, statefulset, nodeshard or "
               "numatopology"));
  }
  if (erased) return absl::OkStatus();
  return absl::NotFoundError(StrCat("there is no ", kind, " ", name));
}

template <typename T>
absl::Time Cluster::LatestOf(const Kind<T>& kind) const {
  absl::Time latest = Epoch();
  for (const auto& [key, object] : kind.objects) {
    latest = std::max(latest, object.meta.creation_time);
  }
  return latest;
}

absl::Time Cluster::LatestTime() const {
  return std::max({LatestOf(priorities_), LatestOf(budgets_), LatestOf(quotas_), LatestOf(queues_),
                   LatestOf(nodes_), LatestOf(jobs_), LatestOf(groups_), LatestOf(pods_),
                   dumped_at_});
}

absl::Status Cluster::CountDevices(std::shared_ptr<const model::DeviceSettings> devices,
                                   cache::Mirror* mirror) {
  const auto& known = responsibility_.devices;
  const bool same =
      known == devices || (known != nullptr && devices != nullptr && *known == *devices);
  responsibility_.devices = std::move(devices);
  mirror->CountDevices(responsibility_.devices);
  if (same) return absl::OkStatus();
  // What the mirror has not got yet comes with Flush.
  for (auto& [name, node] : nodes_.objects) {
    if (!nodes_.fresh.contains(name)) BTH_RETURN_IF_ERROR(Put(&node, mirror));
  }
  for (auto& [key, report] : chip_reports_.objects) {
    if (!chip_reports_.fresh.contains(key)) BTH_RETURN_IF_ERROR(Put(&report, mirror));
  }
  for (auto& [key, pod] : pods_.objects) {
    if (!pods_.fresh.contains(key)) BTH_RETURN_IF_ERROR(Put(&pod, mirror));
  }
  return absl::OkStatus();
}

absl::Status Cluster::Run(const std::string& pod, const std::string& node, absl::Time now,
                          cache::Mirror* mirror, const model::DevicePlan* devices) {
  types::Pod& object = pods_.objects.at(pod);
  BTH_RETURN_IF_ERROR(mirror->AssumeBinding(pod, object.meta.uid, node, devices));
  if (devices != nullptr) {
    for (const auto& [key, value] : devices->annotations) object.meta.annotations.Set(key, value);
  }
  object.spec.node_name = node;
  object.status.phase = "Running";
  object.status.start_time = now;
  object.status.nominated_node_name.clear();
  std::erase_if(object.status.conditions,
                [](const types::Condition& c) { return c.type == "PodScheduled"; });
  return Put(&object, mirror);
}

void Cluster::Vanish(const std::string& pod, cache::Mirror* mirror) {
  const auto known = pods_.objects.find(pod);
  if (known == pods_.objects.end()) return;
  const types::Pod gone = std::move(known->second);
  pods_.objects.erase(known);
  mirror->RemovePod(pod);
  ReleaseClaims(gone, mirror);
}

void Cluster::VanishDue(absl::Time now, cache::Mirror* mirror) {
  std::vector<std::string> due;
  for (const auto& [key, pod] : pods_.objects) {
    if (pod.meta.deletion_time && *pod.meta.deletion_time <= now) due.push_back(key);
  }
  for (const std::string& key : due) Vanish(key, mirror);
}

absl::Status Cluster::Update(types::Pod pod, cache::Mirror* mirror) {
  types::Pod& object = pods_.objects.at(pod.meta.Key());
  object = std::move(pod);
  return Put(&object, mirror);
}

absl::Status Cluster::Update(types::PodGroup group, cache::Mirror* mirror) {
  types::PodGroup& object = groups_.objects.at(group.meta.Key());
  object = std::move(group);
  return Put(&object, mirror);
}

absl::Status Cluster::Update(types::Queue queue, cache::Mirror* mirror) {
  types::Queue& object = queues_.objects.at(queue.meta.Key());
  object = std::move(queue);
  return Put(&object, mirror);
}

}  // namespace bth::sim
