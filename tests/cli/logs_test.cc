// `vcctl job logs`.
#include <sstream>

#include "apiserver/rest/core.h"
#include "cli/logs/line_printer.h"
#include "cli/logs/log_pods.h"
#include "cmd/common/container_logs.h"
#include "tests/cli/cli_bed.h"
#include "tests/support/catch.h"

namespace bth::cli {
namespace {

using test::CliBed;
using test::Ran;
using types::Json;

Json LogDocument(const std::string& text) {
  const auto json = Json::Parse(text);
  REQUIRE(json.ok());
  return *json;
}

Json LoggingPod(const std::string& task, int index, const std::string& more = "") {
  const std::string name = StrCat("calc-", task, "-", index);
  return LogDocument(StrCat(R"({"metadata":{"name":")", name, R"(","uid":"u-)", name,
                            R"(","annotations":{"volcano.sh/task-spec":")", task,
                            R"(","volcano.sh/task-index":")", index,
                            R"("}},"spec":{"containers":[{"name":"main"}]})", more, "}"));
}

const char kLoggingJob[] = R"({"metadata":{"name":"calc"},
    "spec":{"tasks":[{"name":"master"},{"name":"worker"}]}})";

TEST_CASE("logs: pods come in the order of tasks and of their index", "[cli][logs]") {
  const Json job = LogDocument(kLoggingJob);
  const std::vector<Json> pods = {LoggingPod("worker", 10), LoggingPod("worker", 2),
                                  LoggingPod("master", 0)};
  const auto names = [&](const Json* of, const LogChoice& choice) {
    const auto places = LogPlaces(of, pods, choice);
    REQUIRE(places.ok());
    std::vector<std::string> out;
    for (const LogPlace& place : *places) out.push_back(place.pod);
    return out;
  };
  using Names = std::vector<std::string>;
  CHECK(names(&job, {}) == Names{"calc-master-0", "calc-worker-2", "calc-worker-10"});
  CHECK(names(&job, {.task = "worker"}) == Names{"calc-worker-2", "calc-worker-10"});
  CHECK(names(&job, {.task = "worker", .index = 10}) == Names{"calc-worker-10"});
  CHECK(names(&job, {.index = 0}) == Names{"calc-master-0"});
  CHECK(names(&job, {.pod = "calc-worker-2"}) == Names{"calc-worker-2"});
  // Of a job that is gone only the pods are known.
  CHECK(names(nullptr, {}) == Names{"calc-master-0", "calc-worker-2", "calc-worker-10"});
  const auto wrong = LogPlaces(&job, pods, {.task = "workers"});
  CHECK(wrong.status().message() ==
        "--task: job calc has no task \"workers\" (did you mean \"worker\"?); it has master, "
        "worker");
}

TEST_CASE("logs: the container is the named, the default, or the first one", "[cli][logs]") {
  Json pod = LogDocument(R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"a"},
      {"name":"b"}]},"status":{"containerStatuses":[
        {"name":"a","restartCount":3,"state":{"waiting":{}}},
        {"name":"b","state":{"running":{}}}]}})");
  auto places = LogPlaces(nullptr, {pod}, {});
  REQUIRE(places.ok());
  CHECK((*places)[0].container == "a");
  CHECK((*places)[0].other_containers == "a, b");
  CHECK((*places)[0].restarts == 3);
  CHECK_FALSE((*places)[0].has_run);
  places = LogPlaces(nullptr, {pod}, {.container = "b"});
  CHECK((*places)[0].has_run);
  CHECK((*places)[0].other_containers.empty());
  pod.MutableAt({"metadata", "annotations", "kubectl.kubernetes.io/default-container"}) = "b";
  places = LogPlaces(nullptr, {pod}, {});
  CHECK((*places)[0].container == "b");
  CHECK((*places)[0].other_containers.empty());
}

