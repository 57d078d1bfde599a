#include "framework/nodes/static_fit.h"

#include <memory>
#include <vector>

#include "tests/framework/session_parts.h"
#include "tests/support/catch.h"
#include "tests/support/plugin_bed.h"

namespace bth::framework {
namespace {

TEST_CASE("static fits: those of constraints that are gone go with them", "[framework]") {
  SessionParts parts;
  test::RecordingSink sink;
  StaticFitCache fits;
  const model::ConstraintsId slot(0);
  const model::ConstraintsId lasting(1);
  model::Snapshot now = *test::MakeWorld("node n cpu=1; job a; task t job=a cpu=1").snapshot;
  now.constraints.Resize(2);
  now.constraints.Mutable(lasting) = std::make_shared<const model::PodConstraints>();
  for (uint64_t i = 0; i < 4 * StaticFitCache::kSweepEvery; ++i) {
    ++now.generation;
    now.constraints.Mutable(slot) = std::make_shared<const model::PodConstraints>();
    const Session session(parts.Context(std::make_shared<const model::Snapshot>(now), sink));
    fits.Get(session, slot);
    if (i == 0) fits.Get(session, lasting);
  }
  CHECK(fits.size() <= StaticFitCache::kSweepEvery + 2);
  const uint64_t asked = fits.evaluations();
  ++now.generation;
  const Session session(parts.Context(std::make_shared<const model::Snapshot>(now), sink));
  fits.Get(session, lasting);
  CHECK(fits.evaluations() == asked);  // What is still there was kept, though nobody asked.
}

}  // namespace
}  // namespace bth::framework
