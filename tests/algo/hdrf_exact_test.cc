#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "algo/hdrf.h"
#include "base/rng.h"
#include "base/strings.h"
#include "tests/algo/vectors.h"
#include "tests/support/catch.h"
#include "tests/support/seeds.h"

namespace bth::algo {
namespace {

using PlainAmounts = std::array<double, model::kDims>;

struct PlainStanding {
  double share = 0;
  bool saturated = false;
  PlainAmounts amounts{};
};

struct PlainJob {
  ResourceVec allocated, request;
};

// The rule of HdrfTree without anything kept: every answer is made from all jobs.
class PlainTree {
 public:
  struct Queue {
    std::string hierarchy;
    std::vector<size_t> children;  // By name.
    std::map<HdrfTree::NodeIndex, PlainJob> jobs;
  };

  std::vector<Queue> queues = {
      {"root", {1, 2, 5}, {}}, {"root/a", {}, {}},  {"root/b", {3, 4}, {}}, {"root/b/c", {}, {}},
      {"root/b/d", {}, {}},    {"root/e", {6}, {}}, {"root/e/f", {7}, {}},  {"root/e/f/g", {}, {}},
  };
  ResourceVec total;

  PlainStanding OfJob(const PlainJob& job) const {
    PlainStanding standing;
    for (int d = 0; d < model::kDims; ++d) {
      standing.amounts[static_cast<size_t>(d)] = static_cast<double>(job.allocated[d]);
      if (job.allocated[d] <= 0 || job.request[d] == 0) continue;
      const bool used_up = total[d] <= 0 || total[d] <= Allocated()[d];
      if (used_up || job.allocated[d] >= job.request[d]) standing.saturated = true;
    }
    standing.share = ShareOf(standing.amounts);
    return standing;
  }

  PlainStanding OfQueue(size_t queue) const {
    std::vector<PlainStanding> children;
    for (size_t child : queues[queue].children) children.push_back(OfQueue(child));
    for (const auto& [node, job] : queues[queue].jobs) children.push_back(OfJob(job));
    PlainStanding standing{.saturated = true};
    double least = 1;
    for (const PlainStanding& child : children) {
      standing.saturated = standing.saturated && child.saturated;
      if (child.share != 0 && !child.saturated) least = std::min(least, child.share);
    }
    for (const PlainStanding& child : children) {
      if (child.share == 0) continue;
      const double scale = child.saturated ? 1 : least / child.share;
      for (size_t d = 0; d < model::kDims; ++d) standing.amounts[d] += child.amounts[d] * scale;
    }
    standing.share = ShareOf(standing.amounts);
    return standing;
  }

  // Kept for speed alone; whole numbers.
  const ResourceVec& Allocated() const { return allocated_; }
  void Count() {
    allocated_ = {};
    for (const Queue& queue : queues) {
      for (const auto& [node, job] : queue.jobs) allocated_ += job.allocated;
    }
  }

 private:
  double ShareOf(const PlainAmounts& amounts) const {
    double share = 0;
    for (int d = 0; d < model::kDims; ++d) {
      if (total[d] <= 0) continue;
      share = std::max(share, amounts[static_cast<size_t>(d)] / static_cast<double>(total[d]));
    }
    return share;
  }

  ResourceVec allocated_;
};

std::string StandingsDiffer(const HdrfTree::Standing& found, const PlainStanding& wanted) {
  if (std::bit_cast<uint64_t>(found.share) == std::bit_cast<uint64_t>(wanted.share) &&
      found.saturated == wanted.saturated) {
    return "";
  }
  return StrCat("share ", found.share, " instead of ", wanted.share, ", saturated ",
                found.saturated, " instead of ", wanted.saturated);
}

// A tree and the plain one under the same changes.
class TreePair {
 public:
  TreePair(uint64_t seed, int64_t jobs)
      : rng_(seed), kind_(seed % 3), jobs_(jobs), tree_(ResourceVec()) {
    SetTotal();
    for (const PlainTree::Queue& queue : plain_.queues) {
      paths_.push_back(tree_.AddQueue(queue.hierarchy, "1/2/3/4"));
    }
    for (int64_t i = 0; i < jobs; ++i) AddJob();
  }

