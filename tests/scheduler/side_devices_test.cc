// Workers that decide side by side where cards and devices are few: what one has, no other gets.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/rng.h"
#include "tests/scheduler/agent_bed.h"
#include "tests/support/seeds.h"
#include "tests/support/temp_folder.h"

namespace bth::scheduler {
namespace {

using testing::AgentBed;
using testing::AgentPod;
using types::Json;

constexpr int kCardsOfNode = 8;
constexpr int kCardMemory = 1000;
constexpr int kCardSlots = 3;
constexpr char kClaims[] = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";

struct DevicePod {
  int cpu = 1;
  int card_memory = 0;  // 0: it asks for no card.
  int claim = -1;       // -1: it has none.
  bool urgent = false;
};

struct DeviceWorld {
  std::vector<int> node_cpus;
  std::vector<DevicePod> pods;
  std::vector<int> claims;  // How many devices each asks for.
};

struct DeviceOutcome {
  std::map<std::string, std::string> nodes;    // By pod; empty: none.
  std::map<std::string, std::string> cards;    // By pod: what its binding says.
  std::map<std::string, std::string> devices;  // By claim: "pool/device …".
  double conflicts = 0;
  friend bool operator==(const DeviceOutcome&, const DeviceOutcome&) = default;
};

std::string PodName(size_t i) {
  return StrCat("p", i);
}

DeviceWorld RandomDeviceWorld(Rng& rng) {
  DeviceWorld world;
  for (uint64_t i = 0, count = 3 + rng.Below(3); i < count; ++i) {
    world.node_cpus.push_back(static_cast<int>(rng.Between(15, 40)));
  }
  for (uint64_t i = 0, count = 110 + rng.Below(30); i < count; ++i) {
    DevicePod pod{.cpu = static_cast<int>(rng.Between(1, 2)), .urgent = rng.Chance(0.2)};
    if (rng.Chance(0.6)) pod.card_memory = static_cast<int>(100 * rng.Between(2, 6));
    if (rng.Chance(0.5)) {
      if (!world.claims.empty() && rng.Chance(0.2)) {
        pod.claim = static_cast<int>(rng.Below(world.claims.size()));
      } else {
        pod.claim = static_cast<int>(world.claims.size());
        world.claims.push_back(static_cast<int>(rng.Between(1, 2)));
      }
    }
    world.pods.push_back(pod);
  }
  return world;
}

void FillServer(const DeviceWorld& world, AgentBed& bed) {
  bed.Create(
      "/apis/resource.k8s.io/v1/deviceclasses",
      R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"any"}})");
  for (size_t n = 0; n < world.node_cpus.size(); ++n) {
    std::string cards;
    std::string devices;
    for (int i = 0; i < kCardsOfNode; ++i) {
      StrAppend(&cards, "GPU-", n, "-", i, ",", kCardSlots, ",", kCardMemory,
                ",NVIDIA-A,true,hami-core:");
      StrAppend(&devices, i == 0 ? "" : ",", R"({"name":"d)", i, "\"}");
    }
    bed.Create("/api/v1/nodes",
               StrCat(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n)", n,
                      R"(","annotations":{"volcano.sh/node-vgpu-register":")", cards,
                      R"("}},"status":{"allocatable":{"cpu":")", world.node_cpus[n],
                      R"(","memory":"64Gi","pods":"110","volcano.sh/vgpu-number":"24",)",
                      R"("volcano.sh/vgpu-memory":"8000","volcano.sh/vgpu-cores":"800"},)",
                      R"("conditions":[{"type":"Ready","status":"True"}]}})"));
    bed.Create("/apis/resource.k8s.io/v1/resourceslices",
               StrCat(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":)",
                      R"({"name":"n)", n, R"("},"spec":{"driver":"x.io","nodeName":"n)", n,
                      R"(","pool":{"name":"n)", n,
                      R"(","generation":1,"resourceSliceCount":1},"devices":[)", devices, "]}}"));
  }
  for (size_t c = 0; c < world.claims.size(); ++c) {
    bed.Create(kClaims, StrCat(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim",)",
                               R"("metadata":{"name":"c)", c,
                               R"("},"spec":{"devices":{"requests":[{"name":"r","exactly":)",
                               R"({"deviceClassName":"any","count":)", world.claims[c], "}}]}}}"));
  }
  for (size_t i = 0; i < world.pods.size(); ++i) {
    const DevicePod& pod = world.pods[i];
    AgentPod single{.cpu = StrCat(pod.cpu), .urgency = pod.urgent ? "100" : "0"};
    if (pod.card_memory > 0) {
      single.amounts = StrCat(R"(,"volcano.sh/vgpu-number":"1","volcano.sh/vgpu-memory":")",
                              pod.card_memory, "\"");
    }
    if (pod.claim >= 0) {
      single.spec =
          StrCat(R"(,"resourceClaims":[{"name":"d","resourceClaimName":"c)", pod.claim, R"("}])");
    }
    bed.Single(PodName(i), single);
  }
}

