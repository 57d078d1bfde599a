// Effects that the server does not take or does not answer about: none holds up another.
#include "absl/strings/match.h"
#include "base/strings.h"
#include "tests/cache/writer_bed.h"

namespace bth::cache {
namespace {

using client::testing::Answer;
using model::TaskStatus;
using testing::MakePod;
using testing::PodText;
using testing::Refusal;
using testing::Report;
using testing::WriterBed;
using types::Json;

EffectWriterOptions OneLane() {
  EffectWriterOptions options;
  options.lanes.lanes = 1;
  return options;
}

// One lane, and the pods "p", "q", "r". `answer` decides on requests that concern "p".
struct StuckBed : WriterBed {
  explicit StuckBed(std::function<net::Response(const net::Request&)> answer)
      : WriterBed(OneLane()) {
    Put({.name = "r", .group = "h"});
    server.script = [this, answer = std::move(answer)](const net::Request& request) {
      const bool stuck = absl::StrContains(request.target, "/pods/p");
      return stuck ? answer(request) : Serve(request);
    };
  }
  size_t Binds(const std::string& pod) const {
    return Sent("POST", "/pods/" + pod + "/binding").size();
  }
};

net::Response Busy(const std::string& seconds) {
  net::Response out = Refusal(429, "TooManyRequests");
  out.headers.Add("Retry-After", seconds);
  return out;
}

// The binding is never answered, and whether it happened cannot be read.
net::Response Unreadable(const net::Request& request, int read_code) {
  return request.method == "GET" ? Refusal(read_code, "Forbidden") : Refusal(504, "Timeout");
}

TEST_CASE("stuck effects: an outcome that cannot be read holds up no other binding", "[cache]") {
  for (int code : {403, 500}) {
    INFO("reads answer " << code);
    StuckBed bed([code](const net::Request& request) { return Unreadable(request, code); });
    bed.Bind({"p"});
    bed.Bind({"q"});
    CHECK(bed.Binds("q") == 1);
    CHECK(bed.Sent("POST", "/events").size() == 1);
    CHECK(bed.writer.parked() == 1);
    CHECK(bed.writer.urgent_idle());
    bed.executor.Advance(absl::Minutes(1));
    CHECK(bed.Status("p") == TaskStatus::kBinding);  // Nothing is guessed.
    bed.executor.Advance(absl::Hours(1));
    CHECK(bed.Sent("GET", "/pods/p").size() == 8);
    CHECK(bed.Binds("p") == 1);
    CHECK(bed.Status("p") == TaskStatus::kPending);
    CHECK(bed.writer.binds_under_way() == 0);
    CHECK(bed.writer.parked() == 0);
  }
}

TEST_CASE("stuck effects: the watch tells an outcome that cannot be read", "[cache]") {
  const auto unreadable = [](const net::Request& request) { return Unreadable(request, 500); };
  StuckBed bed(unreadable);
  bed.Bind({"p"});
  bed.writer.Review();
  CHECK(bed.writer.parked() == 1);
  const size_t reads = bed.Sent("GET", "/pods/p").size();
  SECTION("it happened") {
    bed.Put({.spec = R"("nodeName":"n",)"});
    bed.writer.Review();
    bed.executor.RunUntilIdle();
    CHECK(bed.Sent("POST", "/events").size() == 1);
  }
  SECTION("somebody else placed the pod") {
    bed.Put({.spec = R"("nodeName":"other",)"});
    bed.writer.Review();
    bed.executor.RunUntilIdle();
    CHECK(bed.Sent("POST", "/events").empty());
  }
  SECTION("the name belongs to another pod") {
    CompiledPod anew = MakePod({}, bed.symbols());
    anew.names.uid = "u-anew";
    bed.mirror.PutPod(std::move(anew));
    bed.writer.Review();
    bed.executor.RunUntilIdle();
  }
  CHECK(bed.writer.parked() == 0);
  CHECK(bed.writer.binds_under_way() == 0);
  CHECK(bed.Sent("GET", "/pods/p").size() == reads);
}

TEST_CASE("stuck effects: one that is turned away waits by itself", "[cache]") {
  StuckBed bed([](const net::Request&) { return Busy("20"); });
  bed.Bind({"p"});
  bed.Bind({"q"});
  CHECK(bed.Binds("q") == 1);
  bed.executor.Advance(absl::Seconds(19));
  CHECK(bed.Binds("p") == 1);
  bed.executor.Advance(absl::Seconds(2));
  CHECK(bed.Binds("p") == 2);
  bed.Bind({"r"});
  CHECK(bed.Binds("r") == 1);
  bed.executor.Advance(absl::Hours(1));
  CHECK(bed.Binds("p") == 6);
  CHECK(bed.Status("p") == TaskStatus::kPending);
  CHECK(bed.writer.binds_under_way() == 0);
}

TEST_CASE("stuck effects: asked to wait for minutes, the decision is given up for so long",
          "[cache]") {
  StuckBed bed([](const net::Request&) { return Busy("300"); });
  bed.Bind({"p"});
  CHECK(bed.Binds("p") == 1);
  CHECK(bed.Status("p") == TaskStatus::kPending);
  CHECK(bed.NextDeadline() == "5m");
  CHECK(bed.writer.binds_under_way() == 0);
}

TEST_CASE("stuck effects: a server that turns everybody away has two seconds of rest", "[cache]") {
  WriterBed bed(OneLane());
  bed.Put({.name = "r", .group = "h"});
  bed.bind_answers = {429, 429, 201};  // Retry-After: 7
  bed.Bind({"p", "q", "r"});
  CHECK(bed.binds == 2);
  bed.executor.Advance(absl::Milliseconds(1900));
  CHECK(bed.binds == 2);
  bed.executor.Advance(absl::Milliseconds(200));
  CHECK(bed.binds == 3);
  CHECK(bed.Sent("POST", "/pods/r/binding").size() == 1);
  bed.executor.Advance(absl::Seconds(6));
  CHECK(bed.binds == 5);
  CHECK(bed.writer.idle());
}

TEST_CASE("stuck effects: what waits is dropped when the decision does not stand", "[cache]") {
  StuckBed bed([](const net::Request&) { return Busy("20"); });
  bed.Bind({"p"});
  bed.mirror.ForgetAssumption("ns/p", "u-p");  // As when the cluster is read anew.
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.Binds("p") == 1);
  CHECK(bed.writer.idle());
  CHECK(bed.writer.binds_under_way() == 0);
}

TEST_CASE("stuck effects: an eviction that is turned away ends, and its pod is spared", "[cache]") {
  StuckBed bed([](const net::Request&) { return Busy("5"); });
  bed.Put({.spec = R"("nodeName":"n",)", .status = R"("phase":"Running",)"});
  const auto snapshot = bed.mirror.Publish();
  framework::EffectBatch batch{.snapshot = snapshot, .action = "preempt"};
  batch.evictions.push_back(
      {WriterBed::Find(*snapshot, "p"), WriterBed::Find(*snapshot, "q"), "preempt"});
  REQUIRE(bed.effects.Submit(std::move(batch)).ok());
  bed.executor.RunUntilIdle();
  bed.Bind({"q"});
  CHECK(bed.Binds("q") == 1);
  bed.executor.Advance(absl::Seconds(26));
  CHECK(bed.Sent("POST", "/pods/p/eviction").size() == 6);
  CHECK(bed.Status("p") == TaskStatus::kRunning);
  CHECK(bed.NextDeadline() == "9s");  // Spared for ten seconds, one of which is over.
}

TEST_CASE("stuck effects: slow statuses leave lanes for bindings", "[cache]") {
  EffectWriterOptions options;
  options.lanes.lanes = 4;
  options.lanes.status_lanes = 2;
  WriterBed bed(options);
  bed.server.delay = absl::Seconds(20);
  for (int i = 0; i < 10; ++i) {
    const std::string name = StrCat("s", i);
    bed.Put({.name = name});
    bed.writer.statuses().WantPodCondition("ns/" + name, "u-" + name, "Unschedulable", "m", true);
  }
  bed.executor.RunUntilIdle();
  CHECK(bed.Sent("PATCH", "/status").size() == 2);
  bed.Bind({"p"});
  CHECK(bed.Sent("POST", "/pods/p/binding").size() == 1);
}

TEST_CASE("stuck effects: a burst's events follow side by side, and a binding passes them",
          "[cache]") {
  WriterBed bed;
  bed.server.delay = absl::Milliseconds(10);
  for (int i = 0; i < 800; ++i) {
    bed.events.Record({"v1", "Pod", "ns", StrCat("e", i), "u"}, {"Normal", "R", "m"});
  }
  bed.executor.Advance(absl::Milliseconds(100));
  const size_t before = bed.Sent("POST", "/events").size();
  CHECK(before >= 150);  // 16 each ten milliseconds.
  CHECK(before <= 180);
  bed.Bind({"p"});
  bed.executor.Advance(absl::Milliseconds(500));
  const auto& all = bed.server.requests;
  const auto bind = std::find_if(all.begin(), all.end(), [](const net::Request& request) {
    return absl::EndsWith(request.target, "/binding");
  });
  REQUIRE(bind != all.end());
  CHECK(static_cast<size_t>(bind - all.begin()) <= before);
  CHECK(bed.events.idle());
}

TEST_CASE("stuck effects: a status that goes at once is not dropped in flight by an older time",
          "[cache]") {
  WriterBed bed;
  bed.effects.Report(Report(bed, "m"));  // Due in half a second.
  bed.executor.RunUntilIdle();
  bed.server.script = [&bed](const net::Request& request) {
    const bool bind = absl::EndsWith(request.target, "/binding");
    return bind ? bed.Serve(request) : Refusal(500, "InternalError");
  };
  SECTION("while it is in flight") {
    bed.server.delay = absl::Seconds(1);
    bed.writer.statuses().WantPodCondition("ns/p", "u-p", "SchedulerError", "why", true);
    bed.executor.RunUntilIdle();
  }
  SECTION("while a binding goes first") {
    bed.server.delay = absl::Seconds(1);
    bed.Bind({"q"});
    bed.writer.statuses().WantPodCondition("ns/p", "u-p", "SchedulerError", "why", true);
  }
  bed.mirror.RemovePod("ns/p");
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.executor.barrier().caught() == 0);
  CHECK(bed.writer.idle());
}

