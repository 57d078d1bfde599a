// The processes of a world, one after another: that each does its work, and comes back.
#include "sim/world/world.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "base/log.h"
#include "base/strings.h"
#include "sim/world/storm.h"
#include "tests/support/catch.h"

namespace bth::sim {
namespace {

constexpr char kJobs[] = "/apis/batch.volcano.sh/v1alpha1/namespaces/default/jobs";
constexpr char kPods[] = "/api/v1/namespaces/default/pods";
constexpr char kSecret[] = "/api/v1/namespaces/volcano-system/secrets/volcano-admission-secret";
constexpr char kConfigurations[] =
    "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/"
    "volcano-admission-service-jobs-mutate";

Story Quiet() {
  SetLogLevel(LogLevel::kError);
  Story story;
  story.seed = 5;
  story.schedulers = 1;
  story.controllers = 1;
  story.history_max = 1000;
  story.watch_timeout = absl::Minutes(10);
  return story;
}

// Of one pod; with more needed than that it is refused.
std::string JobOf(const std::string& name, int needed = 1) {
  return StrCat(R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job","metadata":{"name":")",
                name, R"("},"spec":{"schedulerName":"volcano","minAvailable":)", needed,
                R"(,"tasks":[{"name":"t","replicas":1,"template":{"spec":)",
                R"({"restartPolicy":"Never","containers":)",
                R"([{"name":"c","image":"i","command":["sh","-c","sleep 600"],)",
                R"("resources":{"requests":{"cpu":"1"}}}]}}}]}})");
}

std::string PodOf(const std::string& name, std::string_view scheduler) {
  return StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")", name,
                R"("},"spec":{"schedulerName":")", scheduler,
                R"(","containers":[{"name":"c","image":"i","command":["sh","-c","sleep 600"],)",
                R"("resources":{"requests":{"cpu":"1"}}}]}})");
}

void AddNode(World& world, const std::string& name = "n0") {
  REQUIRE(world
              .Call("POST", "/api/v1/nodes",
                    StrCat(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")", name,
                           R"("},"status":{"capacity":{"cpu":"8","memory":"64Gi","pods":"110"},)",
                           R"("allocatable":{"cpu":"8","memory":"64Gi","pods":"110"},)",
                           R"("conditions":[{"type":"Ready","status":"True"}]}})"))
              .code == 201);
}

Deed On(Verb verb, std::string process, absl::Duration lasts) {
  Deed deed;
  deed.verb = verb;
  deed.process = std::move(process);
  deed.lasts = lasts;
  return deed;
}

std::string Message(const World::Answer& answer) {
  return std::string(answer.body["message"].AsString());
}

TEST_CASE("world: webhook managers register themselves, fill in and refuse", "[world]") {
  Story story = Quiet();
  story.webhooks = 2;
  World world(story, {});
  REQUIRE(world.Pass(absl::Minutes(1)));
  REQUIRE(world.Call("POST", kJobs, JobOf("good")).code == 201);
  const World::Answer good = world.Call("GET", StrCat(kJobs, "/good"));
  CHECK(good.body["spec"]["queue"].AsString() == "default");
  CHECK(good.body["spec"]["maxRetry"].AsInt() == 3);
  const World::Answer bad = world.Call("POST", kJobs, JobOf("bad", 2));
  CHECK(bad.code == 400);
  CHECK_THAT(Message(bad),
             Catch::StartsWith("admission webhook \"validatejob.volcano.sh\" denied"));
}

