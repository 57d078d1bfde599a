#include "algo/hdrf.h"

#include <vector>

#include "base/rng.h"
#include "tests/algo/vectors.h"
#include "tests/support/catch.h"
#include "tests/support/seeds.h"

namespace bth::algo {
namespace {

constexpr int64_t kG = 1'000'000'000;

// A job of equal tasks in a queue of its own.
struct Job {
  HdrfTree::Path path;
  ResourceVec task;
  int64_t tasks = 0;
  HdrfTree::NodeIndex leaf = 0;
  int64_t placed = 0;
};

// Serves the first queue one task at a time while anything fits, as allocation does.
void Fill(HdrfTree& tree, std::vector<Job>& jobs, ResourceVec free) {
  for (Job& job : jobs) {
    ResourceVec request;
    for (int64_t i = 0; i < job.tasks; ++i) request += job.task;
    job.leaf = tree.AddJob(job.path, {}, request);
  }
  while (true) {
    Job* first = nullptr;
    for (Job& job : jobs) {
      if (job.placed == job.tasks || !job.task.FitsIn(free)) continue;
      if (first == nullptr || tree.Compare(job.path, first->path) < 0) first = &job;
    }
    if (first == nullptr) return;
    tree.Change(first->leaf, first->task);
    free -= first->task;
    ++first->placed;
  }
}

std::vector<int64_t> Placed(const std::vector<Job>& jobs) {
  std::vector<int64_t> placed;
  for (const Job& job : jobs) placed.push_back(job.placed);
  return placed;
}

TEST_CASE("hdrf: branches are rescaled to their poorest child", "[algo][unit]") {
  const ResourceVec total = PodsVec(10'000, 10 * kG, 50);
  HdrfTree tree(total);
  std::vector<Job> jobs = {
      {tree.AddQueue("root/sci", "100/50"), PodsVec(1000, kG, 1), 10},
      {tree.AddQueue("root/eng/dev", "100/50/50"), PodsVec(1000, 0, 1), 10},
      {tree.AddQueue("root/eng/prod", "100/50/50"), PodsVec(0, kG, 1), 10},
  };
  Fill(tree, jobs, total);
  CHECK(Placed(jobs) == std::vector<int64_t>{5, 5, 5});
}

TEST_CASE("hdrf: what one branch cannot use does not block the others", "[algo][unit]") {
  const ResourceVec total = PodsVec(30'000, 30 * kG, 500);
  HdrfTree tree(total);
  std::vector<Job> jobs = {
      {tree.AddQueue("root/pg1", "100/25"), PodsVec(1000, 0, 1), 30},
      {tree.AddQueue("root/pg2", "100/25"), PodsVec(1000, 0, 1), 30},
      {tree.AddQueue("root/pg3/pg31", "100/25/50"), PodsVec(1000, 0, 1), 30},
      {tree.AddQueue("root/pg3/pg32", "100/25/50"), PodsVec(0, kG, 1), 30},
      {tree.AddQueue("root/pg4", "100/25"), PodsVec(0, kG, 1), 30},
  };
  Fill(tree, jobs, total);
  CHECK(Placed(jobs) == std::vector<int64_t>{10, 10, 10, 15, 15});
}

TEST_CASE("hdrf: the lower share by weight comes first", "[algo][unit]") {
  const ResourceVec total = PodsVec(100, 100, 100);
  HdrfTree tree(total);
  const auto light = tree.AddQueue("root/a", "100/10");
  const auto heavy = tree.AddQueue("root/b", "100/40");
  tree.AddJob(light, PodsVec(10, 0, 1), PodsVec(100, 0, 9));
  tree.AddJob(heavy, PodsVec(30, 0, 1), PodsVec(100, 0, 9));
  CHECK(tree.Compare(heavy, light) < 0);
  CHECK(tree.Compare(light, heavy) > 0);
  CHECK(tree.Compare(light, light) == 0);
}

TEST_CASE("hdrf: a saturated branch comes last", "[algo][unit]") {
  const ResourceVec total = PodsVec(100, 100, 100);
  HdrfTree tree(total);
  const auto done = tree.AddQueue("root/a", "1/1");
  const auto wants = tree.AddQueue("root/b", "1/1");
  tree.AddJob(done, PodsVec(5, 0, 1), PodsVec(5, 0, 1));
  tree.AddJob(wants, PodsVec(50, 0, 1), PodsVec(90, 0, 9));
  CHECK(tree.Compare(wants, done) < 0);
  CHECK(tree.StandingOf(done.back()).saturated);
  CHECK_FALSE(tree.StandingOf(wants.back()).saturated);
}

TEST_CASE("hdrf: a job that holds nothing is never saturated", "[algo][unit]") {
  HdrfTree tree(PodsVec(10, 10, 10));
  const auto path = tree.AddQueue("root/a", "1/1");
  const auto full = tree.AddQueue("root/b", "1/1");
  const auto job = tree.AddJob(path, {}, PodsVec(5, 0, 1));
  tree.AddJob(full, PodsVec(10, 0, 1), PodsVec(20, 0, 2));  // The cpu is used up.
  CHECK_FALSE(tree.StandingOf(job).saturated);
  CHECK(tree.StandingOf(full.back()).saturated);
}

TEST_CASE("hdrf: weights are read with care", "[algo][unit]") {
  HdrfTree tree(PodsVec(10, 10, 10));
  struct Case {
    std::string name, weights;
    double expected;
  };
  const Case c = GENERATE(values<Case>({{"q1", "100/2.5", 2.5},
                                        {"q2", "100/0.5", 1},
                                        {"q3", "100", 1},
                                        {"q4", "100/heavy", 1},
                                        {"q5", "100/nan", 1}}));
  CAPTURE(c.name);
  const auto path = tree.AddQueue("root/" + c.name, c.weights);
  CHECK(tree.StandingOf(path.back()).weight == c.expected);
  // The first weight of a name stays.
  CHECK(tree.StandingOf(tree.AddQueue("root/" + c.name, "100/77").back()).weight == c.expected);
}

TEST_CASE("hdrf: very long paths are cut", "[algo][unit]") {
  HdrfTree tree(PodsVec(10, 10, 10));
  std::string path = "root";
  for (int i = 0; i < 100'000; ++i) path += "/x";
  CHECK(tree.AddQueue(path, "1").size() == HdrfTree::kDepthMax);
  CHECK(tree.AddQueue("", "").size() == 1);
}

// Recomputing only what changed gives what a fresh tree gives, and taking back restores.
TEST_CASE("hdrf: incremental equals recomputed", "[algo][property]") {
  const ResourceVec total = PodsVec(60, 60, 200);
  const std::vector<std::string> names = {"root/a", "root/b/c", "root/b/d", "root/e/f/g",
                                          "root/e/h"};
  test::ForEachSeed(200, [&](uint64_t seed) {
    CAPTURE(seed);
    Rng rng(seed);
    HdrfTree tree(total);
    std::vector<HdrfTree::Path> paths;
    for (const std::string& name : names) paths.push_back(tree.AddQueue(name, "1/2/3/4"));
    struct Leaf {
      size_t queue;
      ResourceVec allocated, request;
      HdrfTree::NodeIndex node;
    };
    std::vector<Leaf> leaves;
    for (int i = 0; i < 12; ++i) {
      Leaf leaf{rng.Below(names.size()), {}, PodsVec(rng.Between(0, 9), rng.Between(0, 9), 5), 0};
      leaf.node = tree.AddJob(paths[leaf.queue], leaf.allocated, leaf.request);
      leaves.push_back(leaf);
    }
    for (int step = 0; step < 40; ++step) {
      Leaf& leaf = leaves[rng.Below(leaves.size())];
      const ResourceVec by = PodsVec(rng.Between(0, 6), rng.Between(0, 6), 1);
      tree.Change(leaf.node, by);
      if (rng.Chance(0.3)) {
        tree.Compare(paths[0], paths[1]);
        tree.Change(leaf.node, ResourceVec() - by);
      } else {
        leaf.allocated += by;
      }
      HdrfTree fresh(total);
      for (const std::string& name : names) fresh.AddQueue(name, "1/2/3/4");
      for (const Leaf& other : leaves) {
        fresh.AddJob(paths[other.queue], other.allocated, other.request);
      }
      for (const auto& left : paths) {
        CHECK(tree.StandingOf(left.back()).share == fresh.StandingOf(left.back()).share);
        CHECK(tree.StandingOf(left.back()).saturated == fresh.StandingOf(left.back()).saturated);
        for (const auto& right : paths) {
          CHECK(tree.Compare(left, right) == fresh.Compare(left, right));
        }
      }
    }
  });
}

}  // namespace
}  // namespace bth::algo
