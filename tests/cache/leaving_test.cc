// Pods that are deleted and do not go.
#include "base/strings.h"
#include "cache/cluster/mirror.h"
#include "tests/cache/objects.h"
#include "tests/support/catch.h"

namespace bth::cache {
namespace {

using model::NodeId;
using model::TaskStatus;
using testing::PodText;

// Node n of 4 CPUs; pod "old" holds them. The clock starts at midnight.
struct LeavingBed {
  ManualClock clock{absl::FromUnixSeconds(1'767'225'600)};
  Mirror mirror{clock, {}};

  LeavingBed() {
    mirror.PutNode(testing::MakeNode("n", R"({"cpu":"4","pods":"10"})", symbols()));
    mirror.PutQueue(testing::MakeQueue("default"));
    mirror.PutPodGroup(testing::MakeGroup("g", 1));
  }
  Interner& symbols() { return mirror.vocabulary().symbols(); }
  // `ends` is when it is to be gone, "HH:MM:SS"; empty: it is not deleted.
  void PutOld(const std::string& ends, int grace_seconds = 0) {
    PodText text;
    text.name = "old";
    text.group = "";
    text.cpu = "4";
    text.spec = R"("nodeName":"n",)";
    text.status = R"("phase":"Running",)";
    if (!ends.empty()) {
      text.meta = StrCat(R"("deletionTimestamp":"2026-01-01T)", ends,
                         R"(Z","deletionGracePeriodSeconds":)", grace_seconds, ",");
    }
    mirror.PutPod(testing::MakePod(text, symbols()));
  }
  void PutWaiting() {
    PodText text;
    text.name = "new";
    mirror.PutPod(testing::MakePod(text, symbols()));
  }
  // "<status>: <idle> idle, <becoming free> leaving" in millis of CPU.
  std::string Room() {
    const auto snapshot = mirror.Publish();
    const NodeId node = (*snapshot->nodes_by_name)[0];
    std::string status = "gone";
    for (model::TaskId id : snapshot->tasks.ids()) {
      if (snapshot->tasks[id].names == nullptr || snapshot->tasks[id].names->name != "old")
        continue;
      status = std::string(model::StatusName(snapshot->usage.tasks[id].status));
    }
    return StrCat(status, ": ", snapshot->usage.idle[node][model::kCpu], " idle, ",
                  snapshot->usage.releasing[node][model::kCpu], " leaving");
  }
};

TEST_CASE("mirror: the room of a pod that does not go is waited for five minutes",
          "[cache][leaving]") {
  LeavingBed bed;
  bed.PutOld("");
  bed.PutWaiting();
  CHECK(bed.Room() == "Running: 0 idle, 0 leaving");
  bed.PutOld("00:01:00");
  CHECK(bed.Room() == "Releasing: 0 idle, 4000 leaving");
  CHECK(bed.mirror.UntilNextDeadline() == absl::Minutes(6));
  bed.clock.Advance(absl::Minutes(6) - absl::Seconds(1));
  CHECK(bed.Room() == "Releasing: 0 idle, 4000 leaving");
  bed.clock.Advance(absl::Seconds(1));
  CHECK(bed.Room() == "Unknown: 0 idle, 0 leaving");
  CHECK(bed.mirror.UntilNextDeadline() == absl::InfiniteDuration());
  // What is said of it later changes nothing.
  bed.PutOld("00:01:00");
  CHECK(bed.Room() == "Unknown: 0 idle, 0 leaving");
  bed.mirror.RemovePod("ns/old");
  CHECK(bed.Room() == "gone: 4000 idle, 0 leaving");
}

TEST_CASE("mirror: a deletion that is hurried is given up earlier", "[cache][leaving]") {
  LeavingBed bed;
  bed.PutWaiting();
  bed.PutOld("00:30:00");
  CHECK(bed.Room() == "Releasing: 0 idle, 4000 leaving");
  CHECK(bed.mirror.UntilNextDeadline() == absl::Minutes(35));
  bed.PutOld("00:00:00");
  CHECK(bed.mirror.UntilNextDeadline() == absl::Minutes(5));
  bed.clock.Advance(absl::Minutes(5));
  CHECK(bed.Room() == "Unknown: 0 idle, 0 leaving");
}

TEST_CASE("mirror: who is seen to begin to leave has its time by our own clock",
          "[cache][leaving]") {
  LeavingBed bed;
  bed.PutWaiting();
  bed.PutOld("");
  // The API server's clock is ten minutes behind.
  bed.clock.Advance(absl::Minutes(10));
  bed.PutOld("00:00:30", 30);
  CHECK(bed.Room() == "Releasing: 0 idle, 4000 leaving");
  const absl::Time given_up = bed.clock.Now() + absl::Seconds(30) + absl::Minutes(5);
  CHECK(bed.clock.Now() + bed.mirror.UntilNextDeadline() == given_up);
  // What is said of it later gives it no more time; who hurries it, less.
  bed.clock.Advance(absl::Minutes(1));
  bed.PutOld("00:00:30", 30);
  CHECK(bed.clock.Now() + bed.mirror.UntilNextDeadline() == given_up);
  bed.clock.Advance(-absl::Minutes(1));
  bed.PutOld("00:00:10", 10);
  CHECK(bed.clock.Now() + bed.mirror.UntilNextDeadline() == given_up - absl::Seconds(20));
  bed.clock.Advance(absl::Minutes(6));
  CHECK(bed.Room() == "Unknown: 0 idle, 0 leaving");
}

TEST_CASE("mirror: one that goes in time leaves no deadline", "[cache][leaving]") {
  LeavingBed bed;
  bed.PutWaiting();
  bed.PutOld("00:01:00");
  CHECK(bed.Room() == "Releasing: 0 idle, 4000 leaving");
  bed.mirror.RemovePod("ns/old");
  CHECK(bed.Room() == "gone: 4000 idle, 0 leaving");
  CHECK(bed.mirror.UntilNextDeadline() == absl::InfiniteDuration());
}

TEST_CASE("mirror: who is late already when it is first seen is not waited for",
          "[cache][leaving]") {
  LeavingBed bed;
  bed.PutWaiting();
  bed.clock.Advance(absl::Minutes(10));
  bed.PutOld("00:01:00");
  CHECK(bed.Room() == "Unknown: 0 idle, 0 leaving");
}

TEST_CASE("mirror: while no job waits, no cycle is due for a pod that does not go",
          "[cache][leaving]") {
  LeavingBed bed;
  bed.PutOld("00:01:00");
  bed.Room();
  bed.mirror.RemovePodGroup("ns/g");
  bed.Room();
  CHECK(bed.mirror.UntilNextDeadline() == absl::InfiniteDuration());
}

}  // namespace
}  // namespace bth::cache