// Where everything is when all was decided in one round.
DeviceOutcome OutcomeWith(const DeviceWorld& world, int workers) {
  AgentBed bed(workers);
  FillServer(world, bed);
  test::TempFolder folder;
  SchedulerOptions options;
  options.policy.path = folder.Write("agent-scheduler.conf", R"(
actions: "allocate"
tiers:
- plugins:
  - name: predicates
  - name: nodeorder
  - name: deviceshare
    arguments: {deviceshare.VGPUEnable: true}
)");
  bed.BeginAgent(options);
  DeviceOutcome out;
  for (size_t i = 0; i < world.pods.size(); ++i) {
    const std::string name = PodName(i);
    const Json pod = bed.Get(AgentBed::PodPath(name));
    out.nodes[name] = std::string(pod.At({"spec", "nodeName"}).AsString());
    out.cards[name] =
        std::string(pod.At({"metadata", "annotations", "volcano.sh/vgpu-ids-new"}).AsString());
  }
  for (size_t c = 0; c < world.claims.size(); ++c) {
    const Json claim = bed.Get(StrCat(kClaims, "/c", c));
    std::string& text = out.devices[StrCat("c", c)];
    for (const Json& given : claim.At({"status", "allocation", "devices", "results"}).items()) {
      StrAppend(&text, text.empty() ? "" : " ", given["pool"].AsString(), "/",
                given["device"].AsString());
    }
  }
  CHECK(bed.scheduler->mirror().Check().ToString() == "OK");
  out.conflicts = bed.Metric("batholith_agent_conflicts_total");
  return out;
}

// What is left, by the rules and nothing else.
struct Left {
  std::map<std::string, int> cpus;                              // By node.
  std::map<std::string, std::map<std::string, int>> memory_of;  // By node and card.
  std::map<std::string, std::map<std::string, int>> slots_of;
  std::map<std::string, std::set<std::string>> devices;  // By node.
  std::map<std::string, std::string> claim_at;           // Those that have devices.
};

void TakeCard(const std::string& text, int memory, const std::string& node, Left* left) {
  const std::vector<std::string> fields = SplitText(text, absl::ByAnyChar(",:"));
  REQUIRE(fields.size() == 5);
  CHECK(fields[2] == StrCat(memory));
  REQUIRE(left->memory_of[node].contains(fields[0]));
  CHECK((left->memory_of[node][fields[0]] -= memory) >= 0);
  CHECK((left->slots_of[node][fields[0]] -= 1) >= 0);
}

