// What the mirror keeps of each pod, in bytes of heap: for a cluster of many running pods that is
// most of what the scheduler holds.
#include <optional>
#include <string>

#include "absl/strings/str_format.h"
#include "base/strings.h"
#include "cache/cluster/mirror.h"
#include "tests/cache/objects.h"
#include "tests/support/catch.h"
#include "tests/support/live_heap.h"

namespace bth::cache {
namespace {

using testing::MakeGroup;
using testing::MakeNode;
using testing::MakePod;
using testing::MakeQueue;
using testing::PodText;

constexpr int kPods = 50'000;
constexpr int kGang = 10;
constexpr int kNodes = 500;

// Names, UIDs and labels as long as they are in real clusters.
PodText RunningPod(int i) {
  PodText text{.name = absl::StrFormat("train-%05d-worker-%d", i / kGang, i % kGang),
               .group = absl::StrFormat("train-%05d-1b9d6bcd-bbfd-4b2d", i / kGang)};
  text.meta =
      StrCat(R"("labels":{"volcano.sh/job-name":"train-)", i / kGang,
             R"(","volcano.sh/task-spec":"worker","volcano.sh/task-index":")", i % kGang, R"("},)");
  text.annotations = R"("volcano.sh/task-spec":"worker",)";
  text.spec = absl::StrFormat(R"("nodeName":"node-%05d",)", i % kNodes);
  text.status = R"("phase":"Running","startTime":"2026-01-01T00:00:01Z",)";
  return text;
}

struct MemoryBed {
  ManualClock clock{absl::FromUnixSeconds(1'767'225'600)};
  Mirror mirror{clock, {}};

  MemoryBed() {
    mirror.PutQueue(MakeQueue("default"));
    for (int i = 0; i < kNodes; ++i) {
      mirror.PutNode(MakeNode(absl::StrFormat("node-%05d", i), R"({"cpu":"9","pods":"999"})",
                              mirror.vocabulary().symbols()));
    }
    mirror.Publish();
  }
  void PutGroups() {
    for (int i = 0; i < kPods / kGang; ++i) {
      mirror.PutPodGroup(MakeGroup(absl::StrFormat("train-%05d-1b9d6bcd-bbfd-4b2d", i), kGang, "",
                                   R"({"phase":"Running","running":10})"));
    }
    mirror.Publish();
  }
  void PutPods() {
    for (int i = 0; i < kPods; ++i) {
      CompiledPod pod = MakePod(RunningPod(i), mirror.vocabulary().symbols());
      pod.names.uid = absl::StrFormat("%08x-bbfd-4b2d-9b5d-ab8dfbbd4bed", i);
      mirror.PutPod(std::move(pod));
    }
    mirror.Publish();
  }
};

TEST_CASE("pod memory: a running pod of a gang of ten costs at most 640 bytes of heap",
          "[cache][memory]") {
  MemoryBed bed;
  bed.PutGroups();
  const std::optional<size_t> before = test::LiveHeapBytes();
  if (!before) return;
  bed.PutPods();
  const double per_pod = static_cast<double>(*test::LiveHeapBytes() - *before) / kPods;
  CHECK(per_pod <= 640);
  CHECK(per_pod >= 200);  // Else it measures something else.
}

TEST_CASE("pod memory: a group that runs costs at most 2950 bytes of heap", "[cache][memory]") {
  MemoryBed bed;
  const std::optional<size_t> before = test::LiveHeapBytes();
  if (!before) return;
  bed.PutGroups();
  const double per_group = static_cast<double>(*test::LiveHeapBytes() - *before) / (kPods / kGang);
  CHECK(per_group <= 2950);
}

TEST_CASE("pod memory: pods that are gone give it back", "[cache][memory]") {
  MemoryBed bed;
  const std::optional<size_t> before = test::LiveHeapBytes();
  if (!before) return;
  const auto put_and_remove = [&bed] {
    bed.PutPods();
    for (int i = 0; i < kPods; ++i) bed.mirror.RemovePod(StrCat("ns/", RunningPod(i).name));
    bed.mirror.Publish();
    bed.mirror.Publish();
  };
  put_and_remove();
  const size_t once = *test::LiveHeapBytes();
  CHECK(once <= *before + kPods * 480);  // Columns keep their length.
  put_and_remove();
  const size_t twice = *test::LiveHeapBytes();
  CHECK(bed.mirror.pods() == 0);
  CHECK(twice <= once + kPods / 10);
}

}  // namespace
}  // namespace bth::cache
