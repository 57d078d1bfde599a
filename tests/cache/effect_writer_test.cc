#include "cache/writes/effect_writer.h"

#include <map>

#include "api/model/device_claims.h"
#include "base/strings.h"
#include "tests/cache/writer_bed.h"

namespace bth::cache {
namespace {

using model::TaskStatus;
using testing::MakeGroup;
using testing::PodText;
using testing::Report;
using testing::WriterBed;
using types::Json;

TEST_CASE("effect writer: a binding is sent once and followed by its event", "[cache]") {
  WriterBed bed;
  bed.Bind({"p"});
  CHECK(bed.Sent("POST", "/binding") ==
        std::vector<std::string>{"/api/v1/namespaces/ns/pods/p/binding"});
  CHECK(bed.LastBody("/binding").At({"target", "name"}).AsString() == "n");
  CHECK(bed.LastBody("/binding").At({"metadata", "uid"}).AsString() == "u-p");
  CHECK(bed.LastBody("/events")["reason"].AsString() == "Scheduled");
  CHECK(bed.LastBody("/events")["message"].AsString() == "Successfully assigned ns/p to n");
  CHECK(bed.Status("p") == TaskStatus::kBinding);  // Until the watch confirms it.
  CHECK(bed.writer.idle());
  CHECK(bed.writer.binds_under_way() == 0);
}

TEST_CASE("effect writer: an outcome in doubt is read back", "[cache]") {
  const std::string ours = PodText{.spec = R"("nodeName":"n",)"}.Json();
  struct Case {
    int answer;
    std::string read_back;
    TaskStatus status;
    size_t events;        // Of the binding or of its failure.
    std::string backoff;  // Also where the watch has not told yet what the read did.
  };
  const Case cases[] = {
      {409, ours, TaskStatus::kBinding, 1, ""},
      {409, PodText{.spec = R"("nodeName":"other",)"}.Json(), TaskStatus::kPending, 0, "500ms"},
      {409, PodText{}.Json(), TaskStatus::kPending, 1, "1s"},
      {409, "", TaskStatus::kPending, 0, "500ms"},
      {404, "", TaskStatus::kPending, 0, "500ms"},
      {504, ours, TaskStatus::kBinding, 1, ""},
      {500, PodText{}.Json(), TaskStatus::kPending, 1, "500ms"},
  };
  for (const Case& c : cases) {
    INFO("answer " << c.answer << ", case " << &c - cases);
    WriterBed bed;
    bed.bind_answers = {c.answer};
    bed.read_back = c.read_back;
    bed.Bind({"p"});
    CHECK(bed.Sent("GET", "/pods/p").size() == 1);
    CHECK(bed.binds == 1);
    CHECK(model::StatusName(bed.Status("p")) == model::StatusName(c.status));
    CHECK(bed.Sent("POST", "/events").size() == c.events);
    CHECK(bed.NextDeadline() == c.backoff);
    CHECK(bed.writer.binds_under_way() == 0);
  }
}

TEST_CASE("effect writer: no answer in time is read back too", "[cache]") {
  WriterBed bed;
  bed.server.delay = absl::Minutes(1);  // Longer than the client waits.
  bed.read_back = PodText{.spec = R"("nodeName":"n",)"}.Json();
  bed.Bind({"p"});
  CHECK(bed.writer.binds_under_way() == 1);
  bed.executor.Advance(absl::Seconds(31));
  bed.server.delay = absl::ZeroDuration();
  bed.executor.Advance(absl::Minutes(2));
  CHECK(bed.Sent("POST", "/binding").size() == 1);
  CHECK_FALSE(bed.Sent("GET", "/pods/p").empty());
  CHECK(bed.Status("p") == TaskStatus::kBinding);
  CHECK(bed.Sent("POST", "/events").size() == 1);
  CHECK(bed.writer.binds_under_way() == 0);
}

TEST_CASE("effect writer: a busy server is asked again after its delay", "[cache]") {
  WriterBed bed;
  bed.bind_answers = {429, 201};
  bed.Bind({"p"});
  CHECK(bed.binds == 1);
  bed.executor.Advance(absl::Milliseconds(6900));
  CHECK(bed.binds == 1);
  CHECK_FALSE(bed.writer.idle());
  bed.executor.Advance(absl::Milliseconds(200));
  CHECK(bed.binds == 2);
  CHECK(bed.Sent("POST", "/events").size() == 1);
  CHECK(bed.writer.idle());
}

TEST_CASE("effect writer: a refused job pauses longer each time and says why", "[cache]") {
  WriterBed bed;
  bed.bind_answers = {403};
  const char* const pauses[] = {"5s", "10s", "20s", "40s", "1m20s", "2m40s", "5m", "5m"};
  for (const char* pause : pauses) {
    INFO(pause);
    bed.Bind({"p"});
    CHECK(bed.Status("p") == TaskStatus::kPending);
    CHECK(bed.NextDeadline() == pause);
    bed.executor.Advance(bed.mirror.UntilNextDeadline());
  }
  REQUIRE_FALSE(bed.Sent("PATCH", "/pods/p/status").empty());
  const Json condition = bed.LastBody("/pods/p/status").At({"status", "conditions"})[0];
  CHECK(condition["reason"].AsString() == "SchedulerError");
  CHECK(
      absl::StrContains(std::string(condition["message"].AsString()), "failed to bind to node n"));
  bed.bind_answers = {201};
  bed.Bind({"p"});
  CHECK(bed.Status("p") == TaskStatus::kBinding);
  // Success forgets the past: the next refusal of that job pauses shortly.
  bed.mirror.ForgetAssumption("ns/p", "u-p");
  bed.bind_answers = {403};
  bed.Bind({"p"});
  CHECK(bed.NextDeadline() == "5s");
}

TEST_CASE("effect writer: a pod placed where it cannot have its devices hears why, and pauses",
          "[cache]") {
  WriterBed bed;
  bed.Put({.name = "r"});
  auto plan = std::make_shared<model::ClaimPlan>();
  plan->why_not = "no devices";
  for (const char* pause : {"5s", "10s", "20s"}) {
    INFO(pause);
    const auto snapshot = bed.mirror.Publish();
    const model::NodeId node = snapshot->nodes_by_name->front();
    framework::EffectBatch batch{.snapshot = snapshot, .action = "allocate"};
    batch.binds.push_back({.task = WriterBed::Find(*snapshot, "r"), .node = node});
    batch.binds.push_back({.task = WriterBed::Find(*snapshot, "p"), .node = node, .claims = plan});
    CHECK(bed.effects.Submit(std::move(batch)).ok());
    bed.executor.RunUntilIdle();
    CHECK(bed.Status("p") == TaskStatus::kPending);
    CHECK(bed.Status("r") == TaskStatus::kPending);
    CHECK(bed.writer.binds_under_way() == 0);
    CHECK(bed.NextDeadline() == pause);
    bed.executor.Advance(bed.mirror.UntilNextDeadline());
  }
  CHECK(bed.binds == 0);
  const std::map<std::string, std::string> messages = {
      {"p", "cannot be bound to node n: no devices"},
      {"r",
       "was to be bound with others of its job: pod ns/p cannot be bound to node n: no "
       "devices"}};
  for (const auto& [pod, message] : messages) {
    CAPTURE(pod);
    const std::string target = StrCat("/pods/", pod, "/status");
    CHECK(bed.Sent("PATCH", target).size() == 1);
    const Json condition = bed.LastBody(target).At({"status", "conditions"})[0];
    CHECK(condition["reason"].AsString() == "Unschedulable");
    CHECK(condition["message"].AsString() == message);
  }
}

TEST_CASE("effect writer: many refusals of one attempt pause the job once", "[cache]") {
  WriterBed bed;
  bed.mirror.PutPodGroup(MakeGroup("g", 2));
  bed.Put({.name = "p2"});
  bed.bind_answers = {403};
  bed.Bind({"p", "p2"});
  CHECK(bed.binds == 2);
  CHECK(bed.NextDeadline() == "5s");
}

TEST_CASE("effect queue: stopped writes are refused, the others go on", "[cache]") {
  WriterBed bed;
  const auto snapshot = bed.mirror.Publish();
  const auto batch = [&] {
    framework::EffectBatch out{.snapshot = snapshot, .action = "allocate"};
    out.binds.push_back({WriterBed::Find(*snapshot, "p"), snapshot->nodes_by_name->front()});
    return out;
  };
  const auto stopped = [](WriteStops stops, auto& effects, const auto& make) {
    effects.BeginCycle(std::move(stops), false);
    return absl::IsFailedPrecondition(effects.Submit(make()));
  };
  CHECK(stopped({.nodes = {{"n", "x"}}}, bed.effects, batch));
  CHECK(stopped({.queues = {{"default", "x"}}}, bed.effects, batch));
  CHECK(stopped({.everything = "x"}, bed.effects, batch));
  CHECK_FALSE(stopped({.nodes = {{"m", "x"}}, .queues = {{"other", "x"}}}, bed.effects, batch));
  bed.executor.RunUntilIdle();
  CHECK(bed.binds == 1);
}

TEST_CASE("effect queue: what is held back goes or is dropped whole at the end", "[cache]") {
  for (bool drop : {false, true}) {
    INFO("drop " << drop);
    WriterBed bed;
    framework::CycleReport report = Report(bed, "m");
    const auto snapshot = report.snapshot;
    bed.effects.BeginCycle({}, true);
    framework::EffectBatch batch{.snapshot = snapshot, .action = "allocate"};
    batch.binds.push_back({WriterBed::Find(*snapshot, "p"), snapshot->nodes_by_name->front()});
    REQUIRE(bed.effects.Submit(std::move(batch)).ok());
    bed.effects.Report(std::move(report));
    bed.executor.Advance(absl::Seconds(1));
    CHECK(bed.server.requests.empty());
    CHECK(bed.effects.buffered_batches().size() == 1);
    WriteStops stops;
    if (drop) stops.nodes["n"] = "x";
    CHECK(bed.effects.EndCycle(stops) == (drop ? 1 : 0));
    bed.executor.Advance(absl::Seconds(5));
    CHECK(bed.binds == (drop ? 0 : 1));
    // Nor is anything said about the job whose binding was dropped.
    CHECK(bed.Sent("PATCH", "/podgroups/g").size() == (drop ? 0 : 1));
    CHECK(bed.writer.binds_under_way() == 0);
  }
}

TEST_CASE("effect writer: an outdated batch is dropped whole", "[cache]") {
  WriterBed bed;
  const auto snapshot = bed.mirror.Publish();
  bed.mirror.RemovePod("ns/q");
  bed.Bind({"p", "q"}, snapshot);
  CHECK(bed.binds == 0);
  CHECK(bed.Status("p") == TaskStatus::kPending);
  CHECK(bed.writer.binds_under_way() == 0);
  CHECK(bed.server.requests.empty());
}

TEST_CASE("effect writer: a batch whose room is gone is dropped whole", "[cache]") {
  WriterBed bed;
  const auto snapshot = bed.mirror.Publish();
  bed.Put(
      {.name = "r", .cpu = "3", .spec = R"("nodeName":"n",)", .status = R"("phase":"Running",)"});
  bed.Bind({"p", "q"}, snapshot);
  CHECK(bed.binds == 0);
  CHECK(bed.Status("p") == TaskStatus::kPending);
  CHECK(bed.Status("q") == TaskStatus::kPending);
}

TEST_CASE("effect queue: too many bindings under way refuse a batch", "[cache]") {
  WriterBed bed;
  bed.writer.AddUnderWay(EffectQueue::kBindsMax);
  const auto snapshot = bed.mirror.Publish();
  framework::EffectBatch batch{.snapshot = snapshot, .action = "allocate"};
  batch.binds.push_back({WriterBed::Find(*snapshot, "p"), snapshot->nodes_by_name->front()});
  CHECK(absl::IsResourceExhausted(bed.effects.Submit(batch)));
  bed.executor.RunUntilIdle();
  CHECK(bed.binds == 0);
  CHECK(bed.writer.binds_under_way() == EffectQueue::kBindsMax);
}

}  // namespace
}  // namespace bth::cache
