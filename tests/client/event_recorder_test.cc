#include "client/event_recorder.h"

#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "api/types/json.h"
#include "base/strings.h"
#include "tests/client/fake_server.h"
#include "tests/support/catch.h"
#include "tests/support/live_heap.h"

namespace bth::client {
namespace {

using testing::Answer;
using testing::FakeServer;
using testing::StartTime;
using types::Json;

EventObject EventPod(const std::string& name) {
  return {"v1", "Pod", "ns", name, "uid-" + name};
}

struct RecorderBed {
  net::VirtualExecutor executor{StartTime()};
  FakeServer server{executor};
  Rng rng{1};
  bool open = true;
  std::unique_ptr<ApiClient> api;
  std::unique_ptr<EventRecorder> recorder;

  explicit RecorderBed(EventRecorderOptions options = {}) {
    server.script = [](const net::Request&) { return Answer(200, "{}"); };
    ApiClientOptions client;
    client.qps = 0;
    client.protobuf = false;
    api = std::make_unique<ApiClient>(executor, server.Transport(), client);
    options.component = "volcano";
    options.gate = [this] { return open; };
    recorder = std::make_unique<EventRecorder>(*api, rng, options);
    executor.RunUntilIdle();
  }
  void Record(const std::string& pod, const std::string& message) {
    recorder->Record(EventPod(pod), {"Warning", "FailedScheduling", message});
  }
  Json Body(size_t request) const { return *Json::Parse(server.requests.at(request).body); }
};

TEST_CASE("events: the object has the form other tools read", "[client]") {
  RecorderBed bed;
  bed.Record("p", "no room");
  bed.executor.RunUntilIdle();
  REQUIRE(bed.server.requests.size() == 1);
  CHECK(bed.server.requests[0].target == "/api/v1/namespaces/ns/events");
  CHECK(bed.Body(0) == *Json::Parse(R"({"apiVersion":"v1","kind":"Event",
    "metadata":{"name":"p.17979cfe362a0000","namespace":"ns"},
    "involvedObject":{"apiVersion":"v1","kind":"Pod","namespace":"ns","name":"p","uid":"uid-p"},
    "type":"Warning","reason":"FailedScheduling","message":"no room",
    "source":{"component":"volcano"},"reportingComponent":"volcano","reportingInstance":"",
    "count":1,"firstTimestamp":"2023-11-14T22:13:20Z","lastTimestamp":"2023-11-14T22:13:20Z"})"));
}

TEST_CASE("events: cluster-scoped objects report into default", "[client]") {
  RecorderBed bed;
  bed.recorder->Record({"v1", "Node", "", "n", "u"}, {"Normal", "R", "m"});
  bed.executor.RunUntilIdle();
  CHECK(bed.server.requests[0].target == "/api/v1/namespaces/default/events");
}

TEST_CASE("events: a repeat raises the count of the same event", "[client]") {
  RecorderBed bed;
  bed.Record("p", "no room");
  bed.executor.Advance(absl::Seconds(5));
  bed.Record("p", "no room");
  bed.executor.RunUntilIdle();
  REQUIRE(bed.server.requests.size() == 2);
  CHECK(bed.server.requests[1].method == "PATCH");
  CHECK(bed.server.requests[1].target == "/api/v1/namespaces/ns/events/p.17979cfe362a0000");
  CHECK(bed.Body(1) == *Json::Parse(R"({"count":2,"message":"no room",
                                       "lastTimestamp":"2023-11-14T22:13:25Z"})"));
}

TEST_CASE("events: an event the server forgot is made anew with its count", "[client]") {
  RecorderBed bed;
  bed.Record("p", "no room");
  bed.executor.Advance(absl::Hours(2));
  bed.server.script = [](const net::Request& request) {
    return request.method == "PATCH" ? Answer(404, "{}") : Answer(201, "{}");
  };
  bed.Record("p", "no room");
  bed.executor.RunUntilIdle();
  REQUIRE(bed.server.requests.size() == 3);
  CHECK(bed.server.requests[2].method == "POST");
  CHECK(bed.Body(2)["count"] == Json(2));
  CHECK(bed.Body(2)["metadata"]["name"].AsString() != "p.17979cfe362a0000");
}

TEST_CASE("events: the eleventh different message in ten minutes is combined", "[client]") {
  RecorderBed bed;
  for (int i = 1; i <= 12; ++i) bed.Record("p", StrCat("message ", i));
  bed.executor.RunUntilIdle();
  // Ten of their own; the eleventh and twelfth are one event that still waited when repeated.
  REQUIRE(bed.server.requests.size() == 11);
  CHECK(bed.Body(9)["message"].AsString() == "message 10");
  CHECK(bed.Body(10)["message"].AsString() == "(combined from similar events): message 12");
  CHECK(bed.Body(10)["count"] == Json(2));
  bed.executor.Advance(absl::Minutes(11));
  bed.Record("p", "message 13");
  bed.executor.RunUntilIdle();
  CHECK(bed.Body(11)["message"].AsString() == "message 13");
}

TEST_CASE("events: one object has 25 at once and one more every five minutes", "[client]") {
  RecorderBed bed;
  for (int i = 0; i < 40; ++i) bed.Record("p", "same");
  bed.Record("q", "other objects are not affected");
  CHECK(bed.recorder->counters().filtered == 15);
  bed.executor.RunUntilIdle();
  CHECK(bed.Body(0)["count"] == Json(25));
  CHECK(bed.server.requests.size() == 2);
  bed.executor.Advance(absl::Minutes(5));
  bed.Record("p", "same");
  bed.Record("p", "same");
  CHECK(bed.recorder->counters().filtered == 16);
}

TEST_CASE("events: nothing is sent while the gate is closed", "[client]") {
  RecorderBed bed;
  bed.open = false;
  bed.Record("p", "m");
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.server.requests.empty());
  bed.open = true;
  SECTION("it opens with a call") {
    bed.recorder->Wake();
    bed.executor.RunUntilIdle();
  }
  SECTION("or is asked again soon") {
    bed.executor.Advance(absl::Milliseconds(100));
  }
  CHECK(bed.server.requests.size() == 1);
  CHECK(bed.recorder->idle());
}

TEST_CASE("events: no timer outlives a recorder that waits for its gate", "[client]") {
  RecorderBed bed;
  bed.open = false;
  bed.Record("p", "m");
  bed.executor.RunUntilIdle();
  CHECK(bed.executor.NextTimer() < absl::InfiniteDuration());
  bed.recorder.reset();
  CHECK(bed.executor.NextTimer() == absl::InfiniteDuration());
}

TEST_CASE("events: an idle recorder sets no timers", "[client]") {
  RecorderBed bed;
  bed.Record("p", "m");
  bed.executor.RunUntilIdle();
  CHECK(bed.executor.NextTimer() == absl::InfiniteDuration());
}

TEST_CASE("events: the queue is bounded and says what it dropped", "[client]") {
  EventRecorderOptions options;
  options.queue_max = 3;
  RecorderBed bed(options);
  bed.open = false;
  for (int i = 0; i < 5; ++i) bed.Record(StrCat("p", i), "m");
  bed.Record("p0", "m");
  CHECK(bed.recorder->waiting() == 3);
  CHECK(bed.recorder->counters().overflow == 2);
  CHECK(bed.recorder->counters().merged == 1);
}

TEST_CASE("events: remembered events are bounded", "[client]") {
  EventRecorderOptions options;
  options.known_max = 2;
  RecorderBed bed(options);
  for (const char* pod : {"a", "b", "c"}) {
    bed.Record(pod, "m");
    bed.executor.RunUntilIdle();
  }
  bed.Record("c", "m");
  bed.Record("a", "m");
  bed.executor.RunUntilIdle();
  CHECK(bed.server.Count("PATCH") == 1);
  CHECK(bed.server.Count("POST") == 4);
}

TEST_CASE("events: what is remembered goes when it makes no difference any more", "[client]") {
  RecorderBed bed;
  for (int i = 0; i < 100; ++i) bed.Record(StrCat("p", i), "m");
  bed.executor.RunUntilIdle();
  const size_t full = bed.recorder->remembered();
  bed.executor.Advance(absl::Hours(3));
  bed.Record("p", "m");
  bed.executor.RunUntilIdle();
  CHECK(bed.recorder->remembered() * 100 == full);
}

TEST_CASE("events: a remembered one costs at most 900 bytes of heap", "[client][memory]") {
  constexpr int kEvents = 4000;
  RecorderBed bed;
  const auto record = [&bed](int first, int count) {
    for (int i = first; i < first + count; ++i) {
      bed.recorder->Record({"v1", "Pod", "training", StrCat("train-", 10'000 + i, "-worker-0"),
                            StrCat(10'000'000 + i, "-bbfd-4b2d-9b5d-ab8dfbbd4bed")},
                           {"Warning", "FailedScheduling",
                            StrCat("0/6 nodes are available: 6 Insufficient cpu. Attempt ", i)});
    }
    bed.executor.RunUntilIdle();
    std::exchange(bed.server.requests, {});
  };
  record(0, kEvents);  // Tables grow to their size.
  bed.executor.Advance(absl::Hours(3));
  record(kEvents, 1);
  const std::optional<size_t> before = test::LiveHeapBytes();
  if (!before) return;
  record(kEvents + 1, kEvents);
  const double per_event = static_cast<double>(*test::LiveHeapBytes() - *before) / kEvents;
  INFO(per_event);
  CHECK(per_event <= 900);
  CHECK(per_event >= 300);  // Else it measures something else.
}

TEST_CASE("events: a busy server is tried again, a refusing one is not", "[client]") {
  RecorderBed bed;
  bool busy = true;
  bed.server.script = [&busy](const net::Request&) {
    return busy ? Answer(503, "{}") : Answer(201, "{}");
  };
  bed.Record("p", "m");
  bed.executor.RunUntilIdle();
  bed.Record("p", "m");
  busy = false;
  bed.executor.Advance(absl::Seconds(2));
  CHECK(bed.recorder->counters().created == 1);
  CHECK(bed.Body(1)["count"] == Json(2));
  bed.server.script = [](const net::Request&) { return Answer(403, "{}"); };
  bed.Record("q", "m");
  bed.executor.Advance(absl::Minutes(10));
  CHECK(bed.recorder->counters().failed == 1);
  CHECK(bed.recorder->idle());
}

TEST_CASE("events: a server that stays away costs a bounded number of attempts", "[client]") {
  RecorderBed bed;
  bed.server.script = [](const net::Request&) { return Answer(500, "{}"); };
  bed.Record("p", "m");
  bed.executor.Advance(absl::Hours(1));
  CHECK(bed.server.requests.size() == 5);
  CHECK(bed.recorder->counters().failed == 1);
}

TEST_CASE("events: long messages and names are cut where characters end", "[client]") {
  RecorderBed bed;
  std::string message;
  while (message.size() < 2000) message += "\xc3\xa4";
  bed.Record(std::string(253, 'x'), message);
  bed.executor.RunUntilIdle();
  const std::string sent(bed.Body(0)["message"].AsString());
  CHECK(sent.size() == 1024);
  CHECK(absl::EndsWith(sent, "\xc3\xa4 ..."));
  CHECK(bed.Body(0)["metadata"]["name"].AsString().size() == 253);
}

TEST_CASE("events: a repeat while the first is on its way follows it", "[client]") {
  RecorderBed bed;
  bed.server.delay = absl::Seconds(1);
  bed.Record("p", "m");
  bed.executor.RunUntilIdle();
  bed.Record("p", "m");
  bed.Record("p", "m");
  bed.executor.Advance(absl::Seconds(3));
  REQUIRE(bed.server.requests.size() == 2);
  CHECK(bed.server.requests[1].method == "PATCH");
  CHECK(bed.Body(1)["count"] == Json(3));
}

TEST_CASE("events: a burst goes out side by side, as fast as answers come", "[client]") {
  RecorderBed bed;
  bed.server.delay = absl::Milliseconds(10);
  bed.open = false;
  for (int i = 0; i < 2000; ++i) bed.Record(StrCat("p", i), "m");
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.server.requests.empty());
  bed.open = true;
  bed.recorder->Wake();
  const absl::Duration begun = bed.executor.Monotonic();
  REQUIRE(bed.executor.RunUntil([&bed] { return bed.recorder->idle(); }, absl::Minutes(1)));
  // 2,000 x 10 ms / 16.
  CHECK(bed.executor.Monotonic() - begun <= absl::Milliseconds(1300));
  CHECK(bed.recorder->counters().created == 2000);
}

TEST_CASE("events: one that fails holds up no other", "[client]") {
  EventRecorderOptions options;
  options.senders = 1;
  RecorderBed bed(options);
  bed.server.script = [](const net::Request& request) {
    const bool stuck = absl::StrContains(request.body, "\"name\":\"stuck\"");
    if (!stuck) return Answer(201, "{}");
    net::Response out = Answer(429, "{}");
    out.headers.Add("Retry-After", "300");
    return out;
  };
  bed.Record("stuck", "m");
  for (int i = 0; i < 10; ++i) bed.Record(StrCat("p", i), "m");
  bed.executor.RunUntilIdle();
  CHECK(bed.recorder->counters().created == 10);
  CHECK(bed.recorder->waiting() == 1);
  bed.executor.Advance(absl::Hours(1));
  CHECK(bed.recorder->counters().failed == 1);
  CHECK(bed.server.requests.size() == 15);
}

TEST_CASE("events: a server that turns everybody away is left alone for a while", "[client]") {
  RecorderBed bed;
  bool busy = true;
  bed.server.script = [&busy](const net::Request&) {
    if (!busy) return Answer(201, "{}");
    net::Response out = Answer(429, "{}");
    out.headers.Add("Retry-After", "3");
    return out;
  };
  for (int i = 0; i < 500; ++i) bed.Record(StrCat("p", i), "m");
  bed.executor.Advance(absl::Milliseconds(2900));
  CHECK(bed.server.requests.size() <= 17);  // Those that were under way.
  busy = false;
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.recorder->counters().created == 500);
  CHECK(bed.recorder->idle());
}