TEST_CASE("world: while no webhook manager answers, failurePolicy says what becomes of writes",
          "[world]") {
  Story story = Quiet();
  story.webhooks = 2;
  World world(story, {});
  REQUIRE(world.Pass(absl::Minutes(1)));
  for (const char* name : {"webhooks-0", "webhooks-1"}) {
    world.Do(On(Verb::kPause, name, absl::Minutes(2)));
  }
  const absl::Duration begun = world.now();
  const World::Answer hangs = world.Call("POST", kJobs, JobOf("hangs"));
  CHECK(hangs.code == 500);
  CHECK(absl::StrContains(Message(hangs), "context deadline exceeded"));
  CHECK(world.now() - begun >= absl::Seconds(10));
  for (const char* name : {"webhooks-0", "webhooks-1"}) {
    world.Do(On(Verb::kKill, name, absl::Minutes(5)));
  }
  const World::Answer refused = world.Call("POST", kJobs, JobOf("refused"));
  CHECK(refused.code == 500);
  CHECK(absl::StrContains(Message(refused), "connection refused"));
  for (const char* kind : {"mutating", "validating"}) {
    const std::string rule = kind == std::string("mutating") ? "mutate" : "validate";
    REQUIRE(world
                .Call("PATCH",
                      StrCat("/apis/admissionregistration.k8s.io/v1/", kind,
                             "webhookconfigurations/volcano-admission-service-jobs-", rule),
                      R"([{"op":"replace","path":"/webhooks/0/failurePolicy","value":"Ignore"}])")
                .code == 200);
  }
  CHECK(world.Call("POST", kJobs, JobOf("unlooked", 2)).code == 201);
  // They come back, leave the policy as it was set, and refuse again.
  REQUIRE(world.Pass(absl::Minutes(6)));
  CHECK(world.Call("POST", kJobs, JobOf("bad", 2)).code == 400);
  CHECK(
      world.Call("GET", kConfigurations).body["webhooks"].items()[0]["failurePolicy"].AsString() ==
      "Ignore");
}

TEST_CASE("world: webhook managers share a certificate, and the server trusts a new one",
          "[world]") {
  Story story = Quiet();
  story.webhooks = 2;
  World world(story, {});
  REQUIRE(world.Pass(absl::Minutes(1)));
  const World::Answer before = world.Call("GET", kSecret);
  REQUIRE(before.code == 200);
  REQUIRE(world.Call("DELETE", kSecret).code == 200);
  REQUIRE(world.Pass(absl::Minutes(2)));
  const World::Answer after = world.Call("GET", kSecret);
  REQUIRE(after.code == 200);
  CHECK(after.body["data"]["tls.crt"].AsString() != before.body["data"]["tls.crt"].AsString());
  CHECK(
      world.Call("GET", kConfigurations).body["webhooks"].items()[0]["clientConfig"]["caBundle"] ==
      after.body["data"]["ca.crt"]);
  for (int i = 0; i < 6; ++i) CHECK(world.Call("POST", kJobs, JobOf(StrCat("j", i))).code == 201);
  CHECK(world.service().untrusted() == 0);
}

TEST_CASE("world: the agent scheduler places its single pods, and no others", "[world]") {
  Story story = Quiet();
  story.agents = 2;
  World world(story, {});
  AddNode(world);
  REQUIRE(world.Pass(absl::Minutes(1)));
  world.Do(On(Verb::kKill, "scheduler-0", absl::Hours(1)));
  world.Do(On(Verb::kKill, "agent-0", absl::Seconds(5)));
  REQUIRE(world.Pass(absl::Minutes(1)));
  REQUIRE(world.Call("POST", kPods, PodOf("urgent", kAgentName)).code == 201);
  REQUIRE(world.Call("POST", kPods, PodOf("other", "volcano")).code == 201);
  REQUIRE(world.Pass(absl::Seconds(5)));
  CHECK(world.Call("GET", StrCat(kPods, "/urgent")).body["spec"]["nodeName"].AsString() == "n0");
  CHECK(world.Call("GET", StrCat(kPods, "/other")).body["spec"]["nodeName"].is_null());
}

TEST_CASE("world: the sharding controller gives each scheduler its nodes", "[world]") {
  Story story = Quiet();
  story.agents = 1;
  story.sharding = model::ShardMode::kSoft;
  World world(story, {});
  for (int i = 0; i < 4; ++i) AddNode(world, StrCat("n", i));
  REQUIRE(world.Pass(absl::Minutes(3)));
  const World::Answer shards = world.Call("GET", "/apis/shard.volcano.sh/v1alpha1/nodeshards");
  CHECK(shards.body["items"].size() == 2);
  size_t in_use = 0;
  for (const Json& shard : shards.body["items"].items()) {
    in_use += shard["status"]["nodesInUse"].size();
  }
  INFO(shards.body.Dump());
  CHECK(in_use == 4);
}

