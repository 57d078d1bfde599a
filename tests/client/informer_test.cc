#include "client/informer.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "api/types/priority_class.h"
#include "base/strings.h"
#include "tests/client/fake_server.h"
#include "tests/support/catch.h"

namespace bth::client {
namespace {

using testing::Answer;
using testing::Await;
using testing::FakeServer;
using testing::Feed;
using testing::StartTime;
using types::PriorityClass;

// Writes down what it is told: "+name", "~name", "-name", "|" for the end of a batch.
class Recorder final : public InformerHandler<PriorityClass> {
 public:
  void OnAdd(PriorityClass&& object) override { Note("+", object.meta.name); }
  void OnUpdate(PriorityClass&& object) override { Note("~", object.meta.name); }
  void OnDelete(const ObjectKey& key) override { Note("-", key.name + "/" + key.uid); }
  void OnBatchEnd() override { Note("|", ""); }
  std::string Take() { return absl::StrJoin(std::exchange(log_, {}), " "); }

 private:
  void Note(const char* mark, const std::string& name) { log_.push_back(mark + name); }
  std::vector<std::string> log_;
};

std::string Object(const std::string& name, const std::string& uid, int version,
                   const std::string& value = "1") {
  return StrCat(R"({"kind":"PriorityClass","metadata":{"name":")", name, R"(","uid":")", uid,
                R"(","resourceVersion":")", version, R"("},"value":)", value, "}");
}
std::string List(int version, const std::vector<std::string>& items, const std::string& next = "") {
  return StrCat(R"({"kind":"PriorityClassList","metadata":{"resourceVersion":")", version,
                R"(","continue":")", next, R"("},"items":[)", absl::StrJoin(items, ","), "]}");
}
std::string Event(const std::string& type, const std::string& object) {
  return StrCat(R"({"type":")", type, R"(","object":)", object, "}\n");
}
std::string Failure(int code, const std::string& reason) {
  return StrCat(R"({"kind":"Status","code":)", code, R"(,"reason":")", reason,
                R"(","message":"m"})");
}

// A server whose lists and watches are answered from two queues.
struct InformerBed {
  net::VirtualExecutor executor{StartTime()};
  FakeServer server{executor};
  Rng rng{1};
  Recorder recorder;
  std::deque<net::Response> lists;
  std::vector<std::shared_ptr<Feed>> feeds;
  std::deque<net::Response> watch_refusals;
  std::unique_ptr<ApiClient> api;
  std::unique_ptr<Informer<PriorityClass>> informer;
  std::vector<std::string> malformed;
  InformerOptions options;

  InformerBed() {
    server.script = [this](const net::Request& request) { return Serve(request); };
    ApiClientOptions client;
    client.qps = 0;
    api = std::make_unique<ApiClient>(executor, server.Transport(), client);
    options.on_malformed = [this](const ObjectKey& key, const absl::Status&) {
      malformed.push_back(key.name);
    };
  }
  void Start() {
    informer = std::make_unique<Informer<PriorityClass>>(*api, rng, recorder, options);
    informer->Start();
    executor.RunUntilIdle();
  }
  void Push(const std::string& text) {
    feeds.back()->Push(text);
    executor.RunUntilIdle();
  }
  void End(absl::Status status = absl::OkStatus()) {
    feeds.back()->End(std::move(status));
    executor.RunUntilIdle();
  }
  // Targets of requests since the last call.
  std::vector<std::string> Targets() {
    std::vector<std::string> out;
    for (const net::Request& request : std::exchange(server.requests, {})) {
      out.push_back(request.target.substr(request.target.find('?') + 1));
    }
    return out;
  }

 private:
  net::Response Serve(const net::Request& request) {
    if (request.target.find("watch=true") == std::string::npos) {
      if (lists.empty()) return Answer(500, Failure(500, "InternalError"));
      net::Response out = std::move(lists.front());
      lists.pop_front();
      return out;
    }
    if (!watch_refusals.empty()) {
      net::Response out = std::move(watch_refusals.front());
      watch_refusals.pop_front();
      return out;
    }
    feeds.push_back(std::make_shared<Feed>(executor));
    return testing::Stream(feeds.back());
  }
};

