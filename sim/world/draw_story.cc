// What users, machines and networks do to a cluster.
#include <array>

#include "base/strings.h"
#include "nodesim/device_maker.h"
#include "sim/world/deed_drawer.h"
#include "sim/world/draw_bounds.h"
#include "sim/world/draw_extras.h"
#include "sim/world/draw_flows.h"
#include "sim/world/draw_habits.h"
#include "sim/world/draw_peers.h"
#include "sim/world/policies.h"
#include "sim/world/story.h"

namespace bth::sim {
namespace {

constexpr std::string_view kNodes = "/api/v1/nodes";
constexpr std::string_view kQueues = "/apis/scheduling.volcano.sh/v1beta1/queues";
constexpr std::string_view kPods = "/api/v1/pods";
constexpr std::string_view kJobs = "/apis/batch.volcano.sh/v1alpha1/jobs";
constexpr std::string_view kGroups = "/apis/scheduling.volcano.sh/v1beta1/podgroups";
// What a node may have, and a pod may ask for: each divides the next, so that nothing is left over
// where the sum fits.
constexpr std::array<int, 3> kNodeCpus = {4, 8, 16};
constexpr std::array<int, 3> kPodCpus = {1, 2, 4};

// How much goes wrong.
struct Rates {
  double fronts_per_minute;
  double strikes_per_minute;   // On processes.
  double meddling_per_minute;  // Of users, with what is there.
  double losses_per_minute;    // Of nodes.
  double front_rate_most;
  int late_most_s;
};
constexpr std::array<Rates, 3> kRates = {
    {{0, 0, 0.3, 0.05, 0, 0}, {0.4, 0.1, 0.7, 0.2, 0.2, 4}, {1.5, 0.4, 1.5, 0.5, 0.8, 45}}};

class Drawer final : DeedDrawer {
 public:
  Drawer(uint64_t seed, Profile profile)
      : DeedDrawer(seed, absl::Seconds(15)),
        profile_(profile),
        rates_(kRates[static_cast<size_t>(profile)]) {
    story_.seed = seed;
    story_.profile = profile;
  }

