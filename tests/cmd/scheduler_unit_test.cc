// A scheduler as daemons run it: cycles on a thread of their own, and an I/O thread that goes on
// meanwhile. Most other tests have one thread; ThreadSanitizer needs this one.
#include "cmd/common/scheduler_unit.h"

#include <filesystem>

#include "absl/strings/match.h"
#include "apiserver/api_server.h"
#include "base/strings.h"
#include "client/background.h"
#include "cmd/common/embedded_crds.h"
#include "conf/load.h"
#include "framework/session/cycle.h"
#include "net/io_context.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace bth::cmd {
namespace {

using net::Awaitable;
using types::Json;

constexpr int kNodes = 520;  // More than one block of rows.
constexpr int kGangs = 8;
constexpr int kGangPods = 3;
constexpr char kPods[] = "/api/v1/namespaces/default/pods";
constexpr char kGroups[] = "/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups";

std::string PolicyText(int round) {
  return StrCat("actions: \"enqueue, allocate, backfill\"\n",
                "tiers:\n- plugins:\n  - name: priority\n  - name: gang\n",
                "- plugins:\n  - name: drf\n  - name: predicates\n  - name: proportion\n",
                "  - name: nodeorder\n    arguments:\n      leastrequested.weight: ", round + 1,
                "\n");
}

Json NodeBody(int number) {
  Json ready = Json::MakeObject({{"type", "Ready"}, {"status", "True"}});
  Json room = Json::MakeObject({{"cpu", "4"}, {"memory", "16Gi"}, {"pods", "110"}});
  Json status = Json::MakeObject(
      {{"allocatable", std::move(room)}, {"conditions", Json::MakeArray({ready})}});
  return Json::MakeObject({{"apiVersion", "v1"},
                           {"kind", "Node"},
                           {"metadata", Json::MakeObject({{"name", StrCat("n", number)}})},
                           {"status", std::move(status)}});
}

Json GroupBody(const std::string& name) {
  return Json::MakeObject({{"apiVersion", "scheduling.volcano.sh/v1beta1"},
                           {"kind", "PodGroup"},
                           {"metadata", Json::MakeObject({{"name", name}})},
                           {"spec", Json::MakeObject({{"minMember", kGangPods}})}});
}

// Requests differ from pod to pod, so that each has its own shape.
Json PodBody(const std::string& group, const std::string& name, int milli_cpu) {
  Json requests = Json::MakeObject({{"cpu", StrCat(milli_cpu, "m")}});
  Json resources = Json::MakeObject({{"requests", std::move(requests)}});
  Json container =
      Json::MakeObject({{"name", "c"}, {"image", "i"}, {"resources", std::move(resources)}});
  Json annotations = Json::MakeObject({{"scheduling.k8s.io/group-name", group}});
  Json metadata = Json::MakeObject({{"name", name}, {"annotations", std::move(annotations)}});
  Json spec = Json::MakeObject(
      {{"schedulerName", "volcano"}, {"containers", Json::MakeArray({std::move(container)})}});
  return Json::MakeObject({{"apiVersion", "v1"},
                           {"kind", "Pod"},
                           {"metadata", std::move(metadata)},
                           {"spec", std::move(spec)}});
}

// Everything a daemon has, on the machine's clock. Thread: the one that runs the loop.
class Daemon {
 public:
  Daemon() : policy_(folder_.Sub("scheduler.conf")) {
    WritePolicy(0);
    apiserver::Options options;
    auto crds = EmbeddedCrds();
    REQUIRE(crds.ok());
    options.crds = *std::move(crds);
    auto server = apiserver::ApiServer::Create(*io_, std::move(options));
    REQUIRE(server.ok());
    server_ = *std::move(server);
    client::ApiClientOptions client;
    client.qps = 0;
    api_ = std::make_unique<client::ApiClient>(
        *io_, net::MakeInProcessTransport(*io_, server_->handler()), client);
    direct_ = net::MakeInProcessTransport(*io_, server_->handler());
    scheduler::SchedulerOptions scheduling;
    scheduling.check_invariants_every = 1;
    scheduling.policy.path = policy_;
    absl::StatusOr<framework::Registry> registry = MakeRegistry("");
    REQUIRE(registry.ok());
    unit_ = std::make_unique<SchedulerUnit>(*api_, metrics_, *std::move(registry),
                                            std::move(scheduling));
    pages_ = net::MakeInProcessTransport(*io_, unit_->pages());
    debug_ = net::MakeInProcessTransport(*io_, unit_->debug_pages());
    REQUIRE(unit_->scheduler().LoadPolicy().ToString() == "OK");
  }

