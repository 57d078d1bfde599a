#include <map>

#include "base/strings.h"
#include "tests/scheduler/bed.h"
#include "tests/support/seeds.h"

namespace bth::scheduler {
namespace {

using testing::Bed;
using testing::Fault;
using types::Json;

// Three nodes with room for three gangs of three; counts the bindings that the server took.
struct FaultyBed : Bed {
  std::map<std::string, int> bound;  // By request; the server's yes, heard or not.

  FaultyBed() {
    for (const char* node : {"n1", "n2", "n3"}) Node(node, 3);
    line->on_answer = [this](const std::string& asked, int code) {
      if (absl::EndsWith(asked, "/binding") && code < 300) ++bound[asked];
    };
  }
  static std::vector<std::string> Pods() {
    std::vector<std::string> out;
    for (const char* gang : {"g", "h", "i"}) {
      for (const char* member : {"0", "1", "2"}) out.push_back(StrCat(gang, member));
    }
    return out;
  }
  void Submit() {
    for (const char* gang : {"g", "h", "i"}) Group(gang, 3);
    for (const std::string& pod : Pods()) Pod(pod, pod.substr(0, 1), 1);
  }
  void CheckAllBoundOnce() {
    std::map<std::string, int> on;
    for (const std::string& pod : Pods()) {
      INFO(pod);
      CHECK_FALSE(NodeOf(pod).empty());
      ++on[NodeOf(pod)];
    }
    for (const auto& [node, pods] : on) CHECK(pods <= 3);
    CHECK(bound.size() == Pods().size());
    for (const auto& [asked, times] : bound) CHECK(times == 1);
    CHECK(scheduler->invariants().records().empty());
  }
};

bool IsWatch(const net::Request& request) {
  return absl::StrContains(request.target, "watch=");
}
bool IsWrite(const net::Request& request) {
  return request.method != "GET";
}

TEST_CASE("faults: whatever the server does, all is bound, once", "[scheduler]") {
  struct Case {
    std::string name;
    Fault fault;
    std::function<bool(const net::Request&)> concerns;
    bool watches = false;
  };
  const auto all = [](const net::Request&) { return true; };
  const auto binds = [](const net::Request& request) {
    return absl::EndsWith(request.target, "/binding");
  };
  const Case cases[] = {
      {"gone", {.unsent = true}, all},
      {"slow", {.delay = absl::Seconds(5)}, all},
      {"silent", {.delay = absl::Minutes(2)}, all},
      {"busy", {.code = 429, .reason = "TooManyRequests", .retry_after = "3"}, all},
      {"busy for writes", {.code = 429, .reason = "TooManyRequests", .retry_after = "3"}, IsWrite},
      {"failing", {.code = 500, .reason = "InternalError"}, all},
      {"away", {.code = 503, .reason = "ServiceUnavailable"}, all},
      {"conflicts", {.code = 409, .reason = "Conflict"}, IsWrite},
      {"answers lost", {.answer_lost = true}, IsWrite},
      {"answers of bindings lost", {.answer_lost = true}, binds},
      {"versions too old", {.code = 410, .reason = "Expired"}, IsWatch, true},
      {"cut in the middle of an event", {.stream_bytes = 700}, IsWatch, true},
      {"late events", {.piece_delay = absl::Seconds(4)}, IsWatch, true},
      {"answers that are no JSON",
       {.body = "<html>login</html>"},
       [](const net::Request& request) { return request.method == "GET"; }},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    FaultyBed bed;
    // Watches must be opened under the fault; the rest begins with the first write.
    const bool from_start = c.watches;
    const absl::Time until = bed.executor.Now() + absl::Minutes(2);
    if (!from_start) bed.Start();
    bed.line->script = [&](const net::Request& request) -> std::optional<Fault> {
      if (bed.executor.Now() >= until || !c.concerns(request)) return std::nullopt;
      return c.fault;
    };
    if (from_start) bed.Start();
    bed.Submit();
    bed.executor.Advance(absl::Minutes(10));
    bed.CheckAllBoundOnce();
    bed.executor.Advance(absl::Minutes(10));
    const uint64_t cycles = bed.scheduler->cycles();
    bed.executor.Advance(absl::Minutes(10));
    CHECK(bed.scheduler->cycles() == cycles);
    bed.scheduler.reset();
  }
}

TEST_CASE("faults: the server fails from the start", "[scheduler]") {
  const Fault faults[] = {{.unsent = true},
                          {.code = 500, .reason = "InternalError"},
                          {.code = 429, .reason = "TooManyRequests", .retry_after = "2"},
                          {.body = "{}]"},
                          {.stream_bytes = 300},
                          {.piece_delay = absl::Seconds(3)}};
  for (const Fault& fault : faults) {
    INFO("case " << &fault - faults);
    FaultyBed bed;
    bed.Submit();
    const absl::Time until = bed.executor.Now() + absl::Minutes(1);
    bed.line->script = [&](const net::Request&) {
      return bed.executor.Now() < until ? std::optional<Fault>(fault) : std::nullopt;
    };
    bed.Start();
    bed.executor.Advance(absl::Minutes(10));
    CHECK(bed.scheduler->ready());
    bed.CheckAllBoundOnce();
    bed.scheduler.reset();
  }
}

TEST_CASE("faults: one request in three fails, in every way", "[scheduler]") {
  test::ForEachSeed(8, [&](uint64_t seed) {
    FaultyBed bed;
    bed.Start();
    Rng rng(seed);
    const absl::Time until = bed.executor.Now() + absl::Minutes(2);
    bed.line->script = [&](const net::Request&) -> std::optional<Fault> {
      if (bed.executor.Now() >= until) return std::nullopt;
      const Fault kinds[] = {{.unsent = true},
                             {.answer_lost = true},
                             {.code = 500, .reason = "InternalError"},
                             {.code = 409, .reason = "Conflict"},
                             {.code = 429, .reason = "TooManyRequests", .retry_after = "1"},
                             {.delay = absl::Seconds(40)},
                             {.stream_bytes = 1000}};
      const uint64_t pick = rng.Next() % 21;
      return pick < 7 ? std::optional<Fault>(kinds[pick]) : std::nullopt;
    };
    bed.Submit();
    bed.executor.Advance(absl::Minutes(20));
    bed.CheckAllBoundOnce();
    bed.scheduler.reset();
  });
}

std::string PodJson(const std::string& name, const std::string& more_meta,
                    const std::string& containers) {
  return StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default",)",
                name.empty() ? "" : StrCat(R"("name":")", name, R"(",)"), R"("uid":"u-)", name,
                R"(","resourceVersion":"1")", more_meta,
                R"(},"spec":{"schedulerName":"volcano","containers":)", containers,
                R"(},"status":{"phase":"Pending"}})");
}