  Story Draw(double hours) {
    const auto policies = StormPolicies();
    story_.policy = policies[rng_.Below(policies.size())];
    story_.admission = rng_.Chance(0.7);
    story_.schedulers = static_cast<int>(rng_.Between(1, 3));
    story_.controllers = static_cast<int>(rng_.Between(1, 2));
    story_.gate_removals = rng_.Chance(0.3) ? 5 : 0;
    story_.history_max = OneOf(std::array<size_t, 3>{60, 1000, 10'000});
    story_.watch_timeout = absl::Minutes(rng_.Between(2, 40));
    story_.cycle_most = absl::Milliseconds(OneOf(std::array<int, 3>{0, 20, 500}));
    story_.clock_apart = absl::Seconds(OneOf(std::array<int, 3>{0, 2, 300}));
    const double all = hours * 60;
    for (double minutes = 0; minutes < all;) {
      const int64_t lasts = rng_.Between(5, 30);
      round_ = Round();
      round_.lasts = absl::Minutes(lasts);
      DrawRound();
      story_.rounds.push_back(std::move(round_));
      minutes += static_cast<double>(lasts) + kRestMinutes;
    }
    return std::move(story_);
  }

 private:
  static constexpr double kRestMinutes = 30;

  void DrawRound();
  void DrawNodes();
  void DrawQueues();
  void DrawDevices();
  void DrawJob();
  void DrawGroup();
  void DrawStranger();
  void DrawMeddling();
  void DrawLoss();
  void DrawStrike();
  void DrawFront();
  std::string Template();
  std::string Policies();
  std::string Command(std::string_view action, const std::string& kind, const std::string& name);
  // Now and then one that is never there.
  std::string QueueName() {
    if (rng_.Chance(0.04)) return "nowhere";
    if (queues_ == 0 || rng_.Chance(0.3)) return "default";
    return StrCat("q", rng_.Below(queues_));
  }
  std::string ProcessName();

  const Profile profile_;
  const Rates& rates_;
  Story story_;
  uint64_t queues_ = 0;
  bool devices_ = false;
  int made_ = 0;  // Jobs and groups of all rounds.
};

void Drawer::DrawRound() {
  DrawNodes();
  DrawQueues();
  DrawDevices();
  const int64_t jobs = rng_.Between(3, 40);
  for (int64_t i = 0; i < jobs; ++i) DrawJob();
  const int64_t groups = rng_.Between(0, 8);
  for (int64_t i = 0; i < groups; ++i) DrawGroup();
  const int64_t strangers = rng_.Between(0, 4);
  for (int64_t i = 0; i < strangers; ++i) DrawStranger();
  for (int64_t n = Times(rates_.meddling_per_minute); n > 0; --n) DrawMeddling();
  for (int64_t n = Times(rates_.losses_per_minute); n > 0; --n) DrawLoss();
  for (int64_t n = Times(rates_.strikes_per_minute); n > 0; --n) DrawStrike();
  for (int64_t n = Times(rates_.fronts_per_minute); n > 0; --n) DrawFront();
  SortDeeds();
}

void Drawer::DrawNodes() {
  const int64_t count = rng_.Between(2, 6);
  for (int64_t i = 0; i < count; ++i) {
    const absl::Duration at = rng_.Chance(0.8) ? absl::Seconds(1) : Moment();
    const std::string room =
        StrCat(R"({"cpu":")", OneOf(kNodeCpus), R"(","memory":"64Gi","pods":"110"})");
    Send(at, "node", "POST", std::string(kNodes),
         StrCat(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n)", i,
                R"("},"status":{"capacity":)", room, R"(,"allocatable":)", room,
                R"(,"conditions":[)", R"({"type":"Ready","status":"True"}]}})"));
  }
}

void Drawer::DrawQueues() {
  queues_ = rng_.Below(4);
  Send(absl::Seconds(1), "priority", "POST", "/apis/scheduling.k8s.io/v1/priorityclasses",
       R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"high"},)"
       R"("value":1000})");
  for (uint64_t i = 0; i < queues_; ++i) {
    std::string spec = StrCat(R"("weight":)", rng_.Between(1, 4));
    if (rng_.Chance(0.4)) {
      StrAppend(&spec, R"(,"capability":{"cpu":")", rng_.Between(4, 16), R"("})");
    }
    if (rng_.Chance(0.3)) {
      StrAppend(&spec, R"(,"deserved":{"cpu":")", rng_.Between(1, 4), R"("})");
    }
    if (rng_.Chance(0.3))
      StrAppend(&spec, R"(,"reclaimable":)", rng_.Chance(0.5) ? "true" : "false");
    Send(absl::Seconds(2), "queue", "POST", std::string(kQueues),
         StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue","metadata":)",
                R"({"name":"q)", i, R"("},"spec":{)", spec, "}}"));
  }
}

// Devices for claims, on nodes that may never come, and templates of claims.
void Drawer::DrawDevices() {
  devices_ = rng_.Chance(0.4);
  if (!devices_) return;
  nodesim::DeviceOffer offer;
  offer.driver = "gpu.example.com";
  Send(absl::Seconds(1), "device-class", "POST", "/apis/resource.k8s.io/v1/deviceclasses",
       nodesim::MakeDeviceClass(offer).Dump());
  for (int i = 0; i < 4; ++i) {
    offer.count = rng_.Between(1, 4);
    types::Json slice = nodesim::MakeSlice(offer, StrCat("n", i), "");
    slice["metadata"].Erase("ownerReferences");
    Send(rng_.Chance(0.8) ? absl::Seconds(2) : Moment(), "slice", "POST",
         "/apis/resource.k8s.io/v1/resourceslices", slice.Dump());
  }
  for (const std::string_view ns : kSpaces) {
    Send(absl::Seconds(2), "claim-template", "POST",
         StrCat("/apis/resource.k8s.io/v1/namespaces/", ns, "/resourceclaimtemplates"),
         StrCat(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaimTemplate","metadata":)",
                R"({"name":"cards"},"spec":{"spec":{"devices":{"requests":[{"name":"r","exactly":)",
                R"({"deviceClassName":"gpu.example.com","count":)", rng_.Between(1, 2), "}}]}}}}"));
  }
}

