#include "cache/writes/effect_writer.h"

#include "api/types/time.h"
#include "base/strings.h"
#include "tests/cache/writer_bed.h"

namespace bth::cache {
namespace {

using client::testing::Answer;
using model::TaskStatus;
using testing::MakeGroup;
using testing::MakePod;
using testing::PodText;
using testing::Refusal;
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

TEST_CASE("effect writer: many refusals of one attempt pause the job once", "[cache]") {
  WriterBed bed;
  bed.mirror.PutPodGroup(MakeGroup("g", 2));
  bed.Put({.name = "p2"});
  bed.bind_answers = {403};
  bed.Bind({"p", "p2"});
  CHECK(bed.binds == 2);
  CHECK(bed.NextDeadline() == "5s");
}

TEST_CASE("status writer: what waits is bounded by the objects there are", "[cache]") {
  WriterBed bed;
  bed.server.script = [](const net::Request&) { return Refusal(500, "InternalError"); };
  constexpr int kPods = 2000;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < kPods; ++i) {
      const std::string name = StrCat("r", round, "-", i);
      bed.Put({.name = name});
      bed.writer.statuses().WantPodCondition("ns/" + name, "u-" + name, "Unschedulable", "m", true);
      bed.writer.statuses().WantPodCondition("ns/" + name, "u-" + name, "Unschedulable", "n",
                                             false);
    }
    bed.executor.Advance(absl::Seconds(10));
    CHECK(bed.writer.statuses().waiting() >= kPods);
    CHECK(bed.writer.statuses().waiting() <= 3 * kPods);
    for (int i = 0; i < kPods; ++i) bed.mirror.RemovePod(StrCat("ns/r", round, "-", i));
  }
  bed.executor.Advance(absl::Minutes(3));
  CHECK(bed.writer.statuses().waiting() == 0);
  CHECK(bed.writer.idle());
}

TEST_CASE("status writer: conflicts in a row are tried ever more rarely", "[cache]") {
  WriterBed bed;
  bed.server.script = [](const net::Request&) { return Refusal(409, "Conflict"); };
  bed.effects.Report(Report(bed, "m"));
  bed.executor.Advance(absl::Hours(1));
  const size_t sent = bed.Sent("PATCH", "/podgroups/g").size();
  CHECK(sent >= 10);
  CHECK(sent <= 70);  // One a minute in the end.
}

TEST_CASE("status writer: conditions keep their times, and say which of them holds", "[cache]") {
  WriterBed bed;
  const auto condition = [&bed](const std::string& type) {
    const Json body = bed.LastBody("/podgroups/g");
    for (const Json& entry : body.At({"status", "conditions"}).items()) {
      if (entry["type"].AsString() != type) continue;
      return StrCat(std::string(entry["status"].AsString()), " ",
                    std::string(entry["message"].AsString()), " since ",
                    std::string(entry["lastTransitionTime"].AsString()), " by ",
                    std::string(entry["transitionID"].AsString()));
    }
    return std::string();
  };
  const auto say = [&bed](const char* type, const char* message, const char* session,
                          model::PodGroupPhase phase = model::PodGroupPhase::kInqueue) {
    framework::CycleReport report = Report(bed, message, phase);
    report.session_uid = session;
    report.pod_groups[0].conditions = {{type, "True", "R", message}};
    bed.effects.Report(std::move(report));
    bed.executor.Advance(absl::Minutes(1));
  };
  const absl::Time start = bed.clock.Now();
  const auto at = [start](int minutes) {
    return types::FormatTimestamp(start + absl::Minutes(minutes) + absl::Milliseconds(500));
  };
  say("Unschedulable", "no room", "s0");
  CHECK(condition("Unschedulable") == StrCat("True no room since ", at(0), " by s0"));
  say("Unschedulable", "less room", "s1");
  CHECK(condition("Unschedulable") == StrCat("True less room since ", at(0), " by s0"));
  // Its bindings are asked for.
  say("Scheduled", "", "s2");
  CHECK(condition("Scheduled").empty());
  CHECK(condition("Unschedulable") == StrCat("True less room since ", at(0), " by s0"));
  say("Scheduled", "", "s3", model::PodGroupPhase::kRunning);
  const std::string placed_at = types::FormatTimestamp(start + absl::Minutes(3) + absl::Seconds(1));
  CHECK(condition("Scheduled") == StrCat("True  since ", placed_at, " by s3"));
  CHECK(condition("Unschedulable") ==
        StrCat("False the gang has its minimum since ", placed_at, " by s3"));
  say("Unschedulable", "no room", "s4");
  CHECK(condition("Scheduled") == StrCat("True  since ", placed_at, " by s3"));
  CHECK(condition("Unschedulable") == StrCat("True no room since ", at(4), " by s4"));
}

