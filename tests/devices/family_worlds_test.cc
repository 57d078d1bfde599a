// Random clusters of every family of shared devices: nothing of a card is lent twice, rows equal a
// recount from annotations, locks keep pods off, and what is undone leaves no trace.
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "framework/session/statement.h"
#include "tests/devices/device_moves.h"
#include "tests/devices/family_world.h"
#include "tests/support/seeds.h"

namespace bth::devices {
namespace {

using framework::Session;
using model::NodeId;
using model::TaskId;
using model::TaskStatus;
using testing::CheckUndo;
using testing::DeviceCluster;
using testing::FamilyWorld;
using testing::MakeFamily;
using testing::PlainPart;
using testing::PlainParts;
using testing::PlainSum;
using testing::SumOf;

constexpr uint64_t kGroupCount = 4;

std::string AnyFamily() {
  return GENERATE(values<std::string>({"gpu memory", "gpu whole", "virtual", "cut", "ascend"}));
}

void Add(PlainParts more, PlainParts* to) {
  for (PlainPart& part : more) to->push_back(std::move(part));
}

// A cluster whose pods come, are bound, fail, leave and go, and who has what in it.
class FamilyLife {
 public:
  FamilyLife(Rng& rng, FamilyWorld& family, const std::string& actions)
      : cluster(family.Setup(actions)), rng_(rng), family_(family) {
    cluster.ids_key = family.ids_key;
    for (uint64_t i = 0, count = 1 + rng.Below(4); i < count; ++i) {
      nodes_.push_back(StrCat("n", i));
      family_.TellNode(cluster, nodes_.back());
    }
    cluster.mirror.PutPriorityClass("high", 10, false);
    for (uint64_t i = 0; i < kGroupCount; ++i) {
      cluster.Group(StrCat("g", i), static_cast<int>(rng.Below(3)), i == 3 ? "high" : "");
    }
  }

  void Come(uint64_t pods) {
    for (; pods > 0; --pods) {
      const std::string name = StrCat("p", made_++);
      cluster.AddPod(name, family_.DrawPod(name, StrCat("g", rng_.Below(kGroupCount))));
    }
  }
  void TellNodes() {
    for (const std::string& node : nodes_) {
      if (rng_.Chance(0.3)) family_.TellNode(cluster, node);
    }
  }
  // Runs a cycle, and looks at each binding: returns how many there were.
  int Decide() {
    const auto binds = cluster.Run();
    for (const auto& [pod, bound] : binds) {
      const size_t blank = bound.find(' ');
      REQUIRE(blank != std::string::npos);
      const std::string node = bound.substr(0, blank);
      CAPTURE(pod, node);
      CHECK_FALSE(family_.IsLocked(node, cluster.clock.Now()));
      under_way_[pod] = {node, bound.substr(blank + 1)};
      for (const PlainPart& part : PartsOf(pod, under_way_[pod])) {
        CAPTURE(part.card);
        REQUIRE(family_.cards.contains(part.card));
        CHECK(family_.cards.at(part.card).offered);
      }
    }
    const bool locks = family_.node_lock && family_.lock_counts;
    for (const framework::EffectBatch& batch : cluster.sink.batches) {
      for (const framework::BindEffect& bind : batch.binds) {
        CHECK(bind.devices->locks ==
              (locks ? std::vector<std::string>{family_.lock_key} : std::vector<std::string>()));
      }
    }
    return static_cast<int>(binds.size());
  }
  // The watch shows bindings, or they fail.
  void Show(double not_yet, double fails) {
    for (auto it = under_way_.begin(); it != under_way_.end();) {
      if (rng_.Chance(not_yet)) {
        ++it;
        continue;
      }
      if (rng_.Chance(fails)) {
        cluster.mirror.ForgetAssumption("ns/" + it->first, "u-" + it->first);
      } else {
        cluster.Put(cluster.Bound(it->first, it->second.first, it->second.second));
        placed_.insert(*it);
      }
      it = under_way_.erase(it);
    }
  }
  void Leave() {
    for (auto it = placed_.begin(); it != placed_.end();) {
      if (!rng_.Chance(0.2)) {
        ++it;
      } else if (rng_.Chance(0.5)) {  // It leaves, and holds on.
        types::Pod& pod = cluster.pods.at(it->first);
        pod.meta.deletion_time = cluster.clock.Now() + absl::Seconds(30);
        cluster.Put(pod);
        ++it;
      } else {
        cluster.mirror.RemovePod("ns/" + it->first);
        it = placed_.erase(it);
      }
    }
  }

  // By annotations alone.
  PlainParts Held() const {
    PlainParts out;
    for (const auto* some : {&placed_, &under_way_}) {
      for (const auto& [pod, held] : *some) Add(PartsOf(pod, held), &out);
    }
    return out;
  }
  // By the rows of the snapshot that cycles read.
  void CheckRows() {
    std::map<std::string, PlainSum> rows;
    const auto snapshot = cluster.mirror.Publish();
    for (NodeId node : *snapshot->nodes_by_name) {
      const auto* holders = snapshot->nodes[node].device_holders.get();
      if (holders == nullptr) continue;
      for (const auto& holder : *holders) {
        for (const auto& device : holder.devices->held[0].devices) {
          PlainSum& sum = rows[StrCat(snapshot->node_facts(node).name, "/",
                                      device.id.substr(0, device.id.find('[')))];
          ++sum.parts;
          sum.memory += device.memory;
          sum.cores += device.cores;
        }
      }
    }
    const PlainParts held = Held();
    for (const auto& [key, card] : family_.cards) {
      const PlainSum sum = SumOf(held, key);
      CAPTURE(key);
      CHECK(rows[key].parts == sum.parts);
      CHECK(rows[key].memory == sum.memory);
      CHECK(rows[key].cores == sum.cores);
    }
    CHECK(rows.size() == family_.cards.size());  // Of nothing else.
  }