TEST_CASE("informer: pages are delivered, then the watch follows from their version", "[client]") {
  InformerBed bed;
  bed.lists.push_back(Answer(200, List(5, {Object("a", "1", 1)}, "next")));
  bed.lists.push_back(Answer(200, List(5, {Object("b", "2", 2)})));
  bed.Start();
  CHECK(bed.recorder.Take() == "+a +b |");
  CHECK(bed.informer->HasSynced());
  const std::vector<std::string> targets = bed.Targets();
  REQUIRE(targets.size() == 3);
  CHECK(targets[0] == "limit=500&resourceVersion=0");
  CHECK(targets[1] == "limit=500&continue=next");
  CHECK_THAT(targets[2],
             Catch::StartsWith("watch=true&resourceVersion=5&allowWatchBookmarks=true&timeout"));
}

TEST_CASE("informer: a list is delivered while it arrives", "[client]") {
  InformerBed bed;
  const auto feed = std::make_shared<Feed>(bed.executor);
  bed.lists.push_back(testing::Stream(feed));
  const std::string list = List(5, {Object("a", "1", 1), Object("b", "2", 2)});
  const size_t cut = list.find(R"("b")") + 2;
  bed.Start();
  feed->Push(list.substr(0, cut));
  bed.executor.RunUntilIdle();
  CHECK(bed.recorder.Take() == "+a");
  CHECK_FALSE(bed.informer->HasSynced());
  SECTION("to its end") {
    feed->Push(list.substr(cut));
    feed->End();
    bed.executor.RunUntilIdle();
    CHECK(bed.recorder.Take() == "+b |");
    CHECK(bed.informer->HasSynced());
  }
  bed.lists.push_back(Answer(200, list));
  SECTION("and again when it breaks off") {
    feed->End(absl::UnavailableError("broken off"));
    bed.executor.Advance(absl::Seconds(1));
    CHECK(bed.recorder.Take() == "+b |");
  }
  SECTION("and again when it ends in the middle") {
    feed->End();
    bed.executor.Advance(absl::Seconds(1));
    CHECK(bed.recorder.Take() == "+b |");
  }
  SECTION("and again when nothing more comes") {
    bed.executor.Advance(absl::Seconds(59));
    CHECK(bed.recorder.Take().empty());
    bed.executor.Advance(absl::Seconds(3));
    CHECK(bed.recorder.Take() == "+b |");
    CHECK(bed.informer->counters().stalls == 1);
  }
}

TEST_CASE("informer: lists and watches that are not the first are told", "[client]") {
  InformerBed bed;
  int relists = 0;
  int rewatches = 0;
  bed.options.reflector.on_relist = [&relists] { ++relists; };
  bed.options.reflector.on_rewatch = [&rewatches] { ++rewatches; };
  bed.lists.push_back(Answer(200, List(5, {})));
  bed.Start();
  bed.executor.Advance(absl::Seconds(2));
  CHECK(relists + rewatches == 0);
  bed.End();
  bed.executor.Advance(absl::Seconds(1));
  CHECK(rewatches == 1);
  bed.lists.push_back(Answer(200, List(9, {})));
  bed.Push(Event("ERROR", Failure(410, "Expired")));
  bed.executor.Advance(absl::Seconds(1));
  CHECK(relists == 1);
  CHECK(rewatches == 1);
}

TEST_CASE("informer: events of one read are one batch", "[client]") {
  InformerBed bed;
  bed.lists.push_back(Answer(200, List(5, {Object("a", "1", 1)})));
  bed.Start();
  (void)bed.recorder.Take();
  bed.Push(Event("ADDED", Object("b", "2", 6)) + Event("MODIFIED", Object("a", "1", 7)) +
           Event("DELETED", Object("b", "2", 8)));
  CHECK(bed.recorder.Take() == "+b ~a -b/2 |");
  bed.Push(Event("MODIFIED", Object("a", "1", 7)));  // A repeat changes nothing.
  CHECK(bed.recorder.Take() == "|");
}

TEST_CASE("informer: nothing is synced before the last page", "[client]") {
  InformerBed bed;
  bed.lists.push_back(Answer(200, List(5, {Object("a", "1", 1)}, "next")));
  bed.Start();
  CHECK(bed.recorder.Take() == "+a");
  CHECK_FALSE(bed.informer->HasSynced());
  bed.lists.push_back(Answer(200, List(6, {Object("a", "1", 1)})));
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.informer->HasSynced());
  CHECK(bed.recorder.Take() == "|");
}

