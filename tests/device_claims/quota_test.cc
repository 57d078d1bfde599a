// What the minimum of a job asks for of devices, beside what its queue may admit.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/capacity/device_ledger.h"
#include "plugins/capacity/queue_ledger.h"
#include "tests/device_claims/claim_world.h"
#include "tests/plugins/fixtures.h"
#include "tests/plugins/snapshot_changes.h"

namespace bth::test {
namespace {

constexpr int64_t kGiMilli = (int64_t{1} << 30) * 1000;

struct QuotaWorld : ClaimWorld {
  QuotaWorld() {
    DeviceClass("gpu.com");
    Node("n");
    Queue(R"("deviceclass/gpu.com":"1000000","memory.deviceclass/gpu.com":"1000000Gi")");
  }
  void Queue(const std::string& capability) {
    Put<types::Queue>(
        StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue","metadata":)",
               R"({"name":"q"},"spec":{"weight":1,"capability":{)", capability,
               R"(}},"status":{"state":"Open"}})"));
  }
  // `spec`: further members, each after a comma.
  void Group(const std::string& name, const std::string& spec) {
    Put<types::PodGroup>(
        StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":)",
               R"({"namespace":"ns","name":")", name, R"(","uid":"u-)", name,
               R"("},"spec":{"queue":"q")", spec, R"(},"status":{"phase":"Pending"}})"));
  }
  static std::string Of(const std::string& group, const std::string& role = "") {
    const std::string task = role.empty() ? "" : StrCat(R"(,"volcano.sh/task-spec":")", role, "\"");
    return StrCat(R"(,"annotations":{"scheduling.k8s.io/group-name":")", group, "\"", task, "}");
  }
  static std::string Request(int count, const std::string& memory = "") {
    const std::string capacity =
        memory.empty() ? "" : StrCat(R"(,"capacity":{"requests":{"memory":")", memory, R"("}})");
    return StrCat(R"({"requests":[{"name":"r","exactly":{"deviceClassName":"gpu.com","count":)",
                  count, capacity, "}}]}");
  }
  // A pod with a claim that was made from a template for it alone.
  void Worker(const std::string& name, const std::string& group, const std::string& request) {
    Claim(name + "-d", request, "u-" + name);
    Pod(name, {.metadata = Of(group, "worker"),
               .spec = R"(,"resourceClaims":[{"name":"d","resourceClaimTemplateName":"t"}])",
               .status = StrCat(R"(,"resourceClaimStatuses":[{"name":"d","resourceClaimName":")",
                                name, R"(-d"}])")});
  }
  void Plain(const std::string& name, const std::string& group, int count) {
    Claim(name + "-d", Request(count));
    Pod(name, {.metadata = Of(group), .spec = Uses(name + "-d")});
  }
};

// What is kept for the job once it is admitted: all that its minimum asks for.
model::ClassAmounts MinimumOf(ClaimWorld& objects, const std::string& job) {
  const World world = objects.Publish();
  PluginBed bed(Builtins(), MakePolicy("", "predicates"), world);
  plugins::capacity::QueueLedger queues;
  queues.Open(*world.snapshot, /*hierarchy=*/false);
  plugins::capacity::DeviceLedger devices(bed.session(), queues, /*parts=*/true);
  devices.Enqueue(world.job(job));
  const auto* account = devices.Find(world.queue("q"));
  REQUIRE(account != nullptr);
  const auto kept = account->inqueue.find("gpu.com");
  return kept == account->inqueue.end() ? model::ClassAmounts() : kept->second;
}

TEST_CASE("device quota: pods of a role that are not made yet count as the one that is",
          "[plugins][capacity][claims]") {
  QuotaWorld objects;
  objects.Group("g", R"(,"minMember":2,"minTaskMember":{"worker":2})");
  objects.Worker("w-0", "g", QuotaWorld::Request(1, "8Gi"));
  const model::ClassAmounts first = MinimumOf(objects, "g");
  CHECK(first.count == 2);
  CHECK(first.amounts == std::vector<std::pair<std::string, int64_t>>{{"memory", 16 * kGiMilli}});
  CHECK(MinimumOf(objects, "g") == first);
  // The second one changes nothing, and a third one is beyond the minimum.
  objects.Worker("w-1", "g", QuotaWorld::Request(1, "8Gi"));
  CHECK(MinimumOf(objects, "g") == first);
  objects.Worker("w-2", "g", QuotaWorld::Request(1, "8Gi"));
  CHECK(MinimumOf(objects, "g") == first);
}

