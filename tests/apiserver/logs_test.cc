// GET pods/NAME/log.
#include "apiserver/logs/log_source.h"
#include "tests/apiserver/bed.h"
#include "tests/support/catch.h"

namespace bth::apiserver::testing {
namespace {

constexpr char kPod[] = "/api/v1/namespaces/default/pods/a";

// A server whose containers have written what the test says.
struct LogsBed {
  std::vector<LoggedLine> current;
  std::vector<LoggedLine> previous;
  absl::Time next = absl::InfiniteFuture();
  std::vector<std::string> asked;  // Containers.
  Bed bed{MakeOptions()};
  std::string text;
  bool ended = false;
  net::CancelToken cancel;

  ~LogsBed() {
    cancel.Cancel();
    bed.executor.RunUntilIdle();
  }
  Options MakeOptions() {
    Options options;
    options.log_source = [this](const Json&, const LogOptions& log) -> absl::StatusOr<LoggedLines> {
      asked.push_back(log.container);
      LoggedLines out;
      for (const LoggedLine& line : log.previous ? previous : current) {
        if (line.time <= log.now) out.lines.push_back(line);
      }
      out.next = next;
      return out;
    };
    return options;
  }
  void Add(std::string line, absl::Duration after = absl::ZeroDuration()) {
    current.push_back({bed.executor.Now() + after, std::move(line)});
  }
  // A pod on a node, with two containers and these statuses.
  void MakePod(const std::string& statuses) {
    REQUIRE(bed.Post(kPods, R"({"metadata":{"name":"a"},"spec":{"nodeName":"n","initContainers":[
        {"name":"i","image":"i"}],"containers":[{"name":"c","image":"i"},
        {"name":"d","image":"i"}]}})")
                .code == 201);
    SetStatuses(statuses);
  }
  void SetStatuses(const std::string& statuses) {
    const std::string body = R"({"status":{"containerStatuses":)" + statuses + "}}";
    REQUIRE(bed.Merge(std::string(kPod) + "/status", body).code == 200);
  }
  Answer Log(const std::string& query) { return bed.Get(std::string(kPod) + "/log" + query); }
  void Follow(const std::string& query) {
    net::Request request;
    request.target = std::string(kPod) + "/log" + query;
    request.cancel = cancel;
    net::Spawn(bed.executor, Read(std::move(request)));
    bed.executor.RunUntilIdle();
  }
  net::Awaitable<void> Read(net::Request request) {
    absl::StatusOr<net::Response> response = co_await bed.transport->Open(std::move(request));
    BTH_CHECK(response.ok() && response->stream != nullptr);
    for (;;) {
      absl::StatusOr<std::optional<std::string>> piece = co_await response->stream->Next();
      if (!piece.ok()) co_return;
      if (!piece->has_value()) break;
      text += **piece;
    }
    ended = true;
  }
};

constexpr char kRuns[] = R"([{"name":"c","restartCount":0,"state":{"running":{}}}])";

TEST_CASE("logs: all, the end of it, and with times", "[apiserver][logs]") {
  LogsBed bed;
  bed.MakePod(kRuns);
  for (const char* line : {"one", "two", "three"}) {
    bed.Add(line);
    bed.bed.executor.Advance(absl::Seconds(10));
  }
  const Answer all = bed.Log("?container=c");
  CHECK(all.code == 200);
  CHECK(all.text == "one\ntwo\nthree\n");
  CHECK(all.headers.Get("content-type") == "text/plain");
  CHECK(bed.asked == std::vector<std::string>{"c"});
  CHECK(bed.Log("?container=c&tailLines=2").text == "two\nthree\n");
  CHECK(bed.Log("?container=c&tailLines=0").text.empty());
  CHECK(bed.Log("?container=c&tailLines=9").text == "one\ntwo\nthree\n");
  CHECK(bed.Log("?container=c&sinceSeconds=20").text == "two\nthree\n");
  CHECK(bed.Log("?container=c&sinceTime=2026-01-01T00:00:15Z").text == "three\n");
  CHECK(bed.Log("?container=c&limitBytes=5").text == "one\nt");
  CHECK(bed.Log("?container=c&tailLines=1&timestamps=true").text ==
        "2026-01-01T00:00:20.000000000Z three\n");
}