TEST_CASE("informer: a watch that ended is resumed from the last version seen", "[client]") {
  InformerBed bed;
  bed.lists.push_back(Answer(200, List(5, {})));
  bed.Start();
  (void)bed.Targets();
  bed.Push(Event("ADDED", Object("a", "1", 9)));
  bed.Push(Event("BOOKMARK", Object("", "", 12)));
  SECTION("in order: at once") {
    bed.End();
  }
  SECTION("broken off: after a pause") {
    bed.End(absl::UnavailableError("reset"));
    CHECK(bed.Targets().empty());
    bed.executor.Advance(absl::Milliseconds(200));
  }
  const auto targets = bed.Targets();
  REQUIRE(targets.size() == 1);
  CHECK_THAT(targets[0], Catch::Contains("resourceVersion=12&"));
  CHECK(bed.recorder.Take() == "| +a | |");
}

TEST_CASE("informer: an event cut in the middle is not lost", "[client]") {
  InformerBed bed;
  bed.lists.push_back(Answer(200, List(5, {})));
  bed.Start();
  const std::string event = Event("ADDED", Object("a", "1", 9));
  bed.Push(event.substr(0, 30));
  bed.End(absl::UnavailableError("reset"));
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.recorder.Take() == "|");
  bed.Push(event);
  CHECK(bed.recorder.Take() == "+a |");
}

TEST_CASE("informer: 410 lists again and delivers only differences", "[client]") {
  InformerBed bed;
  bed.lists.push_back(
      Answer(200, List(5, {Object("same", "1", 1), Object("newer", "2", 2), Object("gone", "3", 3),
                           Object("again", "4", 4), Object("also-gone", "9", 4)})));
  bed.Start();
  (void)bed.recorder.Take();
  bed.lists.push_back(Answer(200, List(50, {Object("same", "1", 1), Object("newer", "2", 20),
                                            Object("again", "5", 40), Object("fresh", "6", 41)})));
  SECTION("as an event") {
    bed.Push(Event("ERROR", Failure(410, "Expired")));
  }
  SECTION("as an answer") {
    bed.watch_refusals.push_back(Answer(410, Failure(410, "Expired")));
    bed.End();
  }
  (void)bed.recorder.Take();
  (void)bed.Targets();
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.recorder.Take() == "~newer -again/4 +again +fresh -also-gone/9 -gone/3 |");
  // What the cache has may be as old as before.
  const std::vector<std::string> targets = bed.Targets();
  CHECK(std::count(targets.begin(), targets.end(), "limit=500") == 1);
  CHECK(bed.informer->counters().expired == 1);
  CHECK(bed.informer->objects() == 4);
}

TEST_CASE("informer: failures are retried with growing pauses", "[client]") {
  InformerBed bed;
  bed.Start();
  std::vector<absl::Duration> at;
  for (int i = 0; i < 12; ++i) {
    at.push_back(bed.executor.Monotonic());
    (void)bed.Targets();
    bed.executor.RunUntil([&] { return !bed.server.requests.empty(); }, absl::Minutes(1));
  }
  for (size_t i = 1; i < at.size(); ++i) {
    const absl::Duration step =
        std::min(absl::Milliseconds(200) * (1 << (i - 1)), absl::Seconds(30));
    CHECK(at[i] - at[i - 1] >= step / 2);
    CHECK(at[i] - at[i - 1] <= step);
  }
  CHECK_FALSE(bed.informer->HasSynced());
  CHECK(bed.informer->last_error().code() == absl::StatusCode::kUnavailable);
  bed.lists.push_back(Answer(200, List(5, {})));
  bed.executor.Advance(absl::Seconds(30));
  CHECK(bed.informer->HasSynced());
  CHECK(bed.informer->last_error().ok());
}

TEST_CASE("informer: 429 waits as long as the server asks", "[client]") {
  InformerBed bed;
  net::Response busy = Answer(429, "busy");
  busy.headers.Add("Retry-After", "20");
  bed.lists.push_back(std::move(busy));
  bed.lists.push_back(Answer(200, List(5, {})));
  bed.Start();
  bed.executor.Advance(absl::Seconds(19));
  CHECK_FALSE(bed.informer->HasSynced());
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.informer->HasSynced());
}

TEST_CASE("informer: a silent connection is given up and resumed", "[client]") {
  InformerBed bed;
  bed.lists.push_back(Answer(200, List(5, {})));
  bed.Start();
  bed.executor.Advance(absl::Minutes(2));
  bed.Push(Event("BOOKMARK", Object("", "", 7)));
  bed.executor.Advance(absl::Minutes(2));
  CHECK(bed.informer->counters().stalls == 0);
  (void)bed.Targets();
  bed.executor.Advance(absl::Minutes(1) + absl::Seconds(1));
  CHECK(bed.informer->counters().stalls == 1);
  const auto targets = bed.Targets();
  REQUIRE(targets.size() == 1);
  CHECK_THAT(targets[0], Catch::Contains("resourceVersion=7&"));
}

