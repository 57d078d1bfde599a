// Requests to extenders that would be too large: what is left out of them, and what is not sent.
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/types/json.h"
#include "base/strings.h"
#include "metrics/registry.h"
#include "metrics/scheduler_metrics.h"
#include "scheduler/extender/client.h"
#include "tests/plugins/snapshot_changes.h"
#include "tests/support/captured_log.h"
#include "tests/support/catch.h"
#include "tests/support/plugin_bed.h"

namespace bth::scheduler::extender {
namespace {

using framework::HttpPort;
using types::Json;

constexpr size_t kBytesMax = 50'000;
constexpr size_t kTrimmedBytesMax = 35'000;

// Agrees with everything and keeps what it was asked.
class AgreeingHttp final : public HttpPort {
 public:
  std::vector<Answer> Exchange(absl::Span<const Request> requests) override {
    ++exchanges;
    for (const Request& request : requests) bodies.push_back(request.body);
    return std::vector<Answer>(requests.size(), std::string(R"({"nodeScore":{}})"));
  }
  Json Body(size_t i = 0) const {
    REQUIRE(i < bodies.size());
    CHECK(bodies[i].size() <= kBytesMax);
    const auto json = Json::Parse(bodies[i]);
    REQUIRE(json.status().ToString() == "OK");
    return *json;
  }

  std::vector<std::string> bodies;
  int exchanges = 0;
};

// Pod `name` as the cluster has it: of that many bytes, and some.
test::World WithPod(test::World world, std::string_view name, size_t bytes) {
  return test::WithTask(std::move(world), name, [&](model::TaskRow& task) {
    task.document = std::make_shared<const std::string>(StrCat(R"({"metadata":{"name":")", name,
                                                               R"(","annotations":{"k":")",
                                                               std::string(bytes, 'x'), R"("}}})"));
  });
}

// Job large has pods that run on n1 and one that waits, job small likewise.
class SizeBed {
 public:
  SizeBed(size_t large_running, size_t large_waiting)
      : world_(World(large_running, large_waiting)),
        bed_(framework::Registry(), conf::Policy(), world_) {}

  const framework::Session& session() { return bed_.session(); }
  model::TaskId task(std::string_view name) const { return world_.task(name); }
  model::JobId job(std::string_view name) const { return world_.job(name); }
  const std::vector<model::NodeId>& nodes() { return *session().base().nodes_by_name; }
  // Annotations of a pod on n1.
  Json Annotations(const Json& node, std::string_view name) {
    const std::string& uid = session().task(task(name)).names->uid;
    return node["Tasks"][uid]["Pod"]["metadata"]["annotations"];
  }

  AgreeingHttp http;
  ExtenderClient client{http, {kBytesMax, kTrimmedBytesMax}};
  const framework::ExtenderPort::Call call{.url = "http://x/verb"};

 private:
  static test::World World(size_t large_running, size_t large_waiting) {
    test::World world = test::MakeWorld(
        "node n1 cpu=8; node n2 cpu=8; queue q; job large queue=q; job small queue=q\n"
        "task l0 job=large cpu=1 node=n1; task l1 job=large cpu=1\n"
        "task s0 job=small cpu=1 node=n1; task s1 job=small cpu=1");
    world = WithPod(WithPod(std::move(world), "s0", 1000), "s1", 1000);
    return WithPod(WithPod(std::move(world), "l0", large_running), "l1", large_waiting);
  }

  test::World world_;
  test::PluginBed bed_;
};

// Refused with a status that no extender causes, and with the bound, but not the size, which
// changes.
void CheckNotSent(const absl::Status& status, std::string_view subject) {
  const std::string text = status.ToString();
  CAPTURE(text);
  CHECK(status.code() == absl::StatusCode::kOutOfRange);
  CHECK(StrContains(text, subject));
  CHECK(StrContains(text, " has more than 50000 bytes, and no more are sent: "));
}