TEST_CASE("logs: what cannot be read is said in kubelets' words", "[apiserver][logs]") {
  LogsBed bed;
  bed.MakePod(
      R"([{"name":"c","restartCount":0,"state":{"waiting":{"reason":"ContainerCreating"}}}])");
  struct Case {
    std::string query;
    int code;
    std::string message;
  };
  const std::vector<Case> cases = {
      {"", 400,
       "a container name must be specified for pod a, choose one of: [c d] or one of the init "
       "containers: [i]"},
      {"?container=x", 400, "container x is not valid for pod a"},
      {"?container=c", 400, "container \"c\" in pod \"a\" is waiting to start: ContainerCreating"},
      {"?container=i", 400, "container \"i\" in pod \"a\" is not available"},
      {"?container=c&previous=true", 400,
       "previous terminated container \"c\" in pod \"a\" not found"},
      {"?container=c&tailLines=-1", 422,
       "PodLogOptions \"a\" is invalid: tailLines: Invalid value: -1: must be greater than or "
       "equal to 0"},
      {"?container=c&limitBytes=0", 422,
       "PodLogOptions \"a\" is invalid: limitBytes: Invalid value: 0: must be greater than 0"},
      {"?container=c&sinceSeconds=0", 422,
       "PodLogOptions \"a\" is invalid: sinceSeconds: Invalid value: 0: must be greater than 0"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.query);
    const Answer answer = bed.Log(c.query);
    CHECK(answer.code == c.code);
    CHECK(answer.message() == c.message);
  }
  CHECK(bed.Log("?container=c&sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z").code == 422);
  CHECK(bed.Log("?container=c&sinceTime=never").code == 400);
  CHECK(bed.Log("?follow=maybe").code == 400);
  CHECK(bed.bed.Get("/api/v1/namespaces/default/pods/nobody/log").code == 404);
  CHECK(bed.asked.empty());
}

TEST_CASE("logs: a pod without a node has nothing to tell", "[apiserver][logs]") {
  LogsBed bed;
  REQUIRE(bed.bed.Post(kPods, PodJson("a")).code == 201);
  const Answer answer = bed.Log("");
  CHECK(answer.code == 204);
  CHECK(answer.text.empty());
}

TEST_CASE("logs: followers get lines at their time until the run is over", "[apiserver][logs]") {
  LogsBed bed;
  bed.MakePod(kRuns);
  bed.Add("old");
  bed.Add("first");
  bed.Add("later", absl::Seconds(5));
  bed.next = bed.bed.executor.Now() + absl::Seconds(5);
  bed.Follow("?container=c&follow=true&tailLines=1");
  CHECK(bed.text == "first\n");
  bed.bed.executor.Advance(absl::Seconds(4));
  CHECK(bed.text == "first\n");
  // Nothing changed: the source was not asked again.
  CHECK(bed.asked.size() == 1);
  bed.bed.executor.Advance(absl::Seconds(2));
  CHECK(bed.text == "first\nlater\n");
  CHECK_FALSE(bed.ended);
  bed.Add("end");
  bed.SetStatuses(R"([{"name":"c","restartCount":0,"state":{"terminated":{"exitCode":0}}}])");
  bed.bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.text == "first\nlater\nend\n");
  CHECK(bed.ended);
}

TEST_CASE("logs: a follower stays with its run when the container restarts", "[apiserver][logs]") {
  LogsBed bed;
  bed.MakePod(kRuns);
  bed.Add("one");
  bed.Follow("?container=c&follow=true");
  bed.previous = bed.current;
  bed.previous.push_back({bed.bed.executor.Now(), "last words"});
  bed.current = {{bed.bed.executor.Now(), "anew"}};
  bed.SetStatuses(R"([{"name":"c","restartCount":1,"state":{"running":{}},
      "lastState":{"terminated":{"exitCode":1}}}])");
  bed.bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.text == "one\nlast words\n");
  CHECK(bed.ended);
  CHECK(bed.Log("?container=c").text == "anew\n");
  CHECK(bed.Log("?container=c&previous=true").text == "one\nlast words\n");
  // Between two runs the former one is shown.
  bed.SetStatuses(R"([{"name":"c","restartCount":1,
      "state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":1}}}])");
  CHECK(bed.Log("?container=c").text == "one\nlast words\n");
}

TEST_CASE("logs: following ends with the pod", "[apiserver][logs]") {
  LogsBed bed;
  bed.MakePod(kRuns);
  bed.Follow("?container=c&follow=true");
  REQUIRE(bed.bed.Delete(std::string(kPod) + "?gracePeriodSeconds=0").code == 200);
  bed.bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.ended);
}

}  // namespace
}  // namespace bth::apiserver::testing
