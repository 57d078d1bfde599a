#include <map>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "cache/writes/gate_remover.h"
#include "cache/writes/queue_notices.h"
#include "net/executor_clock.h"
#include "tests/cache/objects.h"
#include "tests/client/fake_server.h"
#include "tests/support/catch.h"

namespace bth::cache {
namespace {

using client::testing::Answer;
using client::testing::FakeServer;
using testing::MakeGroup;
using testing::MakePod;
using testing::MakeQueue;
using testing::PodText;
using types::Json;

constexpr char kGated[] =
    R"("schedulingGates":[{"name":"scheduling.volcano.sh/queue-allocation-gate"}],)";
constexpr char kOptedIn[] = R"("scheduling.volcano.sh/queue-allocation-gate":"true",)";

struct GateBed {
  net::VirtualExecutor executor{client::testing::StartTime()};
  net::ExecutorClock clock{executor};
  FakeServer server{executor};
  client::ApiClient api{executor, server.Transport(), {.protobuf = false}};  // Tests read it.
  Rng rng{1};
  Mirror mirror{clock, {}};
  client::EventRecorder events{api, rng, {.component = "volcano"}};
  std::vector<int> answers = {200};  // Of patches in turn; the last one stays.
  size_t patches = 0;

  GateBed() {
    server.script = [this](const net::Request& request) {
      if (request.method != "PATCH") return Answer(201, "{}");
      const int code = answers[std::min(patches++, answers.size() - 1)];
      return Answer(code, code < 300 ? "{}" : R"({"kind":"Status","message":"why"})");
    };
    mirror.PutQueue(MakeQueue("default"));
    mirror.PutPodGroup(MakeGroup("g", 1));
  }
  void Put(const std::string& name, const std::string& spec = kGated) {
    mirror.PutPod(MakePod({.name = name, .spec = spec, .annotations = kOptedIn},
                          mirror.vocabulary().symbols()));
  }
  framework::CycleReport Lift(const std::vector<std::string>& pods) {
    framework::CycleReport report{.snapshot = mirror.Publish(), .session_uid = "s"};
    for (const std::string& pod : pods) report.lifted_gates.push_back(Find(*report.snapshot, pod));
    return report;
  }
  static model::TaskId Find(const model::Snapshot& snapshot, const std::string& name) {
    for (model::TaskId id : snapshot.tasks.ids()) {
      if (snapshot.tasks[id].names && snapshot.tasks[id].names->name == name) return id;
    }
    FAIL("no pod " << name);
    return {};
  }
  bool IsLifted(const std::string& pod) {
    const auto snapshot = mirror.Publish();
    return snapshot->tasks[Find(*snapshot, pod)].gate_lifted;
  }
};

TEST_CASE("gates: the annotation must say true", "[cache]") {
  GateBed bed;
  Interner& symbols = bed.mirror.vocabulary().symbols();
  const auto keeps = [&](const std::string& annotation) {
    return MakePod({.annotations = annotation}, symbols).keeps_room;
  };
  CHECK(keeps(kOptedIn));
  CHECK_FALSE(keeps(""));
  CHECK_FALSE(keeps(R"("scheduling.volcano.sh/queue-allocation-gate":"True",)"));
}

TEST_CASE("gates: one patch per pod, bound to its UID, that takes off only that gate", "[cache]") {
  GateBed bed;
  GateRemover remover(bed.api, bed.mirror, nullptr, 2);
  bed.Put("p");
  const framework::CycleReport report = bed.Lift({"p"});
  remover.Take(report);
  CHECK(bed.IsLifted("p"));
  remover.Take(report);  // The next cycle may say it again.
  bed.executor.RunUntilIdle();
  REQUIRE(bed.server.requests.size() == 1);
  const net::Request& request = bed.server.requests[0];
  CHECK(request.method == "PATCH");
  CHECK(request.target == "/api/v1/namespaces/ns/pods/p");
  const Json body = *Json::Parse(request.body);
  CHECK(body.At({"metadata", "uid"}).AsString() == "u-p");
  const Json gate = body.At({"spec", "schedulingGates"})[0];
  CHECK(gate["$patch"].AsString() == "delete");
  CHECK(gate["name"].AsString() == "scheduling.volcano.sh/queue-allocation-gate");
  CHECK(remover.idle());
  // Its room stays kept until the watch shows it without the gate.
  CHECK(bed.IsLifted("p"));
  bed.Put("p", "");
  CHECK_FALSE(bed.IsLifted("p"));
}

TEST_CASE("gates: failures are tried again for a while, then a cycle decides anew", "[cache]") {
  struct Case {
    std::vector<int> answers;
    size_t patches;
    bool lifted;
  };
  const Case c = GENERATE(values<Case>({
      {{200}, 1, true},
      {{500, 500, 200}, 3, true},
      {{500}, GateRemover::kAttemptsMax, false},
      {{403}, GateRemover::kAttemptsMax, false},
      {{409}, 1, false},
      {{404}, 1, false},
  }));
  CAPTURE(c.answers[0], c.patches);
  GateBed bed;
  bed.answers = c.answers;
  GateRemover remover(bed.api, bed.mirror, nullptr, 2);
  bed.Put("p");
  remover.Take(bed.Lift({"p"}));
  bed.executor.Advance(absl::Minutes(5));
  CHECK(bed.patches == c.patches);
  CHECK(bed.mirror.changed() != c.lifted);
  CHECK(bed.IsLifted("p") == c.lifted);
  CHECK(remover.idle());
}

TEST_CASE("gates: what waits is bounded, and the rest stays gated for a later cycle", "[cache]") {
  GateBed bed;
  GateRemover remover(bed.api, bed.mirror, nullptr, 1);
  std::vector<std::string> pods;
  for (int i = 0; i < GateRemover::kWaitingPerWorker + 50; ++i) {
    pods.push_back(StrCat("p", i));
    bed.Put(pods.back());
  }
  remover.Take(bed.Lift(pods));
  CHECK(remover.waiting() == GateRemover::kWaitingPerWorker);
  CHECK_FALSE(bed.IsLifted(pods.back()));
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.patches == GateRemover::kWaitingPerWorker);
  remover.Take(bed.Lift({pods.back()}));
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.patches == GateRemover::kWaitingPerWorker + 1);
}