TEST_CASE("logs: lines of several pods stay whole", "[cli][logs]") {
  std::ostringstream out;
  LinePrinter a(out, "[a] ");
  LinePrinter b(out, "[b] ");
  a.Take("one\ntw");
  b.Take("first\n");
  a.Take("o\n\nthr");
  a.Finish();
  b.Finish();
  CHECK(out.str() == "[a] one\n[b] first\n[a] two\n[a] \n[a] thr\n");
  std::ostringstream plain;
  LinePrinter only(plain, "");
  only.Take("a\nb");
  only.Finish();
  CHECK(plain.str() == "a\nb");
  // A line without an end is not held for ever.
  std::ostringstream flood;
  LinePrinter long_line(flood, "> ");
  for (int i = 0; i < 20; ++i) long_line.Take(std::string(100'000, 'x'));
  CHECK(flood.str().size() > 1'000'000);
}

// A job of pods that run scripts on a simulated node.
struct LogsBed {
  CliBed cli;

  LogsBed() { cli.bed.server->core().log_source = cmd::LogsOfSimulatedContainers(); }
  void MakeJob(int replicas) {
    cli.bed.Create("/apis/batch.volcano.sh/v1alpha1/namespaces/default/jobs",
                   StrCat(R"({"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job",
        "metadata":{"name":"calc"},"spec":{"minAvailable":1,"tasks":[{"name":"worker","replicas":)",
                          replicas, R"(,"template":{"spec":{"containers":[
          {"name":"main","image":"busybox"}]}}}]}})"));
  }
  void MakePod(int index, const std::string& script, const std::string& state) {
    const std::string name = StrCat("calc-worker-", index);
    cli.bed.Create("/api/v1/namespaces/default/pods",
                   StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")", name,
                          R"(","labels":{"volcano.sh/job-name":"calc"},"annotations":{
        "volcano.sh/task-spec":"worker","volcano.sh/task-index":")",
                          index,
                          R"("}},"spec":{"nodeName":"n","containers":[{"name":"main",
        "image":"busybox","command":["sh","-c",")",
                          script, R"("]}]}})"));
    SetState(index, state);
  }
  void SetState(int index, const std::string& state) {
    const std::string target =
        StrCat("/api/v1/namespaces/default/pods/calc-worker-", index, "/status");
    const auto answer = cli.bed.Call(
        "PATCH", target,
        StrCat(R"({"status":{"containerStatuses":[{"name":"main","restartCount":0,"state":)", state,
               "}]}}"),
        "application/merge-patch+json");
    REQUIRE(answer.code == 200);
  }
  // Done while a program runs.
  void PatchAfter(absl::Duration after, std::string target, std::string body) {
    net::Request request;
    request.method = "PATCH";
    request.target = std::move(target);
    request.headers.Set("content-type", "application/merge-patch+json");
    request.body = std::move(body);
    cli.bed.executor.RunAfter(after, [this, request = std::move(request)] {
      net::Spawn(cli.bed.executor, Send(*transport, request));
    });
  }
  void SetStateAfter(absl::Duration after, int index, const std::string& state) {
    PatchAfter(after, StrCat("/api/v1/namespaces/default/pods/calc-worker-", index, "/status"),
               StrCat(R"({"status":{"containerStatuses":[{"name":"main","restartCount":0,"state":)",
                      state, "}]}}"));
  }
  static net::Awaitable<void> Send(net::Transport& to, net::Request request) {
    const absl::StatusOr<net::Response> answer = co_await to.Fetch(std::move(request));
    BTH_CHECK(answer.ok() && answer->status == 200);
  }

  std::unique_ptr<net::Transport> transport =
      net::MakeInProcessTransport(cli.bed.executor, cli.bed.server->handler());
};

constexpr char kOver[] = R"({"terminated":{"exitCode":0,"startedAt":"2026-01-01T00:00:00Z",
    "finishedAt":"2026-01-01T00:00:00Z"}})";
constexpr char kRunning[] = R"({"running":{"startedAt":"2026-01-01T00:00:00Z"}})";
constexpr char kWaits[] = R"({"waiting":{"reason":"ContainerCreating"}})";

TEST_CASE("job logs: of one pod as it is, of several with their names", "[cli][logs]") {
  LogsBed bed;
  bed.MakeJob(2);
  bed.MakePod(0, "echo hi", kOver);
  const std::string begin = "simulated: started: sh -c echo hi (ends at once)\n";
  const std::string end = "simulated: ended with exit code 0\n";
  Ran ran = bed.cli.Run({"vcctl", "job", "logs", "-N", "calc"});
  CHECK(ran.out == begin + "hi\n" + end);
  CHECK(ran.code == 0);
  ran = bed.cli.Run({"vcctl", "job", "logs", "-N", "calc", "--tail=2", "--timestamps", "--prefix"});
  CHECK(ran.out ==
        "[calc-worker-0] 2026-01-01T00:00:00.000000000Z hi\n"
        "[calc-worker-0] 2026-01-01T00:00:00.000000000Z " +
            end);
  bed.MakePod(1, "echo ho", kOver);
  ran = bed.cli.Run({"vcctl", "job", "logs", "-N", "calc", "--tail", "2"});
  CHECK(ran.out == "[calc-worker-0] hi\n[calc-worker-0] " + end + "[calc-worker-1] ho\n" +
                       "[calc-worker-1] " + end);
  ran = bed.cli.Run({"vcctl", "job", "logs", "-N", "calc", "--index=1", "--tail=2"});
  CHECK(ran.out == "ho\n" + end);
  CHECK(ran.err.empty());
}

TEST_CASE("job logs: one that cannot be read hides no other", "[cli][logs]") {
  LogsBed bed;
  bed.MakeJob(2);
  bed.MakePod(0, "echo hi", kWaits);
  Ran ran = bed.cli.Run({"vcctl", "job", "logs", "-N", "calc"});
  const std::string why =
      "container \"main\" in pod \"calc-worker-0\" is waiting to start: ContainerCreating\n";
  CHECK(ran.out == "Failed to logs job: " + why);
  CHECK(ran.code == 255);
  bed.MakePod(1, "echo ho", kOver);
  ran = bed.cli.Run({"vcctl", "job", "logs", "-N", "calc", "--tail=2"});
  CHECK(ran.err == "calc-worker-0: " + why);
  CHECK(ran.out ==
        "[calc-worker-1] ho\n[calc-worker-1] simulated: ended with exit code 0\n"
        "Failed to logs job: 1 of 2 logs could not be read to the end\n");
  CHECK(ran.code == 255);
}

