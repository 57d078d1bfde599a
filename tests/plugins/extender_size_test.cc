// Questions that are too large to be sent are refused alone: the line stays open for all others.
#include <algorithm>

#include "base/strings.h"
#include "tests/plugins/extender_bed.h"
#include "tests/support/captured_log.h"

namespace bth::test {
namespace {

using NodeByTask = std::map<std::string, std::string>;

constexpr char kTooLarge[] = "has more than 67108864 bytes, and no more are sent";
absl::Status NotSent() {
  return absl::OutOfRangeError(kTooLarge);
}

constexpr char kWorld[] =
    "node n1 cpu=8; queue root; queue q\n"
    "job a queue=q phase=pending minres.cpu=1 tasks=1 cpu=1\n"
    "job b queue=q phase=pending minres.cpu=1 tasks=1 cpu=1";

// Nothing about job a can be sent.
void RefuseLargeJob(FakeExtender& fake) {
  const auto of_large = [&fake] { return StrContains(fake.asked.back(), " a"); };
  fake.filter = [](const std::string& task, const std::string&) {
    return task == "a-0" ? absl::StatusOr<FakeExtender::FilterAnswer>(NotSent())
                         : FakeExtender::FilterAnswer();
  };
  fake.score = [of_large](const std::string&) {
    return of_large() ? absl::StatusOr<double>(NotSent()) : 1.0;
  };
  fake.vote = [of_large](const std::string&) {
    return of_large() ? absl::StatusOr<int64_t>(NotSent()) : 1;
  };
  fake.ready = [of_large](const std::string&) {
    return of_large() ? absl::StatusOr<bool>(NotSent()) : true;
  };
  fake.placed = [of_large](const std::string&) {
    return of_large() ? NotSent() : absl::OkStatus();
  };
}

// What people read of why job a waits.
std::string WhyHeld(ExtenderBed& bed, const World& world) {
  const framework::JobFit* hold = bed.session().notes().HoldOf(world.job("a"));
  std::string out = hold == nullptr ? "" : hold->message;
  for (const auto& [text, count] : bed.Reasons(world, "a-0")) StrAppend(&out, text);
  return out;
}

TEST_CASE("extender: what is too large to be asked waits alone, and says so",
          "[plugins][extender]") {
  const std::string verb = GENERATE(values<std::string>(
      {"predicateVerb: predicate", "prioritizeVerb: prioritize", "jobEnqueueableVerb: vote",
       "jobReadyVerb: ready", "allocateFuncVerb: allocate"}));
  CAPTURE(verb);
  ExtenderBed bed("enqueue,allocate", "gang;extender", StrCat("extender.", verb));
  RefuseLargeJob(bed.extender);
  const World world = MakeWorld(kWorld);
  size_t asked = 0;
  // No pause follows: the next cycle asks again at once.
  for (int cycle = 0; cycle < 2; ++cycle) {
    CAPTURE(cycle);
    CHECK(bed.Binds(world) == NodeByTask{{"b-0", "n1"}});
    CHECK(bed.extender.asked.size() > asked);
    asked = bed.extender.asked.size();
    const std::string why = WhyHeld(bed, world);
    CAPTURE(why);
    CHECK(StrContains(why, kTooLarge));
    const std::string told = bed.Notices();
    CAPTURE(told);
    CHECK(StrContains(told, "root ExtenderFailed: the extender at http://localhost:8713 was not "));
    CHECK(StrContains(told, kTooLarge));
  }
  const std::string series = R"(batholith_limit_reached_total{limit="extender_call"} )";
  CHECK(StrContains(bed.Metrics(), series));
  CHECK_FALSE(StrContains(bed.Metrics(), series + "0"));
}

TEST_CASE("extender: an ignorable one has no say in what is too large to be asked",
          "[plugins][extender]") {
  const std::string verb = GENERATE(values<std::string>(
      {"predicateVerb: predicate", "prioritizeVerb: prioritize", "jobEnqueueableVerb: vote",
       "jobReadyVerb: ready", "allocateFuncVerb: allocate"}));
  CAPTURE(verb);
  ExtenderBed bed("enqueue,allocate", "gang;extender",
                  StrCat("extender.ignorable: true\nextender.", verb));
  RefuseLargeJob(bed.extender);
  const World world = MakeWorld(kWorld);
  CHECK(bed.Binds(world) == NodeByTask{{"a-0", "n1"}, {"b-0", "n1"}});
  CHECK(bed.extender.Count("predicate b") + bed.extender.Count("prioritize b") +
            bed.extender.Count("vote b") + bed.extender.Count("ready b") +
            bed.extender.Count("placed b") >
        0);
}

TEST_CASE("extender: whether a job is ready that is too large is asked once in a cycle",
          "[plugins][extender]") {
  ExtenderBed bed("allocate", "gang;extender", "extender.jobReadyVerb: ready");
  bed.extender.ready = [](const std::string&) { return absl::StatusOr<bool>(NotSent()); };
  CHECK(bed.Binds(MakeWorld("node n1 cpu=8; job a tasks=6 min=1 cpu=1")).empty());
  CHECK(bed.extender.Count("ready a") == 1);
}

TEST_CASE("extender: a session that is too large to be told does not keep it from being asked",
          "[plugins][extender]") {
  ExtenderBed bed("enqueue,allocate", "gang;extender",
                  "extender.onSessionOpenVerb: open\nextender.predicateVerb: predicate");
  bed.extender.session = NotSent();
  CHECK(bed.Binds(MakeWorld(kWorld)).size() == 2);
  CHECK(bed.extender.Count("open") == 1);
  CHECK(bed.extender.Count("predicate") == 2);
  CHECK(StrContains(bed.Notices(), kTooLarge));
  bed.extender.session = absl::OkStatus();
  CHECK(bed.Binds(MakeWorld(kWorld)).size() == 2);
  CHECK(bed.Notices().empty());
}

TEST_CASE("extender: a failure is told before what was too large", "[plugins][extender]") {
  ExtenderBed bed("allocate", "gang;extender", "extender.predicateVerb: predicate");
  bed.extender.filter = [](const std::string& task, const std::string&) {
    return absl::StatusOr<FakeExtender::FilterAnswer>(
        task == "a-0" ? NotSent() : absl::UnavailableError("connection refused"));
  };
  const World world = MakeWorld(
      "node n1 cpu=8; queue root; queue q; job a queue=q tasks=1 cpu=1; job b queue=q tasks=1 "
      "cpu=1; job c queue=q tasks=1 cpu=1");
  CHECK(bed.Binds(world).empty());
  CHECK(bed.extender.asked.size() == 2);  // Silence closes the line, as ever.
  CHECK(StrContains(bed.Notices(), "connection refused"));
}

TEST_CASE("extender: one text stands for all that is too large while there is any",
          "[plugins][extender]") {
  ExtenderBed bed("enqueue,allocate", "gang;extender", "extender.predicateVerb: predicate");
  std::vector<std::string> large;
  bed.extender.filter = [&large](const std::string& task, const std::string&) {
    const bool is_large = std::find(large.begin(), large.end(), task) != large.end();
    return is_large ? absl::StatusOr<FakeExtender::FilterAnswer>(
                          absl::OutOfRangeError(StrCat("the request about ", task, " ", kTooLarge)))
                    : FakeExtender::FilterAnswer();
  };
  const World world = MakeWorld(kWorld);
  struct Cycle {
    std::vector<std::string> large;
    std::string told;  // Of; empty: nothing.
    size_t lines;
  };
  const Cycle cycles[] = {{{"a-0", "b-0"}, "a-0", 1}, {{"b-0"}, "a-0", 0},
                          {{"a-0"}, "a-0", 0},        {{}, "", 0},
                          {{"b-0"}, "b-0", 1},        {{"a-0"}, "b-0", 0}};
  for (const Cycle& cycle : cycles) {
    CAPTURE(&cycle - cycles);
    large = cycle.large;
    CapturedLog log(LogLevel::kWarning);
    REQUIRE(bed.Run(world).ok());
    size_t lines = 0;
    for (const std::string& line : log.Take()) lines += StrContains(line, "extender.not_sent");
    CHECK(lines == cycle.lines);
    CHECK(StrContains(bed.Notices(), StrCat("the request about ", cycle.told, " ")) ==
          !cycle.told.empty());
    CHECK(bed.Notices().empty() == cycle.told.empty());
  }
}

TEST_CASE("extender: time for what is not sent is not blamed on the extender",
          "[plugins][extender]") {
  ExtenderBed bed("enqueue,allocate", "gang;extender", "extender.predicateVerb: predicate");
  RefuseLargeJob(bed.extender);
  bed.extender.takes = absl::Seconds(3);
  // Three seconds for each are no more than five for either.
  CHECK(bed.Binds(MakeWorld(kWorld)) == NodeByTask{{"b-0", "n1"}});
  CHECK(StrContains(bed.Notices(), kTooLarge));
  bed.extender.takes = absl::Seconds(6);
  bed.extender.filter = [](const std::string&, const std::string&) {
    return absl::StatusOr<FakeExtender::FilterAnswer>(NotSent());
  };
  CHECK(bed.Binds(MakeWorld(kWorld)).empty());
  const std::string told = bed.Notices();
  CAPTURE(told);
  CHECK(StrContains(told, "is not asked for now"));
  CHECK(StrContains(told, "to write requests that are too large to be sent took more than 5s"));
  CHECK_FALSE(StrContains(told, "httpTimeout"));
}

}  // namespace
}  // namespace bth::test