// One container that sleeps and ends.
std::string Drawer::Template() {
  const int64_t runs = rng_.Chance(0.2) ? rng_.Between(1, 5) : rng_.Between(5, 240);
  const bool claims = devices_ && rng_.Chance(0.5);
  const int code = rng_.Chance(0.12) ? static_cast<int>(rng_.Between(1, 3)) : 0;
  std::string spec =
      StrCat(R"("restartPolicy":")", rng_.Chance(0.8) || code != 0 ? "Never" : "OnFailure",
             R"(","containers":[{"name":"c","image":"i","command":["sh","-c","sleep )", runs,
             " && exit ", code, R"("],"resources":{"requests":{"cpu":"$CPU","memory":"1Gi"})",
             claims ? R"(,"claims":[{"name":"d"}])" : "", "}}]");
  if (claims) {
    StrAppend(&spec, R"(,"resourceClaims":[{"name":"d","resourceClaimTemplateName":"cards"}])");
  }
  if (rng_.Chance(0.3)) {
    StrAppend(&spec, R"(,"terminationGracePeriodSeconds":)", rng_.Between(0, 40));
  }
  return spec;
}

std::string Drawer::Policies() {
  constexpr std::array<std::string_view, 6> kEvents = {"PodFailed", "PodEvicted",    "TaskFailed",
                                                       "*",         "TaskCompleted", "PodPending"};
  constexpr std::array<std::string_view, 6> kActions = {
      "RestartJob", "RestartTask", "RestartPod", "AbortJob", "CompleteJob", "TerminateJob"};
  if (rng_.Chance(0.5)) return "";
  const std::string_view event = OneOf(kEvents);
  std::string out =
      StrCat(R"("policies":[{"event":")", event, R"(","action":")", OneOf(kActions), R"(")");
  if (event == "PodPending" || rng_.Chance(0.2)) {
    StrAppend(&out, R"(,"timeout":")", rng_.Between(1, 120), R"(s")");
  }
  return out + "}],";
}

std::string WithCpus(std::string text, int cpus) {
  const size_t at = text.find("$CPU");
  return text.replace(at, 4, std::to_string(cpus));
}

void Drawer::DrawJob() {
  const std::string_view ns = OneOf(kSpaces);
  const int cpus = OneOf(kPodCpus);
  const int64_t tasks = rng_.Chance(0.7) ? 1 : 2;
  std::string list;
  int64_t replicas = 0;
  for (int64_t t = 0; t < tasks; ++t) {
    const int64_t of_task = rng_.Between(1, 4);
    replicas += of_task;
    StrAppend(&list, t == 0 ? "" : ",", R"({"name":"t)", t, R"(","replicas":)", of_task, ",");
    if (rng_.Chance(0.3)) StrAppend(&list, Policies());
    if (t == 1 && rng_.Chance(0.4)) StrAppend(&list, R"("dependsOn":{"name":["t0"]},)");
    StrAppend(&list, R"("template":{"spec":{)", WithCpus(Template(), cpus), "}}}");
  }
  std::string spec;
  if (rng_.Chance(0.5)) StrAppend(&spec, R"("minAvailable":)", rng_.Between(1, replicas), ",");
  StrAppend(&spec, R"("queue":")", QueueName(), R"(",)", Policies());
  if (rng_.Chance(0.3)) StrAppend(&spec, R"("maxRetry":)", rng_.Between(1, 5), ",");
  if (rng_.Chance(0.2))
    StrAppend(&spec, R"("ttlSecondsAfterFinished":)", rng_.Between(1, 300), ",");
  if (rng_.Chance(0.2)) StrAppend(&spec, R"("priorityClassName":"high",)");
  if (rng_.Chance(0.2)) StrAppend(&spec, R"("plugins":{"svc":[],"env":[]},)");
  const std::string name = StrCat("j", made_++);
  const absl::Duration at = Moment();
  SendJob(at, "job", ns, name, StrCat(spec, R"("tasks":[)", list, "]"));
}

// A PodGroup of plain pods.
void Drawer::DrawGroup() {
  const std::string_view ns = OneOf(kSpaces);
  const std::string name = StrCat("g", made_++);
  const int64_t pods = rng_.Between(1, 5);
  const absl::Duration at = Moment();
  const auto make_group = [&] {
    Send(at, "group", "POST",
         StrCat("/apis/scheduling.volcano.sh/v1beta1/namespaces/", ns, "/podgroups"),
         StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":)",
                R"({"name":")", name, R"("},"spec":{"minMember":)", rng_.Between(1, pods),
                R"(,"queue":")", QueueName(), R"("}})"));
  };
  if (rng_.Chance(0.8)) make_group();
  const std::string spec = WithCpus(Template(), OneOf(kPodCpus));
  for (int64_t p = 0; p < pods; ++p) {
    Send(at + absl::Milliseconds(rng_.Between(0, 3000)), "pod", "POST",
         StrCat("/api/v1/namespaces/", ns, "/pods"), MemberPodJson(name, p, spec));
  }
}

