// The daemon and the servers outside the cluster's API: loads steer pods, a silent extender holds
// up only what it must.
#include "base/strings.h"
#include "tests/scheduler/bed.h"
#include "tests/support/temp_folder.h"

namespace bth::scheduler::testing {
namespace {

// Removed at the end of the test.
class ConfFile {
 public:
  explicit ConfFile(const std::string& text) { Write(text); }
  void Write(const std::string& text) const { folder_.Write("scheduler.conf", text); }
  std::string path() const { return folder_.Sub("scheduler.conf"); }

 private:
  test::TempFolder folder_;
};

constexpr char kUsage[] =
    "actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n"
    "  - name: usage\nmetrics:\n  type: prometheus\n  address: http://prometheus:9090\n";
constexpr char kExtender[] =
    "actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n"
    "  - name: extender\n    arguments:\n      extender.urlPrefix: http://extender\n"
    "      extender.predicateVerb: predicate\n      extender.managedResources: [example.com/x]\n";
constexpr char kPlain[] =
    "actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n";

// A scheduler whose outside is a scripted Prometheus: percent by node, the same for both.
class OutsideBed : public Bed {
 public:
  void Begin(const ConfFile& conf) {
    SchedulerOptions options;
    options.check_invariants_every = 1;
    options.policy.path = conf.path();
    scheduler = std::make_unique<Scheduler>(
        SchedulerContext{executor, *api, registry, runner, clock, &metrics,
                         [this](net::ClientOptions) {
                           return absl::StatusOr<std::unique_ptr<net::Transport>>(
                               net::MakeInProcessTransport(
                                   executor, [this](net::Request) { return Prometheus(); }));
                         }},
        options);
    REQUIRE(scheduler->LoadPolicy().ToString() == "OK");
    scheduler->StartCache();
    scheduler->Lead();
    Settle();
  }

  net::Awaitable<net::Response> Prometheus() {
    ++asked;
    net::Response response;
    response.status = healthy ? 200 : 500;
    std::string series;
    for (const auto& [node, percent] : loads) {
      StrAppend(&series, series.empty() ? "" : ",", R"({"metric":{"instance":")", node,
                R"("},"value":[1,")", percent, R"("]})");
    }
    response.body =
        StrCat(R"({"status":"success","data":{"resultType":"vector","result":[)", series, "]}}");
    co_return response;
  }

  std::map<std::string, int> loads;
  bool healthy = true;
  int asked = 0;
};

TEST_CASE("scheduler: measured loads steer pods, and cost an idle cluster no cycle",
          "[scheduler][load]") {
  const ConfFile conf(kUsage);
  OutsideBed bed;
  bed.loads = {{"n1", 95}, {"n2", 20}};
  bed.Begin(conf);
  bed.Node("n1", 8);
  bed.Node("n2", 8);
  bed.Settle();
  bed.Settle();
  bed.Group("g", 1);
  bed.Pod("p", "g", 1);
  bed.Settle();
  CHECK(bed.NodeOf("p") == "n2");

  const uint64_t cycles = bed.scheduler->cycles();
  const int asked = bed.asked;
  bed.executor.Advance(absl::Minutes(10));
  CHECK(bed.asked > asked);
  CHECK(bed.scheduler->cycles() == cycles);
}

TEST_CASE("scheduler: a pod that waits for load to go down is bound when it does",
          "[scheduler][load]") {
  const ConfFile conf(kUsage);
  OutsideBed bed;
  bed.loads = {{"n1", 95}};
  bed.Begin(conf);
  bed.Node("n1", 8);
  bed.Settle();
  bed.Settle();
  bed.Group("g", 1);
  bed.Pod("p", "g", 1);
  bed.Settle();
  CHECK(bed.NodeOf("p").empty());
  CHECK(bed.PodCondition("p").find("the CPU load of the node exceeds the upper limit.") !=
        std::string::npos);
  SECTION("it goes down") {
    bed.loads = {{"n1", 30}};
  }
  SECTION("nobody knows it any more") {
    bed.healthy = false;
  }
  bed.executor.Advance(absl::Minutes(7));
  CHECK(bed.NodeOf("p") == "n1");
}

