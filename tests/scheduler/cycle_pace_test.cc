#include "scheduler/cycle_pace.h"

#include "tests/support/catch.h"

namespace bth::scheduler {
namespace {

using absl::Milliseconds;

TEST_CASE("cycle pace: after a rest a change starts a cycle at once", "[scheduler]") {
  CyclePace pace({});
  const absl::Duration start = absl::Seconds(5);
  CHECK(pace.NextStart(start) == start);
  pace.Ended(start, Milliseconds(1));
  // Close to another cycle it waits for its neighbours.
  CHECK(pace.NextStart(start) == start + Milliseconds(1));
  const absl::Duration later = start + Milliseconds(9);
  CHECK(pace.NextStart(later) == later);
}

TEST_CASE("cycle pace: short cycles in a row do not wait for each other", "[scheduler]") {
  CyclePace pace({});
  absl::Duration now = absl::Seconds(5);
  for (int i = 0; i < 4; ++i) {
    pace.Ended(now, Milliseconds(1));
    CHECK(pace.NextStart(now) == now + Milliseconds(1));
    now += Milliseconds(1);
  }
}

TEST_CASE("cycle pace: under a storm cycles take one part in nine", "[scheduler]") {
  CyclePace pace({});
  absl::Duration now = absl::Seconds(5);
  absl::Duration busy;
  const absl::Duration end = now + absl::Seconds(60);
  while (now < end) {
    now = pace.NextStart(now) + Milliseconds(3);
    pace.Ended(now, Milliseconds(3));
    busy += Milliseconds(3);
  }
  CHECK(busy > Milliseconds(6500));
  CHECK(busy < Milliseconds(6800));
}

TEST_CASE("cycle pace: a long cycle is not paid for longer than the limit", "[scheduler]") {
  CyclePace pace({});
  const absl::Duration now = absl::Seconds(5);
  pace.Ended(now, absl::Seconds(3));
  CHECK(pace.NextStart(now) == now + Milliseconds(200));
  CHECK(pace.paid_at() == now + Milliseconds(200));
}

}  // namespace
}  // namespace bth::scheduler
