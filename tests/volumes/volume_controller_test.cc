// Who binds claims and makes volumes where there is no kube-controller-manager.
#include "nodesim/volume_controller.h"

#include "base/strings.h"
#include "tests/scheduler/bed.h"
#include "tests/volumes/paths.h"

namespace bth::scheduler::testing {
namespace {

struct ControllerBed : Bed {
  ControllerBed() {
    Class("plain", "kubernetes.io/no-provisioner", "Immediate");
    Class("made", "batholith.io/simulated", "Immediate");
    Class("later", "batholith.io/simulated", "WaitForFirstConsumer");
    Serve();
  }
  ~ControllerBed() { controller.reset(); }
  void Serve() {
    controller.reset();
    controller =
        std::make_unique<nodesim::VolumeController>(*api, rng, nodesim::VolumeControllerOptions());
    controller->Start();
    Settle();
  }
  void Class(const std::string& name, const std::string& provisioner, const std::string& mode) {
    Create("/apis/storage.k8s.io/v1/storageclasses",
           StrCat(R"({"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":)",
                  R"({"name":")", name, R"("},"provisioner":")", provisioner,
                  R"(","volumeBindingMode":")", mode, R"("})"));
  }
  void Claim(const std::string& name, const std::string& storage_class) {
    Create(kClaims,
           StrCat(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":")", name,
                  R"("},"spec":{"storageClassName":")", storage_class,
                  R"(","accessModes":["ReadWriteOnce"],"resources":{"requests":)",
                  R"({"storage":"2Gi"}}}})"));
    Settle();
  }
  void Volume(const std::string& name, int gigabytes) {
    Create(kVolumes,
           StrCat(R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":")", name,
                  R"("},"spec":{"storageClassName":"plain","capacity":{"storage":")", gigabytes,
                  R"(Gi"},"accessModes":["ReadWriteOnce"],)",
                  R"("persistentVolumeReclaimPolicy":"Retain","hostPath":{"path":"/d"}}})"));
    Settle();
  }
  void Delete(const std::string& target) {
    CHECK(Call("DELETE", target).code == 200);
    Settle();
  }
  std::string Phase(const std::string& target) {
    return std::string(Get(target).At({"status", "phase"}).AsString());
  }
  std::string VolumeOf(const std::string& claim) {
    const Json object = Get(StrCat(kClaims, "/", claim));
    return std::string(object.At({"spec", "volumeName"}).AsString());
  }

  // With the marks of a binding that nobody made.
  void BoundClaim(const std::string& name, const std::string& volume) {
    Create(kClaims,
           StrCat(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":")", name,
                  R"(","annotations":{"pv.kubernetes.io/bind-completed":"yes"}},)",
                  R"("spec":{"storageClassName":"plain","volumeName":")", volume,
                  R"(","accessModes":["ReadWriteOnce"],"resources":{"requests":)",
                  R"({"storage":"2Gi"}}}})"));
  }

  Rng rng{3};
  std::unique_ptr<nodesim::VolumeController> controller;
};

TEST_CASE("volume controller: a claim gets the smallest volume that fits, and both say so",
          "[nodesim][volumes]") {
  ControllerBed bed;
  bed.Volume("small", 1);
  bed.Volume("large", 9);
  bed.Volume("right", 3);
  CHECK(bed.Phase(StrCat(kVolumes, "/right")) == "Available");
  bed.Claim("data", "plain");
  CHECK(bed.VolumeOf("data") == "right");
  CHECK(bed.Phase(StrCat(kClaims, "/data")) == "Bound");
  CHECK(bed.Phase(StrCat(kVolumes, "/right")) == "Bound");
  CHECK(bed.Phase(StrCat(kVolumes, "/large")) == "Available");
  // The volume outlives its claim, and the data in it are nobody else's.
  bed.Delete(StrCat(kClaims, "/data"));
  CHECK(bed.Phase(StrCat(kVolumes, "/right")) == "Released");
  bed.Claim("next", "plain");
  CHECK(bed.VolumeOf("next") == "large");
}

TEST_CASE("volume controller: a volume that was made goes with its claim", "[nodesim][volumes]") {
  ControllerBed bed;
  bed.Claim("data", "made");
  const std::string volume = bed.VolumeOf("data");
  REQUIRE_FALSE(volume.empty());
  CHECK(bed.Phase(StrCat(kClaims, "/data")) == "Bound");
  bed.Delete(StrCat(kClaims, "/data"));
  CHECK(bed.Call("GET", StrCat(kVolumes, "/", volume)).code == 404);
  CHECK(bed.controller->counters().removed == 1);
}

TEST_CASE("volume controller: a waiting class waits for a node", "[nodesim][volumes]") {
  ControllerBed bed;
  bed.Claim("data", "later");
  CHECK(bed.VolumeOf("data").empty());
  CHECK(bed.Phase(StrCat(kClaims, "/data")) == "Pending");
  CHECK(bed.controller->counters().made == 0);
}

TEST_CASE("volume controller: a claim whose volume vanished is lost", "[nodesim][volumes]") {
  ControllerBed bed;
  bed.Volume("v", 3);
  bed.Claim("data", "plain");
  REQUIRE(bed.VolumeOf("data") == "v");
  bed.Delete(StrCat(kVolumes, "/v"));
  CHECK(bed.Phase(StrCat(kClaims, "/data")) == "Lost");
}

// Somebody made such a claim by hand. The claim's turn would tell that the volume is bound, and the
// volume's that it is not, without end.
TEST_CASE("volume controller: a claim that says it has the volume of another is lost",
          "[nodesim][volumes]") {
  ControllerBed bed;
  bed.Create(kVolumes,
             R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"v"},"spec":{
             "storageClassName":"plain","capacity":{"storage":"3Gi"},
             "accessModes":["ReadWriteOnce"],"hostPath":{"path":"/d"},
             "claimRef":{"namespace":"default","name":"data","uid":"another"}}})");
  bed.BoundClaim("data", "v");
  REQUIRE(bed.executor.Advance(absl::Seconds(10), 10'000));
  CHECK(bed.Phase(StrCat(kClaims, "/data")) == "Lost");
  CHECK(bed.Phase(StrCat(kVolumes, "/v")) == "Released");
}

TEST_CASE("volume controller: a claim that says it has a free volume gets it",
          "[nodesim][volumes]") {
  ControllerBed bed;
  bed.Volume("v", 3);
  bed.BoundClaim("data", "v");
  REQUIRE(bed.executor.Advance(absl::Seconds(10), 10'000));
  CHECK(bed.Phase(StrCat(kClaims, "/data")) == "Bound");
  CHECK(bed.Phase(StrCat(kVolumes, "/v")) == "Bound");
  const Json volume = bed.Get(StrCat(kVolumes, "/v"));
  CHECK(volume.At({"spec", "claimRef", "name"}).AsString() == "data");
}

TEST_CASE("volume controller: one that starts anew writes nothing that is so already",
          "[nodesim][volumes]") {
  ControllerBed bed;
  bed.Volume("v", 3);
  bed.Volume("w", 3);
  bed.Claim("data", "plain");
  bed.Claim("more", "made");
  bed.Claim("waits", "later");
  const size_t writes = bed.writes;
  bed.Serve();
  CHECK(bed.writes == writes);
  CHECK(bed.controller->counters().bound == 0);
}

}  // namespace
}  // namespace bth::scheduler::testing
