// What is told on objects, without a scheduler around it.
#include "scheduler/object_notices.h"

#include "base/strings.h"
#include "metrics/registry.h"
#include "tests/scheduler/bed.h"

namespace bth::scheduler {
namespace {

using client::EventObject;

struct NoticeBed {
  // How many events `Tell` recorded; `may`: for whom it may.
  uint64_t Tell(const std::function<bool(const EventObject&)>& may = [](const auto&) {
    return true;
  }) {
    const uint64_t before = events.counters().recorded;
    notices.Tell(events, may);
    return events.counters().recorded - before;
  }

  test::ApiBed api;
  Rng rng{1};
  metrics::Registry registry;
  metrics::SchedulerMetrics metrics{registry};
  client::EventRecorder events{*api.api, rng, {}};
  ObjectNotices notices{&metrics};
};

EventObject Object(const std::string& name, const std::string& uid = "u") {
  return {.kind = "PodGroup", .namespace_name = "ns", .name = name, .uid = uid};
}

TEST_CASE("object notices: told once, again when they change or come again", "[scheduler]") {
  NoticeBed bed;
  bed.notices.Put(Object("a"), "R", "one");
  CHECK(bed.Tell() == 1);
  bed.notices.Put(Object("a"), "R", "one");
  CHECK(bed.Tell() == 0);
  bed.notices.Put(Object("a"), "R", "other");
  bed.notices.Put(Object("a"), "S", "one");
  CHECK(bed.Tell() == 2);
  bed.notices.Put(Object("a", "another"), "R", "other");
  CHECK(bed.Tell() == 1);
  bed.notices.Mended(Object("a"), "R");
  bed.notices.Put(Object("a"), "R", "other");
  CHECK(bed.Tell() == 1);
}

TEST_CASE("object notices: what is mended or gone before it is told is not told", "[scheduler]") {
  NoticeBed bed;
  for (const char* name : {"a", "b", "bb"}) {
    bed.notices.Put(Object(name), "R", "x");
    bed.notices.Put(Object(name), "S", "x");
  }
  bed.notices.Mended(Object("a"), "R");
  bed.notices.Gone(Object("b"));
  CHECK(bed.Tell() == 3);
  bed.notices.Gone(Object("a"));
  bed.notices.Gone(Object("bb"));
  CHECK(bed.notices.empty());
  CHECK_FALSE(bed.notices.waiting());
}

TEST_CASE("object notices: who may not tell keeps them until it may", "[scheduler]") {
  NoticeBed bed;
  bed.notices.Put(Object("mine"), "R", "x");
  bed.notices.Put(Object("theirs"), "R", "x");
  CHECK(bed.Tell([](const EventObject& object) { return object.name == "mine"; }) == 1);
  CHECK(bed.notices.waiting());
  CHECK(bed.Tell() == 1);
  CHECK_FALSE(bed.notices.waiting());
}

TEST_CASE("object notices: there is a limit, which is counted", "[scheduler]") {
  NoticeBed bed;
  for (size_t i = 0; i <= ObjectNotices::kNoticesMax; ++i) {
    bed.notices.Put(Object(StrCat("g", i)), "R", "x");
  }
  CHECK(absl::StrContains(bed.registry.RenderText(), "limit=\"object_notices\"} 1"));
  CHECK(bed.Tell() == ObjectNotices::kNoticesMax);
}

}  // namespace
}  // namespace bth::scheduler