std::shared_ptr<const model::ClaimFacts> ClaimOf(bool bound) {
  auto claim = std::make_shared<model::ClaimFacts>();
  claim->key = "ns/c";
  claim->name = "c";
  claim->uid = "u-c";
  claim->resource_version = bound ? "7" : "1";
  claim->selected_node = "n";
  claim->bound = bound;
  if (bound) claim->volume = "v";
  return claim;
}

TEST_CASE("volume binding: a pod made anew is not mixed up with its predecessor", "[cache]") {
  WriterBed bed;
  bed.mirror.storage().Put(ClaimOf(false));
  const auto plan = std::make_shared<model::VolumePlan>();
  plan->choices.push_back({.claim = "ns/c", .claim_uid = "u-c", .volume = "", .volume_uid = ""});
  plan->timeout = absl::Minutes(10);
  bed.server.script = [&bed](const net::Request& request) {
    if (!absl::StrContains(request.target, "persistentvolumeclaims")) return bed.Serve(request);
    return Answer(200, R"({"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"name":"c",
      "namespace":"ns","uid":"u-c","resourceVersion":"1",
      "annotations":{"volume.kubernetes.io/selected-node":"n"}},"spec":{}})");
  };
  const auto bind = [&] {
    const auto snapshot = bed.mirror.Publish();
    framework::EffectBatch batch{.snapshot = snapshot, .action = "allocate"};
    batch.binds.push_back(
        {WriterBed::Find(*snapshot, "p"), snapshot->nodes_by_name->front(), plan});
    REQUIRE(bed.effects.Submit(std::move(batch)).ok());
    bed.executor.RunUntilIdle();
  };
  bed.server.delay = absl::Seconds(20);
  bind();  // Its claim is being looked at for twenty seconds.
  bed.server.delay = absl::ZeroDuration();
  bed.mirror.RemovePod("ns/p");
  CompiledPod anew = MakePod({}, bed.symbols());
  anew.names.uid = "u-anew";
  bed.mirror.PutPod(std::move(anew));
  bind();
  bed.executor.Advance(absl::Seconds(30));  // The predecessor's write ends meanwhile.
  CHECK(bed.writer.binds_under_way() == 1);
  CHECK(bed.Status("p") == TaskStatus::kBinding);
  auto volume = std::make_shared<model::VolumeFacts>();
  volume->name = "v";
  volume->uid = "u-v";
  bed.mirror.storage().Put(std::shared_ptr<const model::VolumeFacts>(volume));
  bed.mirror.storage().Put(ClaimOf(true));
  bed.writer.Review();
  bed.executor.RunUntilIdle();
  REQUIRE(bed.binds == 1);
  CHECK(bed.LastBody("/binding").At({"metadata", "uid"}).AsString() == "u-anew");
  CHECK(bed.writer.binds_under_way() == 0);
}

}  // namespace
}  // namespace bth::cache
