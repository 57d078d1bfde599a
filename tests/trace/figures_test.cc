#include "sim/trace/figures.h"

#include <sstream>
#include <vector>

#include "sim/trace/read_trace.h"
#include "sim/trace/report.h"
#include "tests/support/catch.h"

namespace bth::trace {
namespace {

model::ResourceVec Cpus(int64_t milli) {
  model::ResourceVec out;
  out[model::kCpu] = milli;
  return out;
}

TEST_CASE("spread: nearest ranks by hand", "[trace]") {
  const Spread none = SpreadOf({});
  CHECK(none.count == 0);
  CHECK(none.max == 0);
  const Spread one = SpreadOf({7});
  CHECK(one.mean == 7);
  CHECK(one.median == 7);
  CHECK(one.p99 == 7);
  // 1 to 10: half are at most 5, nine in ten at most 9, and 99 in a hundred only with the last.
  const Spread ten = SpreadOf({10, 9, 8, 7, 6, 5, 4, 3, 2, 1});
  CHECK(ten.count == 10);
  CHECK(ten.mean == 5.5);
  CHECK(ten.median == 5);
  CHECK(ten.p90 == 9);
  CHECK(ten.p99 == 10);
  CHECK(ten.max == 10);
  std::vector<double> many;
  for (int i = 1; i <= 200; ++i) many.push_back(i);
  CHECK(SpreadOf(many).p99 == 198);
}

TEST_CASE("bounded slowdown: short jobs count as ten seconds", "[trace]") {
  CHECK(BoundedSlowdown(100, 100) == 1);
  CHECK(BoundedSlowdown(300, 100) == 3);
  CHECK(BoundedSlowdown(50, 1) == 5);  // Not 50.
  CHECK(BoundedSlowdown(2, 1) == 1);
  CHECK(BoundedSlowdown(0, 0) == 1);
}

TEST_CASE("Jain's index by hand", "[trace]") {
  CHECK(JainIndex({}) == 1);
  CHECK(JainIndex({0, 0}) == 1);
  CHECK(JainIndex({2, 2, 2}) == 1);
  CHECK(JainIndex({1, 0, 0, 0}) == 0.25);
  CHECK(JainIndex({1, 2}) == 0.9);
}

TEST_CASE("use over time: what is held and deserved adds up exactly", "[trace]") {
  // Four CPUs; queue 0 has weight 3, queue 1 weight 1.
  UseOverTime use(Cpus(4000), {{.weight = 3}, {.weight = 1}});
  use.Submit(0, 0, Cpus(1000), 4);
  for (int i = 0; i < 4; ++i) use.Bind(0, 0, Cpus(1000));
  use.Start(0, 0);
  use.Submit(10'000, 1, Cpus(1000), 2);  // Waits until 30 s.
  CHECK(use.queues()[1].waiting == 1);
  CHECK(use.bound() == 4);
  for (int i = 0; i < 4; ++i) {
    use.Release(30'000, 0, Cpus(1000));
    use.Withdraw(30'000, 0, Cpus(1000), 1);
  }
  for (int i = 0; i < 2; ++i) use.Bind(30'000, 1, Cpus(1000));
  use.Start(30'000, 1);
  use.End(40'000);
  CHECK(use.queues()[0].used[model::kCpu] == int64_t{4000} * 30'000);
  CHECK(use.queues()[1].used[model::kCpu] == int64_t{2000} * 10'000);
  // Alone, the first deserves all it asks for; beside the second, which asks for two, three: and
  // the second one, then two.
  CHECK(use.queues()[0].deserved[model::kCpu] == int64_t{4000} * 10'000 + int64_t{3000} * 20'000);
  CHECK(use.queues()[1].deserved[model::kCpu] == int64_t{1000} * 20'000 + int64_t{2000} * 10'000);
  REQUIRE(use.bins().size() == 40);
  CHECK(use.bin_ms() == 1000);
  CHECK(use.bins()[29].used[model::kCpu] == int64_t{4000} * 1000);
  CHECK(use.bins()[30].used[model::kCpu] == int64_t{2000} * 1000);
  CHECK(use.bins()[9].waiting_ms[1] == 0);
  CHECK(use.bins()[10].waiting_ms[1] == 1000);
}

TEST_CASE("use over time: bins grow wider, and lose nothing", "[trace]") {
  UseOverTime use(Cpus(1000), std::vector<algo::QueueClaim>(1));
  use.Submit(0, 0, Cpus(1000), 1);
  use.Bind(500, 0, Cpus(1000));
  use.Release(3'600'500, 0, Cpus(1000));
  use.End(7'200'000);
  CHECK(use.bins().size() <= UseOverTime::kBinsMax);
  CHECK(use.bin_ms() == 8000);
  __int128 sum = 0;
  int64_t waited = 0;
  for (const UseOverTime::Bin& bin : use.bins()) {
    sum += bin.used[model::kCpu];
    waited += bin.waiting_ms[0];
  }
  CHECK(sum == __int128{1000} * 3'600'000);
  CHECK(UsedInAll(use.queues())[model::kCpu] == sum);
  CHECK(waited == 7'200'000);
}

TEST_CASE("figures: queues, users and priorities by hand", "[trace]") {
  std::istringstream in(
      "submit,duration,tasks,cpu,queue,user,priority\n"
      "0,100,2,1,blue,ann,\n"
      "0,50,1,1,red,ben,9\n"
      "10,20,1,1,red,ann,\n"
      "20,20,9,1,red,ann,\n");
  const auto trace = ReadCsv(in, {});
  REQUIRE(trace.ok());
  ClusterParts parts;
  parts.capacity = Cpus(4000);
  parts.claims.resize(2);
  const auto done = [](int64_t submitted, int64_t started, int64_t ended) {
    JobCourse course;
    course.submitted_ms = submitted * 1000;
    course.started_ms = started * 1000;
    course.ended_ms = ended * 1000;
    course.end = JobCourse::End::kDone;
    return course;
  };
  UseOverTime use(parts.capacity, parts.claims);
  Replay replay{"p", {done(0, 0, 100), done(0, 10, 60), done(10, 40, 60), {}}, use, {}, {}};
  replay.courses[1].evictions = 1;
  replay.courses[1].lost_ms = 5000;
  replay.courses[3].submitted_ms = 20'000;
  const Figures figures = FiguresOf(*trace, parts, replay);
  CHECK(figures.makespan_s == 100);
  CHECK(figures.all.jobs == 4);
  CHECK(figures.all.done == 3);
  CHECK(figures.all.never_started == 1);
  CHECK(figures.all.wait_s.count == 3);
  CHECK(figures.all.wait_s.median == 10);
  CHECK(figures.all.wait_s.max == 30);
  // 100/100, 60/50 and 50/20.
  CHECK(figures.all.slowdown.max == 2.5);
  CHECK(figures.all.slowdown.median == 1.2);
  CHECK(figures.all.evictions == 1);
  CHECK(UnitSeconds(trace->dims, model::kCpu, figures.all.lost[model::kCpu]) == 5);
  REQUIRE(figures.queues.size() == 2);
  CHECK(figures.queues[0].group.name == "blue");
  CHECK(figures.queues[1].group.jobs == 3);
  REQUIRE(figures.users.size() == 2);
  CHECK(figures.users[0].name == "ann");  // Has more jobs.
  CHECK(figures.users[0].jobs == 3);
  REQUIRE(figures.priorities.size() == 2);
  CHECK(figures.priorities[1].name == "9");
}

TEST_CASE("durations for people", "[trace]") {
  CHECK(DurationText(0) == "0.0s");
  CHECK(DurationText(9.94) == "9.9s");
  CHECK(DurationText(59) == "59s");
  CHECK(DurationText(125) == "2m05s");
  CHECK(DurationText(7260) == "2h01m");
  CHECK(DurationText(30 * 86'400 + 7200) == "30d02h");
}

}  // namespace
}  // namespace bth::trace
