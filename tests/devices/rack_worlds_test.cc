// Gangs that must stay in one HyperNode and whose pods ask for cards and device claims: nobody is
// spread, no card and no device is lent twice, and no gang waits that some HyperNode has room for.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/devices/device_cluster.h"
#include "tests/support/seeds.h"

namespace bth::devices {
namespace {

using testing::ClusterSetup;
using testing::DeviceCluster;
using testing::MakePod;
using testing::Read;
using testing::Vgpu;

constexpr int kMemoryOfCard = 1000;
constexpr int kSlotsOfCard = 3;
constexpr int kCpusOfNode = 6;

// Its pods are alike: so much of a card, one CPU, and a device of the node or none.
struct RackGang {
  int size = 1;
  int memory = 0;
  int tier = 1;  // That it may not be spread beyond.
  bool claims = false;
  std::map<std::string, std::string> node_of;  // By pod; empty: it waits as a whole.
};

struct RackNode {
  std::string rack;
  int cpus = kCpusOfNode;                            // Left,
  std::map<std::string, std::pair<int, int>> cards;  // memory and slots by card,
  std::set<std::string> devices;                     // and free devices.

  int RoomFor(const RackGang& gang) const {
    int on_cards = 0;
    for (const auto& [card, left] : cards) {
      on_cards += std::min(left.first / gang.memory, left.second);
    }
    const int room = std::min(on_cards, cpus);
    return gang.claims ? std::min(room, static_cast<int>(devices.size())) : room;
  }
};

class RackWorld {
 public:
  explicit RackWorld(Rng& rng)
      : cluster(ClusterSetup{.arguments = rng.Chance(0.5)
                                              ? "      deviceshare.SchedulePolicy: binpack\n"
                                                "      deviceshare.ScheduleWeight: 5\n"
                                              : "",
                             .plugins = "  - name: nodeorder\n  - name: network-topology-aware\n"}),
        rng_(rng) {
    cluster.Put(Read<types::DeviceClass>(
        R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"any"}})"));
    types::HyperNode spine = Domain("spine", 2);
    for (uint64_t r = 0, racks = 2 + rng_.Below(2); r < racks; ++r) {
      types::HyperNode rack = Domain(StrCat("r", r), 1);
      for (uint64_t n = 0, count = 1 + rng_.Below(3); n < count; ++n) {
        const std::string name = StrCat("n", r, n);
        AddNode(name, rack.meta.name);
        rack.members.push_back({.type = "Node", .exact_name = name});
      }
      spine.members.push_back({.type = "HyperNode", .exact_name = rack.meta.name});
      cluster.Put(rack);
    }
    cluster.Put(spine);
  }

  void Come() {
    const std::string name = StrCat("g", made_++);
    RackGang& gang = gangs[name];
    gang.size = static_cast<int>(rng_.Between(1, 5));
    gang.memory = static_cast<int>(100 * rng_.Between(3, 9));
    gang.tier = rng_.Chance(0.7) ? 1 : 2;
    gang.claims = rng_.Chance(0.5);
    cluster.Put(Read<types::PodGroup>(StrCat(
        R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":{"namespace":)",
        R"("ns","name":")", name, R"(","uid":"u-)", name, R"("},"spec":{"minMember":)", gang.size,
        R"(,"networkTopology":{"mode":"hard","highestTierAllowed":)", gang.tier,
        R"(}},"status":{"phase":"Inqueue"}})")));
    for (int i = 0; i < gang.size; ++i) {
      const std::string pod = StrCat(name, "-", i);
      types::Pod object = MakePod({StrCat(R"("cpu":"1",)", Vgpu(1, gang.memory))},
                                  StrCat(R"("scheduling.k8s.io/group-name":")", name, "\""));
      if (gang.claims) {
        PutClaim(pod, "");
        object.spec.resource_claims.push_back(
            {.name = "d", .resource_claim_name = pod, .resource_claim_template_name = ""});
      }
      cluster.AddPod(pod, object);
    }
  }