TEST_CASE("informer: a watch that ends at once does not spin", "[client]") {
  InformerBed bed;
  bed.lists.push_back(Answer(200, List(5, {})));
  for (int i = 0; i < 1000; ++i) bed.watch_refusals.push_back(Answer(200, ""));
  bed.Start();
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.informer->counters().watches < 15);
}

TEST_CASE("informer: malformed objects are reported once and hold nothing up", "[client]") {
  InformerBed bed;
  const std::string bad = Object("bad", "7", 3, "\"many\"");
  bed.lists.push_back(Answer(200, List(5, {bad, Object("a", "1", 1)})));
  bed.Start();
  CHECK(bed.recorder.Take() == "+a |");
  CHECK(bed.malformed == std::vector<std::string>{"bad"});
  bed.Push(Event("MODIFIED", bad) + Event("MODIFIED", Object("a", "1", 9, "\"x\"")));
  CHECK(bed.recorder.Take() == "|");
  CHECK(bed.malformed == std::vector<std::string>{"bad", "a"});
  CHECK(bed.informer->malformed() == 3);
  bed.Push(Event("DELETED", Object("a", "1", 10, "\"x\"")));
  CHECK(bed.recorder.Take() == "-a/1 |");
  bed.Push(Event("MODIFIED", Object("bad", "7", 11)) +
           Event("MODIFIED", Object("bad", "7", 12, "{}")));
  CHECK(bed.recorder.Take() == "+bad |");
  CHECK(bed.malformed == std::vector<std::string>{"bad", "a", "bad"});
}

TEST_CASE("informer: an object malformed in a new list keeps its last readable state", "[client]") {
  InformerBed bed;
  bed.lists.push_back(Answer(200, List(5, {Object("a", "1", 1), Object("b", "2", 1)})));
  bed.Start();
  (void)bed.recorder.Take();
  bed.lists.push_back(
      Answer(200, List(50, {Object("a", "1", 8, "\"x\""), Object("b", "3", 9, "\"x\"")})));
  bed.Push(Event("ERROR", Failure(410, "Expired")));
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.recorder.Take() == "| -b/2 |");
  bed.Push(Event("MODIFIED", Object("a", "1", 51)));
  CHECK(bed.recorder.Take() == "~a |");
}

TEST_CASE("informer: a line that is no event lists again", "[client]") {
  InformerBed bed;
  bed.lists.push_back(Answer(200, List(5, {})));
  bed.Start();
  bed.lists.push_back(Answer(200, List(9, {Object("a", "1", 6)})));
  bed.Push("<html>\n");
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.recorder.Take() == "| | +a |");
}

TEST_CASE("informer: a collection that is not installed can count as empty", "[client]") {
  InformerBed bed;
  std::vector<bool> presence;
  bed.options.reflector.absent_is_empty = true;
  bed.options.reflector.on_presence = [&](bool is_there) { presence.push_back(is_there); };
  bed.lists.push_back(Answer(404, Failure(404, "NotFound")));
  bed.Start();
  CHECK(bed.informer->HasSynced());
  CHECK(bed.informer->IsMissing());
  bed.lists.push_back(Answer(200, List(5, {Object("a", "1", 1)})));
  bed.executor.Advance(absl::Seconds(30));
  CHECK(bed.recorder.Take() == "| +a |");
  CHECK_FALSE(bed.informer->IsMissing());
  CHECK(presence == std::vector<bool>{false, true});
  bed.watch_refusals.push_back(Answer(404, Failure(404, "NotFound")));
  bed.End();
  CHECK(bed.recorder.Take() == "-a/1 |");
}

TEST_CASE("informer: a collection that may not be read can count as empty", "[client]") {
  InformerBed bed;
  std::vector<std::string> told;
  bed.options.reflector.forbidden_is_empty = true;
  bed.options.reflector.on_forbidden = [&told](const absl::Status& status) {
    told.emplace_back(status.message());
  };
  for (int i = 0; i < 4; ++i) bed.lists.push_back(Answer(403, Failure(403, "Forbidden")));
  bed.Start();
  CHECK(bed.informer->HasSynced());
  REQUIRE(told.size() == 1);
  bed.executor.Advance(absl::Seconds(60));
  CHECK(bed.Targets().size() <= 5);  // Slowly.
  CHECK(told.size() == 1);
  // The role is mended, and taken back later: its objects are gone then, and that is said anew.
  bed.lists.clear();
  bed.lists.push_back(Answer(200, List(5, {Object("a", "1", 1)})));
  bed.executor.Advance(absl::Seconds(30));
  CHECK(absl::EndsWith(bed.recorder.Take(), "+a |"));
  bed.watch_refusals.push_back(Answer(403, Failure(403, "Forbidden")));
  bed.lists.push_back(Answer(403, Failure(403, "Forbidden")));
  bed.End();
  bed.executor.Advance(absl::Seconds(30));
  CHECK(bed.recorder.Take() == "-a/1 |");
  CHECK(told.size() == 2);
}

