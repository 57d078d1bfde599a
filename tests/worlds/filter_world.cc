#include "tests/worlds/filter_world.h"

#include <functional>
#include <stdexcept>

#include "api/types/codec.h"
#include "base/clock.h"
#include "base/strings.h"
#include "cache/routing/router.h"
#include "tests/support/leave_out.h"
#include "tests/worlds/json_words.h"
#include "tests/worlds/random_world.h"

namespace bth::test {
namespace {

constexpr char kMigratedKey[] = "storage.alpha.kubernetes.io/migrated-plugins";
constexpr char kBindCompleted[] = "pv.kubernetes.io/bind-completed";

std::string Meta(const std::string& name, const std::string& more) {
  return StrCat(R"("metadata":{"namespace":"ns",)", Member("name", name), ",",
                Member("uid", "u-" + name), R"(,"creationTimestamp":"2026-01-01T00:00:00Z")", more,
                "}");
}

std::string MetaOfCluster(const std::string& name, const std::string& more) {
  return StrCat(R"("metadata":{)", Member("name", name), ",", Member("uid", "u-" + name), more,
                "}");
}

std::string Head(const std::string& api, const std::string& kind) {
  return StrCat("{", Member("apiVersion", api), ",", Member("kind", kind), ",");
}

std::string JsonOf(const NeedSpec& need) {
  return StrCat("{", Member("key", need.key), ",", Member("operator", need.op), R"(,"values":)",
                WordsOf(need.values), "}");
}

std::string JsonOf(const NodeTermSpec& term) {
  return StrCat(R"({"matchExpressions":)", ListOf(term.labels, JsonOf), R"(,"matchFields":)",
                ListOf(term.fields, JsonOf), "}");
}

std::string JsonOf(const TaintSpec& taint) {
  return StrCat("{", Member("key", taint.key), ",", Member("value", taint.value), ",",
                Member("effect", taint.effect), "}");
}

std::string JsonOf(const TolerationSpec& t) {
  return StrCat("{", Member("key", t.key), ",", Member("operator", t.op), ",",
                Member("value", t.value), ",", Member("effect", t.effect), "}");
}

std::string JsonOf(const HostPortSpec& port) {
  return StrCat(R"({"containerPort":80,"hostPort":)", port.port, ",",
                Member("protocol", port.protocol), ",", Member("hostIP", port.ip), "}");
}

std::string ContainerWith(const FilterPod& pod, HostPortSpec::Of of, const std::string& name) {
  std::vector<HostPortSpec> ports;
  for (const HostPortSpec& port : pod.ports) {
    if (port.of == of) ports.push_back(port);
  }
  const char* const policy = of == HostPortSpec::Of::kSidecar ? R"("restartPolicy":"Always",)" : "";
  return StrCat("{", policy, Member("name", name), R"(,"image":"i","ports":)",
                ListOf(ports, JsonOf), "}");
}

// The source beside the name.
std::string SourceOf(const MountSpec& mount) {
  const std::string read_only = mount.read_only ? R"(,"readOnly":true)" : "";
  using Source = MountSpec::Source;
  switch (mount.source) {
    case Source::kClaim:
      return StrCat(R"("persistentVolumeClaim":{)", Member("claimName", mount.id), read_only, "}");
    case Source::kEphemeral:
      return R"("ephemeral":{"volumeClaimTemplate":{"spec":{"accessModes":["ReadWriteOnce"]}}})";
    case Source::kGce:
      return StrCat(R"("gcePersistentDisk":{)", Member("pdName", mount.id), read_only, "}");
    case Source::kAws:
      return StrCat(R"("awsElasticBlockStore":{)", Member("volumeID", mount.id), read_only, "}");
    case Source::kIscsi:
      return StrCat(R"("iscsi":{"targetPortal":"t","lun":1,)", Member("iqn", mount.id), read_only,
                    "}");
    case Source::kRbd:
      return StrCat(R"("rbd":{"monitors":)", WordsOf(mount.monitors), ",",
                    Member("image", mount.id), ",", Member("pool", mount.pool), read_only, "}");
  }
  return "";
}

std::string JsonOf(const MountSpec& mount) {
  return StrCat("{", Member("name", mount.name), ",", SourceOf(mount), "}");
}

}  // namespace

std::string JsonOf(const FilterPod& pod) {
  std::string required;
  if (pod.required) {
    required = StrCat(R"(,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuring)",
                      R"(Execution":{"nodeSelectorTerms":)", ListOf(*pod.required, JsonOf), "}}}");
  }
  using Of = HostPortSpec::Of;
  return StrCat(
      Head("v1", "Pod"),
      Meta(pod.name, StrCat(R"(,"annotations":{"scheduling.k8s.io/group-name":"g"})",
                            pod.deleting ? R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")" : "")),
      R"(,"spec":{)", Member("schedulerName", pod.foreign ? "default-scheduler" : "volcano"), ",",
      Member("nodeName", pod.node), R"(,"nodeSelector":)", MembersOf(pod.selector), required,
      R"(,"tolerations":)", ListOf(pod.tolerations, JsonOf), R"(,"volumes":)",
      ListOf(pod.mounts, JsonOf), R"(,"initContainers":[)", ContainerWith(pod, Of::kSidecar, "s"),
      ",", ContainerWith(pod, Of::kInitContainer, "i"), R"(],"containers":[)",
      ContainerWith(pod, Of::kContainer, "c"), R"(]},"status":{)", Member("phase", pod.phase),
      "}}");
}

