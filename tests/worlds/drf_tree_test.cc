// The queue tree of hierarchical drf, kept from session to session, against one made anew.
#include <string>
#include <vector>

#include "base/strings.h"
#include "plugins/drf/queue_tree.h"
#include "tests/support/catch.h"
#include "tests/worlds/many_worlds.h"

namespace bth::test {
namespace {

using model::JobId;
using model::QueueId;
using plugins::drf::QueueTree;

constexpr int kTreeQueues = 6;
constexpr int kTreeJobs = 10;

// Random queues, jobs and pods; each change is one of a running cluster.
class DrfWorld {
 public:
  DrfWorld(Rng& rng, bool contradicts) : rng_(rng), contradicts_(contradicts) {
    Put(NodeSpec{.name = "n", .cpu_milli = 20'000, .memory_bytes = 1 << 20, .pods = 100}, mirror_);
    for (int i = 0; i < kTreeQueues; ++i) PutQueue(i);
    for (int i = 0; i < kTreeJobs; ++i) PutJob(i);
    for (int i = 0; i < 30; ++i) PutPod(i);
  }

  void ChangeOne() {
    const auto one_of = [this](int count) { return static_cast<int>(rng_.Below(count)); };
    if (rng_.Chance(0.6)) return PutPod(one_of(30));
    if (rng_.Chance(0.5)) return PutJob(one_of(kTreeJobs));
    if (rng_.Chance(0.4)) return mirror_.RemovePodGroup(StrCat("ns/j", one_of(kTreeJobs)));
    if (rng_.Chance(0.3)) return PutQueue(one_of(kTreeQueues));
    if (rng_.Chance(0.3)) return mirror_.RemoveQueue(StrCat("q", one_of(kTreeQueues)));
    const int64_t cpu = rng_.Between(10, 30) * 1000;
    Put(NodeSpec{.name = "n", .cpu_milli = cpu, .memory_bytes = 1 << 20, .pods = 100}, mirror_);
  }
  std::shared_ptr<const model::Snapshot> Publish() { return mirror_.Publish(); }

 private:
  void PutQueue(int i) {
    const std::vector<std::string> paths = {"root/a", "root/b/x", "root/b/y", "root/c/z/one", ""};
    const int64_t weight = contradicts_ ? rng_.Between(1, 3) : 2;
    Put(QueueSpec{.name = StrCat("q", i),
                  .hierarchy = paths[rng_.Below(paths.size())],
                  .hierarchy_weights = StrCat("1/", weight, "/3/1")},
        mirror_);
  }
  void PutJob(int i) {
    Put(JobSpec{.name = StrCat("ns/j", i),
                .queue = StrCat("q", rng_.Below(kTreeQueues)),
                .created_us = i / 2 + (rng_.Chance(0.2) ? 7 : 0)},
        mirror_);
  }
  void PutPod(int i) {
    const bool placed = rng_.Chance(0.6);
    Put(PodSpec{.name = StrCat("p", i),
                .job = StrCat("ns/j", i % kTreeJobs),
                .node = placed ? "n" : "",
                .status = placed ? model::TaskStatus::kRunning : model::TaskStatus::kPending,
                .cpu_milli = rng_.Between(1, 9) * 333,
                .memory_bytes = rng_.Between(1, 9) * 7777},
        mirror_);
  }

  Rng& rng_;
  const bool contradicts_;
  ManualClock clock_{absl::FromUnixSeconds(1'000'000)};
  cache::Mirror mirror_{clock_, {}};
};

void RequireSameTrees(const model::Snapshot& base, QueueTree& kept, QueueTree& fresh) {
  for (QueueId a : base.queues.ids()) {
    for (QueueId b : base.queues.ids()) {
      REQUIRE(kept.Compare(a, b) == fresh.Compare(a, b));
      REQUIRE(kept.Order(a, b) == fresh.Order(a, b));
    }
  }
}

void ChangeBothTrees(const model::Snapshot& base, Rng& rng, QueueTree& kept, QueueTree& fresh) {
  for (int i = 0; i < 4; ++i) {
    if (base.jobs.size() == 0) return;
    const JobId job = JobId::FromIndex(rng.Below(base.jobs.size()));
    model::ResourceVec amount;
    amount[model::kCpu] = rng.Between(1, 9) * 111;
    if (rng.Chance(0.7)) {
      kept.Add(job, amount);
      fresh.Add(job, amount);
    } else {
      kept.Remove(job, amount);
      fresh.Remove(job, amount);
    }
  }
}

TEST_CASE("drf: a queue tree that is kept answers as one made anew", "[plugins][drf][property]") {
  ForEachWorld(300, [](Rng& rng) {
    DrfWorld world(rng, rng.Chance(0.3));
    QueueTree kept;
    for (int session = 0; session < 12; ++session) {
      CAPTURE(session);
      const auto base = world.Publish();
      kept.Open(*base);
      QueueTree fresh;
      fresh.Open(*base);
      RequireSameTrees(*base, kept, fresh);
      ChangeBothTrees(*base, rng, kept, fresh);
      RequireSameTrees(*base, kept, fresh);
      for (uint64_t i = rng.Below(4); i > 0; --i) world.ChangeOne();
    }
  });
}

// A cluster in which jobs and pods come and go, and queues stay.
TEST_CASE("drf: a queue tree looks at all jobs once", "[plugins][drf]") {
  ManualClock clock(absl::FromUnixSeconds(1'000'000));
  cache::Mirror mirror(clock, {});
  QueueTree tree;
  for (const char* name : {"a", "b", "c"}) {
    Put(QueueSpec{.name = name, .hierarchy = StrCat("root/", name), .hierarchy_weights = "1/2"},
        mirror);
  }
  for (int i = 0; i < 20; ++i) {
    const std::string job = StrCat("ns/j", i);
    Put(JobSpec{.name = job, .queue = i % 2 == 0 ? "a" : "b"}, mirror);
    Put(PodSpec{.name = StrCat("p", i), .job = job, .cpu_milli = 100}, mirror);
    if (i >= 5) mirror.RemovePodGroup(StrCat("ns/j", i - 5));
    tree.Open(*mirror.Publish());
  }
  CHECK(tree.rebuilds() == 1);
  // Nobody is in this queue.
  Put(QueueSpec{.name = "c", .hierarchy = "root/d", .hierarchy_weights = "1/3"}, mirror);
  tree.Open(*mirror.Publish());
  CHECK(tree.rebuilds() == 1);
  Put(QueueSpec{.name = "a", .hierarchy = "root/a", .hierarchy_weights = "1/3"}, mirror);
  tree.Open(*mirror.Publish());
  CHECK(tree.rebuilds() == 2);
}

}  // namespace
}  // namespace bth::test