TEST_CASE("events: what became of each is told", "[client]") {
  EventRecorderOptions options;
  options.queue_max = 1;
  std::vector<EventFate> told;
  options.on_fate = [&told](EventFate fate) { told.push_back(fate); };
  RecorderBed bed(options);
  bed.Record("a", "m");
  bed.Record("b", "m");
  bed.executor.RunUntilIdle();
  CHECK(told == std::vector<EventFate>{EventFate::kOverflow, EventFate::kSent});
}

TEST_CASE("events: the rate limit serves everybody else first", "[client]") {
  net::VirtualExecutor executor(StartTime());
  FakeServer server(executor);
  server.script = [](const net::Request&) { return Answer(200, "{}"); };
  ApiClientOptions options;
  options.qps = 10;
  options.burst = 1;
  ApiClient api(executor, server.Transport(), options);
  Rng rng(1);
  EventRecorder recorder(api, rng, {.component = "volcano"});
  for (int i = 0; i < 50; ++i) recorder.Record(EventPod(StrCat("p", i)), {"Normal", "R", "m"});
  executor.Advance(absl::Seconds(1));
  const size_t events = server.requests.size();
  CHECK(events >= 9);
  CHECK(events <= 12);
  BindRequest bind;
  bind.namespace_name = "ns";
  bind.pod = "urgent";
  const absl::Duration asked = executor.Monotonic();
  CHECK(testing::Await(executor, api.Bind(bind)).ok());
  CHECK(executor.Monotonic() - asked <= absl::Milliseconds(101));
  executor.Advance(absl::Seconds(10));
  CHECK(recorder.counters().created == 50);
}

}  // namespace
}  // namespace bth::client