  void ChangeSomething() {
    const uint64_t dice = rng_.Below(100);
    if (dice < 2) {
      SetTotal();
    } else if (dice < 7) {
      AddJob();
    } else if (dice < 12) {
      RemoveJob();
    } else if (dice < 22) {
      SetJob();
    } else if (dice < 40) {
      TryAndTakeBack();
    } else {
      const auto [queue, node] = AnyJob();
      const ResourceVec& held = plain_.queues[queue].jobs[node].allocated;
      Change(queue, node, rng_.Chance(0.3) ? Amount() - held : Amount());
      if (rng_.Chance(0.01)) Change(queue, node, ResourceVec() - Amount());  // Below zero, too.
    }
  }

  void CheckAll() {
    plain_.Count();
    for (size_t i = 0; i < plain_.queues.size(); ++i) {
      CAPTURE(plain_.queues[i].hierarchy);
      CHECK(StandingsDiffer(tree_.StandingOf(paths_[i].back()), plain_.OfQueue(i)) == "");
      for (const auto& [node, job] : plain_.queues[i].jobs) {
        const std::string differ = StandingsDiffer(tree_.StandingOf(node), plain_.OfJob(job));
        if (!differ.empty()) FAIL_CHECK("job " << node << ": " << differ);
      }
    }
  }

