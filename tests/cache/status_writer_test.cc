#include "cache/writes/status_writer.h"

#include "api/types/time.h"
#include "base/strings.h"
#include "tests/cache/writer_bed.h"

namespace bth::cache {
namespace {

using client::testing::Answer;
using testing::MakeGroup;
using testing::Refusal;
using testing::Report;
using testing::WriterBed;
using types::Json;

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

TEST_CASE("status writer: what the server refuses is not sent with each cycle", "[cache]") {
  WriterBed bed;
  bed.server.script = [](const net::Request&) { return Refusal(403, "Forbidden"); };
  for (int i = 0; i < 3600; ++i) {
    bed.effects.Report(Report(bed, StrCat("m", std::string(static_cast<size_t>(i % 7), 'x'))));
    bed.executor.Advance(absl::Seconds(1));
  }
  for (const char* object : {"/podgroups/g", "/pods/p/status"}) {
    const size_t sent = bed.Sent("PATCH", object).size();
    CHECK(sent >= 10);
    CHECK(sent <= 70);  // One a minute in the end.
  }
  // It is told when the server has changed its mind.
  bed.server.script = [](const net::Request&) { return Answer(200, "{}"); };
  bed.executor.Advance(absl::Minutes(2));
  CHECK(bed.writer.idle());
  CHECK(bed.LastBody("/podgroups/g")["status"]["phase"].AsString() == "Inqueue");
}

// The server refuses to write PodGroup "g" and pod "p", whose wish comes and goes.
struct FickleBed : WriterBed {
  FickleBed() {
    mirror.PutPodGroup(MakeGroup("g", 1, "", R"({"phase":"Pending"})"));
    Put({.status = R"("phase":"Pending","conditions":[{"type":"PodScheduled",
      "status":"False","reason":"Unschedulable","message":"as shown"}],)"});
    server.script = [](const net::Request&) { return Refusal(403, "Forbidden"); };
  }
  void Want() { effects.Report(Report(*this, "another")); }
  void WantWhatIsShown() {
    framework::CycleReport report = Report(*this, "as shown", model::PodGroupPhase::kPending);
    report.pod_groups[0].conditions.clear();
    effects.Report(std::move(report));
    executor.RunUntilIdle();
  }
  size_t SentFor(const char* object) const { return Sent("PATCH", object).size(); }
};

TEST_CASE("status writer: what the server refuses is not sent as often as its wish comes back",
          "[cache]") {
  FickleBed bed;
  for (int i = 0; i < 3600; ++i) {
    if (i / 3 % 2 == 0) {
      bed.Want();
    } else {
      bed.WantWhatIsShown();
    }
    bed.executor.Advance(absl::Seconds(1));
  }
  for (const char* object : {"/podgroups/g", "/pods/p/status"}) {
    CAPTURE(object);
    CHECK(bed.SentFor(object) >= 10);
    CHECK(bed.SentFor(object) <= 70);  // One a minute in the end.
  }
}

TEST_CASE("status writer: a pause is forgotten when no wish has come back, or its object is gone",
          "[cache]") {
  FickleBed bed;
  for (int i = 0; i < 300; ++i) {
    bed.Want();
    bed.executor.Advance(absl::Seconds(1));
  }
  bed.WantWhatIsShown();
  CHECK(bed.writer.statuses().waiting() == 2);
  const size_t sent = bed.SentFor("/podgroups/g");
  SECTION("a minute after its end") {
    bed.executor.Advance(absl::Seconds(121));
    CHECK(bed.writer.statuses().waiting() == 0);
    CHECK(bed.SentFor("/podgroups/g") == sent);
    bed.Want();
    bed.executor.Advance(absl::Seconds(4));
    CHECK(bed.SentFor("/podgroups/g") == sent + 3);  // At once, after a second, after two more.
  }
  SECTION("and not before") {
    bed.executor.Advance(absl::Seconds(61));
    CHECK(bed.writer.statuses().waiting() == 2);
    bed.Want();
    bed.executor.Advance(absl::Seconds(59));
    CHECK(bed.SentFor("/podgroups/g") == sent + 1);
    bed.executor.Advance(absl::Seconds(2));
    CHECK(bed.SentFor("/podgroups/g") == sent + 2);
  }
  SECTION("with its object") {
    bed.mirror.RemovePod("ns/p");
    bed.mirror.RemovePodGroup("ns/g");
    bed.executor.Advance(absl::Seconds(61));
    CHECK(bed.writer.statuses().waiting() == 0);
  }
  CHECK(bed.writer.idle());
}

TEST_CASE("status writer: news end the pause after a conflict, and that of an object made anew",
          "[cache]") {
  WriterBed bed;
  const bool anew = GENERATE(false, true);
  CAPTURE(anew);
  bed.server.script = [anew](const net::Request&) {
    return anew ? Refusal(403, "Forbidden") : Refusal(409, "Conflict");
  };
  for (int i = 0; i < 4; ++i) {
    bed.effects.Report(Report(bed, "m"));
    bed.executor.Advance(absl::Seconds(30));
  }
  const size_t sent = bed.Sent("PATCH", "/podgroups/g").size();
  if (anew) MakeAnew(bed);
  bed.effects.Report(Report(bed, "m"));
  bed.executor.RunUntilIdle();
  CHECK(bed.Sent("PATCH", "/podgroups/g").size() == sent + 1);
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

TEST_CASE("status writer: what the cycle that places a gang says waits for the answer before it",
          "[cache]") {
  WriterBed bed;
  framework::CycleReport admits = Report(bed, "");
  admits.pod_groups[0].conditions = {};
  framework::CycleReport places = Report(bed, "");
  places.pod_groups[0].conditions = {{"Scheduled", "True", "R", ""}};
  places.pod_groups[0].events = {{true, "TopologyIgnored", "why"}};
  bed.server.delay = absl::Seconds(1);
  bed.writer.Take(std::move(admits));
  bed.executor.Advance(absl::Milliseconds(500));
  CHECK(bed.Sent("PATCH", "/podgroups/g").size() == 1);
  bed.writer.Take(std::move(places));
  SECTION("and is told then") {
    bed.executor.Advance(absl::Minutes(1));
    CHECK(bed.Sent("PATCH", "/podgroups/g").size() == 1);
    CHECK(bed.Told("TopologyIgnored") == std::vector<std::string>{"PodGroup g: why"});
  }
  SECTION("but not of a group that is gone") {
    bed.mirror.RemovePodGroup("ns/g");
    bed.executor.Advance(absl::Minutes(1));
    CHECK(bed.Told("TopologyIgnored").empty());
  }
  CHECK(bed.writer.idle());
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