TEST_CASE("device quota: without roles the first pods by name are the minimum",
          "[plugins][capacity][claims]") {
  QuotaWorld objects;
  objects.Group("g", R"(,"minMember":2)");
  objects.Plain("c", "g", 4);
  objects.Plain("a", "g", 2);
  objects.Plain("b", "g", 1);
  CHECK(MinimumOf(objects, "g").count == 3);
  objects.Group("g", R"(,"minMember":0)");
  CHECK(MinimumOf(objects, "g").count == 0);
}

TEST_CASE("device quota: an admitted job keeps its minimum while it backs off",
          "[plugins][capacity][claims]") {
  QuotaWorld objects;
  objects.Group("g", R"(,"minMember":1)");
  objects.Plain("a", "g", 3);
  World world = objects.Publish();
  world = Changed(world, [job = world.job("g")](model::Snapshot& snapshot) {
    snapshot.usage.jobs.Mutable(job).phase = model::PodGroupPhase::kInqueue;
  });
  if (GENERATE(false, true)) world = WithBackoff(world, "g");
  PluginBed bed(Builtins(), MakePolicy("", "predicates"), world);
  plugins::capacity::QueueLedger queues;
  queues.Open(*world.snapshot, /*hierarchy=*/false);
  const plugins::capacity::DeviceLedger devices(bed.session(), queues, /*parts=*/true);
  const auto* account = devices.Find(world.queue("q"));
  REQUIRE(account != nullptr);
  REQUIRE(account->inqueue.contains("gpu.com"));
  CHECK(account->inqueue.at("gpu.com").count == 3);
}

TEST_CASE("device quota: a minimum without end is told at once, and is as much as can be counted",
          "[plugins][capacity][claims]") {
  QuotaWorld objects;
  constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
  objects.Group("g",
                StrCat(R"(,"minMember":)", kMost, R"(,"minTaskMember":{"worker":)", kMost, "}"));
  objects.Worker("w-0", "g", QuotaWorld::Request(1, "2Gi"));
  const model::ClassAmounts most = MinimumOf(objects, "g");
  CHECK(most.count == kMost);
  CHECK(most.amounts == std::vector<std::pair<std::string, int64_t>>{
                            {"memory", std::numeric_limits<int64_t>::max()}});
}

TEST_CASE("device quota: a job whose minimum is beyond it is told why it is not admitted",
          "[plugins][capacity][claims]") {
  struct Case {
    const char* capability;
    const char* beyond;  // Empty: it is admitted.
  };
  const Case c = GENERATE(values<Case>({
      {R"("deviceclass/gpu.com":"2","memory.deviceclass/gpu.com":"16Gi")", ""},
      {R"("deviceclass/gpu.com":"1")", "deviceclass/gpu.com"},
      {R"("deviceclass/gpu.com":"2","memory.deviceclass/gpu.com":"15Gi")",
       "memory.deviceclass/gpu.com"},
  }));
  CAPTURE(c.capability);
  QuotaWorld objects;
  objects.Queue(c.capability);
  objects.Group("g", R"(,"minMember":2,"minTaskMember":{"worker":2})");
  objects.Worker("w-0", "g", QuotaWorld::Request(1, "8Gi"));
  const CycleOutcome outcome =
      RunCycle(Builtins(), MakePolicy("enqueue", "gang;predicates,capacity"), objects.Publish());
  const auto told = outcome.events.find("g");
  const Names messages = told == outcome.events.end() ? Names() : told->second;
  const std::string expected =
      StrCat("queue resource quota insufficient: insufficient dra-resource-exceeded: the job's ",
             "claims ask for more of ", c.beyond, " than the queue may admit");
  const bool admitted = std::string_view(c.beyond).empty();
  CHECK((std::count(messages.begin(), messages.end(), expected) == 1) != admitted);
  CHECK((outcome.phases.contains("g") &&
         outcome.phases.at("g") == model::PodGroupPhase::kInqueue) == admitted);
}

}  // namespace
}  // namespace bth::test
