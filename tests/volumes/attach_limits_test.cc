// Which volumes count against what the drivers of a node can attach.
#include <string>

#include "framework/nodes/global_scan.h"
#include "tests/plugins/fixtures.h"
#include "tests/volumes/storage_world.h"

namespace bth::test {
namespace {

// An in-tree plugin: its source in a volume, and the driver that took over from it.
struct InTree {
  std::string plugin, source, id, driver;
  bool shared;  // Pods of a node may name the same disk.
};

const InTree kInTree[] = {
    {"aws-ebs", "awsElasticBlockStore", "volumeID", "ebs.csi.aws.com", false},
    {"gce-pd", "gcePersistentDisk", "pdName", "pd.csi.storage.gke.io", false},
    {"azure-disk", "azureDisk", "diskURI", "disk.csi.azure.com", true},
    {"cinder", "cinder", "volumeID", "cinder.csi.openstack.org", true},
    {"portworx-volume", "portworxVolume", "volumeID", "pxd.portworx.com", true},
};

// A node whose driver attaches one volume, with a running pod that has one.
struct LimitBed {
  explicit LimitBed(const InTree& of, bool migrated = true) : kind(of) {
    world.Node("n", "");
    const auto node = ReadObject<types::CsiNode>(StrCat(
        R"({"metadata":{"name":"n","annotations":{)",
        R"("storage.alpha.kubernetes.io/migrated-plugins":")",
        migrated ? "kubernetes.io/" + kind.plugin : "", R"("}},"spec":{"drivers":[{"name":")",
        kind.driver, R"(","nodeID":"n","allocatable":{"count":1}}]}})"));
    world.mirror.storage().PutCsiNode("n", cache::Compile(node));
  }
  std::string Source(const std::string& disk) const {
    return StrCat("\"", kind.source, R"(":{")", kind.id, R"(":")", disk, R"("})");
  }
  std::string Names(const std::string& disk) const {
    return StrCat(R"({"name":"d",)", Source(disk), "}");
  }
  // A claim that is bound to a volume of the same name.
  void Claim(const std::string& name) {
    world.Volume(StrCat(R"({"metadata":{"name":")", name, R"("},"spec":{"capacity":)",
                        R"({"storage":"1Gi"},"claimRef":{"namespace":"ns","name":")", name,
                        R"("},)", Source(name), R"(},"status":{"phase":"Bound"}})"));
    world.Claim(StrCat(R"({"metadata":{"namespace":"ns","name":")", name, R"(","annotations":)",
                       R"({"pv.kubernetes.io/bind-completed":"yes"}},"spec":{"volumeName":")", name,
                       R"(","resources":{"requests":{"storage":"1Gi"}}}})"));
  }
  // What the node says to a pod with that volume.
  std::string Answer(const std::string& volume) {
    world.Pod("new", volume);
    const World now = world.Publish();
    PluginBed bed(Builtins(), MakePolicy("", "predicates"), now);
    return bed.session().reasons().text(
        framework::GlobalRefusal(bed.session(), now.task("new"), now.node("n")));
  }

  const InTree kind;
  StorageWorld world;
};

TEST_CASE("volumes: those of in-tree plugins count for the driver that took over", "[storage]") {
  const InTree kind = GENERATE(from_range(std::begin(kInTree), std::end(kInTree)));
  CAPTURE(kind.plugin);
  const std::string full = "node(s) exceed max volume count";
  LimitBed bed(kind);
  bed.Claim("v");
  bed.Claim("w");
  bed.world.Pod("old", StorageWorld::Uses("v"), "n");
  CHECK(bed.Answer(StorageWorld::Uses("w")) == full);
  CHECK(bed.Answer(StorageWorld::Uses("v")) == "");  // It is attached already.
  CHECK(bed.Answer(bed.Names("w")) == full);
  CHECK(bed.Answer(bed.Names("v")) == "");
  bed.world.Pod("old", bed.Names("v"), "n");
  CHECK(bed.Answer(StorageWorld::Uses("w")) == full);
  CHECK(bed.Answer(bed.Names("v")) == (kind.shared ? "" : "node(s) had no available disk"));
}

TEST_CASE("volumes: those of in-tree plugins do not count while no driver took over", "[storage]") {
  const InTree kind = GENERATE(from_range(std::begin(kInTree), std::end(kInTree)));
  CAPTURE(kind.plugin);
  LimitBed bed(kind, /*migrated=*/false);
  bed.Claim("v");
  bed.Claim("w");
  bed.world.Pod("old", StorageWorld::Uses("v"), "n");
  CHECK(bed.Answer(StorageWorld::Uses("w")) == "");
  CHECK(bed.Answer(bed.Names("w")) == "");
}

}  // namespace
}  // namespace bth::test
