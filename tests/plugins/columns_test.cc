// Scores and filters answer for many nodes at once from columns, for one node from the session's
// rows; both must say the same, bit for bit.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "base/strings.h"
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
    StrAppend(&text, "node n", i, " cpu=", plain ? "16" : OneOf(rng, kCpu),
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
    StrAppend(&text, ";task t", i, " job=a", OneOf(rng, kCpu), OneOf(rng, kMemory),
              OneOf(rng, kGpu));
    if (i % 2 == 0) continue;
    StrAppend(&text, " node=n", rng.Below(static_cast<uint64_t>(nodes)), OneOf(rng, kStatus));
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
                        StrCat(RandomNodes(rng, nodes), RandomTasks(rng, nodes)), arguments);
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
        Bed("binpack", StrCat(RandomNodes(rng, nodes), RandomTasks(rng, nodes)), arguments);
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

// kube-scheduler's scores of what is requested, written from their rules for the weights below.
class AllocationTwin {
 public:
  AllocationTwin(const Session& session, TaskId task, NodeId node)
      : session_(session), task_(task), whole_(session.node(node).kube_allocatable) {
    for (TaskId other : session.base().tasks.ids()) {
      const model::TaskState& state = session.state(other);
      if (session.task(other).names != nullptr && state.node == node) Hold(other);
    }
  }

  // 3 x LeastAllocated - 2 x MostAllocated + BalancedAllocation.
  int64_t Score() const {
    int64_t least = 0;
    int64_t most = 0;
    int64_t present = 0;
    for (const int dim : {model::kCpu, model::kMemory}) {
      if (whole_[dim] <= 0) continue;
      ++present;
      const __int128 asked = std::min(asked_[dim] + WithDefault(task_, dim), whole_[dim]);
      least += static_cast<int64_t>((whole_[dim] - asked) * 100 / whole_[dim]);
      most += static_cast<int64_t>(asked * 100 / whole_[dim]);
    }
    const int64_t allocated = present == 0 ? 0 : 3 * (least / present) - 2 * (most / present);
    return allocated + Balance();
  }

 private:
  void Hold(TaskId task) {
    held_ += session_.request(task);
    for (const int dim : {model::kCpu, model::kMemory}) asked_[dim] += WithDefault(task, dim);
  }

  // A pod that asks for nothing counts as a small one.
  int64_t WithDefault(TaskId task, int dim) const {
    const int64_t request = session_.request(task)[dim];
    return request > 0 ? request : dim == model::kCpu ? 100 : int64_t{200} << 20;
  }

  int64_t Balance() const {
    const model::ResourceVec& request = session_.request(task_);
    std::vector<int> dims = {model::kCpu, model::kMemory};
    if (const auto gpu = session_.dims().Find("nvidia.com/gpu"); gpu && request[*gpu] > 0) {
      dims.push_back(*gpu);
    }
    const auto asks = [&request](int dim) { return request[dim] > 0; };
    if (std::none_of(dims.begin(), dims.end(), asks)) return 0;
    return 50 + (50 + Evenness(dims, held_ + request) - Evenness(dims, held_)) / 2;
  }

  // 100, less the standard deviation of the parts in use.
  int64_t Evenness(const std::vector<int>& dims, const model::ResourceVec& held) const {
    std::vector<double> parts;
    for (const int dim : dims) {
      if (whole_[dim] <= 0) continue;
      const auto whole = static_cast<double>(whole_[dim]);
      parts.push_back(std::min(static_cast<double>(held[dim]) / whole, 1.0));
    }
    double deviation = 0;
    if (parts.size() == 2) deviation = std::abs((parts[0] - parts[1]) / 2);
    if (parts.size() == 3) {
      const double mean = (parts[0] + parts[1] + parts[2]) / 3;
      for (const double part : parts) deviation += (part - mean) * (part - mean);
      deviation = std::sqrt(deviation / 3);
    }
    return static_cast<int64_t>((1.0 - deviation) * 100);
  }

  const Session& session_;
  const TaskId task_;
  const model::ResourceVec& whole_;
  model::ResourceVec held_;
  model::ResourceVec asked_;  // With defaults.
};

TEST_CASE("nodeorder: every node gets what the rules say, from columns and without them",
          "[plugins][nodeorder][property]") {
  ForEachSeed(150, [&](uint64_t seed) {
    Rng rng(seed);
    const int nodes = static_cast<int>(rng.Between(2, 12));
    PluginBed bed = Bed("nodeorder", StrCat(RandomNodes(rng, nodes), RandomTasks(rng, nodes)),
                        {{"nodeorder", "{leastrequested.weight: 3, mostrequested.weight: -2}"}});
    Session& session = bed.session();
    framework::Statement statement(session, "test");
    for (int step = 0; step < 8; ++step) {
      if (rng.Chance(0.6)) session.hooks().before_scan();
      const TaskId task = TaskId::FromIndex(rng.Below(session.base().tasks.size()));
      const NodeRange block(0, session.base().nodes.size());
      std::vector<double> scores(block.size(), 0);
      for (const auto& entry : session.hooks().usage_score) {
        entry.fn(session.task(task).shape, block, absl::MakeSpan(scores));
      }
      for (NodeId node : block) {
        const int64_t expected = AllocationTwin(session, task, node).Score();
        CHECK(scores[block.Offset(node)] == static_cast<double>(expected));
      }
      ActOnce(session, statement, rng);
    }
  });
}

}  // namespace
}  // namespace bth::test
