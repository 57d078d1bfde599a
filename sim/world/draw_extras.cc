#include "sim/world/draw_extras.h"

#include <array>
#include <utility>

#include "base/strings.h"
#include "sim/world/deed_drawer.h"
#include "sim/world/policies.h"
#include "sim/world/programs.h"

namespace bth::sim {
namespace {

constexpr uint64_t kOtherNumbers = 0x5eed'0f'e7'7a;

// How much goes wrong with what is drawn here.
struct ExtraRates {
  double fronts_per_minute;
  double strikes_per_minute;
  double meddling_per_minute;
  double server_faults_per_minute;
  double front_rate_most;
  int late_most_s;
};
constexpr std::array<ExtraRates, 3> kExtraRates = {
    {{0, 0, 0.1, 0, 0, 0}, {0.15, 0.05, 0.2, 0.05, 0.2, 4}, {0.5, 0.2, 0.5, 0.2, 0.8, 45}}};

class ExtraDrawer final : DeedDrawer {
 public:
  explicit ExtraDrawer(Story* story)
      : DeedDrawer(story->seed ^ kOtherNumbers, absl::Seconds(3)),
        story_(*story),
        rates_(kExtraRates[static_cast<size_t>(story->profile)]) {}

  void Draw() {
    if (rng_.Chance(0.4)) story_.webhooks = static_cast<int>(rng_.Between(1, 2));
    if (rng_.Chance(0.4)) story_.agents = static_cast<int>(rng_.Between(1, 2));
    if (rng_.Chance(story_.agents > 0 ? 0.5 : 0.1)) story_.sharding = model::ShardMode::kSoft;
    story_.disk = rng_.Chance(0.35);
    if (story_.disk) story_.journal_bytes = size_t{1000} << rng_.Below(12);
    if (rng_.Chance(0.3)) story_.bookmarks = absl::Seconds(rng_.Between(5, 60));
    topology_ = rng_.Chance(0.15);
    if (topology_) story_.policy = StormTopologyPolicy();
    for (int i = 0; i < story_.webhooks; ++i) processes_.push_back(StrCat("webhooks-", i));
    for (int i = 0; i < story_.agents; ++i) processes_.push_back(StrCat("agent-", i));
    DrawMore(&story_.rounds, [this] { DrawRound(); });
    if (rng_.Chance(0.75)) story_.lease = absl::Seconds(rng_.Chance(0.5) ? 60 : 30);
  }

 private:
  Deed& Add(Verb verb, std::string_view meaning) {
    return DeedDrawer::Add(Moment(), verb, meaning);
  }
  void Send(std::string_view meaning, std::string method, std::string target, std::string body) {
    DeedDrawer::Send(Moment(), meaning, std::move(method), std::move(target), std::move(body));
  }
  void Pick(std::string_view meaning, std::string method, std::string_view collection,
            std::string body) {
    DeedDrawer::Pick(Moment(), meaning, std::move(method), collection, std::move(body));
  }

  void DrawRound() {
    if (story_.agents > 0) {
      for (int64_t n = rng_.Between(0, 20); n > 0; --n) DrawSinglePod();
    }
    if (story_.webhooks > 0 && rng_.Chance(0.3)) DrawFailurePolicy();
    if (topology_) DrawTopology();
    for (int64_t n = Times(rates_.meddling_per_minute); n > 0; --n) DrawMeddling();
    if (!processes_.empty()) {
      for (int64_t n = Times(rates_.strikes_per_minute); n > 0; --n) DrawStrike();
      for (int64_t n = Times(rates_.fronts_per_minute); n > 0; --n) DrawFront();
    }
    for (int64_t n = Times(rates_.server_faults_per_minute); n > 0; --n) DrawServerFault();
  }

