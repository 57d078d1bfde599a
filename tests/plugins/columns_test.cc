// Scores and filters answer for many nodes at once from columns, for one node from the session's
// rows; both must say the same, bit for bit.
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/rng.h"
#include "framework/session/statement.h"
#include "plugins/nodeorder/node_columns.h"
#include "tests/plugins/fixtures.h"
#include "tests/support/seeds.h"

namespace bth::test {
namespace {

using framework::ReasonId;
using framework::Session;
using model::NodeId;
using model::NodeRange;
using model::ShapeId;
using model::TaskId;
using model::TaskStatus;

template <size_t kSize>
std::string OneOf(Rng& rng, const char* const (&choices)[kSize]) {
  return choices[rng.Below(kSize)];
}

// Ordinary nodes, and ones with too much, too little or nothing of a resource.
std::string RandomNodes(Rng& rng, int nodes) {
  constexpr const char* kCpu[] = {"4", "4", "16", "33333m", "0", "9000000000000"};
  constexpr const char* kMemory[] = {"8Gi", "8Gi", "100Gi", "1234567891", "0", "33Ti", "5000Ti"};
  constexpr const char* kExtra[] = {"", "", " gpu=4", " kube.cpu=2", " kube.mem=0 gpu=1"};
  std::string text;
  for (int i = 0; i < nodes; ++i) {
    const bool plain = rng.Chance(0.7);
    absl::StrAppend(&text, "node n", i, " cpu=", plain ? "16" : OneOf(rng, kCpu),
                    " mem=", plain ? "64Gi" : OneOf(rng, kMemory), " pods=", rng.Between(1, 6),
                    OneOf(rng, kExtra), ";");
  }
  return text;
}

std::string RandomTasks(Rng& rng, int nodes) {
  constexpr const char* kCpu[] = {"", " cpu=100m", " cpu=1234m", " cpu=3", " cpu=4000000000000"};
  constexpr const char* kMemory[] = {"", " mem=1", " mem=1Gi", " mem=12345678", " mem=3Gi"};
  constexpr const char* kGpu[] = {"", "", "", " gpu=1"};
  constexpr const char* kStatus[] = {"", "", " status=pipelined", " status=releasing"};
  std::string text = "job a";
  for (int i = 0; i < 30; ++i) {
    absl::StrAppend(&text, ";task t", i, " job=a", OneOf(rng, kCpu), OneOf(rng, kMemory),
                    OneOf(rng, kGpu));
    if (i % 2 == 0) continue;
    absl::StrAppend(&text, " node=n", rng.Below(static_cast<uint64_t>(nodes)), OneOf(rng, kStatus));
  }
  return text;
}

void CheckBlock(const Session& session, ShapeId shape, NodeRange block) {
  for (const auto& entry : session.hooks().usage_score) {
    std::vector<double> many(block.size(), 1.5);
    entry.fn(shape, block, absl::MakeSpan(many));
    for (NodeId node : block) {
      double one = 1.5;
      entry.fn(shape, NodeRange(node.index(), node.index() + 1), absl::Span<double>(&one, 1));
      CHECK(many[block.Offset(node)] == one);
    }
  }
  for (const auto& entry : session.hooks().usage_filter) {
    std::vector<ReasonId> many(block.size(), framework::kFits);
    entry.fn(shape, block, absl::MakeSpan(many));
    for (NodeId node : block) {
      ReasonId one = framework::kFits;
      entry.fn(shape, NodeRange(node.index(), node.index() + 1), absl::Span<ReasonId>(&one, 1));
      CHECK(many[block.Offset(node)] == one);
    }
  }
}

void ActOnce(Session& session, framework::Statement& statement, Rng& rng) {
  const TaskId task = TaskId::FromIndex(rng.Below(session.base().tasks.size()));
  const NodeId node = NodeId::FromIndex(rng.Below(session.base().nodes.size()));
  const TaskStatus status = session.state(task).status;
  if (status == TaskStatus::kPending && rng.Chance(0.6)) {
    statement.Allocate(task, node);
  } else if (status == TaskStatus::kPending) {
    statement.Pipeline(task, node, false);
  } else if (model::InGroup(status, model::kPreemptableGroup)) {
    statement.Evict(task, TaskId());
  } else {
    statement.RollbackTo({});
  }
}

TEST_CASE("columns: many nodes at once get what each gets alone", "[plugins][property]") {
  const std::map<std::string, std::string> arguments = {
      {"nodeorder", "{leastrequested.weight: 3, mostrequested.weight: -2}"},
      {"binpack",
       "{binpack.weight: 5, binpack.cpu: 2, binpack.resources: nvidia.com/gpu,"
       " binpack.resources.nvidia.com/gpu: 3}"}};
  ForEachSeed(150, [&](uint64_t seed) {
    Rng rng(seed);
    const int nodes = static_cast<int>(rng.Between(2, 12));
    PluginBed bed = Bed("predicates,nodeorder,binpack",
                        absl::StrCat(RandomNodes(rng, nodes), RandomTasks(rng, nodes)), arguments);
    Session& session = bed.session();
    framework::Statement statement(session, "test");
    for (int step = 0; step < 8; ++step) {
      // Without catching up, columns must know that they are stale.
      if (rng.Chance(0.7)) {
        for (const auto& entry : session.hooks().before_scan) entry.fn();
      }
      const TaskId task = TaskId::FromIndex(rng.Below(session.base().tasks.size()));
      const size_t first = rng.Below(session.base().nodes.size() - 1);
      CheckBlock(session, session.task(task).shape, NodeRange(first, session.base().nodes.size()));
      ActOnce(session, statement, rng);
    }
  });
}

TEST_CASE("columns: nodeorder's cover nodes with exact quantities, while up to date",
          "[plugins][nodeorder]") {
  PluginBed bed = Bed("nodeorder",
                      "node n1 cpu=4 mem=8Gi; node n2 cpu=4 mem=8Gi; node n3 cpu=4 mem=5000Ti;"
                      "job a; task p job=a cpu=1");
  Session& session = bed.session();
  plugins::nodeorder::NodeCapacities capacities;
  capacities.Refresh(session.base());
  plugins::nodeorder::NodeColumns columns(session, capacities);
  const algo::CpuMemory pod{.cpu = 1000, .memory = 1};
  const size_t n1 = bed.world().node("n1").index();
  const NodeRange plain(n1, n1 + 2);
  CHECK_FALSE(columns.Covers(plain, pod, 1));
  columns.CatchUp();
  CHECK(columns.Covers(plain, pod, 1));
  CHECK_FALSE(columns.Covers(NodeRange(n1, n1 + 1), pod, 1));
  CHECK_FALSE(columns.Covers(NodeRange(n1, n1 + 3), pod, 1));
  CHECK_FALSE(columns.Covers(plain, {.cpu = int64_t{1} << 60, .memory = 1}, 1));
  CHECK_FALSE(columns.Covers(plain, pod, int64_t{1} << 60));
  framework::Statement statement(session, "test");
  statement.Allocate(bed.world().task("p"), bed.world().node("n1"));
  CHECK_FALSE(columns.Covers(plain, pod, 1));
  columns.CatchUp();
  CHECK(columns.Covers(plain, pod, 1));
}

// What docs/plugins/binpack.md says, for the weights below.
double FullnessBy(const Session& session, TaskId task, NodeId node) {
  const std::pair<std::string_view, int> weights[] = {
      {"cpu", 2}, {"memory", 1}, {"nvidia.com/gpu", 3}};
  long double parts = 0;
  int all = 0;
  for (const auto& [name, weight] : weights) {
    const std::optional<int> dim = session.dims().Find(name);
    if (!dim || session.request(task)[*dim] == 0) continue;
    all += weight;
    const int64_t whole = session.base().allocatable[node][*dim];
    if (whole == 0) continue;
    const int64_t used = whole - session.usage().idle[node][*dim] + session.request(task)[*dim];
    if (used > whole) return 0;
    parts += static_cast<long double>(used) / static_cast<long double>(whole) * weight;
  }
  return all == 0 ? 0 : static_cast<double>(5 * 100 * parts / all);
}

TEST_CASE("binpack: every node gets what the page says, from columns and without them",
          "[plugins][binpack][property]") {
  const std::map<std::string, std::string> arguments = {
      {"binpack",
       "{binpack.weight: 5, binpack.cpu: 2, binpack.resources: nvidia.com/gpu,"
       " binpack.resources.nvidia.com/gpu: 3}"}};
  ForEachSeed(150, [&](uint64_t seed) {
    Rng rng(seed);
    const int nodes = static_cast<int>(rng.Between(2, 12));
    PluginBed bed =
        Bed("binpack", absl::StrCat(RandomNodes(rng, nodes), RandomTasks(rng, nodes)), arguments);
    Session& session = bed.session();
    framework::Statement statement(session, "test");
    for (int step = 0; step < 8; ++step) {
      if (rng.Chance(0.6)) session.hooks().before_scan();
      const TaskId task = TaskId::FromIndex(rng.Below(session.base().tasks.size()));
      const NodeRange block(0, session.base().nodes.size());
      std::vector<double> scores(block.size(), 0);
      session.hooks().usage_score[0].fn(session.task(task).shape, block, absl::MakeSpan(scores));
      for (NodeId node : block) {
        CHECK(scores[block.Offset(node)] == Approx(FullnessBy(session, task, node)));
      }
      ActOnce(session, statement, rng);
    }
  });
}

}  // namespace
}  // namespace bth::test