std::string JsonOf(const FilterNode& node) {
  return StrCat(
      Head("v1", "Node"), MetaOfCluster(node.name, R"(,"labels":)" + MembersOf(node.labels)),
      R"(,"spec":{"taints":)", ListOf(node.taints, JsonOf),
      node.cordoned ? R"(,"unschedulable":true)" : "",
      R"(},"status":{"allocatable":{"cpu":"64","memory":"64Gi","pods":")", node.pods, R"("}}})");
}

std::string JsonOf(const CsiNodeSpec& node) {
  std::vector<std::string> drivers;
  for (const auto& [name, limit] : node.drivers) {
    drivers.push_back(StrCat("{", Member("name", name), R"(,"nodeID":"x")",
                             limit ? StrCat(R"(,"allocatable":{"count":)", *limit, "}") : "", "}"));
  }
  return StrCat(Head("storage.k8s.io/v1", "CSINode"),
                MetaOfCluster(node.node, StrCat(R"(,"annotations":{)",
                                                Member(kMigratedKey, node.migrated), "}")),
                R"(,"spec":{"drivers":)",
                ListOf(drivers, [](const std::string& driver) { return driver; }), "}}");
}

std::string JsonOf(const FilterVolume& volume) {
  using Source = FilterVolume::Source;
  std::string source = R"("hostPath":{"path":"/x"})";
  if (volume.source == Source::kCsi) {
    source = StrCat(R"("csi":{)", Member("driver", volume.driver), ",",
                    Member("volumeHandle", volume.handle), "}");
  }
  if (volume.source == Source::kGce) {
    source = StrCat(R"("gcePersistentDisk":{)", Member("pdName", volume.handle), "}");
  }
  if (volume.source == Source::kAws) {
    source = StrCat(R"("awsElasticBlockStore":{)", Member("volumeID", volume.handle), "}");
  }
  return StrCat(Head("v1", "PersistentVolume"),
                MetaOfCluster(volume.name, R"(,"labels":)" + MembersOf(volume.labels)),
                R"(,"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],)", source,
                R"(},"status":{"phase":"Bound"}})");
}

std::string JsonOf(const FilterClaim& claim) {
  std::string more;
  if (claim.bind_completed) {
    more = StrCat(R"(,"annotations":{")", kBindCompleted, R"(":"yes"})");
  }
  if (claim.deleting) StrAppend(&more, R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")");
  if (!claim.owner.empty()) {
    StrAppend(&more, R"(,"ownerReferences":[{"apiVersion":"v1","kind":"Pod","controller":true,)",
              Member("name", claim.owner), ",", Member("uid", "u-" + claim.owner), "}]");
  }
  return StrCat(Head("v1", "PersistentVolumeClaim"), Meta(claim.name, more), R"(,"spec":{)",
                R"("accessModes":)", WordsOf(claim.modes), ",",
                Member("storageClassName", claim.storage_class), ",",
                Member("volumeName", claim.volume),
                R"(,"resources":{"requests":{"storage":"1Gi"}}},"status":{)",
                Member("phase", claim.phase), "}}");
}

std::string JsonOf(const ClassSpec& storage_class) {
  return StrCat(
      Head("storage.k8s.io/v1", "StorageClass"), MetaOfCluster(storage_class.name, ""), ",",
      Member("provisioner", storage_class.provisioner), ",",
      Member("volumeBindingMode", storage_class.waits ? "WaitForFirstConsumer" : "Immediate"), "}");
}

std::string JsonOf(const AttachmentSpec& attachment) {
  return StrCat(Head("storage.k8s.io/v1", "VolumeAttachment"),
                MetaOfCluster(StrCat("a-", attachment.node, "-", attachment.volume), ""),
                R"(,"spec":{"attacher":"x",)", Member("nodeName", attachment.node),
                R"(,"source":{)", Member("persistentVolumeName", attachment.volume), "}}}");
}

std::shared_ptr<const model::Snapshot> SnapshotOf(const FilterWorld& world, uint64_t order) {
  const ManualClock clock(absl::FromUnixSeconds(1'800'000'000));
  cache::Mirror mirror(clock, {});
  const cache::Responsibility responsibility{};
  cache::Router router(mirror, responsibility);
  std::vector<std::function<void()>> steps;
  const auto add = [&]<typename Object>(const auto& parts, cache::Kind<Object>) {
    for (const auto& part : parts) {
      steps.push_back([&router, &part] {
        const std::string json = JsonOf(part);
        const absl::StatusOr<Object> object = types::Decode<Object>(std::string_view(json));
        absl::Status status = object.status();
        if (status.ok()) status = router.Put(*object);
        if (!status.ok()) throw std::runtime_error(StrCat(json, ": ", status.ToString()));
      });
    }
  };
  add(world.nodes, cache::Kind<types::Node>());
  add(world.pods, cache::Kind<types::Pod>());
  add(world.csi_nodes, cache::Kind<types::CsiNode>());
  add(world.volumes, cache::Kind<types::PersistentVolume>());
  add(world.claims, cache::Kind<types::PersistentVolumeClaim>());
  add(world.classes, cache::Kind<types::StorageClass>());
  add(world.attachments, cache::Kind<types::VolumeAttachment>());
  Put(QueueSpec{.name = "q"}, mirror);
  Put(JobSpec{.name = "ns/g", .queue = "q", .min = 0}, mirror);
  if (order != 0) {
    Rng rng(order);
    for (size_t i = steps.size(); i > 1; --i) std::swap(steps[i - 1], steps[rng.Below(i)]);
  }
  for (const auto& step : steps) step();
  return mirror.Publish();
}

}  // namespace bth::test
