#include "plugins/nodeorder/node_columns.h"

#include <algorithm>
#include <cmath>

#include "algo/node_scores.h"

namespace bth::plugins::nodeorder {
namespace {

using model::NodeId;
using model::NodeRange;

// Up to here (35 TB) 100 parts of a capacity are exact in a double, and a percentage that is not
// whole lies further from the next whole one than a division rounds: truncating it is exact.
constexpr int64_t kWholeMax = int64_t{1} << 45;
// Sums of two of these are exact in a double.
constexpr int64_t kHeldMax = int64_t{1} << 51;
// Times a score of at most 100 this is exact, too.
constexpr int64_t kWeightMax = int64_t{1} << 40;

bool IsHeldExact(int64_t quantity) {
  return quantity >= 0 && quantity <= kHeldMax;
}

// The arrays of one resource for one block, and what the pod adds.
struct Lane {
  const double* __restrict whole;
  const double* __restrict held;
  double pod;
};

// Truncated percentages of both resources, and their mean. `part` is what counts out of
// (asked, whole), asked being at most whole.
template <typename Part>
void AddMeanPercent(const Lane& cpu, const Lane& memory, double weight, absl::Span<double> sum,
                    Part part) {
  double* __restrict out = sum.data();
  const Lane c = cpu;
  const Lane m = memory;
  const size_t size = sum.size();
  for (size_t i = 0; i < size; ++i) {
    const double cpu_part = part(std::min(c.held[i] + c.pod, c.whole[i]), c.whole[i]);
    const double memory_part = part(std::min(m.held[i] + m.pod, m.whole[i]), m.whole[i]);
    const auto cpu_score = static_cast<int32_t>(cpu_part * 100.0 / c.whole[i]);
    const auto memory_score = static_cast<int32_t>(memory_part * 100.0 / m.whole[i]);
    out[i] += weight * static_cast<double>((cpu_score + memory_score) >> 1);
  }
}

}  // namespace

void NodeColumns::Resource::Resize(size_t nodes) {
  whole.resize(nodes, 1);
  asked.resize(nodes, 0);
  held.resize(nodes, 0);
}

bool NodeColumns::Resource::Set(size_t node, int64_t new_whole, int64_t new_asked,
                                int64_t new_held) {
  const bool exact =
      new_whole > 0 && new_whole <= kWholeMax && IsHeldExact(new_asked) && IsHeldExact(new_held);
  whole[node] = exact ? static_cast<double>(new_whole) : 1;
  asked[node] = exact ? static_cast<double>(new_asked) : 0;
  held[node] = exact ? static_cast<double>(new_held) : 0;
  return exact;
}

void NodeColumns::CatchUp() {
  const size_t nodes = session_.base().nodes.size();
  cpu_.Resize(nodes);
  memory_.Resize(nodes);
  evenness_.resize(nodes, 0);
  odd_.resize(nodes, 0);
  follower_.CatchUp([this](NodeId node) { Read(node); });
}

void NodeColumns::Read(NodeId node) {
  const model::Usage& usage = session_.usage();
  const model::ResourceVec& allocatable = session_.base().allocatable[node];
  const model::ResourceVec& idle = usage.idle[node];
  algo::CpuMemory held{.cpu = allocatable[model::kCpu] - idle[model::kCpu],
                       .memory = allocatable[model::kMemory] - idle[model::kMemory]};
  if (usage.pipelined_tasks > 0) {
    held.cpu += usage.pipelined[node][model::kCpu];
    held.memory += usage.pipelined[node][model::kMemory];
  }
  const model::NonZeroRequest& asked = usage.nonzero[node];
  const algo::CpuMemory& whole = capacities_[node].cpu_memory;
  const size_t at = node.index();
  const bool cpu_exact = cpu_.Set(at, whole.cpu, asked.cpu_milli, held.cpu);
  const bool memory_exact = memory_.Set(at, whole.memory, asked.memory_bytes, held.memory);
  odd_[at] = static_cast<uint8_t>(!cpu_exact || !memory_exact);
  if (odd_[at] != 0) return;
  algo::Evenness evenness;
  evenness.Add(algo::UsedFraction(held.cpu, whole.cpu));
  evenness.Add(algo::UsedFraction(held.memory, whole.memory));
  evenness_[at] = static_cast<int32_t>(evenness.Score());
}

bool NodeColumns::Covers(NodeRange block, const algo::CpuMemory& pod, int64_t weight) const {
  if (block.size() < 2 || !follower_.up_to_date()) return false;
  if (!IsHeldExact(pod.cpu) || !IsHeldExact(pod.memory)) return false;
  if (weight < -kWeightMax || weight > kWeightMax) return false;
  const uint8_t* odd = odd_.data() + block.first().index();
  uint8_t any = 0;
  for (size_t i = 0; i < block.size(); ++i) any |= odd[i];
  return any == 0;
}

void NodeColumns::AddAllocation(Favour favour, const algo::CpuMemory& pod, int64_t weight,
                                NodeRange block, absl::Span<double> sum) const {
  const size_t first = block.first().index();
  const Lane cpu{cpu_.whole.data() + first, cpu_.asked.data() + first,
                 static_cast<double>(pod.cpu)};
  const Lane memory{memory_.whole.data() + first, memory_.asked.data() + first,
                    static_cast<double>(pod.memory)};
  const auto factor = static_cast<double>(weight);
  const absl::Span<double> out = sum.subspan(0, block.size());
  if (favour == Favour::kFree) {
    AddMeanPercent(cpu, memory, factor, out,
                   [](double asked, double whole) { return whole - asked; });
  } else {
    AddMeanPercent(cpu, memory, factor, out, [](double asked, double) { return asked; });
  }
}

void NodeColumns::AddBalance(const algo::CpuMemory& pod, int64_t weight, NodeRange block,
                             absl::Span<double> sum) const {
  const size_t first = block.first().index();
  const Lane cpu{cpu_.whole.data() + first, cpu_.held.data() + first, static_cast<double>(pod.cpu)};
  const Lane memory{memory_.whole.data() + first, memory_.held.data() + first,
                    static_cast<double>(pod.memory)};
  const int32_t* __restrict without = evenness_.data() + first;
  double* __restrict out = sum.data();
  const auto factor = static_cast<double>(weight);
  constexpr auto kTop = static_cast<int32_t>(algo::kScoreTop);
  const size_t size = block.size();
  for (size_t i = 0; i < size; ++i) {
    const double of_cpu = std::min((cpu.held[i] + cpu.pod) / cpu.whole[i], 1.0);
    const double of_memory = std::min((memory.held[i] + memory.pod) / memory.whole[i], 1.0);
    const double deviation = std::abs((of_cpu - of_memory) / 2);
    const auto with = static_cast<int32_t>((1.0 - deviation) * static_cast<double>(kTop));
    // Halves are dropped, as kube-scheduler does.
    // NOLINTNEXTLINE(bugprone-integer-division)
    out[i] += factor * static_cast<double>(kTop / 2 + ((kTop / 2 + with - without[i]) >> 1));
  }
}

}  // namespace bth::plugins::nodeorder