TEST_CASE("faults: a malformed object is counted and affects itself alone", "[scheduler]") {
  FaultyBed bed;
  bed.Submit();
  Json list = bed.Get("/api/v1/pods");
  REQUIRE(list["items"].size() == 9);
  const std::string bad[] = {
      PodJson("wrong-type", "", R"("none")"),
      PodJson("", "", "[]"),
      PodJson("overflow", R"(,"annotations":{"scheduling.k8s.io/group-name":"g"})",
              R"([{"name":"c","resources":{"requests":{"cpu":"99999999999999999999"}}}])"),
      PodJson("negative", R"(,"annotations":{"scheduling.k8s.io/group-name":"g"})",
              R"([{"name":"c","resources":{"requests":{"cpu":"-1"}}}])"),
      PodJson("no-quantity", "", R"([{"name":"c","resources":{"requests":{"cpu":"much"}}}])"),
      // API servers take 256 KiB.
      PodJson("noted", StrCat(R"(,"annotations":{"n":")", std::string(1 << 20, 'x'), R"("})"),
              R"([{"name":"c"}])"),
      "17",
  };
  auto& items = list["items"].MutableItems();
  for (const std::string& text : bad) items.insert(items.begin(), *Json::Parse(text));
  const std::string body = list.Dump();
  bool told = false;
  bed.line->script = [&](const net::Request& request) -> std::optional<Fault> {
    if (told || IsWatch(request) || !absl::StartsWith(request.target, "/api/v1/pods?")) {
      return std::nullopt;
    }
    told = true;
    return Fault{.body = body};
  };
  bed.Start();
  bed.Settle();
  CHECK(told);
  bed.CheckAllBoundOnce();
  CHECK(bed.Metric("batholith_malformed_objects_total{resource=\"pods\"}") == 7);
  CHECK(bed.scheduler->ready());
}