TEST_CASE("informer: what may be listed but not watched is listed again and again", "[client]") {
  InformerBed bed;
  int told = 0;
  bed.options.reflector.forbidden_is_empty = true;
  bed.options.reflector.on_forbidden = [&told](const absl::Status&) { ++told; };
  bed.lists.push_back(Answer(200, List(5, {Object("a", "1", 1)})));
  bed.lists.push_back(Answer(200, List(6, {Object("a", "1", 1), Object("b", "2", 6)})));
  bed.watch_refusals.push_back(Answer(403, Failure(403, "Forbidden")));
  bed.watch_refusals.push_back(Answer(403, Failure(403, "Forbidden")));
  bed.Start();
  CHECK(bed.informer->HasSynced());
  CHECK(bed.recorder.Take() == "+a |");
  bed.executor.Advance(absl::Seconds(30));
  CHECK(absl::StartsWith(bed.recorder.Take(), "+b |"));
  CHECK(told == 1);
}

TEST_CASE("informer: a collection that is essential is asked for until it may be read",
          "[client]") {
  InformerBed bed;
  bed.lists.push_back(Answer(403, Failure(403, "Forbidden")));
  bed.Start();
  CHECK_FALSE(bed.informer->HasSynced());
  bed.lists.push_back(Answer(200, List(5, {Object("a", "1", 1)})));
  bed.executor.Advance(absl::Seconds(5));
  CHECK(bed.informer->HasSynced());
}

TEST_CASE("informer: a relist that fails half way starts over", "[client]") {
  InformerBed bed;
  bed.lists.push_back(Answer(200, List(5, {Object("a", "1", 1), Object("b", "2", 1)})));
  bed.Start();
  (void)bed.recorder.Take();
  bed.lists.push_back(Answer(200, List(50, {Object("a", "1", 1)}, "next")));
  bed.lists.push_back(Answer(410, Failure(410, "Expired")));
  bed.lists.push_back(Answer(200, List(60, {Object("b", "2", 1)})));
  bed.Push(Event("ERROR", Failure(410, "Expired")));
  bed.executor.Advance(absl::Seconds(5));
  CHECK(bed.recorder.Take() == "| -a/1 |");
}

TEST_CASE("informer: destruction in the middle of anything is safe", "[client]") {
  const int stage = GENERATE(0, 1, 2);
  InformerBed bed;
  if (stage > 0) bed.lists.push_back(Answer(200, List(5, {})));
  bed.Start();
  if (stage > 1) bed.feeds.back()->Push("{");
  bed.informer.reset();
  bed.executor.Advance(absl::Minutes(10));
  CHECK(bed.server.requests.size() == (stage > 0 ? 2 : 1));
}

TEST_CASE("informer set: waits for all and names the missing", "[client]") {
  InformerBed bed;
  bed.lists.push_back(Answer(200, List(5, {})));
  Recorder other;
  InformerOptions named;
  named.name = "second";
  Informer<PriorityClass> first(*bed.api, bed.rng, bed.recorder, {});
  Informer<PriorityClass> second(*bed.api, bed.rng, other, named);
  InformerSet set(bed.executor);
  set.Add(first);
  set.Add(second);
  set.StartAll();
  const absl::Status late = Await(bed.executor, set.WaitForSync(absl::Seconds(5)));
  CHECK(absl::IsDeadlineExceeded(late));
  CHECK_THAT(std::string(late.message()), (Catch::Contains("second") && Catch::Contains("code")) ||
                                              Catch::Contains("second (list"));
  CHECK(set.Unsynced() == std::vector<std::string>{"second"});
  bed.lists.push_back(Answer(200, List(5, {})));
  CHECK(Await(bed.executor, set.WaitForSync(absl::Minutes(1))).ok());
  CHECK(set.AllSynced());
  set.StopAll();
}

}  // namespace
}  // namespace bth::client