TEST_CASE("scheduler: other settings of the source hold from the reload on", "[scheduler][load]") {
  const ConfFile conf(kPlain);
  OutsideBed bed;
  bed.loads = {{"n1", 95}};
  bed.Begin(conf);
  bed.Node("n1", 8);
  bed.Settle();
  CHECK(bed.asked == 0);
  conf.Write(kUsage);
  bed.Settle();
  CHECK(bed.asked > 0);
  conf.Write(kPlain);
  bed.Settle();
  const int asked = bed.asked;
  bed.executor.Advance(absl::Minutes(5));
  CHECK(bed.asked == asked);
}

bool HasDocuments(cache::Mirror& mirror) {
  const auto snapshot = mirror.Publish();
  bool all = true;
  for (model::TaskId task : snapshot->tasks.ids()) {
    if (snapshot->tasks[task].names != nullptr) all &= snapshot->tasks[task].document != nullptr;
  }
  for (model::NodeId node : *snapshot->nodes_by_name) {
    all &= snapshot->node_facts(node).document != nullptr;
  }
  return all;
}

TEST_CASE("scheduler: an extender that cannot be asked holds up only what is its business",
          "[scheduler][extender]") {
  const ConfFile conf(kExtender);
  OutsideBed bed;
  bed.Begin(conf);
  bed.Create("/api/v1/nodes",
             R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"},"status":{"allocatable":
                {"cpu":"8","memory":"16Gi","pods":"110","example.com/x":"4"},
                "conditions":[{"type":"Ready","status":"True"}]}})");
  bed.Group("g", 1);
  bed.Group("h", 1);
  bed.Pod("plain", "g", 1);
  bed.Create("/api/v1/namespaces/default/pods",
             R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"special","annotations":
                {"scheduling.k8s.io/group-name":"h"}},"spec":{"schedulerName":"volcano",
                "containers":[{"name":"c","image":"i","resources":{
                "requests":{"example.com/x":"1"},"limits":{"example.com/x":"1"}}}]}})");
  bed.Settle();
  CHECK(bed.NodeOf("plain") == "n1");
  CHECK(bed.NodeOf("special").empty());
  CHECK(bed.PodCondition("special").find("nobody can be asked") != std::string::npos);
  CHECK(HasDocuments(bed.scheduler->mirror()));
}

TEST_CASE("scheduler: objects are read as documents from the reload on that needs them",
          "[scheduler][extender]") {
  const ConfFile conf(kPlain);
  OutsideBed bed;
  bed.Begin(conf);
  bed.Node("n1", 8);
  bed.Group("g", 1);
  bed.Pod("p", "g", 1);
  bed.Settle();
  CHECK(bed.NodeOf("p") == "n1");
  CHECK_FALSE(HasDocuments(bed.scheduler->mirror()));
  conf.Write(kExtender);
  bed.Settle();
  CHECK(HasDocuments(bed.scheduler->mirror()));
  bed.Pod("q", "g", 1);
  bed.Settle();
  CHECK(bed.NodeOf("q") == "n1");
}

// The server's cache may lag behind what the scheduler has bound, and the assumptions are gone.
TEST_CASE("scheduler: what was bound before a reload is known after it, however old caches are",
          "[scheduler][extender]") {
  const ConfFile conf(kPlain);
  OutsideBed bed;
  bed.Node("n1", 8);
  bed.Group("g", 1);
  bed.Pod("p", "g", 8);
  bed.Pod("q", "late", 8);
  const std::string old_pods = bed.Call("GET", "/api/v1/pods").text;
  bed.Begin(conf);
  REQUIRE(bed.NodeOf("p") == "n1");
  bed.Create("/apis/scheduling.k8s.io/v1/priorityclasses",
             R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":
                {"name":"high"},"value":1000})");
  bed.Create("/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups",
             R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":
                {"name":"late"},"spec":{"minMember":1,"queue":"default",
                "priorityClassName":"high"}})");
  bed.Settle();
  REQUIRE(bed.NodeOf("q").empty());
  bed.line->script = [&old_pods](const net::Request& request) -> std::optional<Fault> {
    if (!absl::StartsWith(request.target, "/api/v1/pods?")) return std::nullopt;
    if (absl::StrContains(request.target, "watch=")) return Fault{.delay = absl::Seconds(10)};
    if (!absl::StrContains(request.target, "resourceVersion=0")) return std::nullopt;
    return Fault{.body = old_pods};
  };
  conf.Write(kExtender);
  bed.Settle();
  CHECK(HasDocuments(bed.scheduler->mirror()));
  CHECK(bed.NodeOf("q").empty());
}

}  // namespace
}  // namespace bth::scheduler::testing