  // Runs the story to its end, and to the end of what it caused if `drain`; false when that took
  // too long.
  bool Run(Awaitable<void> story, bool drain) {
    bool in_time = true;
    const net::Executor::TimerId guard = io_->RunAfter(absl::Minutes(5), [this, &in_time] {
      in_time = false;
      io_->Stop();
    });
    story_.Start(*io_, Then(std::move(story), drain));
    unit_->scheduler().StartCache();
    unit_->scheduler().Lead();
    io_->Run();
    io_->CancelTimer(guard);
    return in_time;
  }

  Awaitable<std::string> Call(net::Transport& transport, std::string method, std::string target,
                              std::string body) {
    net::Request request;
    request.method = std::move(method);
    request.target = std::move(target);
    if (!body.empty()) request.headers.Set("content-type", "application/json");
    request.body = std::move(body);
    absl::StatusOr<net::Response> response = co_await transport.Fetch(std::move(request));
    BTH_CHECK(response.ok());
    BTH_CHECK(response->status < 300);
    co_return std::move(response->body);
  }
  Awaitable<void> Create(std::string collection, Json object) {
    std::string body = object.Dump();
    co_await Call(*direct_, "POST", std::move(collection), std::move(body));
  }
  Awaitable<void> MakeGang(std::string name) {
    co_await Create(kGroups, GroupBody(name));
    for (int i = 0; i < kGangPods; ++i) {
      const int milli = 100 + 10 * i + pods_;
      ++pods_;
      co_await Create(kPods, PodBody(name, StrCat(name, "-", i), milli));
    }
  }
  Awaitable<int> CountBound() {
    const std::string text = co_await Call(*direct_, "GET", kPods, "");
    const absl::StatusOr<Json> list = Json::Parse(text);
    BTH_CHECK(list.ok());
    int bound = 0;
    const Json& items = (*list)["items"];
    for (size_t i = 0; i < items.size(); ++i) {
      bound += items[i]["spec"]["nodeName"].AsString().empty() ? 0 : 1;
    }
    co_return bound;
  }
  // Reads every page while cycles run, until all pods have their nodes.
  Awaitable<void> ReadUntilBound(int pods) {
    for (int bound = -1; bound != pods; bound = co_await CountBound()) {
      metrics_text = co_await Call(*pages_, "GET", "/metrics", "");
      co_await Call(*debug_, "GET", "/debug/cycle", "");
      co_await Call(*debug_, "GET", "/debug/queues", "");
    }
  }
  void WritePolicy(int round) const {
    std::filesystem::rename(folder_.Write("scheduler.conf.new", PolicyText(round)), policy_);
  }

  std::string metrics_text;
  scheduler::Scheduler& scheduler() { return unit_->scheduler(); }
  net::Transport& direct() { return *direct_; }

 private:
  Awaitable<void> Then(Awaitable<void> story, bool drain) {
    co_await std::move(story);
    if (drain) co_await unit_->Drain(absl::Minutes(1));
    io_->Stop();
  }

