// Controllers that act for long: what came and went leaves nothing behind in them.
#include "tests/support/long_life.h"

#include <memory>
#include <string>
#include <vector>

#include "base/strings.h"
#include "controllers/manager/builtin.h"
#include "tests/controllers/job/job_bed.h"
#include "tests/support/live_heap.h"

namespace bth::test {
namespace {

// What becomes of the job of a round, by its number: it completes, fails, is restarted until it may
// no more, is aborted, goes by itself after its end, is deleted while it waits, and while it runs.
constexpr int kSorts = 7;

class LongLife : public JobBed {
 public:
  void StartAll() {
    std::vector<Make> makers;
    for (const controllers::BuiltinController& builtin : controllers::BuiltinControllers()) {
      makers.emplace_back([builtin](const controllers::ControllerContext& context) {
        return builtin.make(context, controllers::ControllerTools());
      });
    }
    Start(makers);
  }
  // Everything it makes is gone afterwards.
  void Round(int number) {
    const std::string name = StrCat("a", number);
    switch (number % kSorts) {
      case 0:
        RunJob(name, 2, TaskText("t", 2));
        SetPods("Succeeded");
        break;
      case 1:
        RunJob(name, 1, TaskText("t", 1));
        SetPods("Failed");
        break;
      case 2:
        RunJob(name, 1, TaskText("t", 1),
               R"("maxRetry":2,"policies":[{"event":"PodFailed","action":"RestartJob"}])");
        for (int i = 0; i < 3; ++i) {
          SetPods("Failed");
          FinishDeletions();
          if (Call("GET", StrCat(kGroups, "/", GroupOf(name))).code == 200)
            SetGroup(name, "Inqueue");
        }
        break;
      case 3:
        RunJob(name, 1, TaskText("t", 1));
        Command(name, name, "AbortJob");
        FinishDeletions();
        break;
      case 4:
        RunJob(name, 1, TaskText("t", 1), R"("ttlSecondsAfterFinished":1)");
        SetPods("Succeeded");
        Wait(absl::Seconds(3));
        break;
      case 5:
        CreateJob(name, 1, TaskText("t", 1));
        break;
      default:
        RunJob(name, 1, TaskText("t", 1));
        break;
    }
    End(name);
  }
  size_t SeriesBytes() const { return metric_registry.RenderText().size(); }

 private:
  void End(const std::string& name) {
    Call("DELETE", StrCat(kJobs, "/", name));
    Wait(absl::Seconds(2));
    FinishDeletions();
    for (const std::string& pod : Pods()) Call("DELETE", PodPath(pod) + "?gracePeriodSeconds=0");
    for (const std::string& group : Names(kGroups)) Call("DELETE", StrCat(kGroups, "/", group));
    Wait(absl::Seconds(1));
  }
};

// After so many rounds, and as long as it takes to forget the last events.
LongLifeLeft AfterRounds(int rounds) {
  LongLife bed;
  bed.StartAll();
  for (int i = 0; i < rounds; ++i) bed.Round(i);
  CHECK(bed.Names(LongLife::kJobs).empty());
  CHECK(bed.Pods().empty());
  bed.Wait(absl::Hours(3));
  // Events are forgotten when another one is sent.
  bed.Round(0);
  bed.Wait(absl::Minutes(11));
  bed.Round(0);
  bed.Wait(absl::Minutes(1));
  LongLifeLeft left{.series_bytes = bed.SeriesBytes()};
  const size_t before = LiveHeapBytes().value_or(0);
  bed.Kill();
  left.heap_bytes = before - LiveHeapBytes().value_or(0);
  return left;
}

TEST_CASE("long life: batch jobs that came and went leave nothing behind", "[controllers]") {
  CheckLeavesNothing(kSorts, 200, 400, AfterRounds);
}

}  // namespace
}  // namespace bth::test