  DeviceCluster cluster;

 private:
  using Where = std::pair<std::string, std::string>;  // Node, and what the annotation says.
  PlainParts PartsOf(const std::string& pod, const Where& held) const {
    return family_.PartsOf(pod, held.first, held.second);
  }

  Rng& rng_;
  FamilyWorld& family_;
  std::vector<std::string> nodes_;
  int made_ = 0;
  std::map<std::string, Where> placed_;
  std::map<std::string, Where> under_way_;
};

TEST_CASE("device families: cycles on random clusters", "[devices][property]") {
  const std::string name = AnyFamily();
  CAPTURE(name);
  int bound = 0;
  test::ForEachSeed(30, [&](uint64_t seed) {
    Rng rng(seed);
    const auto family = MakeFamily(name, rng);
    FamilyLife life(rng, *family,
                    rng.Chance(0.5) ? "enqueue, allocate, preempt" : "enqueue, allocate, backfill");
    for (int cycle = 0; cycle < 12; ++cycle) {
      CAPTURE(cycle);
      life.Come(rng.Below(4));
      bound += life.Decide();
      // Nobody holds more than there is, whether the watch shows it or not.
      family->CheckBounds(life.Held());
      life.Show(0.3, 0.1);
      life.Leave();
      life.TellNodes();
      life.CheckRows();
      REQUIRE(life.cluster.mirror.Check().ToString() == "OK");
      life.cluster.clock.Advance(absl::Minutes(1));
    }
  });
  CHECK((test::FewSeeds() || bound > 100));
}

// By annotations of pods that are there, and of the plans for those placed in the session.
PlainParts PartsIn(const Session& session, const DeviceCluster& cluster, const FamilyWorld& family,
                   bool future) {
  PlainParts out;
  for (TaskId task : session.base().tasks.ids()) {
    if (session.task(task).names == nullptr) continue;
    const std::string& pod = session.task(task).names->name;
    const TaskStatus status = session.state(task).status;
    std::string text;
    if (status == TaskStatus::kAllocated || status == TaskStatus::kPipelined) {
      const auto plan = session.votes().DevicePlanOf(task);
      REQUIRE(plan != nullptr);
      for (const auto& [key, value] : plan->annotations) {
        if (key == family.ids_key) text = value;
      }
      CAPTURE(pod);
      REQUIRE_FALSE(text.empty());
    } else if (status == TaskStatus::kRunning || (status == TaskStatus::kReleasing && !future)) {
      text = cluster.pods.at(pod).meta.annotations.Find(family.ids_key)[0];
    } else {
      continue;
    }
    Add(family.PartsOf(pod, session.node(session.state(task).node).name, text), &out);
  }
  return out;
}

// Those who ask for one container's sake are answered as the rules say.
int CheckFilters(const Session& session, const DeviceCluster& cluster, const FamilyWorld& family) {
  const PlainParts later = PartsIn(session, cluster, family, true);
  const PlainParts now = PartsIn(session, cluster, family, false);
  family.CheckBounds(later);
  int refused = 0;
  for (TaskId task : session.base().tasks.ids()) {
    if (session.task(task).names == nullptr) continue;
    const std::string& pod = session.task(task).names->name;
    if (!family.asks.at(pod).is_simple) continue;
    if (session.state(task).status != TaskStatus::kPending) continue;
    for (NodeId node : *session.base().nodes_by_name) {
      const std::string& name = session.node(node).name;
      const auto fits = [&](const auto& filters) {
        framework::ReasonId verdict = framework::kFits;
        const model::NodeRange one(node.index(), node.index() + 1);
        for (const auto& entry : filters) {
          if (entry.origin.plugin != "deviceshare") continue;
          entry.fn(session.task(task).shape, one, absl::Span<framework::ReasonId>(&verdict, 1));
        }
        return verdict == framework::kFits;
      };
      CAPTURE(pod, name);
      const bool locked = family.IsLocked(name, cluster.clock.Now());
      const bool served = family.Serves(name, later, pod);
      CHECK(fits(session.hooks().usage_filter) == (served && !locked));
      CHECK(fits(session.hooks().now_filter) == family.Serves(name, now, pod));
      refused += served ? 0 : 1;
    }
  }
  return refused;
}

TEST_CASE("device families: what is undone leaves no trace, and filters go by the rules",
          "[devices][property]") {
  const std::string name = AnyFamily();
  CAPTURE(name);
  int refused = 0;
  test::ForEachSeed(30, [&](uint64_t seed) {
    Rng rng(seed);
    const auto family = MakeFamily(name, rng);
    FamilyLife life(rng, *family, "enqueue, allocate");
    life.Come(8);
    life.Decide();
    life.Show(0, 0);
    life.Come(6);
    Session& session = life.cluster.Open();
    CheckUndo(session, rng, 5, [&] { refused += CheckFilters(session, life.cluster, *family); });
  });
  CHECK((test::FewSeeds() || refused > 50));
}

}  // namespace
}  // namespace bth::devices