TEST_CASE("extender client: what is too large itself is not sent, all else is",
          "[scheduler][extender]") {
  SizeBed bed(/*large_running=*/0, /*large_waiting=*/100'000);
  ExtenderClient& client = bed.client;
  using Ask = std::function<absl::Status(const std::string& job, model::TaskId task)>;
  const std::pair<std::string, Ask> questions[] = {
      {"vote",
       [&](const std::string& job, model::TaskId) {
         return client.JobVote(bed.call, bed.session(), bed.job(job)).status();
       }},
      {"told",
       [&](const std::string& job, model::TaskId) {
         return client.TellJob(bed.call, bed.session(), bed.job(job));
       }},
      {"ready",
       [&](const std::string& job, model::TaskId) {
         return client.JobReady(bed.call, bed.session(), bed.job(job)).status();
       }},
      {"event",
       [&](const std::string&, model::TaskId task) {
         return client.TaskEvent(bed.call, bed.session(), task);
       }},
      {"scores",
       [&](const std::string&, model::TaskId task) {
         return client.Score(bed.call, bed.session(), task, bed.nodes()).status();
       }},
      {"filter",
       [&](const std::string&, model::TaskId task) {
         const auto answers = client.Filter(bed.call, bed.session(), task, bed.nodes());
         REQUIRE(answers.size() == 2);
         CHECK(answers[0].status() == answers[1].status());
         return answers[0].status();
       }},
      {"victims",
       [&](const std::string&, model::TaskId task) {
         const model::TaskId evictees[] = {bed.task("s0")};
         return client.ChooseVictims(bed.call, bed.session(), task, evictees).status();
       }},
  };
  for (const auto& [name, ask] : questions) {
    CAPTURE(name);
    bed.http.bodies.clear();
    CheckNotSent(ask("large", bed.task("l1")), "large");
    CHECK(bed.http.bodies.empty());
    CHECK(ask("small", bed.task("s1")).ToString() == "OK");
    CHECK_FALSE(bed.http.bodies.empty());
  }
}

TEST_CASE("extender client: whom to evict is not asked without what is known of each",
          "[scheduler][extender]") {
  SizeBed bed(/*large_running=*/100'000, /*large_waiting=*/0);
  const model::TaskId evictees[] = {bed.task("s0"), bed.task("l0")};
  CheckNotSent(bed.client.ChooseVictims(bed.call, bed.session(), bed.task("s1"), evictees).status(),
               "victims for a pod of job ");
  CHECK(bed.http.bodies.empty());
}

TEST_CASE("extender client: large pods on a node are told by their names, small ones whole",
          "[scheduler][extender]") {
  SizeBed bed(/*large_running=*/100'000, /*large_waiting=*/0);
  SECTION("filter") {
    const auto answers = bed.client.Filter(bed.call, bed.session(), bed.task("s1"), bed.nodes());
    REQUIRE(answers.size() == 2);
    for (const auto& answer : answers) CHECK(answer.ok());
    CHECK(bed.http.exchanges == 1);
    const Json node = bed.http.Body()["node"];
    CHECK(node["Tasks"].size() == 2);
    CHECK(bed.Annotations(node, "l0").is_null());
    CHECK(bed.Annotations(node, "s0")["k"].AsString().size() == 1000);
  }
  SECTION("scores") {
    REQUIRE(bed.client.Score(bed.call, bed.session(), bed.task("s1"), bed.nodes()).ok());
    const Json node = bed.http.Body()["nodes"].items()[0];
    CHECK(node["Tasks"].size() == 2);
    CHECK(bed.Annotations(node, "l0").is_null());
    CHECK(bed.Annotations(node, "s0")["k"].AsString().size() == 1000);
    const Json pod = bed.http.Body()["task"]["Pod"];
    CHECK(pod["metadata"]["annotations"]["k"].AsString().size() == 1000);
  }
}

TEST_CASE("extender client: requests of one exchange are not many times too large together",
          "[scheduler][extender]") {
  SizeBed bed(/*large_running=*/0, /*large_waiting=*/40'000);
  std::vector<model::NodeId> nodes;
  for (int i = 0; i < 8; ++i) nodes.push_back(bed.nodes()[1]);
  const auto answers = bed.client.Filter(bed.call, bed.session(), bed.task("l1"), nodes);
  REQUIRE(answers.size() == 8);
  for (const auto& answer : answers) CHECK(answer.ok());
  CHECK(bed.http.exchanges == 4);
}

TEST_CASE("extender client: a session is told without the pods that make it too large",
          "[scheduler][extender]") {
  // Alone, the waiting one would not be too large, and the running one is told twice. Where
  // something is left out, no more is kept than the smaller bound has room for.
  struct Case {
    size_t running, waiting;
    bool keeps_running, keeps_waiting;
  };
  const Case c = GENERATE(values<Case>({{2000, 2000, true, true},
                                        {100'000, 2000, false, true},
                                        {20'000, 10'000, false, true},
                                        {40'000, 25'000, false, false},
                                        {2000, 100'000, true, false}}));
  CAPTURE(c.running, c.waiting);
  SizeBed bed(c.running, c.waiting);
  REQUIRE(bed.client.OpenSession(bed.call, bed.session()).ToString() == "OK");
  const Json body = bed.http.Body();
  CHECK(body["Jobs"].size() == 2);
  CHECK(body["Nodes"].size() == 2);
  const std::string& job = bed.session().job(bed.job("large")).facts->Key();
  CHECK(bed.Annotations(body["Jobs"][job], "l0").is_null() != c.keeps_running);
  CHECK(bed.Annotations(body["Jobs"][job], "l1").is_null() != c.keeps_waiting);
  CHECK(bed.Annotations(body["Nodes"]["n1"], "l0").is_null() != c.keeps_running);
  CHECK(bed.Annotations(body["Nodes"]["n1"], "s0")["k"].AsString().size() == 1000);
}

TEST_CASE("extender client: a session that is too large by names alone is not told",
          "[scheduler][extender]") {
  SizeBed bed(0, 0);
  ExtenderClient client(bed.http, {1000, 1000});
  const absl::Status status = client.OpenSession(bed.call, bed.session());
  CHECK(status.code() == absl::StatusCode::kOutOfRange);
  CHECK(StrContains(status.ToString(), "more than 1000 bytes"));
  CHECK(StrContains(status.ToString(), "onSessionOpenVerb"));
  CHECK(bed.http.exchanges == 0);
  CHECK(client.CloseSession(bed.call).ok());
}

TEST_CASE("extender wire: as many documents are kept as fit, the smallest first",
          "[scheduler][extender]") {
  struct Case {
    size_t bytes_max, trimmed_bytes_max;
    std::string text;
    size_t left_out;
  };
  const Case c = GENERATE(values<Case>({{100, 100, "<aa><bbb><bbb><cccc>", 0},
                                        {20, 20, "<aa><bbb><bbb><cccc>", 0},
                                        {19, 19, "<aa><bbb><bbb><>", 1},
                                        {16, 16, "<aa><bbb><bbb><>", 1},
                                        {15, 15, "<aa><><><>", 3},
                                        {10, 10, "<aa><><><>", 3},
                                        {9, 9, "<><><><>", 4},
                                        {8, 8, "<><><><>", 4},
                                        {20, 3, "<aa><bbb><bbb><cccc>", 0},
                                        {19, 12, "<aa><><><>", 3},
                                        {19, 3, "<><><><>", 4},
                                        {7, 7, "", 4}}));
  CAPTURE(c.bytes_max, c.trimmed_bytes_max);
  const auto write = [](Documents& documents) {
    std::string out;
    for (const std::string document : {"aa", "bbb", "bbb", "cccc"}) {
      StrAppend(&out, "<", documents.Keeps(document) ? document : "", ">");
    }
    return out;
  };
  Documents documents;
  CHECK(TextWithin({c.bytes_max, c.trimmed_bytes_max}, write, documents) == c.text);
  size_t left_out = 0;
  for (const auto& [bytes, count] : documents.left_out) left_out += count;
  CHECK(left_out == c.left_out);
}

TEST_CASE("extender wire: texts are at least as large as is said before they are written",
          "[scheduler][extender]") {
  SizeBed bed(/*large_running=*/3000, /*large_waiting=*/2000);
  const framework::Session& session = bed.session();
  for (const std::string name : {"l0", "l1", "s0", "s1"}) {
    CAPTURE(name);
    const size_t bytes = TaskBytesMin(session, bed.task(name));
    CHECK(bytes > session.task(bed.task(name)).document->size());
    CHECK(bytes <= TaskText(session, bed.task(name)).size());
  }
  const size_t job_bytes = JobBytesMin(session, bed.job("large"));
  CHECK(job_bytes > 5000);
  CHECK(job_bytes <= JobText(session, bed.job("large")).size());
  NodeTasks node_tasks;
  for (model::NodeId node : bed.nodes()) {
    const std::vector<model::TaskId>& tasks = node_tasks.On(session, node);
    const size_t node_bytes = NodeBytesMin(session, node, tasks);
    CHECK((node_bytes > 4000) == (tasks.size() == 2));
    CHECK(node_bytes <= NodeText(session, node, tasks).size());
  }
}

TEST_CASE("extender client: what is left out is counted each time, and logged once by URL",
          "[scheduler][extender]") {
  SizeBed bed(/*large_running=*/100'000, /*large_waiting=*/0);
  metrics::Registry registry;
  metrics::SchedulerMetrics metrics(registry);
  framework::SessionContext context = bed.session().context();
  context.metrics = &metrics;
  const framework::Session session(context);
  test::CapturedLog log(LogLevel::kInfo);
  for (const std::string url : {"http://x/open", "http://x/open", "http://y/open"}) {
    CHECK(bed.client.OpenSession({.url = url}, session).ok());
  }
  const std::vector<std::string> lines = log.Take();
  REQUIRE(lines.size() == 2);
  CHECK(StrContains(lines[0], "http://x/open"));
  CHECK(StrContains(lines[1], "http://y/open"));
  CHECK(StrContains(registry.RenderText(),
                    "batholith_limit_reached_total{limit=\"extender_call\"} 3"));
}

}  // namespace
}  // namespace bth::scheduler::extender
