// What the log says about scheduling.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "tests/scheduler/bed.h"
#include "tests/support/captured_log.h"

namespace bth::scheduler::testing {
namespace {

std::vector<std::string> Of(const std::vector<std::string>& lines, const std::string& event) {
  std::vector<std::string> out;
  for (const std::string& line : lines) {
    if (absl::StartsWith(line, StrCat(event, " "))) out.push_back(line);
  }
  return out;
}

bool Has(const std::vector<std::string>& lines, const std::string& start) {
  return std::any_of(lines.begin(), lines.end(),
                     [&start](const std::string& line) { return absl::StartsWith(line, start); });
}

TEST_CASE("work log: cycles that bound something, one line a second", "[scheduler]") {
  test::CapturedLog log(LogLevel::kInfo);
  Bed bed;
  bed.Node("n1", 64);
  bed.Start();
  log.Take();
  for (int i = 0; i < 4; ++i) {
    bed.Group(StrCat("g", i), 1);
    bed.Pod(StrCat("p", i), StrCat("g", i), 1);
    bed.executor.Advance(absl::Milliseconds(200));
  }
  bed.Settle();
  const std::vector<std::string> acted = Of(log.Take(), "cycle.acted");
  REQUIRE(acted.size() == 2);
  CHECK(Has(acted, "cycle.acted cycles=1 bound=1 evicted=0 longest="));
  CHECK(Has(acted, "cycle.acted cycles=3 bound=3 evicted=0 longest="));
  bed.executor.Advance(absl::Minutes(1));
  CHECK(Of(log.Take(), "cycle.acted").empty());
}

TEST_CASE("work log: decisions on jobs, once each", "[scheduler]") {
  test::CapturedLog log(LogLevel::kDebug);
  Bed bed;
  bed.Node("n1", 4);
  bed.Start();
  log.Take();
  bed.Group("g", 2);
  bed.Pod("p", "g", 1);
  bed.Pod("q", "g", 1);
  bed.Group("large", 1);
  bed.Pod("l", "large", 9);
  bed.executor.Advance(absl::Minutes(1));
  const std::vector<std::string> lines = log.Take();
  CHECK(Has(lines, "job.admitted job=default/g queue=default"));
  CHECK(Has(lines, "job.placed job=default/g pods=2 action=allocate"));
  const std::vector<std::string> refused = Of(lines, "job.refused");
  REQUIRE(refused.size() == 1);
  CHECK(absl::StartsWith(refused[0], "job.refused job=default/large why=\""));
  CHECK(absl::StrContains(refused[0], "1 Insufficient cpu"));
}

TEST_CASE("work log: a burst leaves lines out and says how many", "[scheduler]") {
  constexpr int kJobs = 300;
  test::CapturedLog log(LogLevel::kDebug);
  Bed bed;
  for (int i = 0; i < 4; ++i) bed.Node(StrCat("n", i), 100);
  bed.Start();
  log.Take();
  for (int i = 0; i < kJobs; ++i) {
    bed.Pod(StrCat("p", i), StrCat("g", i), 1);
    bed.Group(StrCat("g", i), 1);
  }
  bed.executor.Advance(absl::Seconds(2));
  bed.Pod("last", "last", 1);
  bed.Group("last", 1);
  bed.Settle();
  const std::vector<std::string> lines = log.Take();
  CHECK(Of(lines, "job.placed").size() < kJobs);
  CHECK(Has(lines, "decisions.left_out lines="));
  CHECK(Has(lines, "job.placed job=default/last pods=1"));
}

}  // namespace
}  // namespace bth::scheduler::testing
