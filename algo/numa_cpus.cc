#include "algo/numa_cpus.h"

#include <algorithm>
#include <tuple>

#include "absl/container/inlined_vector.h"

namespace bth::algo {
namespace {

using model::CpuCore;
using model::CpuLayout;
using model::CpuSet;

constexpr size_t kFewCores = 64;
constexpr size_t kFewSockets = 8;

// What is left to take from.
struct CpuTaking {
  const CpuLayout& layout;
  CpuSet free;
  int need = 0;
  CpuSet taken;

  void Take(const CpuSet& cpus) {
    taken |= cpus;
    free -= cpus;
    need -= cpus.size();
  }
  bool MayTakeWhole(const CpuSet& cpus) const { return cpus.size() <= need && cpus.Within(free); }
};

void TakeCores(CpuTaking& taking) {
  const CpuLayout& layout = taking.layout;
  struct SocketCores {
    int cores = 0;  // With something left.
    size_t socket = 0;
  };
  absl::InlinedVector<SocketCores, kFewSockets> sockets;
  for (size_t s = 0; s < layout.sockets.size(); ++s) sockets.push_back({.socket = s});
  for (const CpuCore& core : layout.cores) {
    if (!(core.cpus & taking.free).empty()) ++sockets[core.socket].cores;
  }
  std::sort(sockets.begin(), sockets.end(), [](const SocketCores& a, const SocketCores& b) {
    return std::tie(a.cores, a.socket) < std::tie(b.cores, b.socket);
  });
  for (const SocketCores& socket : sockets) {
    for (const CpuCore& core : layout.cores) {
      if (core.socket == socket.socket && taking.MayTakeWhole(core.cpus)) taking.Take(core.cpus);
    }
  }
}

void TakeSingles(CpuTaking& taking) {
  const CpuLayout& layout = taking.layout;
  struct Left {
    int taken_on_socket = 0;  // Negated: more of it comes first.
    int left_on_socket = 0;
    int left_on_core = 0;
    size_t core = 0;  // By socket and id.
  };
  absl::InlinedVector<Left, kFewCores> cores;
  for (size_t c = 0; c < layout.cores.size(); ++c) {
    const CpuCore& core = layout.cores[c];
    const int left = (core.cpus & taking.free).size();
    if (left == 0) continue;
    const CpuSet& socket = layout.sockets[core.socket];
    cores.push_back({.taken_on_socket = -(socket & taking.taken).size(),
                     .left_on_socket = (socket & taking.free).size(),
                     .left_on_core = left,
                     .core = c});
  }
  const auto rank = [](const Left& left) {
    return std::tie(left.taken_on_socket, left.left_on_socket, left.left_on_core, left.core);
  };
  std::sort(cores.begin(), cores.end(),
            [&](const Left& a, const Left& b) { return rank(a) < rank(b); });
  CpuSet single;
  for (const Left& left : cores) {
    (layout.cores[left.core].cpus & taking.free).ForEach([&](int cpu) {
      if (single.size() < taking.need) single.Add(cpu);
    });
  }
  taking.Take(single);
}

}  // namespace

std::optional<CpuSet> TakeByTopology(const CpuLayout& layout, CpuSet free, int count) {
  if (count < 1) return CpuSet();
  free &= layout.all;
  if (count > free.size()) return std::nullopt;
  CpuTaking taking{.layout = layout, .free = free, .need = count, .taken = {}};
  for (const CpuSet& socket : layout.sockets) {
    if (taking.MayTakeWhole(socket)) taking.Take(socket);
  }
  if (taking.need > 0) TakeCores(taking);
  if (taking.need > 0) TakeSingles(taking);
  return taking.taken;
}

CpuSet AllocateCpus(const CpuLayout& layout, const CpuSet& available, model::NumaMask preferred,
                    int count) {
  const CpuSet aligned = available & layout.CpusIn(preferred);
  const int from_aligned = std::min(count, aligned.size());
  const std::optional<CpuSet> first = TakeByTopology(layout, aligned, from_aligned);
  if (!first) return {};
  const std::optional<CpuSet> rest =
      TakeByTopology(layout, available - *first, count - from_aligned);
  return rest ? *first | *rest : CpuSet();
}

}  // namespace bth::algo