  // Runs a cycle, takes what was bound out of what is left, and shows it. Returns how many gangs
  // were placed.
  int Decide() {
    const auto binds = cluster.Run();
    std::map<std::string, std::string> device_of;  // By pod: "node/device".
    for (const framework::EffectBatch& batch : cluster.sink.batches) {
      for (const framework::BindEffect& bind : batch.binds) {
        if (bind.claims == nullptr) continue;
        const std::string& pod = batch.snapshot->tasks[bind.task].names->name;
        REQUIRE(bind.claims->claims.size() == 1);
        REQUIRE(bind.claims->claims[0].allocation->devices.size() == 1);
        const auto& device = bind.claims->claims[0].allocation->devices[0];
        device_of[pod] = StrCat(device.pool, "/", device.device);
      }
    }
    std::set<std::string> placed;
    for (const auto& [pod, bound] : binds) {
      const size_t blank = bound.find(' ');
      const std::string node = bound.substr(0, blank);
      const std::string ids = bound.substr(blank + 1);
      RackGang& gang = gangs.at(pod.substr(0, pod.find('-')));
      CAPTURE(pod, bound);
      gang.node_of[pod] = node;
      Take(gang, pod, ids, device_of[pod]);
      cluster.Put(cluster.Bound(pod, node, ids));
      placed.insert(pod.substr(0, pod.find('-')));
    }
    for (const std::string& name : placed) CheckTogether(name);
    return static_cast<int>(placed.size());
  }

  // A gang that runs ends, and all that it had is free.
  void End() {
    std::vector<std::string> running;
    for (const auto& [name, gang] : gangs) {
      if (!gang.node_of.empty()) running.push_back(name);
    }
    if (running.empty()) return;
    const std::string name = running[rng_.Below(running.size())];
    for (const auto& [pod, node] : gangs.at(name).node_of) {
      cluster.mirror.RemovePod("ns/" + pod);
      RackNode& from = nodes_.at(node);
      ++from.cpus;
      auto& [memory, slots] = from.cards.at(card_of_.at(pod));
      memory += gangs.at(name).memory;
      ++slots;
      if (!gangs.at(name).claims) continue;
      from.devices.insert(device_of_.at(pod));
      cluster.mirror.device_claims().RemoveClaim("ns/" + pod);
    }
    gangs.erase(name);
  }

  // No HyperNode that a gang may be in has room for a gang that waits: returns how many wait.
  int CheckWaiting() const {
    int waits = 0;
    for (const auto& [name, gang] : gangs) {
      if (!gang.node_of.empty()) continue;
      ++waits;
      std::map<std::string, int> room;  // By HyperNode.
      for (const auto& [node, left] : nodes_) {
        room[gang.tier == 1 ? left.rack : "spine"] += left.RoomFor(gang);
      }
      for (const auto& [domain, pods] : room) {
        CAPTURE(name, domain, gang.size, gang.memory, gang.claims);
        CHECK(pods < gang.size);
      }
    }
    return waits;
  }

  DeviceCluster cluster;
  std::map<std::string, RackGang> gangs;

