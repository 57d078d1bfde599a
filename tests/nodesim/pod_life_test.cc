#include "nodesim/pod_life.h"

#include "api/types/codec.h"
#include "base/strings.h"
#include "nodesim/pod_status.h"
#include "tests/support/catch.h"

namespace bth::nodesim {
namespace {

const absl::Time kStart = absl::FromUnixSeconds(1'700'000'000);

absl::Time At(double seconds) {
  return kStart + absl::Seconds(seconds);
}

types::Container Container(std::string name, std::string script) {
  types::Container out;
  out.name = std::move(name);
  out.image = "image";
  if (!script.empty()) out.command = {"sh", "-c", std::move(script)};
  return out;
}

types::Pod Pod(std::string restart_policy, std::vector<std::string> scripts,
               std::vector<std::string> init = {}) {
  types::Pod pod;
  pod.spec.restart_policy = std::move(restart_policy);
  for (size_t i = 0; i < scripts.size(); ++i) {
    pod.spec.containers.push_back(Container(StrCat("c", i), scripts[i]));
  }
  for (size_t i = 0; i < init.size(); ++i) {
    const bool sidecar = init[i].substr(0, 1) == "+";
    pod.spec.init_containers.push_back(
        Container(StrCat("i", i), sidecar ? init[i].substr(1) : init[i]));
    if (sidecar) pod.spec.init_containers.back().restart_policy = "Always";
  }
  return pod;
}

Timing TestTiming() {
  Timing timing;
  timing.start_delay = absl::Seconds(1);
  timing.stop_delay = absl::Seconds(2);
  return timing;
}

std::string PhaseOf(const PodLife& life) {
  return std::string(StatusOf(life, {"10.0.0.1", ""})["phase"].AsString());
}

// "running r0", "waiting r1", "ended(3) r0" of every container, init first.
std::string ContainersOf(const PodLife& life) {
  std::string out;
  for (const std::vector<ContainerLife>* lives : {&life.init(), &life.main()}) {
    for (const ContainerLife& one : *lives) {
      if (!out.empty()) out += ", ";
      if (one.state == ContainerLife::State::kRunning) out += "running";
      if (one.state == ContainerLife::State::kWaiting) out += "waiting";
      if (one.state == ContainerLife::State::kEnded) {
        out += StrCat("ended(", one.last->exit_code, ")");
      }
      StrAppend(&out, " r", one.restarts);
    }
  }
  return out;
}

TEST_CASE("pod life: what is to be seen at which second", "[nodesim][unit]") {
  struct Look {
    double at;
    std::string phase;
    std::string containers;
  };
  struct Case {
    std::string name;
    types::Pod pod;
    std::vector<Look> looks;
  };
  const Case c = GENERATE(values<Case>({
      {"a server runs on",
       Pod("Always", {""}),
       {{0.9, "Pending", "waiting r0"},
        {1, "Running", "running r0"},
        {1e6, "Running", "running r0"}}},
      {"a task ends well",
       Pod("Never", {"sleep 5"}),
       {{5.9, "Running", "running r0"}, {6, "Succeeded", "ended(0) r0"}}},
      {"a task ends badly",
       Pod("Never", {"sleep 5; exit 3"}),
       {{6, "Failed", "ended(3) r0"}, {100, "Failed", "ended(3) r0"}}},
      {"a task without length", Pod("Never", {"true"}), {{1, "Succeeded", "ended(0) r0"}}},
      {"the longest container decides when",
       Pod("Never", {"sleep 1; false", "sleep 4"}),
       {{2, "Running", "ended(1) r0, running r0"}, {5, "Failed", "ended(1) r0, ended(0) r0"}}},
      {"OnFailure starts failures again",
       Pod("OnFailure", {"sleep 5; false"}),
       {{6, "Running", "running r1"},
        {11, "Running", "waiting r1"},
        {20.9, "Running", "waiting r1"},
        {21, "Running", "running r2"}}},
      {"OnFailure lets success be",
       Pod("OnFailure", {"sleep 5"}),
       {{6, "Succeeded", "ended(0) r0"}}},
      {"Always starts success again",
       Pod("Always", {"sleep 5"}),
       {{6, "Running", "running r1"}, {11, "Running", "waiting r1"}}},
      {"pauses double",
       Pod("Always", {"false"}),
       {{1, "Running", "waiting r1"},
        {10.9, "Running", "waiting r1"},
        {11, "Running", "waiting r2"},
        {30.9, "Running", "waiting r2"},
        {31, "Running", "waiting r3"},
        {71, "Running", "waiting r4"}}},
      {"pauses have a limit",
       Pod("Always", {"false"}),
       {{1 + 10 + 20 + 40 + 80 + 160 + 300 + 300, "Running", "waiting r8"}}},
      {"a long run starts over",
       Pod("Always", {"sleep 700"}),
       {{701, "Running", "running r1"}, {1401, "Running", "running r2"}}},
      {"init containers run in order",
       Pod("Never", {"sleep 9"}, {"sleep 2", "sleep 3"}),
       {{1, "Pending", "running r0, waiting r0, waiting r0"},
        {3, "Pending", "ended(0) r0, running r0, waiting r0"},
        {6, "Running", "ended(0) r0, ended(0) r0, running r0"},
        {15, "Succeeded", "ended(0) r0, ended(0) r0, ended(0) r0"}}},
      {"init containers without length",
       Pod("Never", {""}, {"true", "true"}),
       {{1, "Running", "ended(0) r0, ended(0) r0, running r0"}}},
      {"a failed init container fails the pod",
       Pod("Never", {""}, {"sleep 2; exit 4"}),
       {{3, "Failed", "ended(4) r0, waiting r0"}}},
      {"or is tried again",
       Pod("Always", {""}, {"sleep 2; exit 4"}),
       {{3, "Pending", "running r1, waiting r0"},
        {5, "Pending", "waiting r1, waiting r0"},
        {15, "Pending", "running r2, waiting r0"}}},
      {"a sidecar stays beside and goes with the last",
       Pod("Never", {"sleep 5"}, {"+", "sleep 1"}),
       {{1, "Pending", "running r0, running r0, waiting r0"},
        {2, "Running", "running r0, ended(0) r0, running r0"},
        {7, "Succeeded", "ended(143) r0, ended(0) r0, ended(0) r0"}}},
      {"a sidecar is started again",
       Pod("Never", {""}, {"+sleep 3"}),
       {{4, "Running", "running r1, running r0"}}},
  }));
  CAPTURE(c.name);
  PodLife life(c.pod, TestTiming(), kStart);
  for (const Look& look : c.looks) {
    CAPTURE(look.at);
    life.Advance(At(look.at));
    CHECK(PhaseOf(life) == look.phase);
    CHECK(ContainersOf(life) == look.containers);
    CHECK(life.next() > At(look.at));
  }
}

TEST_CASE("pod life: one long step equals many short ones", "[nodesim][property]") {
  const types::Pod pod = Pod("OnFailure", {"sleep 7; false", "sleep 3"}, {"sleep 2", "+sleep 9"});
  PodLife quick(pod, TestTiming(), kStart);
  PodLife slow(pod, TestTiming(), kStart);
  for (int tenth = 0; tenth <= 5000; ++tenth) slow.Advance(At(tenth / 10.0));
  quick.Advance(At(500));
  CHECK(StatusOf(quick, {}).Dump() == StatusOf(slow, {}).Dump());
}

TEST_CASE("pod life: Advance says whether anything is to be told", "[nodesim][unit]") {
  PodLife life(Pod("Never", {"sleep 5"}), TestTiming(), kStart);
  CHECK(life.next() == At(1));
  CHECK_FALSE(life.Advance(At(0.5)));
  CHECK(life.Advance(At(1)));
  CHECK(life.next() == At(6));
  CHECK_FALSE(life.Advance(At(5)));
  CHECK(life.Advance(At(6)));
  CHECK(life.next() == absl::InfiniteFuture());
  CHECK_FALSE(life.Advance(At(1000)));
}

TEST_CASE("pod life: a deleted pod goes after its stop, its grace or its own end",
          "[nodesim][unit]") {
  struct Case {
    std::string script;
    double grace;
    double gone;  // Deleted at second 10.
    int exit_code;
  };
  const Case c = GENERATE(values<Case>({
      {"", 30, 12, 143},
      {"", 1, 11, 137},
      {"", 0, 10, 137},
      {"sleep 10", 30, 11, 0},
      {"sleep 10; exit 1", 30, 11, 1},
  }));
  PodLife life(Pod("Always", {c.script}), TestTiming(), kStart);
  life.Advance(At(10));
  CHECK(life.Terminate(At(10 + c.grace), absl::Seconds(c.grace), At(10)));
  CHECK_FALSE(life.Terminate(At(10 + c.grace), absl::Seconds(c.grace), At(10)));
  CHECK(life.next() == At(c.gone));
  life.Advance(At(c.gone - 0.1));
  CHECK_FALSE(life.removable());
  life.Advance(At(c.gone));
  CHECK(life.removable());
  CHECK(life.main()[0].last->exit_code == c.exit_code);
  CHECK(PhaseOf(life) == (c.exit_code == 0 ? "Succeeded" : "Failed"));
}

TEST_CASE("pod life: a deleted pod that never started goes at once", "[nodesim][unit]") {
  PodLife life(Pod("Always", {""}), TestTiming(), kStart);
  life.Terminate(At(30.5), absl::Seconds(30), At(0.5));
  life.Advance(At(0.5));
  CHECK(life.removable());
  CHECK_FALSE(life.started());
}

TEST_CASE("pod life: grace passes by the kubelet's own clock", "[nodesim][unit]") {
  PodLife life(Pod("Always", {""}), TestTiming(), kStart);
  life.Advance(At(10));
  // The clock of the API server is five minutes ahead.
  CHECK(life.Terminate(At(340), absl::Seconds(30), At(10)));
  CHECK(life.next() == At(12));
  CHECK_FALSE(life.Terminate(At(340), absl::Seconds(30), At(10.5)));
  CHECK(life.latest() == At(40));
  CHECK(life.Terminate(At(320), absl::Seconds(10), At(10.5)));
  CHECK(life.latest() == At(20.5));
  life.Advance(At(12));
  CHECK(life.removable());
}

TEST_CASE("pod life: containers that wait are not started again once deleted", "[nodesim][unit]") {
  PodLife life(Pod("Always", {"false"}), TestTiming(), kStart);
  life.Advance(At(5));
  CHECK(ContainersOf(life) == "waiting r1");
  life.Terminate(At(40), absl::Seconds(30), At(10));
  CHECK(life.next() == At(10));
  life.Advance(At(10));
  CHECK(life.removable());
  CHECK(ContainersOf(life) == "ended(1) r1");
}

TEST_CASE("pod life: the active deadline ends a pod", "[nodesim][unit]") {
  types::Pod pod = Pod("Always", {""});
  pod.spec.active_deadline_seconds = 20;
  PodLife life(pod, TestTiming(), kStart);
  life.Advance(At(20.9));
  CHECK(PhaseOf(life) == "Running");
  life.Advance(At(21));
  CHECK(PhaseOf(life) == "Failed");
  CHECK(life.reason() == "DeadlineExceeded");
  CHECK(ContainersOf(life) == "ended(137) r0");
}

// What the server keeps of a status, read back.
types::Pod Reread(types::Pod pod, const PodLife& life) {
  types::Json json = types::Json::MakeObject();
  json.Set("status", StatusOf(life, {"10.0.0.1", "172.16.0.1"}));
  const absl::StatusOr<types::Pod> read = types::Decode<types::Pod>(json);
  REQUIRE(read.ok());
  pod.status = read->status;
  return pod;
}

TEST_CASE("pod life: a new simulator goes on where the former ended", "[nodesim][property]") {
  const types::Pod pod =
      GENERATE(Pod("Always", {""}), Pod("Never", {"sleep 7"}),
               Pod("Never", {"sleep 7; exit 2", "sleep 30"}), Pod("OnFailure", {"sleep 5; false"}),
               Pod("Always", {"false"}), Pod("Always", {"sleep 2"}, {"sleep 4", "+", "sleep 3"}),
               Pod("OnFailure", {"sleep 9"}, {"sleep 2; false"}));
  for (int restart_at = 1; restart_at <= 80; ++restart_at) {
    CAPTURE(restart_at);
    PodLife before(pod, TestTiming(), kStart);
    before.Advance(At(restart_at));
    PodLife after(Reread(pod, before), TestTiming(), At(restart_at));
    CHECK_FALSE(after.Advance(At(restart_at)));
    CHECK(after.next() == before.next());
    for (const double later : {1.0, 5.0, 40.0, 300.0}) {
      before.Advance(At(restart_at + later));
      after.Advance(At(restart_at + later));
      CHECK(StatusOf(after, {}).Dump() == StatusOf(before, {}).Dump());
    }
  }
}

TEST_CASE("pod life: what others ended stays ended", "[nodesim][unit]") {
  types::Pod pod = Pod("Always", {""});
  PodLife life(pod, TestTiming(), kStart);
  life.Advance(At(2));
  life.EndedByOthers();
  CHECK_FALSE(life.Advance(At(100)));
  CHECK(life.next() == absl::InfiniteFuture());
  life.Terminate(At(130), absl::Seconds(30), At(100));
  CHECK(life.removable());
  pod.status.phase = "Failed";
  PodLife ended(pod, TestTiming(), kStart);
  CHECK_FALSE(ended.Advance(At(100)));
}

TEST_CASE("pod status: conditions and states are a kubelet's", "[nodesim][unit]") {
  PodLife life(Pod("Never", {"sleep 5"}, {"sleep 2"}), TestTiming(), kStart);
  const auto condition = [&life](std::string_view type) -> types::Json {
    const types::Json shown = StatusOf(life, {"10.1.2.3", ""});
    for (const types::Json& one : shown["conditions"].items()) {
      if (one["type"].AsString() == type) return one;
    }
    return types::Json();
  };
  life.Advance(At(1));
  CHECK(condition("Initialized")["status"].AsString() == "False");
  CHECK(condition("Ready")["reason"].AsString() == "ContainersNotReady");
  life.Advance(At(3));
  CHECK(condition("Initialized")["status"].AsString() == "True");
  CHECK(condition("Ready")["status"].AsString() == "True");
  CHECK(condition("Ready")["reason"].is_null());
  CHECK(condition("Ready")["lastTransitionTime"].AsString() == "2023-11-14T22:13:23Z");
  const types::Json status = StatusOf(life, {"10.1.2.3", "172.16.0.1"});
  CHECK(status["podIP"].AsString() == "10.1.2.3");
  CHECK(status["hostIP"].AsString() == "172.16.0.1");
  CHECK(status["startTime"].AsString() == "2023-11-14T22:13:21Z");
  const types::Json& container = status["containerStatuses"][size_t{0}];
  CHECK(container["ready"].AsBool());
  CHECK(container.At({"state", "running", "startedAt"}).AsString() == "2023-11-14T22:13:23Z");
  life.Advance(At(8));
  CHECK(condition("Ready")["reason"].AsString() == "PodCompleted");
}

}  // namespace
}  // namespace bth::nodesim