 private:
  // Small ones that are used up again and again; halves that are rounded; many digits.
  ResourceVec Total() {
    constexpr int64_t kHuge = int64_t{1} << 52;
    if (kind_ == 0) {
      return PodsVec(2 * jobs_ + rng_.Between(0, 9), 3 * jobs_, rng_.Chance(0.7) ? 9 * jobs_ : 0);
    }
    if (kind_ == 1) return PodsVec(kHuge, kHuge * 4, kHuge / 4);
    return PodsVec(977'777'777'777'771, 87'654'321'012'345'678, 3'333'333);
  }
  ResourceVec Amount() {
    if (kind_ == 0) return PodsVec(rng_.Between(0, 6), rng_.Between(0, 6), 1);
    if (kind_ == 1) {
      const int64_t size = int64_t{1} << rng_.Between(0, 44);
      return PodsVec(size, rng_.Between(0, 3) * size, size / 16);
    }
    return PodsVec(rng_.Between(0, 987'654'321'012), rng_.Between(0, 8'765'432'101'234), 1);
  }

  std::pair<size_t, HdrfTree::NodeIndex> AnyJob() {
    while (true) {
      const size_t queue = AnyQueue();
      const auto& jobs = plain_.queues[queue].jobs;
      if (jobs.empty()) continue;
      auto it = jobs.begin();
      std::advance(it, rng_.Below(jobs.size()));
      return {queue, it->first};
    }
  }
  // Half of the jobs are in one queue; queues between others may have jobs, too.
  size_t AnyQueue() { return rng_.Chance(0.5) ? 1 : rng_.Below(plain_.queues.size()); }

  void AddJob() {
    const size_t queue = AnyQueue();
    PlainJob job{rng_.Chance(0.5) ? Amount() : ResourceVec(), Amount() + Amount()};
    const auto node = tree_.AddJob(paths_[queue], job.allocated, job.request);
    plain_.queues[queue].jobs[node] = job;
  }
  void RemoveJob() {
    const auto [queue, node] = AnyJob();
    size_t jobs = 0;
    for (const PlainTree::Queue& other : plain_.queues) jobs += other.jobs.size();
    if (jobs < 4) return;
    tree_.RemoveJob(node);
    plain_.queues[queue].jobs.erase(node);
  }
  void SetJob() {
    const auto [queue, node] = AnyJob();
    PlainJob& job = plain_.queues[queue].jobs[node];
    if (rng_.Chance(0.7)) job.allocated = Amount();
    if (rng_.Chance(0.5)) job.request = Amount();
    tree_.SetJob(node, job.allocated, job.request);
  }
  void SetTotal() {
    plain_.total = Total();
    tree_.SetTotal(plain_.total);
  }
  void Change(size_t queue, HdrfTree::NodeIndex node, const ResourceVec& by) {
    plain_.queues[queue].jobs[node].allocated += by;
    tree_.Change(node, by);
  }
  void TryAndTakeBack() {
    const auto [queue, node] = AnyJob();
    const ResourceVec by = Amount();
    tree_.Change(node, by);
    if (rng_.Chance(0.5)) tree_.Compare(paths_[queue], paths_[AnyQueue()]);
    tree_.Change(node, ResourceVec() - by);
  }

  Rng rng_;
  uint64_t kind_;
  int64_t jobs_;  // At first.
  HdrfTree tree_;
  PlainTree plain_;
  std::vector<HdrfTree::Path> paths_;
};

TEST_CASE("hdrf: what is kept equals the plain rule to the last bit", "[algo][property]") {
  test::ForEachSeed(150, [](uint64_t seed) {
    constexpr std::array<int64_t, 4> kSizes = {3, 20, 120, 500};
    TreePair trees(seed, kSizes[seed % kSizes.size()]);
    Rng rng(seed);
    trees.CheckAll();
    for (int step = 0; step < 50; ++step) {
      for (uint64_t changes = 1 + rng.Below(4); changes > 0; --changes) trees.ChangeSomething();
      trees.CheckAll();
    }
  });
}

// A loop over all jobs at each question would be 400 million looks at a job.
TEST_CASE("hdrf: many jobs in one queue", "[algo][unit]") {
  constexpr size_t kJobs = 20'000;
  constexpr int kQuestions = 20'000;
  Rng rng(7);
  PlainTree plain;
  plain.total = PodsVec(int64_t{1} << 40, int64_t{1} << 50, kJobs * 1000);
  HdrfTree tree(plain.total);
  const HdrfTree::Path busy = tree.AddQueue("root/a", "");
  const HdrfTree::Path other = tree.AddQueue("root/b/c", "");
  const auto task = [&rng] { return PodsVec(rng.Between(1'000, 9'000), 1 << 30, 1); };
  const auto add = [&](size_t queue, const HdrfTree::Path& path) {
    PlainJob job{task(), PodsVec(int64_t{1} << 40, int64_t{1} << 50, kJobs)};
    const auto node = tree.AddJob(path, job.allocated, job.request);
    plain.queues[queue].jobs[node] = job;
    return node;
  };
  std::vector<HdrfTree::NodeIndex> nodes;
  for (size_t i = 0; i < kJobs; ++i) nodes.push_back(add(1, busy));
  add(3, other);
  for (int i = 0; i < kQuestions; ++i) {
    const HdrfTree::NodeIndex node = nodes[rng.Below(kJobs)];
    const ResourceVec by = task();
    tree.Change(node, by);
    CHECK(tree.Compare(busy, other) > 0);
    if (i % 2 == 0) {  // Placed; otherwise only tried.
      plain.queues[1].jobs[node].allocated += by;
    } else {
      tree.Change(node, ResourceVec() - by);
    }
    if (i % 4'000 != 0) continue;
    plain.Count();
    CHECK(StandingsDiffer(tree.StandingOf(busy.back()), plain.OfQueue(1)) == "");
    CHECK(StandingsDiffer(tree.StandingOf(busy[0]), plain.OfQueue(0)) == "");
  }
  CHECK(tree.work() < uint64_t{kQuestions} * 1'000);
}

// What is used up counts for all jobs; tries go back and forth.
TEST_CASE("hdrf: the last of a resource is tried and taken back", "[algo][unit]") {
  constexpr int64_t kJobs = 20'000;
  constexpr int kTries = 2'000;
  HdrfTree tree(PodsVec(int64_t{1} << 40, int64_t{1} << 50, kJobs + 1));
  const HdrfTree::Path busy = tree.AddQueue("root/a", "");
  const HdrfTree::Path other = tree.AddQueue("root/b", "");
  const ResourceVec one = PodsVec(1'000, 1 << 30, 1);
  const ResourceVec more = PodsVec(2'000, int64_t{2} << 30, 2);
  const auto last = tree.AddJob(other, ResourceVec(), one);
  for (int64_t i = 0; i < kJobs; ++i) tree.AddJob(busy, one, more);
  const auto ask = [&] {
    CHECK(tree.Compare(busy, other) > 0);
    return tree.StandingOf(busy.back()).saturated;
  };
  CHECK_FALSE(ask());
  tree.Change(last, one);
  CHECK(ask());
  const uint64_t before = tree.work();
  for (int i = 0; i < kTries; ++i) {
    tree.Change(last, ResourceVec() - one);
    CHECK_FALSE(ask());
    tree.Change(last, one);
    CHECK(ask());
  }
  CHECK(tree.work() - before < uint64_t{kTries} * 1'000);
}

}  // namespace
}  // namespace bth::algo