Left LeftAfter(const DeviceWorld& world, const DeviceOutcome& outcome) {
  Left left;
  for (size_t n = 0; n < world.node_cpus.size(); ++n) {
    const std::string node = StrCat("n", n);
    left.cpus[node] = world.node_cpus[n];
    for (int i = 0; i < kCardsOfNode; ++i) {
      const std::string card = StrCat("GPU-", n, "-", i);
      left.memory_of[node][card] = kCardMemory;
      left.slots_of[node][card] = kCardSlots;
      left.devices[node].insert(StrCat("d", i));
    }
  }
  for (const auto& [claim, devices] : outcome.devices) {
    if (devices.empty()) continue;
    CAPTURE(claim, devices);
    const std::vector<std::string> given = SplitText(devices, ' ');
    CHECK(given.size() == static_cast<size_t>(world.claims[std::stoul(claim.substr(1))]));
    for (const std::string& one : given) {
      const std::string node = one.substr(0, one.find('/'));
      CHECK(left.devices[node].erase(one.substr(one.find('/') + 1)) == 1);
      const auto [at, fresh] = left.claim_at.try_emplace(claim, node);
      CHECK(at->second == node);
    }
  }
  std::set<std::string> used;
  for (size_t i = 0; i < world.pods.size(); ++i) {
    const DevicePod& pod = world.pods[i];
    const std::string& node = outcome.nodes.at(PodName(i));
    CAPTURE(i, node);
    if (node.empty()) continue;
    CHECK((left.cpus[node] -= pod.cpu) >= 0);
    if (pod.card_memory > 0) {
      TakeCard(outcome.cards.at(PodName(i)), pod.card_memory, node, &left);
    }
    if (pod.claim < 0) continue;
    const std::string claim = StrCat("c", pod.claim);
    used.insert(claim);
    CHECK(left.claim_at[claim] == node);
  }
  CHECK(used.size() == left.claim_at.size());  // No claim has devices for nobody.
  return left;
}

bool Takes(const DeviceWorld& world, const Left& left, const std::string& node,
           const DevicePod& pod) {
  if (left.cpus.at(node) < pod.cpu) return false;
  if (pod.card_memory > 0) {
    bool found = false;
    for (const auto& [card, memory] : left.memory_of.at(node)) {
      found |= memory >= pod.card_memory && left.slots_of.at(node).at(card) > 0;
    }
    if (!found) return false;
  }
  if (pod.claim < 0) return true;
  const auto at = left.claim_at.find(StrCat("c", pod.claim));
  if (at != left.claim_at.end()) return at->second == node;
  const auto wanted = static_cast<size_t>(world.claims[static_cast<size_t>(pod.claim)]);
  return left.devices.at(node).size() >= wanted;
}

TEST_CASE("side by side: no card and no device is lent twice, and nobody waits who has a place",
          "[scheduler][agent][property]") {
  double conflicts = 0;
  size_t waits = 0;
  test::ForEachSeed(4, [&](uint64_t seed) {
    Rng rng(seed);
    const DeviceWorld world = RandomDeviceWorld(rng);
    for (const int workers : {1, 2, 5}) {
      CAPTURE(workers);
      const DeviceOutcome outcome = OutcomeWith(world, workers);
      conflicts += outcome.conflicts;
      CHECK((workers > 1 || outcome.conflicts == 0));
      const Left left = LeftAfter(world, outcome);
      for (size_t i = 0; i < world.pods.size(); ++i) {
        if (!outcome.nodes.at(PodName(i)).empty()) continue;
        ++waits;
        for (const auto& [node, cpu] : left.cpus) {
          CAPTURE(i, node);
          CHECK_FALSE(Takes(world, left, node, world.pods[i]));
        }
      }
      if (workers > 1) CHECK(OutcomeWith(world, workers) == outcome);
    }
  });
  CHECK(conflicts > 0);  // Or nothing was settled.
  CHECK(waits > 0);
}

TEST_CASE("side by side: eight cards and eight devices go to eight pods each",
          "[scheduler][agent]") {
  // All workers see the same ones free.
  DeviceWorld world{.node_cpus = {200}, .pods = {}, .claims = {}};
  for (int i = 0; i < 40; ++i) {
    world.pods.push_back({.card_memory = kCardMemory});
    world.pods.push_back({.claim = i});
    world.claims.push_back(1);
  }
  const int workers = GENERATE(2, 5);
  CAPTURE(workers);
  const DeviceOutcome outcome = OutcomeWith(world, workers);
  const Left left = LeftAfter(world, outcome);
  CHECK(left.devices.at("n0").empty());
  for (const auto& [card, memory] : left.memory_of.at("n0")) CHECK(memory == 0);
  CHECK(outcome.conflicts > 0);
}

}  // namespace
}  // namespace bth::scheduler
