#include "sim/world/draw_bounds.h"

#include <array>
#include <utility>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "sim/world/deed_drawer.h"
#include "sim/world/policies.h"
#include "sim/world/programs.h"

namespace bth::sim {
namespace {

using types::Json;

constexpr uint64_t kBoundNumbers = 0xb0'07'd5'5a'fe;
// Before anybody looks for a place, as far as nothing goes wrong.
constexpr absl::Duration kEarly = absl::Milliseconds(900);

class BoundDrawer final : DeedDrawer {
 public:
  explicit BoundDrawer(Story* story)
      : DeedDrawer(story->seed ^ kBoundNumbers, absl::Seconds(3)), story_(*story) {}

  void Draw() {
    const bool shards = rng_.Chance(0.15);
    const bool near = rng_.Chance(0.2);
    const bool divides = shards && rng_.Chance(0.6);
    if (shards) story_.sharding = model::ShardMode::kHard;
    if (near) story_.policy = StormTopologyPolicy();
    DrawMore(&story_.rounds, [&] {
      if (divides && !is_divided_) DrawDivision();
      if (near) DrawNear();
    });
  }

 private:
  // Which nodes the shards get: so many for the first, or those that are used less than so much,
  // and the others for the second.
  void DrawDivision() {
    is_divided_ = true;
    const std::string first =
        rng_.Chance(0.5) ? StrCat("name: node-limit\n    arguments: {minNodes: 1, maxNodes: ",
                                  rng_.Between(1, 4), "}\n")
                         : StrCat("name: allocation-rate\n    arguments: {maxCPUUtil: 0.",
                                  rng_.Between(3, 9), "}\n");
    const std::string text = StrCat(
        "schedulerConfigs:\n- name: volcano\n  type: volcano\n  policies:\n  - ", first,
        "- name: ", kAgentName, "\n  type: agent\n  policies:\n  - name: node-limit\n",
        "    arguments: {minNodes: 1, maxNodes: 100}\nshardSyncPeriod: ", rng_.Between(5, 60),
        "s\n");
    Json map = Json::MakeObject({{"apiVersion", "v1"}, {"kind", "ConfigMap"}});
    map["metadata"].Set("name", "volcano-sharding-configmap");
    map["data"].Set("sharding.yaml", text);
    Send(kEarly, "shards", "POST", StrCat("/api/v1/namespaces/", kWorldNamespace, "/configmaps"),
         map.Dump());
  }

  // Racks of two nodes, perhaps two of them near to one another, and gangs that must stay inside.
  void DrawNear() {
    for (int rack = 0; rack < 3; ++rack) SendHyperNode(RackJson(rack));
    if (rng_.Chance(0.6)) {
      SendHyperNode(HyperNodeJson("spine-0", 2, "HyperNode", {"rack-0", "rack-1"}));
    }
    for (int64_t n = rng_.Between(1, 6); n > 0; --n) DrawJob();
    for (int64_t n = rng_.Between(0, 3); n > 0; --n) DrawGroup();
    if (rng_.Chance(0.3)) {
      Send(Moment(), "delete-hypernode", "DELETE", StrCat(kHyperNodes, "/rack-", rng_.Below(3)));
    }
  }

  void SendHyperNode(std::string json) {
    Send(kEarly, "hypernode", "POST", std::string(kHyperNodes), std::move(json));
  }

  std::string Bound() {
    return StrCat(R"("networkTopology":{"mode":"hard","highestTierAllowed":)", rng_.Between(1, 2),
                  "}");
  }
  std::string_view Queue() { return rng_.Chance(0.7) ? "default" : "q0"; }
  std::string PodSpec() {
    constexpr std::array<int, 3> kCpus = {1, 2, 4};
    return StrCat(R"("restartPolicy":"Never","containers":[{"name":"c","image":"i","command":)",
                  R"(["sh","-c","sleep )", rng_.Between(5, 200), " && exit ",
                  rng_.Chance(0.1) ? 1 : 0, R"("],"resources":{"requests":{"cpu":")", OneOf(kCpus),
                  R"(","memory":"1Gi"}}}])");
  }

  void DrawJob() {
    constexpr std::array<std::string_view, 4> kPolicies = {
        "", R"("policies":[{"event":"PodEvicted","action":"RestartPod"}],)",
        R"("policies":[{"event":"PodFailed","action":"RestartTask"}],)",
        R"("policies":[{"event":"*","action":"RestartJob"}],)"};
    const int64_t pods = rng_.Between(1, 4);
    SendJob(Moment(), "bound-job", OneOf(kSpaces), StrCat("hard", made_++),
            StrCat(R"("minAvailable":)", rng_.Between(1, pods), R"(,"queue":")", Queue(), R"(",)",
                   OneOf(kPolicies), Bound(), R"(,"tasks":[{"name":"t","replicas":)", pods,
                   R"(,"template":{"spec":{)", PodSpec(), "}}}]"));
  }

  // A PodGroup of plain pods, which come by and by.
  void DrawGroup() {
    const std::string_view ns = OneOf(kSpaces);
    const std::string name = StrCat("hard", made_++);
    const int64_t pods = rng_.Between(1, 4);
    const std::string spec = PodSpec();
    const absl::Duration at = Moment();
    Send(at, "bound-group", "POST",
         StrCat("/apis/scheduling.volcano.sh/v1beta1/namespaces/", ns, "/podgroups"),
         StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":)",
                R"({"name":")", name, R"("},"spec":{"minMember":)", rng_.Between(1, pods),
                R"(,"queue":")", Queue(), R"(",)", Bound(), "}}"));
    for (int64_t i = 0; i < pods; ++i) {
      Send(at + absl::Milliseconds(rng_.Between(0, rng_.Chance(0.7) ? 2'000 : 60'000)), "bound-pod",
           "POST", StrCat("/api/v1/namespaces/", ns, "/pods"), MemberPodJson(name, i, spec));
    }
  }

  Story& story_;
  bool is_divided_ = false;
  int made_ = 0;
};

}  // namespace

void DrawBounds(Story* story) {
  BoundDrawer(story).Draw();
}

}  // namespace bth::sim