// A pod of another scheduler, which has a node at once.
void Drawer::DrawStranger() {
  const std::string name = StrCat("s", made_++);
  Send(Moment(), "stranger", "POST", "/api/v1/namespaces/default/pods",
       StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")", name,
              R"("},"spec":{"schedulerName":"stranger","nodeName":"n)", rng_.Below(4), R"(",)",
              WithCpus(Template(), OneOf(kPodCpus)), "}}"));
}

std::string Drawer::Command(std::string_view action, const std::string& kind,
                            const std::string& name) {
  const bool queue = kind == "Queue";
  return StrCat(R"({"apiVersion":"bus.volcano.sh/v1alpha1","kind":"Command","metadata":)",
                R"({"generateName":"c-"},"action":")", action, R"(","target":{"apiVersion":")",
                queue ? "scheduling.volcano.sh/v1beta1" : "batch.volcano.sh/v1alpha1",
                R"(","kind":")", kind, R"(","name":")", name, R"(","uid":"$UID"}})");
}

void Drawer::DrawMeddling() {
  constexpr std::string_view kCommands = "/apis/bus.volcano.sh/v1alpha1/commands";
  constexpr std::array<std::string_view, 4> kJobActions = {"AbortJob", "ResumeJob", "RestartJob",
                                                           "TerminateJob"};
  const absl::Duration at = Moment();
  switch (rng_.Below(14)) {
    case 0:
    case 1:
      return Pick(at, "delete-job", "DELETE", kJobs);
    case 2:
      return Pick(at, "delete-group", "DELETE", kGroups);
    case 3:
    case 4:
      return Pick(at, "delete-pod", "DELETE", kPods);
    case 5:
      return Pick(at, "kill-pod", "DELETE", StrCat(kPods, "?gracePeriodSeconds=0"));
    case 6:
      return Pick(at, "delete-queue", "DELETE", kQueues);
    case 7:
      Send(at, "delete-namespace", "DELETE",
           StrCat("/api/v1/namespaces/team-", rng_.Chance(0.5) ? "a" : "b"));
      return;
    case 8:
      return Pick(at, "capability", "PATCH", kQueues,
                  StrCat(R"({"spec":{"capability":{"cpu":")", rng_.Between(2, 20), R"("}}})"));
    case 9: {
      // Sent to the collection of the job's namespace; kPick fills in which one.
      const std::string body = Command(OneOf(kJobActions), "Job", "$NAME");
      Pick(at, "command", "POST", kJobs, body);
      round_.deeds.back().target = StrCat(kJobs, " ", kCommands);
      return;
    }
    case 10: {
      Pick(at, "queue-command", "POST", kQueues,
           Command(rng_.Chance(0.4) ? "CloseQueue" : "OpenQueue", "Queue", "$NAME"));
      round_.deeds.back().target = StrCat(kQueues, " ", kCommands);
      return;
    }
    case 11:
      return Pick(at, "scale", "PATCH", kJobs,
                  StrCat(R"([{"op":"replace","path":"/spec/tasks/0/replicas","value":)",
                         rng_.Between(1, 5), "}]"));
    case 12:
      return Pick(at, "min-available", "PATCH", kJobs,
                  StrCat(R"({"spec":{"minAvailable":)", rng_.Between(1, 3), "}}"));
    default:
      return Pick(at, "foreground", "DELETE",
                  StrCat(kJobs, "?propagationPolicy=", rng_.Chance(0.5) ? "Foreground" : "Orphan"));
  }
}

