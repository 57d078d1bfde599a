#include "scheduler/cluster_dump.h"

#include <filesystem>
#include <map>
#include <sstream>

#include "base/rng.h"
#include "base/strings.h"
#include "scheduler/debug_pages.h"
#include "sim/run.h"
#include "tests/scheduler/bed.h"
#include "tests/support/files.h"
#include "tests/support/temp_folder.h"

namespace bth::scheduler {
namespace {

using test::TempFolder;
using testing::Bed;
using testing::Fault;
using types::Json;

struct Drained {
  absl::Status status = absl::UnknownError("not through");
  std::string text;
  size_t longest = 0;
};

net::Awaitable<void> Read(std::unique_ptr<net::ByteStream> stream, std::shared_ptr<Drained> out) {
  for (;;) {
    absl::StatusOr<std::optional<std::string>> piece = co_await stream->Next();
    out->status = piece.status();
    if (!piece.ok() || !piece->has_value()) co_return;
    out->longest = std::max(out->longest, (*piece)->size());
    out->text += **piece;
  }
}

Drained Dump(Bed& bed) {
  auto dump = bed.scheduler->Dump();
  REQUIRE(dump.ok());
  auto out = std::make_shared<Drained>();
  net::Spawn(bed.executor, Read(*std::move(dump), out));
  bed.executor.RunUntilIdle();
  return *out;
}

// The objects of a dump by kind and key.
std::map<std::string, Json> Objects(const std::string& text) {
  std::map<std::string, Json> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const absl::StatusOr<Json> json = Json::Parse(line);
    REQUIRE(json.ok());
    const Json& meta = (*json)["metadata"];
    out[StrCat(std::string((*json)["kind"].AsString()), " ",
               std::string(meta["namespace"].AsString()), "/",
               std::string(meta["name"].AsString()))] = *json;
  }
  return out;
}

// What `vc-sim run` decides on it in one cycle.
Json Replay(const std::string& text) {
  sim::RunOptions options;
  options.output = "json";
  options.paths = {"-"};
  std::istringstream in(text);
  std::ostringstream out;
  std::ostringstream err;
  const int code = sim::RunManifests(options, in, out, err);
  INFO(err.str());
  REQUIRE(code == sim::kExitRan);
  const absl::StatusOr<Json> answer = Json::Parse(out.str());
  REQUIRE(answer.ok());
  return (*answer)["cycles"][size_t{0}];
}

// A standby: its cache follows the cluster, and it decides nothing yet.
void StandBy(Bed& bed, SchedulerOptions options = {}) {
  bed.MakeScheduler(std::move(options));
  REQUIRE(bed.scheduler->LoadPolicy().ToString() == "OK");
  bed.scheduler->StartCache();
  bed.Settle();
  REQUIRE(bed.scheduler->ready());
}

// Gangs of all sizes, more than there is room for, beside pods that run already.
std::vector<std::string> FillAtRandom(Bed& bed, uint64_t seed, const std::string& owner) {
  Rng rng(seed);
  const auto upto = [&rng](uint64_t n) { return static_cast<int>(1 + rng.Next() % n); };
  bed.Create("/apis/scheduling.k8s.io/v1/priorityclasses",
             R"({"metadata":{"name":"high"},"value":1000})");
  bed.Create("/api/v1/namespaces/default/resourcequotas",
             R"({"metadata":{"name":"q"},"spec":{"hard":{"pods":"500"}}})");
  bed.Create("/apis/policy/v1/namespaces/default/poddisruptionbudgets",
             R"({"metadata":{"name":"b"},"spec":{"minAvailable":1,"selector":{}}})");
  const int nodes = 2 + upto(4);
  for (int i = 0; i < nodes; ++i) bed.Node(StrCat("n", i), 2 + upto(6));
  for (int i = 0; i < nodes; i += 2) {
    bed.Create("/api/v1/namespaces/default/pods",
               StrCat(R"({"metadata":{"name":"old-)", i,
                      R"("},"spec":{"schedulerName":"somebody","nodeName":"n)", i,
                      R"(","containers":[{"name":"c","image":"i","resources":)",
                      R"({"requests":{"cpu":")", upto(2), R"("}}}]}})"));
  }
  std::vector<std::string> pods;
  const int groups = 3 + upto(6);
  for (int g = 0; g < groups; ++g) {
    const std::string group = StrCat("g", g);
    const int size = upto(4);
    bed.Create(
        "/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups",
        StrCat(R"({"metadata":{"name":")", group, R"("},"spec":{"minMember":)", upto(size),
               R"(,"queue":"default","priorityClassName":")", g % 3 == 0 ? "high" : "", R"("}})"));
    const int cpu = upto(3);
    for (int p = 0; p < size; ++p) {
      pods.push_back(StrCat(group, "-", p));
      bed.Pod(pods.back(), group, cpu, owner);
    }
    bed.executor.Advance(absl::Seconds(1));
  }
  return pods;
}

TEST_CASE("cluster dump: replayed offline, it gives what the daemon decides", "[scheduler][dump]") {
  const uint64_t seed = GENERATE(range(uint64_t{1}, uint64_t{9}));
  const std::string owner = seed % 2 == 0 ? "another" : "volcano";
  INFO("seed " << seed);
  Bed bed;
  const std::vector<std::string> pods = FillAtRandom(bed, seed, owner);
  bed.Create("/apis/shard.volcano.sh/v1alpha1/nodeshards",
             R"({"metadata":{"name":"mine"},"spec":{"nodesDesired":["n1","n2"]}})");
  SchedulerOptions options;
  options.scheduler_names = {owner};
  options.shard = {.mode = static_cast<model::ShardMode>(seed % 3), .name = "mine"};
  StandBy(bed, options);
  const Drained dump = Dump(bed);
  REQUIRE(dump.status.ToString() == "OK");
  const Json replayed = Replay(dump.text);
  bed.scheduler->Lead();
  bed.Settle();
  size_t bound = 0;
  for (const std::string& pod : pods) {
    INFO(pod);
    const std::string node = bed.NodeOf(pod);
    CHECK(replayed["binds"]["default/" + pod].AsString() == node);
    bound += node.empty() ? 0 : 1;
    if (node.empty()) CHECK(replayed["pending"]["default/" + pod].is_object());
  }
  CHECK(bound > 0);
  // A dump taken now leaves nothing to decide.
  CHECK(Replay(Dump(bed).text)["binds"].members().empty());
}

TEST_CASE("cluster dump: what is under way is as the scheduler assumes it", "[scheduler][dump]") {
  Bed bed;
  bed.Node("n1", 2);
  bed.Group("g", 1);
  bed.Pod("p", "g", 2);
  bed.line->script = [](const net::Request& request) -> std::optional<Fault> {
    if (!absl::StrContains(request.target, "/binding")) return std::nullopt;
    return Fault{.delay = absl::Hours(1)};
  };
  bed.MakeScheduler();
  REQUIRE(bed.scheduler->LoadPolicy().ok());
  bed.scheduler->StartCache();
  bed.scheduler->Lead();
  bed.executor.Advance(absl::Seconds(5));
  REQUIRE(bed.NodeOf("p").empty());
  const Drained dump = Dump(bed);
  REQUIRE(dump.status.ok());
  const Json pod = Objects(dump.text)["Pod default/p"];
  CHECK(pod.At({"spec", "nodeName"}).AsString() == "n1");
  CHECK(pod.At({"metadata", "annotations", "batholith/assumed"}).AsString() == "binding");
  bed.Group("h", 1);
  bed.Pod("q", "h", 1);
  bed.executor.Advance(absl::Seconds(1));
  const Json replayed = Replay(Dump(bed).text);
  CHECK(replayed["binds"].members().empty());  // There is no room left.
  CHECK(replayed["pending"]["default/q"].is_object());
}

TEST_CASE("cluster dump: nothing that runs in containers, and no foreign words",
          "[scheduler][dump]") {
  Bed bed;
  bed.Node("n1", 2);
  bed.Create(
      "/api/v1/namespaces/default/pods",
      R"({"metadata":{"name":"p","annotations":{"scheduling.k8s.io/group-name":"g",)"
      R"("sla-waiting-time":"1m","volcano.sh/preemptable":"true",)"
      R"("vendor.example/token":"hush","token":"hush",)"
      R"("kubectl.kubernetes.io/last-applied-configuration":"hush"}},)"
      R"("spec":{"schedulerName":"volcano","containers":[{"name":"c","image":"hush",)"
      R"("command":["hush"],"args":["hush"],"env":[{"name":"A","value":"hush"}]}],)"
      R"("initContainers":[{"name":"i","image":"hush","env":[{"name":"A","value":"hush"}]}],)"
      R"("serviceAccountName":"hush","volumes":[{"name":"v","secret":{"secretName":"hush"}},)"
      R"({"name":"w","configMap":{"name":"hush"}},)"
      R"({"name":"x","hostPath":{"path":"/hush"}},)"
      R"({"name":"y","persistentVolumeClaim":{"claimName":"c"}}]}})");
  const std::string path = "/api/v1/namespaces/default/pods/p";
  Json given = bed.Get(path);
  given.Set("status", *Json::Parse(R"({"phase":"Pending","message":"hush",)"
                                   R"("containerStatuses":[{"name":"c","image":"hush",)"
                                   R"("lastState":{"terminated":{"exitCode":1,"message":"hush"}},)"
                                   R"("state":{"terminated":{"exitCode":1,"message":"hush"}}}]})"));
  bed.Call("PUT", path + "/status", given.Dump());
  REQUIRE(bed.Get(path)["status"]["message"].AsString() == "hush");
  StandBy(bed);
  const Drained dump = Dump(bed);
  REQUIRE(dump.status.ok());
  CHECK_FALSE(absl::StrContains(dump.text, "hush"));
  const Json pod = Objects(dump.text)["Pod default/p"];
  CHECK(pod.At({"metadata", "annotations"}).members().size() == 3);
  CHECK(pod["spec"]["containers"].size() == 1);
  CHECK(pod["status"]["containerStatuses"].size() == 1);
  CHECK(pod["spec"]["volumes"].size() == 4);
  CHECK(pod["spec"]["volumes"][3]["persistentVolumeClaim"]["claimName"].AsString() == "c");
}

TEST_CASE("cluster dump: one at a time, in pieces, whatever the number of pods",
          "[scheduler][dump]") {
  Bed bed;
  bed.Node("n1", 2);
  constexpr int kPods = 1200;
  bed.Group("g", 1);
  for (int i = 0; i < kPods; ++i) bed.Pod(StrCat("p", i), "g", 1);
  StandBy(bed);
  {
    const auto first = bed.scheduler->Dump();
    REQUIRE(first.ok());
    CHECK(absl::IsResourceExhausted(bed.scheduler->Dump().status()));
    const auto pages = net::MakeInProcessTransport(
        bed.executor, MakeDebugPages(bed.executor, *bed.scheduler, nullptr));
    CHECK(bed.Fetch(*pages, "GET", "/debug/dump").code == 429);
  }
  const Drained dump = Dump(bed);
  REQUIRE(dump.status.ok());
  CHECK(dump.longest < dump.text.size() / 2);
  CHECK(dump.longest < (size_t{1} << 20));
  CHECK(Objects(dump.text).size() > kPods);
  const auto pages = net::MakeInProcessTransport(
      bed.executor, MakeDebugPages(bed.executor, *bed.scheduler, nullptr));
  const Bed::Answer page = bed.Fetch(*pages, "GET", "/debug/dump");
  CHECK(page.code == 200);
  CHECK(page.text.size() == dump.text.size());
}

TEST_CASE("cluster dump: kinds one can do without may be missing, others may not",
          "[scheduler][dump]") {
  Bed bed;
  bed.Node("n1", 2);
  StandBy(bed);
  const char* forbidden = GENERATE("/resourcequotas", "/poddisruptionbudgets", "/services",
                                   "/replicasets", "/pods", "/nodes");
  bed.line->script = [forbidden](const net::Request& request) -> std::optional<Fault> {
    if (!absl::StrContains(request.target, forbidden)) return std::nullopt;
    return Fault{.code = 403, .reason = "Forbidden"};
  };
  const bool essential = absl::StrContains("/pods /nodes", forbidden);
  const Drained dump = Dump(bed);
  INFO(dump.status.ToString());
  CHECK(dump.status.ok() != essential);
  if (essential) CHECK(absl::StrContains(dump.status.message(), forbidden));
}

TEST_CASE("cluster dump: of services their selectors remain", "[scheduler][dump]") {
  Bed bed;
  bed.Node("n1", 2);
  bed.Create("/api/v1/namespaces/default/services",
             R"({"metadata":{"name":"web"},"spec":{"selector":{"app":"web"},"clusterIP":"10.0.0.7",
                 "ports":[{"port":80}]}})");
  bed.Create("/api/v1/namespaces/default/services",
             R"({"metadata":{"name":"bare"},"spec":{"ports":[{"port":80}]}})");
  bed.Create("/apis/apps/v1/namespaces/default/replicasets",
             R"({"metadata":{"name":"web"},"spec":{"selector":{"matchLabels":{"app":"web"}},
                 "template":{"metadata":{"labels":{"app":"web"}},
                 "spec":{"containers":[{"name":"c","image":"i"}]}}}})");
  StandBy(bed);
  const Drained dump = Dump(bed);
  REQUIRE(dump.status.ToString() == "OK");
  const std::map<std::string, Json> objects = Objects(dump.text);
  REQUIRE(objects.contains("Service default/web"));
  CHECK(objects.at("Service default/web")["spec"].Dump() == R"({"selector":{"app":"web"}})");
  CHECK_FALSE(objects.contains("Service default/bare"));
  REQUIRE(objects.contains("ReplicaSet default/web"));
  CHECK(objects.at("ReplicaSet default/web").At({"spec", "selector"}).Dump() ==
        R"({"matchLabels":{"app":"web"}})");
}