TEST_CASE("job logs: following takes up what starts later, until the job is over", "[cli][logs]") {
  LogsBed bed;
  bed.MakeJob(2);
  bed.MakePod(0, "echo hi; sleep 3; echo there; sleep 60", kRunning);
  bed.MakePod(1, "echo ho", kWaits);
  // What a controller and a kubelet do meanwhile.
  bed.SetStateAfter(absl::Seconds(5), 1, kOver);
  bed.SetStateAfter(absl::Seconds(8), 0,
                    R"({"terminated":{"exitCode":143,"startedAt":"2026-01-01T00:00:00Z",
                        "finishedAt":"2026-01-01T00:00:08Z"}})");
  bed.PatchAfter(absl::Seconds(8),
                 "/apis/batch.volcano.sh/v1alpha1/namespaces/default/jobs/calc/status",
                 R"({"status":{"state":{"phase":"Completed"}}})");
  const Ran ran = bed.cli.Run({"vcctl", "job", "logs", "-N", "calc", "-f"});
  CHECK(ran.out ==
        "[calc-worker-0] simulated: started: sh -c echo hi; sleep 3; echo there; sleep 60 "
        "(runs for 1m3s)\n"
        "[calc-worker-0] hi\n[calc-worker-0] there\n"
        "[calc-worker-1] simulated: started: sh -c echo ho (ends at once)\n[calc-worker-1] ho\n"
        "[calc-worker-1] simulated: ended with exit code 0\n"
        "[calc-worker-0] simulated: stopped with exit code 143\n");
  CHECK(ran.err.empty());
  CHECK(ran.code == 0);
}

TEST_CASE("job logs: following takes up a container that restarts", "[cli][logs]") {
  LogsBed bed;
  bed.MakeJob(1);
  bed.MakePod(0, "echo up; exit 1", kOver);
  bed.PatchAfter(absl::Seconds(9), "/api/v1/namespaces/default/pods/calc-worker-0/status",
                 R"({"status":{"phase":"Failed","containerStatuses":[{"name":"main",
        "restartCount":1,"state":{"terminated":{"exitCode":1,"startedAt":"2026-01-01T00:00:09Z",
          "finishedAt":"2026-01-01T00:00:09Z"}}}]}})");
  const Ran ran = bed.cli.Run(
      {"vcctl", "job", "logs", "-N", "calc", "-f", "--task=worker", "--tail=1", "--timestamps"});
  const std::string ended = "simulated: ended with exit code ";
  CHECK(ran.out ==
        "2026-01-01T00:00:00.000000000Z simulated: stopped with exit code 0\n"
        "2026-01-01T00:00:09.000000000Z simulated: started: sh -c echo up; exit 1 (ends at "
        "once)\n"
        "2026-01-01T00:00:09.000000000Z up\n"
        "2026-01-01T00:00:09.000000000Z " +
            ended + "1\n");
  CHECK(ran.code == 0);
}

TEST_CASE("job logs: a hundred are followed at once, and no more", "[cli][logs]") {
  LogsBed bed;
  bed.MakeJob(101);
  for (int i = 0; i < 101; ++i) bed.MakePod(i, "echo up; sleep 60", kRunning);
  const Ran ran = bed.cli.Run({"vcctl", "job", "logs", "-N", "calc", "-f"});
  CHECK(ran.code == 255);
  CHECK(
      ran.out.ends_with("Failed to logs job: more than 100 logs to be followed at once: choose "
                        "with --task, --index or --pod\n"));
}

TEST_CASE("job logs: what there is not, and what cannot be", "[cli][logs]") {
  LogsBed bed;
  const auto fails = [&bed](std::vector<std::string> more, const std::string& why) {
    std::vector<std::string> line = {"vcctl", "job", "logs"};
    line.insert(line.end(), more.begin(), more.end());
    const Ran ran = bed.cli.Run(line);
    CHECK(ran.out == "Failed to logs job: " + why + "\n");
    CHECK(ran.code == 255);
  };
  fails({},
        "job name (specified by --name or -N) is mandatory to show the logs of a particular "
        "job");
  fails({"-N", "calc"}, "jobs.batch.volcano.sh \"calc\" not found");
  fails({"-N", "calc", "-f"}, "jobs.batch.volcano.sh \"calc\" not found");
  bed.MakeJob(1);
  fails({"-N", "calc", "--index", "4"},
        "job calc has no pod (index 4); vcctl job explain -n default -N calc tells what it waits "
        "for");
  fails({"-N", "calc", "-f", "--index", "4"},
        "job calc has no pod (index 4); vcctl job explain -n default -N calc tells what it waits "
        "for");
  fails({"-N", "calc", "-f", "-p"},
        "--previous shows a run that is over: it cannot be followed "
        "(-f)");
  fails({"-N", "calc", "--pod", "p", "--task", "t"},
        "--pod names one pod: leave out --task and --index");
  fails({"-N", "calc", "--since=-1s"}, "--since: must not be negative");
}

}  // namespace
}  // namespace bth::cli
