#include "cmd/common/kept_controllers.h"

#include <stdexcept>

#include "metrics/controller_metrics.h"
#include "tests/support/api_bed.h"

namespace bth::cmd {
namespace {

struct KeptBed : test::ApiBed {
  metrics::Registry registry;
  metrics::ControllerMetrics metrics{registry};
  Rng rng{1};
  std::vector<absl::Duration> made;
  std::unique_ptr<KeptControllers> kept = std::make_unique<KeptControllers>(executor, [this] {
    made.push_back(executor.Monotonic());
    return std::make_unique<controllers::ControllerSet>(
        *api, metrics, rng, controllers::ManagerOptions(), controllers::ControllerTools());
  });

  ~KeptBed() { kept.reset(); }
  void Throw() {
    ++escapes_expected;
    executor.Post([] { throw std::out_of_range("halfway"); });
    executor.RunUntilIdle();
  }
};

TEST_CASE("kept controllers: a set whose state is in doubt is followed by a new one", "[cmd]") {
  KeptBed bed;
  bed.kept->Start();
  bed.Settle();
  REQUIRE(bed.kept->set()->running());
  const absl::Duration begun = bed.executor.Monotonic();
  bed.Throw();
  CHECK(bed.kept->set() == nullptr);
  bed.executor.Advance(absl::Seconds(1));
  REQUIRE(bed.made.size() == 2);
  CHECK(bed.made[1] - begun == absl::Seconds(1));
  bed.Throw();  // Again so soon: the pause doubles.
  bed.Settle();
  REQUIRE(bed.made.size() == 3);
  CHECK(bed.made[2] - bed.made[1] == absl::Seconds(2));
  REQUIRE(bed.kept->set() != nullptr);
  CHECK(bed.kept->set()->running());
}

TEST_CASE("kept controllers: nothing is made before the start", "[cmd]") {
  KeptBed bed;
  bed.Throw();
  bed.Settle();
  CHECK(bed.made.empty());
  CHECK(bed.kept->set() == nullptr);
}

}  // namespace
}  // namespace bth::cmd