TEST_CASE("cluster dump: a file appears whole or not at all", "[scheduler][dump]") {
  namespace fs = std::filesystem;
  Bed bed;
  bed.Node("n1", 2);
  StandBy(bed);
  const TempFolder folder;
  const auto write = [&bed](const std::string& path) {
    auto status = std::make_shared<absl::Status>(absl::UnknownError("not through"));
    auto dump = bed.scheduler->Dump();
    REQUIRE(dump.ok());
    struct Run {
      static net::Awaitable<void> It(std::unique_ptr<net::ByteStream> dump, std::string path,
                                     std::shared_ptr<absl::Status> out) {
        *out = co_await WriteDump(std::move(dump), std::move(path));
      }
    };
    net::Spawn(bed.executor, Run::It(*std::move(dump), path, status));
    bed.executor.RunUntilIdle();
    return *status;
  };
  const std::string path = folder.Sub("snapshot.json");
  // What lies there under the name of the unfinished file is not followed.
  const std::string victim = folder.Write("victim", "untouched");
  fs::create_symlink(victim, path + ".part");
  REQUIRE(write(path).ToString() == "OK");
  const std::string text = test::ReadFile(path);
  CHECK(absl::StartsWith(text, R"({"apiVersion":"batholith/v1","kind":"ClusterDump")"));
  CHECK(absl::EndsWith(text, "}\n"));
  CHECK_FALSE(fs::exists(path + ".part"));
  CHECK(fs::file_size(victim) == 9);
  // It shows everybody's pods: only the owner reads it.
  CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(absl::StrContains(write(folder.Sub("no/such")).message(), "/no/such.part"));
  bed.line->script = [](const net::Request& request) -> std::optional<Fault> {
    if (!absl::StrContains(request.target, "/pods")) return std::nullopt;
    return Fault{.unsent = true};
  };
  CHECK_FALSE(write(folder.Sub("half")).ok());
  CHECK_FALSE(fs::exists(folder.Sub("half")));
  CHECK_FALSE(fs::exists(folder.Sub("half.part")));
}

}  // namespace
}  // namespace bth::scheduler