  test::TempFolder folder_;
  const std::string policy_;
  std::unique_ptr<net::IoContext> io_ = net::IoContext::Create();
  Metrics metrics_;
  std::unique_ptr<apiserver::ApiServer> server_;
  std::unique_ptr<client::ApiClient> api_;
  std::unique_ptr<net::Transport> direct_;
  std::unique_ptr<SchedulerUnit> unit_;
  std::unique_ptr<net::Transport> pages_;
  std::unique_ptr<net::Transport> debug_;
  int pods_ = 0;
  client::Background story_;
};

Awaitable<void> GangsComeAndGo(Daemon& daemon) {
  for (int i = 0; i < kNodes; ++i) co_await daemon.Create("/api/v1/nodes", NodeBody(i));
  for (int gang = 0; gang < kGangs; ++gang) {
    const std::string name = StrCat("gang", gang);
    co_await daemon.MakeGang(name);
    daemon.WritePolicy(gang);
    daemon.scheduler().ReloadPolicy();
    co_await daemon.ReadUntilBound(kGangPods);
    for (int i = 0; i < kGangPods; ++i) {
      std::string target = StrCat(kPods, "/", name, "-", i, "?gracePeriodSeconds=0");
      co_await daemon.Call(daemon.direct(), "DELETE", std::move(target), "");
    }
  }
}

Awaitable<void> GangsUntilBusy(Daemon& daemon) {
  for (int i = 0; i < kNodes; ++i) co_await daemon.Create("/api/v1/nodes", NodeBody(i));
  for (int gang = 0; gang == 0 || daemon.scheduler().drained(); ++gang) {
    co_await daemon.MakeGang(StrCat("gang", gang));
  }
}

TEST_CASE("dump folder: what cannot be written is told before the signal comes", "[cmd][unit]") {
  const test::TempFolder folder;
  CHECK(CheckDumpFolder(folder.path()).ok());
  const std::string file = folder.Write("file", "");
  CHECK(CheckDumpFolder(file).message() == file + ": is no folder");
  const std::string none = folder.Sub("none");
  CHECK(CheckDumpFolder(none).message() == none + ": No such file or directory");
}

TEST_CASE("idle arguments: those of a gate that is off are told when a policy is read",
          "[cmd][unit]") {
  const auto findings = [](const std::string& arguments, bool gate) {
    scheduler::SchedulerOptions options;
    options.scores_volumes = gate;
    auto made = MakeRegistry("");
    REQUIRE(made.ok());
    const framework::Registry registry = WithIdleArguments(*std::move(made), options);
    const auto loaded = conf::ParsePolicy(
        StrCat("actions: allocate\ntiers:\n- plugins:\n  - name: predicates\n    arguments: {",
               arguments, "}\n"),
        registry.Names());
    REQUIRE(loaded.ok());
    std::vector<conf::Finding> out;
    REQUIRE(framework::PolicyInstance::Create(std::make_shared<conf::Policy>(loaded->policy),
                                              registry, &out)
                .ok());
    return out;
  };
  for (const char* argument :
       {"volumebinding.weight: 3", "volumebinding.shape: [{utilization: 0, score: 0}]"}) {
    CAPTURE(argument);
    CHECK(findings(argument, true).empty());
    const std::vector<conf::Finding> off = findings(argument, false);
    REQUIRE(off.size() == 1);
    CHECK(off[0].line == 5);
    CHECK(off[0].text == "has no effect without the feature gate StorageCapacityScoring");
    CHECK(absl::StrContains(argument, off[0].path.substr(off[0].path.rfind("volumebinding"))));
  }
  CHECK(findings("", false).empty());
}

TEST_CASE("scheduler unit: decides on its own thread while pages, policy and pods change",
          "[cmd][threads]") {
  Daemon daemon;
  REQUIRE(daemon.Run(GangsComeAndGo(daemon), true));
  CHECK(daemon.scheduler().drained());
  CHECK(daemon.scheduler().cycles() >= kGangs);
  CHECK(absl::StrContains(daemon.metrics_text, "volcano_e2e_scheduling_latency_milliseconds"));
}

TEST_CASE("scheduler unit: may go while a cycle runs and writes are under way", "[cmd][threads]") {
  Daemon daemon;
  CHECK(daemon.Run(GangsUntilBusy(daemon), false));
  CHECK_FALSE(daemon.scheduler().drained());
}

}  // namespace
}  // namespace bth::cmd
