// Random clusters with virtual GPUs: no card is given away twice, amounts equal a recount from
// annotations, answers equal those of a slow twin, and what is undone leaves no trace.
#include "framework/session/statement.h"
#include "tests/devices/device_cluster.h"
#include "tests/devices/device_moves.h"
#include "tests/support/seeds.h"
#include "tests/support/slow_pick.h"

namespace bth::devices {
namespace {

using framework::ReasonId;
using framework::Session;
using model::NodeId;
using model::NodeRange;
using model::TaskId;
using model::TaskStatus;
using testing::CheckUndo;
using testing::DeviceCluster;
using testing::Mover;
using testing::PlainUse;
using testing::PlainUses;
using testing::Vgpu;

constexpr int64_t kCardMemory = 1000;
constexpr int32_t kCardSlots = 3;

std::string RandomCards(Rng& rng, const std::string& node) {
  std::string out;
  const uint64_t cards = 1 + rng.Below(4);
  for (uint64_t i = 0; i < cards; ++i) {
    StrAppend(&out, node, "-", i, ",", kCardSlots, ",", kCardMemory, ",NVIDIA-",
              rng.Chance(0.5) ? "A" : "B", ",true,hami-core:");
  }
  return out;
}

std::vector<std::string> RandomLimits(Rng& rng) {
  std::vector<std::string> out;
  const uint64_t containers = 1 + rng.Below(2);
  for (uint64_t i = 0; i < containers; ++i) {
    const int64_t cores = rng.Chance(0.1) ? 100 : 10 * rng.Between(0, 5);
    out.push_back(Vgpu(rng.Between(1, 2), rng.Chance(0.1) ? -1 : 100 * rng.Between(1, 6), cores));
  }
  return out;
}

std::string RandomWords(Rng& rng) {
  std::string out;
  if (rng.Chance(0.2)) out += R"(,"volcano.sh/vgpu-podgroup-policy":"spread")";
  if (rng.Chance(0.2)) out += R"(,"nvidia.com/use-gputype":"-a")";
  if (rng.Chance(0.1)) out += R"(,"nvidia.com/nouse-gputype":"B")";
  return out;
}

std::string RandomArguments(Rng& rng) {
  std::string out;
  if (rng.Chance(0.7)) {
    StrAppend(&out, "      deviceshare.SchedulePolicy: ", rng.Chance(0.5) ? "binpack" : "spread",
              "\n      deviceshare.ScheduleWeight: 5\n");
  }
  return out;
}

void FillCluster(Rng& rng, DeviceCluster& cluster) {
  const uint64_t nodes = 1 + rng.Below(4);
  for (uint64_t i = 0; i < nodes; ++i) {
    const std::string name = StrCat("n", i);
    cluster.Node(name, RandomCards(rng, name));
  }
  cluster.mirror.PutPriorityClass("high", 10, false);
  for (int i = 0; i < 4; ++i) {
    cluster.Group(StrCat("g", i), static_cast<int>(rng.Below(3)), i == 3 ? "high" : "");
  }
}

TEST_CASE("deviceshare: cycles on random clusters", "[devices][property]") {
  test::ForEachSeed(60, [](uint64_t seed) {
    Rng rng(seed);
    DeviceCluster cluster(RandomArguments(rng), rng.Chance(0.5) ? "enqueue, allocate, preempt"
                                                                : "enqueue, allocate, backfill");
    FillCluster(rng, cluster);
    PlainUses uses;
    std::map<std::string, std::pair<std::string, std::string>> placed;  // Pod: node, ids.
    std::map<std::string, std::pair<std::string, std::string>> under_way;
    int made = 0;
    for (int cycle = 0; cycle < 12; ++cycle) {
      for (uint64_t i = rng.Below(4); i > 0; --i) {
        const std::string name = StrCat("p", made++);
        cluster.Pod(name, StrCat("g", rng.Below(4)), RandomLimits(rng), RandomWords(rng));
      }
      for (const auto& [pod, bound] : cluster.Run()) {
        const size_t blank = bound.find(' ');
        REQUIRE(blank != std::string::npos);
        under_way[pod] = {bound.substr(0, blank), bound.substr(blank + 1)};
        testing::CountPlainly(under_way[pod].second, +1, &uses);
      }
      // Nobody holds more than there is, whether the watch shows it or not.
      for (const auto& [id, use] : uses) {
        CAPTURE(id, cycle);
        CHECK(use.slots <= kCardSlots);
        CHECK(use.memory <= kCardMemory);
        CHECK(use.cores <= 100);
      }
      for (auto it = under_way.begin(); it != under_way.end();) {
        if (rng.Chance(0.3)) {  // Not yet.
          ++it;
        } else if (rng.Chance(0.1)) {  // It failed.
          cluster.mirror.ForgetAssumption("ns/" + it->first, "u-" + it->first);
          testing::CountPlainly(it->second.second, -1, &uses);
          it = under_way.erase(it);
        } else {
          cluster.Put(cluster.Bound(it->first, it->second.first, it->second.second));
          placed.insert(*it);
          it = under_way.erase(it);
        }
      }
      for (auto it = placed.begin(); it != placed.end();) {
        if (!rng.Chance(0.2)) {
          ++it;
          continue;
        }
        if (rng.Chance(0.5)) {  // It leaves, and holds on.
          types::Pod& pod = cluster.pods.at(it->first);
          pod.meta.deletion_time = cluster.clock.Now() + absl::Seconds(30);
          cluster.Put(pod);
          ++it;
          continue;
        }
        cluster.mirror.RemovePod("ns/" + it->first);
        testing::CountPlainly(it->second.second, -1, &uses);
        it = placed.erase(it);
      }
      // The recount: rows of the snapshot say what annotations say.
      const auto snapshot = cluster.mirror.Publish();
      PlainUses counted;
      for (NodeId node : *snapshot->nodes_by_name) {
        const auto* holders = snapshot->nodes[node].device_holders.get();
        if (holders == nullptr) continue;
        for (const auto& holder : *holders) {
          for (const auto& device : holder.devices->held[0].devices) {
            PlainUse& use = counted[device.id];
            ++use.slots;
            use.memory += device.memory;
            use.cores += device.cores;
          }
        }
      }
      for (const auto& [id, use] : uses) {
        CAPTURE(id, cycle);
        CHECK(counted[id].slots == use.slots);
        CHECK(counted[id].memory == use.memory);
        CHECK(counted[id].cores == use.cores);
      }
      REQUIRE(cluster.mirror.Check().ToString() == "OK");
    }
  });
}

// By the rules as written, for one container that asks for one device, in the plainest way.
bool TwinFits(const Session& session, const PlainUses& uses, const std::string& cards,
              const model::PodDeviceRequest& request) {
  static_cast<void>(session);
  const model::ContainerDeviceRequest& ask = request.containers[0];
  const int64_t need = ask.percent ? kCardMemory * *ask.percent / 100 : ask.memory;
  for (absl::string_view card : SplitText(cards, absl::ByChar(':'))) {
    const std::vector<std::string> fields = SplitText(ToStd(card), ',');
    if (fields.size() < 6) continue;
    const auto known = uses.find(fields[0]);
    const PlainUse use = known == uses.end() ? PlainUse() : known->second;
    const bool type = request.only_types ? fields[3] == "NVIDIA-A"
                                         : request.never_types.empty() || fields[3] != "NVIDIA-B";
    if (type && use.slots < kCardSlots && kCardMemory - use.memory >= need &&
        use.cores + ask.cores <= 100 && !(ask.cores == 100 && use.slots > 0) &&
        !(use.cores == 100 && ask.cores == 0)) {
      return true;
    }
  }
  return false;
}

// What is held of each device: by annotations of pods that are there, by plans of those placed
// here.
PlainUses CountSession(const Session& session, bool future) {
  PlainUses out;
  for (TaskId task : session.base().tasks.ids()) {
    if (session.task(task).names == nullptr) continue;
    const TaskStatus status = session.state(task).status;
    std::shared_ptr<const model::PodDevices> held;
    if (status == TaskStatus::kAllocated || status == TaskStatus::kPipelined) {
      const auto plan = session.votes().DevicePlanOf(task);
      if (plan != nullptr) held = plan->held;
    } else if (status == TaskStatus::kRunning || (status == TaskStatus::kReleasing && !future)) {
      for (const auto& holder : *session.base().nodes[session.state(task).node].device_holders) {
        if (holder.task == task) held = holder.devices;
      }
    }
    if (held == nullptr) continue;
    for (const auto& device : held->held[0].devices) {
      PlainUse& use = out[device.id];
      ++use.slots;
      use.memory += device.memory;
      use.cores += device.cores;
    }
  }
  return out;
}

void CheckAgainstTwin(const Session& session, const DeviceCluster& cluster) {
  const PlainUses later = CountSession(session, true);
  const PlainUses now = CountSession(session, false);
  for (TaskId task : session.base().tasks.ids()) {
    if (session.task(task).names == nullptr) continue;
    const model::ShapeId shape = session.task(task).shape;
    const auto* asked = session.base().constraints_of(shape).devices.get();
    REQUIRE(asked != nullptr);
    const model::PodDeviceRequest& request = asked->requests[0];
    if (request.containers.size() != 1 || request.containers[0].count != 1 || request.apart_from)
      continue;
    for (NodeId node : *session.base().nodes_by_name) {
      const std::string& name = session.node(node).name;
      const NodeRange one(node.index(), node.index() + 1);
      const auto fits = [&](const auto& filters) {
        ReasonId verdict = framework::kFits;
        for (const auto& entry : filters) {
          if (entry.origin.plugin != "deviceshare") continue;
          entry.fn(shape, one, absl::Span<ReasonId>(&verdict, 1));
        }
        return verdict == framework::kFits;
      };
      CAPTURE(name, session.task(task).names->name);
      CHECK(fits(session.hooks().usage_filter) ==
            TwinFits(session, later, cluster.cards().at(name), request));
      CHECK(fits(session.hooks().now_filter) ==
            TwinFits(session, now, cluster.cards().at(name), request));
    }
  }
}

// A session in which pods run and others wait.
Session& OpenBusy(Rng& rng, DeviceCluster& cluster) {
  FillCluster(rng, cluster);
  for (int i = 0; i < 8; ++i) {
    cluster.Pod(StrCat("r", i), StrCat("g", rng.Below(4)), RandomLimits(rng), RandomWords(rng));
  }
  for (const auto& [pod, bound] : cluster.Run()) {
    const size_t blank = bound.find(' ');
    cluster.Put(cluster.Bound(pod, bound.substr(0, blank), bound.substr(blank + 1)));
  }
  for (int i = 0; i < 6; ++i) {
    cluster.Pod(StrCat("p", i), StrCat("g", rng.Below(4)), RandomLimits(rng), RandomWords(rng));
  }
  return cluster.Open();
}

TEST_CASE("deviceshare: what is undone leaves no trace", "[devices][property]") {
  test::ForEachSeed(60, [](uint64_t seed) {
    Rng rng(seed);
    DeviceCluster cluster(RandomArguments(rng));
    Session& session = OpenBusy(rng, cluster);
    CheckAgainstTwin(session, cluster);
    CheckUndo(session, rng, 6, [&] { CheckAgainstTwin(session, cluster); });
  });
}

TEST_CASE("deviceshare: the picker chooses what asking every node finds", "[devices][property]") {
  int held = 0;  // Choices of nodes that lack nothing but devices of those who leave.
  test::ForEachSeed(60, [&held](uint64_t seed) {
    Rng rng(seed);
    DeviceCluster cluster(RandomArguments(rng));
    Session& session = OpenBusy(rng, cluster);
    Mover mover(session, rng);
    framework::Statement statement(session, "test");
    for (int round = 0; round < 4; ++round) {
      for (uint64_t i = rng.Below(5); i > 0; --i) mover.Step(statement);
      for (TaskId task : session.base().tasks.ids()) {
        if (session.task(task).names == nullptr) continue;
        if (session.state(task).status != TaskStatus::kPending) continue;
        CAPTURE(round, session.task(task).names->name);
        const framework::NodeChoice any = test::PickSlowly(session, task, false);
        REQUIRE(session.picker().PickForBestEffort(task).node == any.node);
        const framework::NodeChoice slow = test::PickSlowly(session, task);
        const framework::NodeChoice fast = session.picker().Pick(task);
        REQUIRE(fast.node == slow.node);
        REQUIRE(fast.on_future_room == slow.on_future_room);
        if (!fast.node.valid()) continue;
        const bool idle = session.request(task).FitsIn(session.usage().idle[fast.node]);
        held += fast.on_future_room && idle ? 1 : 0;
        if (rng.Chance(0.3)) continue;
        if (fast.on_future_room) {
          statement.Pipeline(task, fast.node, false);
        } else {
          statement.Allocate(task, fast.node);
        }
      }
    }
  });
  CHECK((test::FewSeeds() || held > 0));
}

}  // namespace
}  // namespace bth::devices
