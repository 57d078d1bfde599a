#include "sim/world/draw_habits.h"

#include <utility>
#include <vector>

#include "base/strings.h"
#include "sim/world/deed_drawer.h"

namespace bth::sim {
namespace {

constexpr uint64_t kHabitNumbers = 0x4ab1'75'0f'a1'1;

class HabitDrawer final : DeedDrawer {
 public:
  explicit HabitDrawer(Story* story)
      : DeedDrawer(story->seed ^ kHabitNumbers, absl::Seconds(3)), story_(*story) {}

  void Draw() {
    const bool forbids = rng_.Chance(0.3);
    const bool labels = rng_.Chance(0.25);
    const bool replaces = rng_.Chance(0.25);
    DrawMore(&story_.rounds, [&] {
      if (forbids) DrawForbidden();
      if (labels) DrawLabels();
      if (replaces) DrawReplacements();
    });
  }

 private:
  // Somebody's admission that refuses some pods their nodes.
  void DrawForbidden() {
    for (int64_t n = rng_.Between(1, 2); n > 0; --n) {
      Deed& deed = Add(Moment(), Verb::kFront, "forbid");
      deed.lasts = absl::Minutes(rng_.Between(1, 40));
      deed.front.fault = Fault::kForbidden;
      deed.front.process = "scheduler";
      deed.front.rate = static_cast<double>(rng_.Between(50, 400)) / 1000;
      deed.front.seed = rng_.Next();
    }
    for (int64_t n = rng_.Between(1, 3); n > 0; --n) DrawLongJob();
  }

  // Its pods are at work for so long that it matters whether all of them are there.
  void DrawLongJob() {
    const int64_t pods = rng_.Between(2, 4);
    SendJob(Moment(), "long-job", "default", StrCat("long", made_++),
            StrCat(R"("minAvailable":)", pods, R"(,"tasks":[{"name":"t","replicas":)", pods,
                   R"(,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c",)",
                   R"("image":"i","command":["sh","-c","sleep )", rng_.Between(900, 1400),
                   R"("],"resources":{"requests":{"cpu":"1"}}}]}}}])"));
  }

  void DrawLabels() {
    for (int64_t n = rng_.Between(20, 120); n > 0; --n) {
      Pick(Moment(), "label-pod", "PATCH", "/api/v1/pods",
           StrCat(R"({"metadata":{"labels":{"seen":")", n, R"("}}})"));
    }
  }

  // Pods and jobs that go, and come again under their names in the next moment.
  void DrawReplacements() {
    std::vector<Deed> made;
    for (const Deed& deed : round_.deeds) {
      if (deed.meaning == "pod" || deed.meaning == "job") made.push_back(deed);
    }
    for (const Deed& deed : made) {
      const bool is_pod = deed.meaning == "pod";
      if (rng_.Chance(is_pod ? 0.4 : 0.2)) Replace(deed, is_pod);
    }
  }

  void Replace(const Deed& deed, bool is_pod) {
    const size_t at = deed.body.find(R"("name":")") + 8;
    const std::string name = deed.body.substr(at, deed.body.find('"', at) - at);
    const std::string how = is_pod             ? "gracePeriodSeconds=0"
                            : rng_.Chance(0.9) ? "propagationPolicy=Background"
                                               : "propagationPolicy=Orphan";
    const absl::Duration when = deed.at + absl::Milliseconds(rng_.Between(1, 20'000));
    Send(when, "replace", "DELETE", StrCat(deed.target, "/", name, "?", how));
    Send(when + absl::Milliseconds(rng_.Between(0, 50)), "again", "POST", deed.target, deed.body);
  }

  Story& story_;
  int made_ = 0;
};

}  // namespace

void DrawHabits(Story* story) {
  HabitDrawer(story).Draw();
}

}  // namespace bth::sim
