// A scheduler that leads for long: what came and went leaves nothing behind in it.
#include "tests/support/long_life.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/strings.h"
#include "tests/scheduler/bed.h"
#include "tests/support/live_heap.h"

namespace bth::scheduler {
namespace {

using testing::Bed;

// What a round brings, by its number: jobs that run, that are too few, that fit nowhere, whose
// queue or class is not there, that are deleted while they wait, and pods without a job.
constexpr int kSorts = 8;

class Churn {
 public:
  explicit Churn(Bed& bed) : bed_(bed) {}

  // Everything it makes is gone afterwards.
  void Round(int number) {
    const std::string name = StrCat("a", number);
    switch (number % kSorts) {
      case 0:
        return Members(name, 1, 1, 1);
      case 1:
        return Members(name, 3, 3, 1);
      case 2:
        return Members(name, 3, 2, 1);
      case 3:
        return Members(name, 1, 1, 64);
      case 4:
        return Members(name, 2, 2, 3);  // One of them has room.
      case 5:
        Post(name, R"("minMember":1,"queue":"nowhere")");
        return Members(name, 0, 1, 1);
      case 6:
        Post(name, R"("minMember":1,"queue":"default","priorityClassName":"missing")");
        return Members(name, 0, 1, 1);
      default:
        bed_.Pod(StrCat(name, "-0"), "", 1);
        return End(name, 1);
    }
  }

 private:
  void Post(const std::string& name, const std::string& spec) {
    bed_.Create("/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups",
                StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup",)",
                       R"("metadata":{"name":")", name, R"("},"spec":{)", spec, "}}"));
  }
  // `min_member` 0: the group is there.
  void Members(const std::string& name, int min_member, int pods, int cpu) {
    if (min_member > 0) bed_.Group(name, min_member);
    for (int i = 0; i < pods; ++i) bed_.Pod(StrCat(name, "-", i), name, cpu);
    End(name, pods);
  }
  void End(const std::string& name, int pods) {
    bed_.executor.Advance(absl::Seconds(4));
    for (int i = 0; i < pods; ++i) {
      bed_.Call("DELETE",
                StrCat("/api/v1/namespaces/default/pods/", name, "-", i, "?gracePeriodSeconds=0"));
    }
    bed_.Call("DELETE", Bed::GroupPath(name));
    bed_.executor.Advance(absl::Seconds(1));
  }

  Bed& bed_;
};

// A scheduler with metrics of its own, which go with it.
class Counted {
 public:
  explicit Counted(Bed& bed) : bed_(bed) {
    SchedulerOptions options;
    options.check_invariants_every = 16;
    bed_.scheduler =
        std::make_unique<Scheduler>(SchedulerContext{bed_.executor, *bed_.api, bed_.registry,
                                                     bed_.runner, bed_.clock, &*metrics_},
                                    options);
    REQUIRE(bed_.scheduler->LoadPolicy().ToString() == "OK");
    bed_.scheduler->StartCache();
    bed_.scheduler->Lead();
    bed_.Settle();
  }
  // Ends it.
  test::LongLifeLeft End() {
    test::LongLifeLeft left{.series_bytes = series_->RenderText().size()};
    const size_t before = test::LiveHeapBytes().value_or(0);
    bed_.scheduler.reset();
    metrics_.reset();
    series_.reset();
    left.heap_bytes = before - test::LiveHeapBytes().value_or(0);
    return left;
  }

 private:
  Bed& bed_;
  std::optional<metrics::Registry> series_{std::in_place};
  std::optional<metrics::SchedulerMetrics> metrics_{std::in_place, *series_};
};

// After so many rounds, and as long as it takes to forget the last events.
test::LongLifeLeft AfterRounds(int rounds) {
  Bed bed;
  bed.Node("n1", 4);
  Counted counted(bed);
  Churn churn(bed);
  for (int i = 0; i < rounds; ++i) churn.Round(i);
  bed.executor.Advance(absl::Hours(3));
  // Events are forgotten when another one is sent.
  churn.Round(0);
  bed.executor.Advance(absl::Minutes(11));
  churn.Round(0);
  bed.Settle();
  REQUIRE(bed.scheduler->mirror().Check().ToString() == "OK");
  CHECK(bed.scheduler->mirror().table_sizes().pod_groups == 0);
  return counted.End();
}

TEST_CASE("long life: jobs that came and went leave nothing behind", "[scheduler]") {
  test::CheckLeavesNothing(kSorts, 400, 600, AfterRounds);
}

}  // namespace
}  // namespace bth::scheduler