TEST_CASE("world: a server that was killed comes back with all that it had acknowledged",
          "[world]") {
  Story story = Quiet();
  story.disk = true;
  story.journal_bytes = 1000;
  std::string lost;
  WorldHooks hooks;
  hooks.on_loss = [&lost](std::string what) { lost = std::move(what); };
  World world(story, hooks);
  AddNode(world);
  for (int i = 0; i < 20; ++i) {
    const std::string job = StrCat("j", i);
    REQUIRE(world.Call("POST", kJobs, JobOf(job)).code == 201);
    world.Do(On(Verb::kKill, "server", absl::Milliseconds(1 + 700 * (i % 3))));
    CHECK(world.Call("GET", kJobs).code == 0);
    REQUIRE(world.Pass(absl::Seconds(3)));
    REQUIRE(world.Call("GET", StrCat(kJobs, "/", job)).code == 200);
  }
  CHECK(lost == "");
  CHECK(world.server().lives() > 20);
  // Whoever watched goes on, or lists anew.
  REQUIRE(world.Pass(absl::Minutes(2)));
  const World::Answer pods = world.Call("GET", kPods);
  size_t bound = 0;
  for (const Json& pod : pods.body["items"].items()) {
    bound += pod["spec"]["nodeName"].is_null() ? 0 : 1;
  }
  CHECK(bound == 8);
  CHECK(world.escapes() == 0);
}

Story Killed(bool lies) {
  Story story = Quiet();
  story.disk = true;
  story.disk_lies = lies;
  story.journal_bytes = 100'000;
  Round& round = story.rounds.emplace_back();
  round.lasts = absl::Minutes(2);
  for (int i = 0; i < 10; ++i) {
    Deed& deed = round.deeds.emplace_back();
    deed.at = absl::Seconds(5 * i);
    deed.verb = Verb::kSend;
    deed.method = "POST";
    deed.target = "/api/v1/namespaces/default/configmaps";
    deed.body = StrCat(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c)", i,
                       R"("},"data":{"k":"v"}})");
  }
  round.deeds.push_back(On(Verb::kKill, "server", absl::Seconds(1)));
  round.deeds.back().at = absl::Minutes(1);
  return story;
}

TEST_CASE("storm: what a server forgets is noticed", "[world]") {
  const StormResult honest = TellStory(Killed(false), {});
  CHECK(honest.breaches.empty());
  const StormResult lies = TellStory(Killed(true), {});
  REQUIRE_FALSE(lies.breaches.empty());
  CHECK(lies.breaches[0].promise == "durable");
}

TEST_CASE("storm: a policy is applied anew while schedulers run", "[world]") {
  Story story = Quiet();
  story.policy = "actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: predicates\n";
  World world(story, {});
  AddNode(world);
  REQUIRE(world.Pass(absl::Minutes(1)));
  Deed deed;
  deed.verb = Verb::kPolicy;
  deed.body = "actions: \"enqueue\"\ntiers:\n- plugins:\n  - name: predicates\n";
  world.Do(deed);
  REQUIRE(world.Pass(absl::Seconds(20)));
  REQUIRE(world.Call("POST", kJobs, JobOf("waits")).code == 201);
  REQUIRE(world.Pass(absl::Minutes(1)));
  const auto bound = [&world] {
    const World::Answer pods = world.Call("GET", kPods);
    return !pods.body["items"].empty() &&
           !pods.body["items"].items()[0]["spec"]["nodeName"].is_null();
  };
  CHECK_FALSE(bound());
  deed.body = story.policy;
  world.Do(deed);
  REQUIRE(world.Pass(absl::Minutes(1)));
  CHECK(bound());
}

TEST_CASE("world: a schedule is due so many minutes from then, within one hour", "[world]") {
  World world(Quiet(), {});
  const auto schedule_of = [&world](const std::string& name, const std::string& due) {
    Deed deed = On(Verb::kSend, "", absl::ZeroDuration());
    deed.method = "POST";
    deed.target = "/api/v1/namespaces/default/configmaps";
    deed.body = StrCat(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")", name,
                       R"("},"data":{"schedule":")", due, R"("}})");
    world.Do(deed);
    const World::Answer answer = world.Call("GET", StrCat(deed.target, "/", name));
    return std::string(answer.body["data"]["schedule"].AsString());
  };
  REQUIRE(world.Pass(absl::Seconds(90)));
  CHECK(schedule_of("a", "$DUE(1,3,12)") == "2,4,13 0 1 1 *");
  CHECK(schedule_of("b", "0 0 * * *") == "0 0 * * *");
  REQUIRE(world.Pass(absl::Minutes(50)));
  CHECK(schedule_of("c", "$DUE(8)") == "59 0 1 1 *");
  CHECK(schedule_of("d", "$DUE(1,9)") == "1,9 1 1 1 *");
}

}  // namespace
}  // namespace bth::sim