TEST_CASE("status writer: what the cycle that places a gang says is told once", "[cache]") {
  WriterBed bed;
  const auto say = [&bed](model::PodGroupPhase phase, std::vector<framework::EventReport> events) {
    framework::CycleReport report = Report(bed, "", phase);
    report.pod_groups[0].conditions = {{"Scheduled", "True", "R", ""}};
    report.pod_groups[0].events = std::move(events);
    bed.effects.Report(std::move(report));
    bed.executor.Advance(absl::Seconds(10));
  };
  say(model::PodGroupPhase::kInqueue, {});
  const size_t before = bed.Sent("POST", "/events").size();
  const size_t writes = bed.Sent("PATCH", "/podgroups/").size();
  say(model::PodGroupPhase::kInqueue, {{true, "TopologyIgnored", "why"}});
  CHECK(bed.Sent("PATCH", "/podgroups/").size() == writes);
  CHECK(bed.Sent("POST", "/events").size() == before + 1);
  CHECK(bed.LastBody("/events")["reason"].AsString() == "TopologyIgnored");
  say(model::PodGroupPhase::kRunning, {});
  CHECK(bed.Sent("PATCH", "/podgroups/").size() == writes + 1);
  CHECK(bed.Sent("POST", "/events").size() == before + 1);
}

TEST_CASE("status writer: a PodGroup of others is not written", "[cache]") {
  WriterBed bed;
  framework::CycleReport report = Report(bed, "m");
  bed.mirror.RemovePod("ns/p");
  bed.mirror.NoteForeignPod("ns/p", "ns/g");
  bed.effects.Report(std::move(report));
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.Sent("PATCH", "/podgroups/g").empty());
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

TEST_CASE("status writer: phases at once, reasons after a moment, wording much later", "[cache]") {
  WriterBed bed;
  bed.effects.Report(Report(bed, "m1"));
  bed.executor.RunUntilIdle();
  CHECK(bed.Sent("PATCH", "/podgroups/g").size() == 1);
  CHECK(bed.Sent("PATCH", "/pods/p/status").empty());
  bed.executor.Advance(absl::Milliseconds(499));
  CHECK(bed.Sent("PATCH", "/pods/p/status").empty());
  bed.executor.Advance(absl::Milliseconds(2));
  CHECK(bed.Sent("PATCH", "/pods/p/status").size() == 1);
  bed.executor.Advance(absl::Minutes(1));
  // Only the wording changes.
  bed.effects.Report(Report(bed, "m2"));
  bed.executor.Advance(absl::Milliseconds(1900));
  CHECK(bed.Sent("PATCH", "/podgroups/g").size() == 1);
  CHECK(bed.Sent("PATCH", "/pods/p/status").size() == 1);
  bed.executor.Advance(absl::Milliseconds(200));
  CHECK(bed.Sent("PATCH", "/podgroups/g").size() == 2);
  CHECK(bed.Sent("PATCH", "/pods/p/status").size() == 2);
  // Something could take it now, and it waits for its gang as before.
  framework::CycleReport others = Report(bed, "m3");
  others.pods.front().reason = framework::kReasonSchedulable;
  bed.effects.Report(others);
  bed.executor.Advance(absl::Milliseconds(1900));
  CHECK(bed.Sent("PATCH", "/pods/p/status").size() == 2);
  bed.executor.Advance(absl::Milliseconds(200));
  CHECK(bed.Sent("PATCH", "/pods/p/status").size() == 3);
}

TEST_CASE("status writer: nothing is written when nothing changes", "[cache]") {
  WriterBed bed;
  bed.effects.Report(Report(bed, "m"));
  bed.executor.Advance(absl::Minutes(1));
  const size_t requests = bed.server.requests.size();
  for (int i = 0; i < 20; ++i) {
    bed.effects.Report(Report(bed, "m"));
    bed.executor.Advance(absl::Minutes(1));
  }
  CHECK(bed.server.requests.size() == requests);
  CHECK(bed.writer.idle());
  // Nor when the object shows it already.
  WriterBed other;
  other.mirror.PutPodGroup(MakeGroup("g", 1, "", R"({"phase":"Inqueue","conditions":[
    {"type":"Unschedulable","status":"True","reason":"R","message":"m"}]})"));
  other.Put({.status = R"("phase":"Pending","conditions":[{"type":"PodScheduled",
    "status":"False","reason":"Unschedulable","message":"m"}],)"});
  other.effects.Report(Report(other, "m"));
  other.executor.Advance(absl::Minutes(1));
  CHECK(other.server.requests.empty());
}

TEST_CASE("status writer: a pod that is bound meanwhile is never called unschedulable", "[cache]") {
  WriterBed bed;
  bed.effects.Report(Report(bed, "m"));
  bed.executor.Advance(absl::Milliseconds(100));
  bed.Bind({"p"});
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.Sent("PATCH", "/pods/p/status").empty());
}

TEST_CASE("status writer: what somebody else wrote meanwhile is told once, beside it", "[cache]") {
  WriterBed bed;
  constexpr char kStood[] =
      R"({"phase":"Inqueue","conditions":[{"type":"Scheduled","status":"True","reason":"R"}]})";
  bed.server.script = [](const net::Request& request) {
    if (request.method != "PATCH" || !absl::EndsWith(request.target, "/podgroups/g")) {
      return Answer(200, "{}");
    }
    return Answer(200, R"({"metadata":{"namespace":"ns","name":"g","resourceVersion":"9"}})");
  };
  bed.writer.Take(Report(bed, "m"));
  CompiledPodGroup stood = MakeGroup("g", 1, "", kStood);
  stood.shown.resource_version = "8";
  bed.mirror.PutPodGroup(std::move(stood));
  bed.executor.Advance(absl::Minutes(10));
  CHECK(bed.Sent("PATCH", "/podgroups/g").size() == 1);
  CHECK(bed.LastBody("/podgroups/g")["status"]["conditions"].items().size() == 2);
  CHECK(bed.writer.idle());
}

