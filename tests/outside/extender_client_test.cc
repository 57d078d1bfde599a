// Sessions in the wire form of extenders, and answers turned back into ids.
#include "api/types/json.h"
#include "base/strings.h"
#include "scheduler/extender/client.h"
#include "tests/support/catch.h"
#include "tests/support/network.h"
#include "tests/support/plugin_bed.h"

namespace bth::scheduler::extender {
namespace {

using framework::HttpPort;
using test::World;
using types::Json;

// Answers every request alike and keeps it.
class FakeHttp final : public HttpPort {
 public:
  std::vector<Answer> Exchange(absl::Span<const Request> requests) override {
    ++exchanges;
    std::vector<Answer> out;
    for (const Request& request : requests) {
      sent.push_back(request);
      out.push_back(answer);
    }
    return out;
  }
  Json Body(size_t i = 0) const {
    const auto json = Json::Parse(sent[i].body);
    REQUIRE(json.status().ToString() == "OK");
    return *json;
  }

  Answer answer = std::string("{}");
  std::vector<Request> sent;
  int exchanges = 0;
};

class WireBed {
 public:
  explicit WireBed(std::string_view text)
      : world(test::MakeWorld(text)), bed(framework::Registry(), conf::Policy(), world) {}
  explicit WireBed(World given)
      : world(std::move(given)), bed(framework::Registry(), conf::Policy(), world) {}

