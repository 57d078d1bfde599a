// The orders that drf gives: of jobs by share, of queues by their places in the tree.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/rng.h"
#include "framework/session/statement.h"
#include "tests/plugins/fixtures.h"
#include "tests/support/seeds.h"

namespace bth::test {
namespace {

TEST_CASE("drf: the share of a job", "[plugins][drf]") {
  struct Case {
    std::string name, left, right;
    int expected;  // Below zero: the left job first.
  };
  // 10 cores, 10Gi, 100 pods.
  const Case c = GENERATE(values<Case>({
      {"0.2 and 0.3", "cpu=2", "cpu=3", -1},
      {"by the largest of its shares", "cpu=1 mem=4Gi", "cpu=3", 1},
      {"equal shares of different resources", "cpu=2", "mem=2Gi", 0},
      {"best-effort pods hold places", "", "status=pending", 1},
      {"a place is less than a core", "", "cpu=1", -1},
      {"what the cluster lacks does not count", "res.example.com/x=9 cpu=1", "cpu=2", -1},
      {"pods that are leaving are not held", "cpu=5 status=releasing", "cpu=1", -1},
      {"finished pods are not held", "cpu=5 status=succeeded", "cpu=1", -1},
      {"pods on their way are held", "cpu=5 status=binding", "cpu=1", 1},
  }));
  CAPTURE(c.name);
  const auto task = [](const std::string& job, const std::string& words) {
    const bool placed = words.find("status=pending") == std::string::npos;
    return "job " + job + " min=0; task " + job + "-x job=" + job +
           (placed ? " node=n1 " + words : " cpu=1") + ";";
  };
  PluginBed bed =
      Bed("drf", "node n1 cpu=10 mem=10Gi pods=100;" + task("l", c.left) + task("r", c.right));
  const auto& order = bed.session().hooks().job_order[0].fn;
  const World& w = bed.world();
  CHECK(order(w.job("l"), w.job("r")) == c.expected);
  CHECK(order(w.job("r"), w.job("l")) == -c.expected);
}

TEST_CASE("drf: candidates of the evictor's own job are judged without its request",
          "[plugins][drf]") {
  PluginBed bed = Bed("drf",
                      "node n1 cpu=10 mem=10Gi pods=100; job a; task p job=a cpu=1;"
                      "task a1 job=a node=n1 cpu=1; task a2 job=a node=n1 cpu=1");
  // With p the job would hold 0.3; without a1 it holds 0.1.
  CHECK(VictimsOf(bed, bed.session().hooks().preemptable, bed.world().task("p"), {"a1", "a2"})
            .empty());
}

// Queues at different depths that are equal as far as both paths go.
TEST_CASE("drf: the order of queues is never a circle", "[plugins][drf][property]") {
  ForEachSeed(60, [&](uint64_t seed) {
    CAPTURE(seed);
    Rng rng(seed);
    const std::vector<std::string> paths = {"root/a",       "root/b/x",     "root/b/y",
                                            "root/c/z/one", "root/c/z/two", "root/c/w"};
    std::string world = "node n1 cpu=40 mem=40 pods=400;";
    for (size_t i = 0; i < paths.size(); ++i) {
      const std::string name = "q" + std::to_string(i);
      world += "queue " + name + " hierarchy=" + paths[i] + " weights=1/1/1/1;";
      world += "job j" + std::to_string(i) + " queue=" + name + " min=0 tasks=9 cpu=1;";
      const int64_t running = rng.Between(0, 3);
      for (int64_t t = 0; t < running; ++t) {
        world += "task j" + std::to_string(i) + "r" + std::to_string(t) + " job=j" +
                 std::to_string(i) + " cpu=1 node=n1;";
      }
    }
    PluginBed bed = Bed("drf+enableHierarchy", world);
    std::vector<model::QueueId> ids;
    for (size_t i = 0; i < paths.size(); ++i)
      ids.push_back(bed.world().queue("q" + std::to_string(i)));
    const framework::Session& session = bed.session();
    for (model::QueueId a : ids) {
      for (model::QueueId b : ids) {
        CHECK((session.votes().CompareQueues(a, b) < 0) ==
              (session.votes().CompareQueues(b, a) > 0));
        for (model::QueueId c : ids) {
          const bool chain =
              session.votes().CompareQueues(a, b) < 0 && session.votes().CompareQueues(b, c) < 0;
          if (chain) CHECK(session.votes().CompareQueues(a, c) < 0);
        }
      }
    }
  });
}

TEST_CASE("drf: the age of queues does not bend the shares of their branches",
          "[plugins][drf][cycle]") {
  std::array<std::string, 3> queues = {"queue a hierarchy=root/sci weights=100/50;",
                                       "queue b hierarchy=root/eng/dev weights=100/50/50;",
                                       "queue c hierarchy=root/eng/prod weights=100/50/50;"};
  do {
    std::string world = "node n cpu=10 mem=10G pods=50;";
    for (const std::string& queue : queues) world += queue;
    CAPTURE(world);
    const CycleOutcome outcome = Run("allocate", "drf+enableHierarchy",
                                     world +
                                         "job ja queue=a min=0 tasks=10 cpu=1 mem=1G;"
                                         "job jb queue=b min=0 tasks=10 cpu=1;"
                                         "job jc queue=c min=0 tasks=10 mem=1G");
    std::map<char, int> binds;
    for (const auto& [task, node] : outcome.binds) ++binds[task[1]];
    CHECK(binds == std::map<char, int>{{'a', 5}, {'b', 5}, {'c', 5}});
  } while (std::next_permutation(queues.begin(), queues.end()));
}

TEST_CASE("drf: reclaim wants a queue that comes later, not one that is equal", "[plugins][drf]") {
  // After the exchange both branches hold 5: nobody is taken.
  PluginBed bed = Bed("drf+enableHierarchy", R"(
    node n1 cpu=10 mem=10G pods=1000
    queue a hierarchy=root/a weights=1/1
    queue b hierarchy=root/b/deep weights=1/1/1
    job poor queue=a; task own job=poor cpu=4 node=n1; task p job=poor cpu=1; task p2 job=poor cpu=9
    job rich queue=b; task big job=rich cpu=1 node=n1; task rest job=rich cpu=5 node=n1
    task more job=rich cpu=9)");
  const auto& hooks = bed.session().hooks().reclaimable;
  CHECK(VictimsOf(bed, hooks, bed.world().task("p"), {"big"}).empty());
}

}  // namespace
}  // namespace bth::test