  void DrawSinglePod() {
    constexpr std::array<std::string_view, 3> kUrgencies = {
        "", R"("annotations":{"volcano.sh/scheduling-priority":"100"},)",
        R"("annotations":{"volcano.sh/scheduling-priority":"-1"},)"};
    constexpr std::array<int, 4> kCpus = {1, 1, 2, 4};
    const std::string name = StrCat("u", made_++);
    Send("single", "POST", StrCat("/api/v1/namespaces/", OneOf(kSpaces), "/pods"),
         StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{)", OneOf(kUrgencies), R"("name":")",
                name, R"("},"spec":{"schedulerName":")", kAgentName,
                rng_.Chance(0.2) ? R"(","nodeSelector":{"pool":"a"},)" : R"(",)",
                R"("restartPolicy":"Never","containers":[{"name":"c","image":"i","command":)",
                R"(["sh","-c","sleep )", rng_.Between(1, 90),
                R"("],"resources":{"requests":{"cpu":")", OneOf(kCpus),
                R"(","memory":"1Gi"}}}]}})"));
  }

  // Racks of two nodes, and gangs that would like to be near one another.
  void DrawTopology() {
    for (int rack = 0; rack < 3; ++rack) {
      Send("hypernode", "POST", std::string(kHyperNodes), RackJson(rack));
    }
    if (rng_.Chance(0.5)) {
      Send("delete-hypernode", "DELETE", StrCat(kHyperNodes, "/rack-", rng_.Below(3)), "");
    }
    for (int64_t n = rng_.Between(1, 6); n > 0; --n) {
      const int64_t pods = rng_.Between(1, 4);
      SendJob(Moment(), "near-job", OneOf(kSpaces), StrCat("near", made_++),
              StrCat(R"("minAvailable":)", pods,
                     R"(,"networkTopology":{"mode":"soft"},"tasks":[{"name":"t","replicas":)", pods,
                     R"(,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c",)",
                     R"("image":"i","command":["sh","-c","sleep )", rng_.Between(5, 120),
                     R"("],"resources":{"requests":{"cpu":"1"}}}]}}}])"));
    }
  }

  void DrawMeddling() {
    switch (rng_.Below(8)) {
      case 0:
        return Send("relabel", "PATCH", StrCat("/api/v1/nodes/n", rng_.Below(6)),
                    StrCat(R"({"metadata":{"labels":{"pool":)",
                           rng_.Chance(0.7) ? R"("a")" : "null", "}}}"));
      case 1:
        return DrawDefinition();
      case 2:
        return Pick("min-member", "PATCH", "/apis/scheduling.volcano.sh/v1beta1/podgroups",
                    StrCat(R"({"spec":{"minMember":)", rng_.Between(1, 3), "}}"));
      case 3:
        return Pick("delete-configmap", "DELETE", "/api/v1/configmaps", "");
      case 4:
        return DrawLimit();
      case 5: {
        Deed& deed = Add(Verb::kClock, "clock");
        deed.process = rng_.Chance(0.5) ? "scheduler-0" : "controllers-0";
        deed.ahead = absl::Seconds(rng_.Between(-300, 300));
        return;
      }
      case 6: {
        if (story_.policy.empty()) return;
        const auto policies = StormPolicies();
        Add(Verb::kPolicy, "policy").body = policies[1 + rng_.Below(policies.size() - 1)];
        return;
      }
      default:
        return Pick("label-pod", "PATCH", "/api/v1/pods",
                    R"({"metadata":{"labels":{"by":"a-user"}}})");
    }
  }

  // One of an older release, and later the newer one again.
  void DrawDefinition() {
    const std::string target =
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/podgroups.scheduling.volcano.sh";
    const std::string property =
        "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/subGroupPolicy";
    Send("older-definition", "PATCH", target,
         StrCat(R"([{"op":"remove","path":")", property, R"("}])"));
    const absl::Duration at = round_.deeds.back().at;
    Send("newer-definition", "PATCH", target,
         StrCat(R"([{"op":"add","path":")", property,
                R"(","value":{"type":"array","items":{"type":"object",)",
                R"("x-kubernetes-preserve-unknown-fields":true}}}])"));
    round_.deeds.back().at = at + absl::Seconds(rng_.Between(1, 120));
  }

  // Quotas and budgets come and go.
  void DrawLimit() {
    const std::string_view ns = OneOf(kSpaces);
    const bool quota = rng_.Chance(0.5);
    const std::string target =
        quota ? StrCat("/api/v1/namespaces/", ns, "/resourcequotas")
              : StrCat("/apis/policy/v1/namespaces/", ns, "/poddisruptionbudgets");
    const std::string name = StrCat("limit", made_++);
    Send(quota ? "quota" : "budget", "POST", target,
         quota ? StrCat(R"({"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":")", name,
                        R"("},"spec":{"hard":{"pods":")", rng_.Between(1, 8), R"("}}})")
               : StrCat(R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":)",
                        R"({"name":")", name, R"("},"spec":{"minAvailable":)", rng_.Between(0, 3),
                        R"(,"selector":{}}})"));
    const absl::Duration at = round_.deeds.back().at;
    Send("lift-limit", "DELETE", StrCat(target, "/", name), "");
    round_.deeds.back().at = at + absl::Seconds(rng_.Between(1, 300));
  }

  // What an administrator sets in a registration stays.
  void DrawFailurePolicy() {
    constexpr std::array<std::string_view, 3> kNames = {
        "mutatingwebhookconfigurations/volcano-admission-service-jobs-mutate",
        "validatingwebhookconfigurations/volcano-admission-service-jobs-validate",
        "mutatingwebhookconfigurations/volcano-admission-service-podgroups-mutate"};
    Send("failure-policy", "PATCH", StrCat("/apis/admissionregistration.k8s.io/v1/", OneOf(kNames)),
         StrCat(R"([{"op":"replace","path":"/webhooks/0/failurePolicy","value":")",
                rng_.Chance(0.7) ? "Ignore" : "Fail",
                R"("},{"op":"replace","path":"/webhooks/0/timeoutSeconds","value":)",
                rng_.Between(1, 30), "}]"));
  }

  void DrawStrike() {
    const bool kills = rng_.Chance(0.5);
    Deed& deed = Add(kills ? Verb::kKill : Verb::kPause, kills ? "kill" : "pause");
    deed.process = OneOf(processes_);
    const bool is_short = rng_.Chance(0.5);
    deed.lasts = absl::Milliseconds(is_short ? rng_.Between(1, 5000) : rng_.Between(5000, 90'000));
  }

  // Of the API server itself: its process, its disk, and one beside it that lags behind.
  void DrawServerFault() {
    constexpr std::array<Fault, 5> kServerFaults = {
        Fault::kStaleList, Fault::kDiskSlow, Fault::kDiskFails, Fault::kDiskDies, Fault::kDiskFull};
    const uint64_t what = story_.disk ? rng_.Below(8) : 5 + rng_.Below(2);
    if (what >= 6) {
      const bool kills = what == 7;
      Deed& deed = Add(kills ? Verb::kKill : Verb::kPause, kills ? "kill-server" : "pause-server");
      deed.process = "server";
      deed.lasts = absl::Milliseconds(rng_.Between(1, rng_.Chance(0.7) ? 5'000 : 40'000));
      return;
    }
    Deed& deed = Add(Verb::kFront, "front");
    Front& front = deed.front;
    front.fault = what == 5 ? Fault::kStaleList : kServerFaults[what];
    const bool of_disk = front.fault != Fault::kStaleList;
    deed.lasts = absl::Seconds(rng_.Between(1, of_disk ? 40 : 200));
    // Disks are used often.
    front.rate = static_cast<double>(rng_.Between(1, of_disk ? 60 : 1000)) / 1000;
    front.most =
        of_disk ? absl::Milliseconds(rng_.Between(1, 4000)) : absl::Seconds(rng_.Between(1, 120));
    front.seed = rng_.Next();
  }

  void DrawFront() {
    Deed& deed = Add(Verb::kFront, "front");
    deed.lasts = absl::Seconds(rng_.Between(1, 90));
    Front& front = deed.front;
    front.fault = static_cast<Fault>(rng_.Below(kLineFaults));
    front.process = OneOf(processes_);
    if (rng_.Chance(0.5)) front.process.erase(front.process.rfind('-'));
    DrawStrength(rates_.front_rate_most, rates_.late_most_s, story_.profile == Profile::kHell,
                 &front);
    front.seed = rng_.Next();
  }

  Story& story_;
  const ExtraRates& rates_;
  std::vector<std::string> processes_;
  bool topology_ = false;
  int made_ = 0;
};

}  // namespace

void DrawExtras(Story* story) {
  ExtraDrawer(story).Draw();
}

}  // namespace bth::sim