  World world;
  test::PluginBed bed;
  FakeHttp http;
  ExtenderClient client{http};
  const framework::ExtenderPort::Call call{.url = "http://x/verb",
                                           .timeout = absl::Milliseconds(300)};
};

constexpr std::string_view kWorld = R"(
  node n1 cpu=4 mem=8Gi gpu=2
  node n2 cpu=2 mem=4Gi
  queue q weight=3 cap.cpu=10
  job a queue=q min=2 prio=7 ns=team budget.min=1 wait=1h roles=worker:2
  task a0 job=a ns=team role=worker cpu=1 mem=1Gi gpu=1 node=n1
  task a1 job=a ns=team role=worker cpu=500m prio=9
  task be job=a ns=team
  quota main ns=team hard.cpu=10 used.cpu=1
)";

TEST_CASE("extender wire: a task", "[scheduler][extender]") {
  WireBed bed(kWorld);
  const auto task = [&](std::string_view name) {
    return *Json::Parse(TaskText(bed.bed.session(), bed.world.task(name)));
  };
  const Json held = task("a0");
  CHECK(held["Name"].AsString() == "a0");
  CHECK(held["Namespace"].AsString() == "team");
  CHECK(held["Job"].AsString() == "team/a");
  CHECK(held["TaskRole"].AsString() == "worker");
  CHECK(held["NodeName"].AsString() == "n1");
  CHECK(held["Status"].AsInt() == 32);
  CHECK(held["Resreq"]["MilliCPU"].AsInt() == 1000);
  CHECK(held["Resreq"]["Memory"].AsInt() == int64_t{1} << 30);
  CHECK(held["InitResreq"] == held["Resreq"]);
  CHECK(held["Resreq"]["ScalarResources"]["nvidia.com/gpu"].AsInt() == 1000);
  CHECK(held["Resreq"]["ScalarResources"]["pods"].AsInt() == 1);
  CHECK_FALSE(held["BestEffort"].AsBool());
  CHECK(held["Pod"]["metadata"]["name"].AsString() == "a0");
  CHECK(held["Pod"]["spec"]["nodeName"].AsString() == "n1");
  const Json waiting = task("a1");
  CHECK(waiting["Status"].AsInt() == 1);
  CHECK(waiting["Priority"].AsInt() == 9);
  CHECK(waiting["NodeName"].AsString().empty());
  CHECK(task("be")["BestEffort"].AsBool());
  for (const char* null : {"DRAResreq", "LastTransaction", "NumaInfo", "PodAnnotations"}) {
    CAPTURE(null);
    REQUIRE(held.Find(null) != nullptr);
    CHECK(held[null].is_null());
  }
}

TEST_CASE("extender wire: pods and nodes as the cluster has them", "[scheduler][extender]") {
  World world = test::MakeWorld(kWorld);
  auto snapshot = std::make_shared<model::Snapshot>(*world.snapshot);
  snapshot->tasks.Mutable(world.task("a0")).document =
      std::make_shared<const std::string>(R"({"metadata":{"name":"a0","annotations":{"k":"v"}}})");
  auto facts = std::make_shared<model::NodeFacts>(*snapshot->nodes[world.node("n1")].facts);
  facts->document =
      std::make_shared<const std::string>(R"({"metadata":{"name":"n1","labels":{}}})");
  facts->capacity_cpu_milli = 5000;
  snapshot->nodes.Mutable(world.node("n1")).facts = std::move(facts);
  snapshot->loads =
      std::make_shared<const model::NodeLoads>(model::NodeLoads{{"n1", {12.5, 40, 3'600'000'000}}});
  world.snapshot = std::move(snapshot);
  WireBed bed(std::move(world));
  NodeTasks tasks;
  const model::NodeId id = bed.world.node("n1");
  const Json node = *Json::Parse(NodeText(bed.bed.session(), id, tasks.On(bed.bed.session(), id)));
  CHECK(node["Name"].AsString() == "n1");
  CHECK(node["Node"]["metadata"]["labels"].is_object());
  CHECK(node["State"]["Phase"].AsInt() == 1);
  CHECK(node["Idle"]["MilliCPU"].AsInt() == 3000);
  CHECK(node["Used"]["MilliCPU"].AsInt() == 1000);
  CHECK(node["Allocatable"]["MilliCPU"].AsInt() == 4000);
  CHECK(node["Allocatable"]["MaxTaskNum"].AsInt() == 110);
  CHECK(node["Capacity"]["MilliCPU"].AsInt() == 5000);
  CHECK(node["Idle"]["ScalarResources"]["nvidia.com/gpu"].AsInt() == 1000);
  CHECK(node["ResourceUsage"]["CPUUsageAvg"]["10m"].AsDouble() == 12.5);
  CHECK(node["ResourceUsage"]["MEMUsageAvg"]["10m"].AsDouble() == 40);
  CHECK(node["ResourceUsage"]["MetricsTime"].AsString() == "1970-01-01T01:00:00Z");
  REQUIRE(node["Tasks"].size() == 1);
  CHECK(node["Tasks"].members()[0].second["Pod"]["metadata"]["annotations"]["k"].AsString() == "v");
}

TEST_CASE("extender wire: jobs and queues", "[scheduler][extender]") {
  WireBed bed(kWorld);
  const Json job = *Json::Parse(JobText(bed.bed.session(), bed.world.job("a")));
  CHECK(job["UID"].AsString() == "team/a");
  CHECK(job["Queue"].AsString() == "q");
  CHECK(job["Priority"].AsInt() == 7);
  CHECK(job["MinAvailable"].AsInt() == 2);
  CHECK(job["WaitingTime"].AsInt() == int64_t{3600} * 1'000'000'000);
  CHECK(job["Tasks"].size() == 3);
  CHECK(job["TaskStatusIndex"]["32"].size() == 1);
  CHECK(job["TaskStatusIndex"]["1"].size() == 2);
  CHECK(job["TaskMinAvailable"]["worker"].AsInt() == 2);
  CHECK(job["Allocated"]["MilliCPU"].AsInt() == 1000);
  CHECK(job["TotalRequest"]["MilliCPU"].AsInt() == 1500);
  CHECK(job["Budget"]["MinAvailable"].AsString() == "1");
  CHECK(job["PodGroup"]["metadata"]["name"].AsString() == "a");
  CHECK(job["PodGroup"]["spec"]["minMember"].AsInt() == 2);
  const Json queue = *Json::Parse(QueueText(bed.bed.session(), bed.world.queue("q")));
  CHECK(queue["UID"].AsString() == "q");
  CHECK(queue["Weight"].AsInt() == 3);
  CHECK(queue["Queue"]["spec"]["capability"]["cpu"].AsString() == "10000m");
  CHECK(queue["Queue"]["status"]["state"].AsString() == "Open");
}

TEST_CASE("extender wire: what a PodGroup asks for", "[scheduler][extender]") {
  // No pod asks for a licence.
  World world = test::MakeWorld(
      "job a roles=worker:2 minres.cpu=2 quota.cpu=2 quota.example.com/licence=3; job b\n"
      "task p job=a role=worker cpu=1; task q job=b cpu=1");
  world = test::WithTopology(std::move(world), "a",
                             {{.mode = model::NetworkTopologySpec::Mode::kHard,
                               .highest_tier = 2,
                               .highest_tier_name = ""}});
  WireBed bed(std::move(world));
  const Json job = *Json::Parse(JobText(bed.bed.session(), bed.world.job("a")));
  const Json& spec = job["PodGroup"]["spec"];
  CHECK(spec["minTaskMember"]["worker"].AsInt() == 2);
  CHECK(spec["minResources"].size() == 2);
  CHECK(spec["minResources"]["example.com/licence"].AsString() == "3");
  CHECK(spec["networkTopology"]["mode"].AsString() == "hard");
  CHECK(spec["networkTopology"]["highestTierAllowed"].AsInt() == 2);
  CHECK(job["NetworkTopology"] == spec["networkTopology"]);
  const Json plain = *Json::Parse(JobText(bed.bed.session(), bed.world.job("b")));
  CHECK(plain["NetworkTopology"].is_null());
  CHECK(plain["PodGroup"]["spec"].Find("networkTopology") == nullptr);
}

TEST_CASE("extender client: the opening of a session tells everything", "[scheduler][extender]") {
  WireBed bed(kWorld);
  REQUIRE(bed.client.OpenSession(bed.call, bed.bed.session()).ok());
  const Json body = bed.http.Body();
  CHECK(body["Jobs"]["team/a"]["Name"].AsString() == "a");
  CHECK(body["Nodes"].size() == 2);
  CHECK(body["Queues"]["q"]["Name"].AsString() == "q");
  CHECK(body["NamespaceInfo"]["team"]["QuotaStatus"]["main"]["hard"]["cpu"].AsString() == "10");
  CHECK(body["RevocableNodes"].is_object());
  CHECK(body["NodeList"].is_null());
  CHECK(bed.http.sent[0].url == "http://x/verb");
  CHECK(bed.http.sent[0].method == "POST");
  CHECK(bed.http.sent[0].content_type == "application/json");
  CHECK(bed.http.sent[0].timeout == absl::Milliseconds(300));
  CHECK(bed.http.sent[0].response_max_bytes == size_t{10} << 20);
  REQUIRE(bed.client.CloseSession(bed.call).ok());
  CHECK(bed.http.sent[1].body == "{}");
  CHECK(SessionText(bed.bed.session(), *std::make_unique<NodeTasks>(), 100).empty());
}

TEST_CASE("extender client: one question per node, many at a time", "[scheduler][extender]") {
  std::string text = "job a; task p job=a cpu=1;";
  for (int n = 0; n < 150; ++n) StrAppend(&text, "node n", n, " cpu=1;");
  WireBed bed(text);
  bed.http.answer = std::string(R"({"status":"no","code":2})");
  const auto& nodes = *bed.bed.session().base().nodes_by_name;
  const auto answers = bed.client.Filter(bed.call, bed.bed.session(), bed.world.task("p"), nodes);
  REQUIRE(answers.size() == 150);
  CHECK(bed.http.sent.size() == 150);
  CHECK(bed.http.exchanges == 3);
  CHECK(bed.http.Body(7)["task"]["Name"].AsString() == "p");
  CHECK(bed.http.Body(7)["node"]["Name"].AsString() == bed.bed.session().node(nodes[7]).name);
  for (const auto& answer : answers) {
    CHECK(answer->status == "no");
    CHECK(answer->code == 2);
  }
  SECTION("after silence nobody is asked any more") {
    bed.http.answer = absl::DeadlineExceededError("late");
    const auto late = bed.client.Filter(bed.call, bed.bed.session(), bed.world.task("p"), nodes);
    REQUIRE(late.size() == 150);
    for (const auto& answer : late) CHECK(absl::IsDeadlineExceeded(answer.status()));
    CHECK(bed.http.exchanges == 4);
  }
}

TEST_CASE("extender client: scores by name, unknown names are left out", "[scheduler][extender]") {
  WireBed bed(kWorld);
  bed.http.answer = std::string(R"({"nodeScore":{"n2":7.5,"elsewhere":100}})");
  const auto& nodes = *bed.bed.session().base().nodes_by_name;
  const auto answer = bed.client.Score(bed.call, bed.bed.session(), bed.world.task("a1"), nodes);
  REQUIRE(answer.ok());
  CHECK(answer->scores == std::vector<double>{0, 7.5});
  CHECK(answer->unknown == 1);
  CHECK(bed.http.Body()["nodes"].size() == 2);
  CHECK(bed.http.Body()["task"]["Name"].AsString() == "a1");
}

TEST_CASE("extender client: victims are those it was asked about, each once",
          "[scheduler][extender]") {
  WireBed bed(
      "node n cpu=4; job a; job b; task x job=a cpu=1 node=n; task y job=a cpu=1 node=n;"
      "task p job=b cpu=1");
  const auto uid = [&](std::string_view task) {
    return bed.bed.session().task(bed.world.task(task)).names->uid;
  };
  bed.http.answer =
      StrCat(R"({"status":1,"victims":[{"UID":")", uid("y"), R"("},{"UID":"nobody"},{"UID":")",
             uid("y"), R"("},{"UID":")", uid("p"), R"("}]})");
  const model::TaskId evictees[] = {bed.world.task("x"), bed.world.task("y")};
  const auto answer =
      bed.client.ChooseVictims(bed.call, bed.bed.session(), bed.world.task("p"), evictees);
  REQUIRE(answer.ok());
  CHECK(answer->status == 1);
  CHECK(answer->victims == std::vector<model::TaskId>{bed.world.task("y")});
  CHECK(answer->unknown == 3);
  CHECK(bed.http.Body()["evictor"]["Name"].AsString() == "p");
  CHECK(bed.http.Body()["evictees"].size() == 2);
}

TEST_CASE("extender client: questions about jobs, queues and events", "[scheduler][extender]") {
  WireBed bed(kWorld);
  framework::Session& session = bed.bed.session();
  bed.http.answer = std::string(R"({"status":-1})");
  CHECK(*bed.client.JobVote(bed.call, session, bed.world.job("a")) == -1);
  bed.http.answer = std::string(R"({"status":true})");
  CHECK(*bed.client.JobReady(bed.call, session, bed.world.job("a")));
  CHECK(bed.client.TellJob(bed.call, session, bed.world.job("a")).ok());
  for (size_t i = 0; i < 3; ++i) CHECK(bed.http.Body(i)["job"]["Name"].AsString() == "a");
  bed.http.answer = std::string(R"({"overused":true})");
  CHECK(*bed.client.QueueOverused(bed.call, session, bed.world.queue("q")));
  CHECK(bed.http.Body(3)["queue"]["Name"].AsString() == "q");
  bed.http.answer = std::string(R"({"errorMessage":"full"})");
  CHECK(bed.client.TaskEvent(bed.call, session, bed.world.task("a1")) ==
        absl::AbortedError("full"));
  CHECK(bed.http.Body(4)["task"]["Name"].AsString() == "a1");
}

TEST_CASE("extender client: too large an answer has its well-known words",
          "[scheduler][extender]") {
  WireBed bed(kWorld);
  bed.http.answer = absl::ResourceExhaustedError("body larger than 10485760 bytes");
  const auto answer = bed.client.JobVote(bed.call, bed.bed.session(), bed.world.job("a"));
  CHECK(answer.status().ToString().find("http: request body too large") != std::string::npos);
}

}  // namespace
}  // namespace bth::scheduler::extender