TEST_CASE("faults: objects of every kind with amounts that cannot be counted", "[scheduler]") {
  FaultyBed bed;
  const std::string huge = R"("999999999999")";  // Sums of such would overflow.
  bed.Create("/api/v1/nodes",
             StrCat(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"huge"},)",
                    R"("status":{"allocatable":{"cpu":)", huge, R"(,"pods":"110"},)",
                    R"("conditions":[{"type":"Ready","status":"True"}]}})"));
  bed.Create("/apis/scheduling.volcano.sh/v1beta1/queues",
             StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue",)",
                    R"("metadata":{"name":"huge"},"spec":{"capability":{"cpu":)", huge, "}}}"));
  bed.Create("/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups",
             StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup",)",
                    R"("metadata":{"name":"huge"},"spec":{"minMember":1,)",
                    R"("minResources":{"cpu":)", huge, "}}}"));
  bed.Submit();
  bed.Start();
  bed.Settle();
  bed.CheckAllBoundOnce();
  const auto malformed = [&bed](const std::string& kind) {
    return bed.Metric(StrCat("batholith_malformed_objects_total{resource=\"", kind, "\"}"));
  };
  CHECK(malformed("nodes") >= 1);
  // A limit, or a minimum of a group, beyond counting is the highest that counts: both stay in use.
  CHECK(malformed("podgroups") < 1);
  CHECK(malformed("queues") < 1);
}

TEST_CASE("faults: while the watch is behind, what came too late is not sent in every cycle",
          "[scheduler]") {
  Bed bed;
  for (const char* node : {"n1", "n2"}) bed.Node(node, 3);
  const bool goes = GENERATE(false, true);
  const std::string pod = "/api/v1/namespaces/default/pods/a";
  int tries = 0;
  bed.line->script = [&](const net::Request& request) -> std::optional<Fault> {
    const bool watches_pods = absl::StartsWith(request.target, "/api/v1/pods?") &&
                              absl::StrContains(request.target, "watch=");
    if (watches_pods) return Fault{.piece_delay = absl::Seconds(20)};
    if (!absl::EndsWith(request.target, "/a/binding") || ++tries > 1) return std::nullopt;
    if (goes) {
      bed.Call("DELETE", pod + "?gracePeriodSeconds=0");
    } else {
      bed.Call("POST", pod + "/binding",
               R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"a"},)"
               R"("target":{"apiVersion":"v1","kind":"Node","name":"n2"}})");
    }
    return std::nullopt;
  };
  bed.Start();
  bed.Group("g", 1);
  bed.Pod("a", "g", 1);
  bed.executor.Advance(absl::Minutes(2));
  CHECK(tries > 5);
  CHECK(tries < 60);
  CHECK(bed.NodeOf("a") == (goes ? "" : "n2"));
  bed.Group("h", 1);
  bed.Pod("b", "h", 1);
  bed.executor.Advance(absl::Minutes(2));
  CHECK_FALSE(bed.NodeOf("b").empty());
}

}  // namespace
}  // namespace bth::scheduler