// Another PodGroup "g", with the version 9.
void MakeAnew(WriterBed& bed) {
  CompiledPodGroup anew = MakeGroup("g", 1);
  auto facts = std::make_shared<model::JobFacts>(*anew.facts);
  facts->uid = "u-g-2";
  anew.facts = std::move(facts);
  anew.shown.resource_version = "9";
  bed.mirror.RemovePodGroup("ns/g");
  bed.mirror.PutPodGroup(std::move(anew));
}

TEST_CASE("status writer: a group made anew while its predecessor is written to is told of",
          "[cache]") {
  WriterBed bed;
  bed.server.script = [&bed, first = true](const net::Request& request) mutable {
    if (request.method != "PATCH" || !absl::EndsWith(request.target, "/podgroups/g")) {
      return Answer(200, "{}");
    }
    if (!std::exchange(first, false)) return Answer(200, "{}");
    // The watch and a cycle are faster than the answer.
    MakeAnew(bed);
    bed.writer.Take(Report(bed, "m2"));
    return Refusal(404, "NotFound");
  };
  bed.writer.Take(Report(bed, "m1"));
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.Sent("PATCH", "/podgroups/g").size() == 2);
  const Json body = bed.LastBody("/podgroups/g");
  CHECK(body["metadata"]["resourceVersion"].AsString() == "9");
  CHECK(body["status"]["phase"].AsString() == "Inqueue");
  CHECK(body["status"]["conditions"].items()[0]["message"].AsString() == "m2");
  CHECK(bed.writer.idle());
}

TEST_CASE("status writer: what was decided for its predecessor is not for a group", "[cache]") {
  WriterBed bed;
  const framework::CycleReport report = Report(bed, "m");
  const auto phase_is_untold = [&bed, job = report.pod_groups[0].job] {
    bed.executor.Advance(absl::Minutes(1));
    return bed.mirror.Publish()->usage.jobs[job].phase == model::PodGroupPhase::kNone &&
           bed.Sent("PATCH", "/podgroups/g").empty();
  };
  SECTION("the cycle ends after the change") {
    MakeAnew(bed);
    bed.writer.Take(report);
    CHECK(phase_is_untold());
  }
  SECTION("it waits to be told") {
    bed.writer.Take(report);
    MakeAnew(bed);
    CHECK(phase_is_untold());
  }
}

TEST_CASE("status writer: a phase that is taken back before it was written holds no more",
          "[cache]") {
  WriterBed bed;
  bed.mirror.PutPodGroup(MakeGroup("g", 1, "", R"({"phase":"Pending"})"));
  const auto phase = [&bed] {
    const auto snapshot = bed.mirror.Publish();
    return snapshot->usage.jobs[snapshot->tasks[WriterBed::Find(*snapshot, "p")].job].phase;
  };
  bed.writer.Take(Report(bed, "m1", model::PodGroupPhase::kRunning));
  bed.executor.RunUntilIdle();
  CHECK(bed.Sent("PATCH", "/podgroups/g").empty());  // It starts a moment later.
  CHECK(phase() == model::PodGroupPhase::kRunning);
  bed.writer.Take(Report(bed, "m2", model::PodGroupPhase::kPending));
  CHECK(phase() == model::PodGroupPhase::kPending);
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.LastBody("/podgroups/g")["status"]["phase"].AsString() == "Pending");
  CHECK(phase() == model::PodGroupPhase::kPending);
}

TEST_CASE("status writer: nothing is left of one that is gone", "[cache]") {
  WriterBed bed;
  bed.server.script = [](const net::Request&) { return Refusal(404, "NotFound"); };
  bed.effects.Report(Report(bed, "m"));
  bed.executor.Advance(absl::Seconds(10));
  bed.mirror.RemovePod("ns/p");
  bed.mirror.RemovePodGroup("ns/g");
  bed.executor.Advance(absl::Minutes(3));
  CHECK(bed.writer.statuses().waiting() == 0);
  CHECK(bed.writer.idle());
}

TEST_CASE("status writer: a refused pod that vanishes leaves no write behind", "[cache]") {
  WriterBed bed;
  bed.effects.Report(Report(bed, "m"));  // Due in half a second,
  bed.executor.RunUntilIdle();
  const std::string key = "ns/p";
  bed.writer.statuses().WantPodCondition(key, "u-p", "SchedulerError", "why", true);  // now,
  bed.mirror.RemovePod(key);  // and not at all.
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.Sent("PATCH", "/pods/p/status").empty());
  CHECK(bed.writer.idle());
}

}  // namespace
}  // namespace bth::cache