 private:
  static types::HyperNode Domain(const std::string& name, int32_t tier) {
    types::HyperNode out;
    out.meta.name = name;
    out.meta.uid = "u-" + name;
    out.tier = tier;
    return out;
  }
  void AddNode(const std::string& name, const std::string& rack) {
    RackNode& node = nodes_[name];
    node.rack = rack;
    std::string cards;
    std::string devices;
    for (uint64_t i = 0, count = 1 + rng_.Below(3); i < count; ++i) {
      const std::string card = StrCat(name, "-", i);
      node.cards[card] = {kMemoryOfCard, kSlotsOfCard};
      StrAppend(&cards, card, ",", kSlotsOfCard, ",", kMemoryOfCard, ",NVIDIA-A,true,hami-core:");
    }
    for (uint64_t i = 0, count = 1 + rng_.Below(4); i < count; ++i) {
      node.devices.insert(StrCat("d", i));
      StrAppend(&devices, i == 0 ? "" : ",", R"({"name":"d)", i, "\"}");
    }
    types::Node object =
        testing::MakeNode(StrCat(R"("volcano.sh/node-vgpu-register":")", cards, "\""),
                          StrCat(testing::VgpuNode(), R"(,"cpu":")", kCpusOfNode,
                                 R"(","memory":"64Gi","pods":"110")"));
    object.meta.name = name;
    cluster.Put(object);
    cluster.Put(Read<types::ResourceSlice>(
        StrCat(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":")",
               name, R"("},"spec":{"driver":"x.io","nodeName":")", name, R"(","pool":{"name":")",
               name, R"(","generation":1,"resourceSliceCount":1},"devices":[)", devices, "]}}")));
  }
  // The claim of the pod, with that device, "node/device", or none.
  void PutClaim(const std::string& pod, const std::string& device) {
    std::string status;
    if (!device.empty()) {
      const size_t slash = device.find('/');
      status = StrCat(R"(,"status":{"allocation":{"devices":{"results":[{"request":"r","driver":)",
                      R"("x.io","pool":")", device.substr(0, slash), R"(","device":")",
                      device.substr(slash + 1), R"("}]},"nodeSelector":{"nodeSelectorTerms":)",
                      R"([{"matchFields":[{"key":"metadata.name","operator":"In","values":[")",
                      device.substr(0, slash), R"("]}]}]}},"reservedFor":[{"resource":"pods",)",
                      R"("name":")", pod, R"(","uid":"u-)", pod, R"("}]})");
    }
    cluster.Put(Read<types::ResourceClaim>(
        StrCat(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":)",
               R"({"namespace":"ns","name":")", pod, R"(","uid":"u-c-)", pod,
               R"("},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":)",
               R"("any"}}]}})", status, "}")));
  }
  // What a bound pod was given is there, and is nobody else's.
  void Take(const RackGang& gang, const std::string& pod, const std::string& ids,
            const std::string& device) {
    RackNode& node = nodes_.at(gang.node_of.at(pod));
    CHECK(--node.cpus >= 0);
    const std::string card = ids.substr(0, ids.find(','));
    CHECK(ids == StrCat(card, ",NVIDIA,", gang.memory, ",0:"));
    REQUIRE(node.cards.contains(card));
    auto& [memory, slots] = node.cards.at(card);
    memory -= gang.memory;
    CHECK(memory >= 0);
    CHECK(--slots >= 0);
    card_of_[pod] = card;
    CHECK(device.empty() != gang.claims);
    if (!gang.claims) return;
    const size_t slash = device.find('/');
    CHECK(device.substr(0, slash) == gang.node_of.at(pod));
    device_of_[pod] = device.substr(slash + 1);
    CHECK(node.devices.erase(device_of_[pod]) == 1);
    PutClaim(pod, device);
  }
  void CheckTogether(const std::string& name) const {
    const RackGang& gang = gangs.at(name);
    std::set<std::string> racks;
    for (const auto& [pod, node] : gang.node_of) racks.insert(nodes_.at(node).rack);
    CAPTURE(name, gang.size, gang.tier);
    CHECK(gang.node_of.size() == static_cast<size_t>(gang.size));
    CHECK((gang.tier > 1 || racks.size() == 1));
  }

  Rng& rng_;
  std::map<std::string, RackNode> nodes_;
  int made_ = 0;
  std::map<std::string, std::string> card_of_;    // By pod.
  std::map<std::string, std::string> device_of_;  // By pod, on its node.
};

TEST_CASE("device worlds: gangs of one rack with cards and claims", "[devices][claims][property]") {
  int placed = 0;
  int waits = 0;
  test::ForEachSeed(60, [&](uint64_t seed) {
    Rng rng(seed);
    RackWorld world(rng);
    for (int cycle = 0; cycle < 10; ++cycle) {
      CAPTURE(cycle);
      for (uint64_t i = rng.Below(4); i > 0; --i) world.Come();
      placed += world.Decide();
      waits += world.CheckWaiting();
      if (rng.Chance(0.6)) world.End();
      REQUIRE(world.cluster.mirror.Check().ToString() == "OK");
    }
  });
  CAPTURE(placed, waits);
  CHECK((test::FewSeeds() || (placed > 200 && waits > 200)));
}

}  // namespace
}  // namespace bth::devices
