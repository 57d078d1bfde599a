#include "sim/world/draw_peers.h"

#include <array>
#include <string>
#include <utility>

#include "base/strings.h"
#include "sim/world/deed_drawer.h"

namespace bth::sim {
namespace {

constexpr uint64_t kPeerNumbers = 0xa1'0f'7e'e5;
// When most nodes have come, and before anybody looks for a place.
constexpr absl::Duration kPooled = absl::Milliseconds(1500);

class PeerDrawer final : DeedDrawer {
 public:
  explicit PeerDrawer(Story* story)
      : DeedDrawer(story->seed ^ kPeerNumbers, absl::Seconds(3)), story_(*story) {}

  void Draw() {
    if (!rng_.Chance(0.25)) return;
    DrawMore(&story_.rounds, [&] {
      for (int node = 0; node < 6; ++node) PutIntoPool(kPooled, node);
      for (int64_t n = rng_.Between(0, 3); n > 0; --n) {
        PutIntoPool(Moment(), static_cast<int>(rng_.Below(6)));
      }
      for (int64_t n = rng_.Between(1, 8); n > 0; --n) DrawMixed();
      for (int64_t n = rng_.Between(1, 8); n > 0; --n) DrawShy();
    });
  }

 private:
  void PutIntoPool(absl::Duration at, int node) {
    Send(at, "pool", "PATCH", StrCat("/api/v1/nodes/n", node),
         StrCat(R"({"metadata":{"labels":{"pool":")", rng_.Chance(0.6) ? "a" : "b", R"("}}})"));
  }

  std::string_view App() { return rng_.Chance(0.5) ? "x" : "y"; }

  // A task of pods of one app. `more`: further members of their spec, each followed by a comma.
  std::string Task(std::string_view name, int64_t replicas, std::string_view app,
                   std::string_view more, std::string_view cpus, int64_t runs) {
    return StrCat(R"({"name":")", name, R"(","replicas":)", replicas,
                  R"(,"template":{"metadata":{"labels":{"app":")", app, R"("}},"spec":{)", more,
                  R"("restartPolicy":"Never","containers":[{"name":"c","image":"i","command":)",
                  R"(["sh","-c","sleep )", runs, R"("],"resources":{"requests":{"cpu":")", cpus,
                  R"("}}}]}}})");
  }
  void SendGang(std::string_view meaning, int64_t least, const std::string& tasks) {
    SendJob(Moment(), meaning, OneOf(kSpaces), StrCat(meaning, made_++),
            StrCat(R"("minAvailable":)", least, R"(,"tasks":[)", tasks, "]"));
  }

  // Its pods differ by their labels alone.
  void DrawMixed() {
    constexpr std::array<std::string_view, 4> kCpus = {"1", "2", "4", "8"};
    const std::string_view cpus = OneOf(kCpus);
    const int64_t first = rng_.Between(1, 3);
    const int64_t second = rng_.Between(0, 2);
    const int64_t runs = rng_.Between(5, 200);
    std::string tasks = Task("t0", first, App(), "", cpus, runs);
    if (second > 0) StrAppend(&tasks, ",", Task("t1", second, App(), "", cpus, runs));
    SendGang("mixed", rng_.Between(1, first + second), tasks);
  }

  // Its pods are small, so that they find a place where others leave one; some keep one another
  // off, too, and come one after the other.
  void DrawShy() {
    const std::string_view app = rng_.Chance(0.2) ? "shy" : App();
    const std::string avoids = StrCat(
        R"("affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)",
        R"([{"topologyKey":"pool","namespaces":["default","team-a","team-b"],)",
        R"("labelSelector":{"matchLabels":{"app":")", app, R"("}}}]}},)");
    SendGang("shy", 1,
             Task("t", rng_.Between(1, 3), "shy", avoids, rng_.Chance(0.7) ? "100m" : "1",
                  rng_.Between(5, 300)));
  }

  Story& story_;
  int made_ = 0;
};

}  // namespace

void DrawPeers(Story* story) {
  PeerDrawer(story).Draw();
}

}  // namespace bth::sim
