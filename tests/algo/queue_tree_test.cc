#include "algo/queue_tree.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/cluster_builder.h"

namespace bth::algo {
namespace {

using model::QueueId;
using test::MakeWorld;
using test::World;

QueueTree TreeOf(const World& world) {
  QueueTree tree;
  tree.Follow(*world.snapshot);
  return tree;
}

std::vector<std::string> NamesOf(const World& world, const std::vector<QueueId>& queues) {
  std::vector<std::string> names;
  for (QueueId queue : queues) names.push_back(*world.snapshot->queues[queue].name);
  return names;
}

TEST_CASE("queue tree: parents before children, by name among siblings", "[algo][unit]") {
  const World world = MakeWorld(
      "queue root parent=whatever; queue b1 parent=b; queue b; queue a parent=root; queue b2 "
      "parent=b; queue b11 parent=b1");
  const QueueTree tree = TreeOf(world);
  CHECK(tree.root() == world.queue("root"));
  CHECK(NamesOf(world, tree.top_down()) ==
        std::vector<std::string>{"root", "a", "b", "b1", "b2", "b11"});
  CHECK(tree[world.queue("b11")].depth == 3);
  CHECK(tree[world.queue("b11")].takes_jobs());
  CHECK_FALSE(tree[world.queue("b1")].takes_jobs());
  CHECK(NamesOf(world, tree[world.queue("b")].children) == std::vector<std::string>{"b1", "b2"});
  CHECK_FALSE(tree[world.queue("root")].parent.valid());
}

TEST_CASE("queue tree: what cannot be reached from the root says who is to blame", "[algo][unit]") {
  const World world = MakeWorld(
      "queue root; queue good; queue lost parent=nowhere; queue below parent=lost;"
      "queue deeper parent=below; queue a parent=b; queue b parent=c; queue c parent=a;"
      "queue self parent=self; queue tail parent=a; queue end parent=tail; queue zz parent=end");
  const QueueTree tree = TreeOf(world);
  const auto fault = [&](std::string_view name) { return tree[world.queue(name)].fault; };
  CHECK(fault("root") == QueueFault::kNone);
  CHECK(fault("good") == QueueFault::kNone);
  CHECK(fault("lost") == QueueFault::kParentMissing);
  for (const char* member : {"a", "b", "c", "self"}) {
    CAPTURE(member);
    CHECK(fault(member) == QueueFault::kCycle);
  }
  for (const char* below : {"below", "deeper"}) {
    CAPTURE(below);
    CHECK(fault(below) == QueueFault::kBelowFault);
    CHECK(tree[world.queue(below)].culprit == world.queue("lost"));
  }
  for (const char* below : {"tail", "end", "zz"}) {
    CAPTURE(below);
    CHECK(fault(below) == QueueFault::kBelowFault);
    CHECK(tree[world.queue(below)].culprit == world.queue("a"));
  }
  CHECK(NamesOf(world, tree.top_down()) ==
        std::vector<std::string>{"lost", "root", "below", "good", "deeper"});
}

TEST_CASE("queue tree: without a root nothing is attached", "[algo][unit]") {
  const World world = MakeWorld("queue a; queue b parent=a");
  const QueueTree tree = TreeOf(world);
  CHECK_FALSE(tree.root().valid());
  CHECK(tree[world.queue("a")].fault == QueueFault::kParentMissing);
  CHECK(tree[world.queue("b")].fault == QueueFault::kBelowFault);
}

TEST_CASE("queue tree: common levels count ancestors only", "[algo][unit]") {
  const World world = MakeWorld(
      "queue root; queue a; queue b; queue a1 parent=a; queue a2 parent=a; queue a11 parent=a1;"
      "queue a12 parent=a1; queue b1 parent=b");
  const QueueTree tree = TreeOf(world);
  struct Case {
    std::string left, right;
    int32_t level;
    std::string left_branch, right_branch;
  };
  const Case c = GENERATE(values<Case>({
      {"a", "b", 0, "a", "b"},
      {"a1", "a2", 1, "a1", "a2"},
      {"a11", "a12", 2, "a11", "a12"},
      {"a11", "a2", 1, "a1", "a2"},
      {"a11", "b1", 0, "a", "b"},
      {"b", "a12", 0, "b", "a"},
  }));
  CAPTURE(c.left, c.right);
  const QueueId left = world.queue(c.left);
  const QueueId right = world.queue(c.right);
  CHECK(tree.CommonLevel(left, right) == c.level);
  CHECK(tree.CommonLevel(right, left) == c.level);
  CHECK(tree.AncestorAt(left, c.level + 1) == world.queue(c.left_branch));
  CHECK(tree.AncestorAt(right, c.level + 1) == world.queue(c.right_branch));
}

TEST_CASE("queue tree: ancestors by level, until there is none", "[algo][unit]") {
  const World world = MakeWorld("queue root; queue a; queue a1 parent=a");
  const QueueTree tree = TreeOf(world);
  CHECK(tree.Above(world.queue("a1"), 1) == world.queue("a"));
  CHECK(tree.Above(world.queue("a1"), 2) == world.queue("root"));
  CHECK_FALSE(tree.Above(world.queue("a1"), 3).valid());
  CHECK_FALSE(tree.Above(world.queue("a1"), 1'000'000).valid());
}

TEST_CASE("queue tree: it is built anew when a queue changed, and only then", "[algo][unit]") {
  const World world = MakeWorld("queue root; queue a; queue b");
  QueueTree tree;
  CHECK(tree.Follow(*world.snapshot));
  CHECK_FALSE(tree.Follow(*world.snapshot));
  model::Snapshot next = *world.snapshot;
  next.usage.idle.Resize(0);
  CHECK_FALSE(tree.Follow(next));
  next.queues.Mutable(world.queue("b")).parent = "a";
  CHECK(tree.Follow(next));
  CHECK(tree[world.queue("b")].parent == world.queue("a"));
}

}  // namespace
}  // namespace bth::algo