TEST_CASE("gates: a pod that is another one by now keeps its gate", "[cache]") {
  GateBed bed;
  GateRemover remover(bed.api, bed.mirror, nullptr, 1);
  bed.Put("p");
  const framework::CycleReport report = bed.Lift({"p"});
  bed.Put("p", "");
  remover.Take(report);
  bed.mirror.RemovePod("ns/p");
  remover.Take(report);
  bed.executor.RunUntilIdle();
  CHECK(bed.patches == 0);
}

TEST_CASE("queue notices: told when they come up, when they change, and when they come again",
          "[cache]") {
  GateBed bed;
  QueueNotices notices(bed.events);
  const auto take = [&](const std::map<std::string, std::string>& said) {
    const size_t before = bed.server.requests.size();
    framework::CycleReport report{.snapshot = bed.mirror.Publish(), .session_uid = "s"};
    for (const auto& [reason, message] : said) {
      report.queue_notices.push_back({.queue = report.snapshot->queues_by_name->front(),
                                      .reason = reason,
                                      .message = message});
    }
    notices.Take(report);
    bed.executor.Advance(absl::Seconds(5));
    return bed.server.requests.size() - before;
  };
  CHECK(take({{"A", "one"}}) == 1);
  const Json event = *Json::Parse(bed.server.requests.back().body);
  CHECK(event["type"].AsString() == "Warning");
  CHECK(event["reason"].AsString() == "A");
  CHECK(event["message"].AsString() == "one");
  CHECK(event.At({"involvedObject", "kind"}).AsString() == "Queue");
  CHECK(event.At({"involvedObject", "name"}).AsString() == "default");
  CHECK(take({{"A", "one"}}) == 0);
  CHECK(take({{"A", "one"}, {"B", "two"}}) == 1);
  CHECK(take({{"A", "other"}, {"B", "two"}}) == 1);
  CHECK(take({}) == 0);
  CHECK(take({{"B", "two"}}) == 1);
}

TEST_CASE("queues: odd amounts never cost a queue its place", "[cache]") {
  const auto compile = [](const std::string& spec) {
    const auto queue = Compile(testing::Read<types::Queue>(
        R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue","metadata":{"name":"q"},)"
        R"("spec":)" +
        spec + R"(,"status":{"allocated":{"memory":"900Ti"}}})"));
    REQUIRE(queue.ok());
    return *queue;
  };
  const CompiledQueue odd = compile(
      R"({"weight":1,"capability":{"cpu":"-1","memory":"1Pi","deviceclass/gpu.example.com":"2"},)"
      R"("deserved":{"memory.deviceclass/gpu.example.com":"1Gi"},)"
      R"("guarantee":{"resource":{"cpu":"9000000000000000000"}}})");
  CHECK(odd.capability == NamedAmounts{{"cpu", 0}, {"memory", int64_t{1} << 50}});
  CHECK(odd.deserved.empty());
  CHECK(odd.guarantee == NamedAmounts{{"cpu", int64_t{1} << 56}});
  CHECK(odd.row.has_negative_quota);
  CHECK(odd.row.has_idle_device_quota);
  REQUIRE(odd.row.device_quota != nullptr);
  CHECK(*odd.row.device_quota ==
        model::DeviceQuota{{{.device_class = "gpu.example.com", .count = 2, .amounts = {}}}});
  CHECK(odd.shown.allocated == NamedAmounts{{"memory", int64_t{900} << 40}});
  const CompiledQueue plain = compile(R"({"weight":1,"capability":{"cpu":"1"}})");
  CHECK_FALSE(plain.row.has_negative_quota);
  CHECK_FALSE(plain.row.has_idle_device_quota);
  CHECK(plain.row.device_quota == nullptr);
}

}  // namespace
}  // namespace bth::cache
