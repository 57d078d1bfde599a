// Whose eviction comes first, with the orders that the plugins give.
#include "actions/eviction/candidates.h"
#include "base/heap.h"
#include "tests/plugins/fixtures.h"

namespace bth::test {
namespace {

// Candidates in the order in which they would be evicted, pushed in the order given.
Names Evicted(PluginBed& bed, std::string_view evictor, const Names& candidates) {
  const model::TaskId by = bed.world().task(evictor);
  const auto less = [&bed, by](model::TaskId a, model::TaskId b) {
    return actions::eviction::EvictedBefore(bed.session(), by, a, b);
  };
  Heap<model::TaskId, decltype(less)> heap(less);
  for (model::TaskId task : bed.TasksNamed(candidates)) heap.Push(task);
  std::vector<model::TaskId> order;
  while (!heap.empty()) order.push_back(heap.Pop());
  return bed.NamesOf(order);
}

// Two jobs of one queue with the same rank.
constexpr std::string_view kEquals = R"(
  node n cpu=9
  job a prio=5 min=0; task p-high job=a node=n prio=10
  job b prio=5 min=0; task p-low job=b node=n prio=1
  job me prio=9 min=0; task evictor job=me cpu=1
  task stranger cpu=1
)";

TEST_CASE("victims: of equal jobs the lower task goes first, whoever asks", "[plugins][victims]") {
  PluginBed bed = Bed("priority", kEquals);
  for (const char* evictor : {"evictor", "stranger"}) {
    CAPTURE(evictor);
    CHECK(Evicted(bed, evictor, {"p-high", "p-low"}) == Names{"p-low", "p-high"});
    CHECK(Evicted(bed, evictor, {"p-low", "p-high"}) == Names{"p-low", "p-high"});
  }
}

TEST_CASE("victims: age does not rank jobs, the latest task of equal jobs goes first",
          "[plugins][victims]") {
  PluginBed bed = Bed("priority",
                      "node n cpu=9; job young prio=5 min=0; job old prio=5 min=0;"
                      "task first job=old node=n; task second job=young node=n;"
                      "task third job=old node=n; job me min=0; task evictor job=me cpu=1");
  CHECK(Evicted(bed, "evictor", {"first", "second", "third"}) == Names{"third", "second", "first"});
}

TEST_CASE("victims: the job that is served last gives first, by each plugin's order",
          "[plugins][victims]") {
  struct Case {
    std::string tiers;
    Names expected;
  };
  // `rich` holds more and has the higher priority.
  const Case c = GENERATE(values<Case>({
      {"priority;drf", {"small", "large"}},
      {"drf;priority", {"large", "small"}},
      {"priority!enableJobOrder;drf", {"large", "small"}},
  }));
  CAPTURE(c.tiers);
  PluginBed bed = Bed(c.tiers,
                      "node n cpu=10 mem=10 pods=100; job rich prio=9 min=0;"
                      "task large job=rich node=n cpu=5; job poor prio=1 min=0;"
                      "task small job=poor node=n cpu=1; job me min=0; task evictor job=me cpu=1");
  CHECK(Evicted(bed, "evictor", {"small", "large"}) == c.expected);
}

// Names the queue that goes first, whatever its place in line.
class FirstToGive final : public framework::Plugin {
 public:
  std::string_view name() const override { return "first"; }
  absl::Status OnSessionOpen(framework::Session& session,
                             framework::HookRegistrar& hooks) override {
    hooks.VictimQueueOrder(
        [&session](model::QueueId left, model::QueueId right, model::QueueId preemptor) {
          const auto rank = [&](model::QueueId queue) {
            return *session.queue(queue).name == *session.queue(preemptor).name + "-friend" ? 1 : 0;
          };
          return rank(left) - rank(right);
        });
    return absl::OkStatus();
  }
};

TEST_CASE("victims: of two queues the plugins' word counts, else the one served last gives first",
          "[plugins][victims]") {
  framework::Registry registry = Builtins();
  registry.plugins["first"] =
      [](const conf::Arguments&) -> absl::StatusOr<std::unique_ptr<framework::Plugin>> {
    return std::make_unique<FirstToGive>();
  };
  struct Case {
    std::string tiers, evictor;
    Names expected;
  };
  const Case c = GENERATE(values<Case>({
      // The queue with the higher priority is served first, so that it gives last.
      {"proportion", "evictor", {"kin", "other"}},
      // A friend of the evictor's queue gives last all the same, but only for that evictor.
      {"first;proportion", "evictor", {"other", "kin"}},
      {"first;proportion", "stranger", {"kin", "other"}},
      // Without any order the older queue is served first.
      {"priority", "evictor", {"kin", "other"}},
  }));
  CAPTURE(c.tiers, c.evictor);
  PluginBed bed(registry, MakePolicy("", c.tiers),
                MakeWorld("node n cpu=9; queue q0 prio=5;"
                          "queue me-friend prio=1; queue me; queue you;"
                          "job a queue=q0 min=0; task other job=a node=n cpu=1;"
                          "job b queue=me-friend min=0; task kin job=b node=n cpu=1;"
                          "job c queue=me min=0; task evictor job=c cpu=1;"
                          "job d queue=you min=0; task stranger job=d cpu=1"));
  CHECK(Evicted(bed, c.evictor, {"kin", "other"}) == c.expected);
}

}  // namespace
}  // namespace bth::test