void Drawer::DrawLoss() {
  const std::string node = StrCat(kNodes, "/n", rng_.Below(5));
  const absl::Duration at = Moment();
  const absl::Duration back = at + absl::Seconds(rng_.Between(1, 300));
  switch (rng_.Below(4)) {
    case 0:
      Send(at, "node-down", "PATCH", node,
           R"({"metadata":{"annotations":{"batholith.io/simulated-down":"true"}}})");
      Send(back, "node-up", "PATCH", node,
           R"({"metadata":{"annotations":{"batholith.io/simulated-down":null}}})");
      return;
    case 1:
      Send(at, "cordon", "PATCH", node, R"({"spec":{"unschedulable":true}})");
      Send(back, "uncordon", "PATCH", node, R"({"spec":{"unschedulable":null}})");
      return;
    case 2:
      Send(at, "delete-node", "DELETE", node);
      return;
    default:
      Send(at, "shrink", "PATCH", StrCat(node, "/status"),
           StrCat(R"({"status":{"allocatable":{"cpu":")", rng_.Between(1, 16), R"("}}})"));
  }
}

std::string Drawer::ProcessName() {
  switch (rng_.Below(5)) {
    case 0:
      return "nodes";
    case 1:
    case 2:
      return StrCat("controllers-", rng_.Below(static_cast<uint64_t>(story_.controllers)));
    default:
      return StrCat("scheduler-", rng_.Below(static_cast<uint64_t>(story_.schedulers)));
  }
}

void Drawer::DrawStrike() {
  const absl::Duration at = Moment();
  switch (rng_.Below(3)) {
    case 0: {
      Deed& deed = Add(at, Verb::kKill, "kill");
      deed.process = ProcessName();
      deed.lasts =
          absl::Milliseconds(rng_.Chance(0.5) ? rng_.Between(1, 1000) : rng_.Between(1000, 90'000));
      return;
    }
    case 1: {
      Deed& deed = Add(at, Verb::kPause, "pause");
      deed.process = ProcessName();
      deed.lasts =
          absl::Milliseconds(rng_.Chance(0.5) ? rng_.Between(1, 5000) : rng_.Between(5000, 90'000));
      return;
    }
    default:
      Add(at, Verb::kCut, "cut").process = ProcessName();
  }
}

void Drawer::DrawFront() {
  Deed& deed = Add(Moment(), Verb::kFront, "front");
  deed.lasts = absl::Seconds(rng_.Between(1, rng_.Chance(0.8) ? 60 : 400));
  Front& front = deed.front;
  front.fault = static_cast<Fault>(rng_.Below(kLineFaults));
  constexpr std::array<std::string_view, 5> kWhom = {"", "scheduler", "controllers", "nodes", ""};
  front.process = OneOf(kWhom);
  if (!front.process.empty() && front.process != "nodes" && rng_.Chance(0.5)) {
    front.process = ProcessName();
  }
  DrawStrength(rates_.front_rate_most, rates_.late_most_s, profile_ == Profile::kHell, &front);
  if (front.fault == Fault::kLateStream && rng_.Chance(0.3)) {
    front.most = absl::InfiniteDuration();
    front.rate = 1;
  }
  front.seed = rng_.Next();
}

}  // namespace

Story DrawStory(uint64_t seed, Profile profile, double hours) {
  Story story = Drawer(seed, profile).Draw(hours);
  DrawExtras(&story);
  DrawBounds(&story);
  DrawHabits(&story);
  DrawPeers(&story);
  DrawFlows(&story);
  return story;
}

}  // namespace bth::sim
