// Which CPUs a pod gets, by sets of numbers and straight from the rules: the slow twin of
// algo/numa_*.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace bth::test {

struct SlowCpu {
  int numa = 0;
  int socket = 0;
  int core = 0;  // Of its socket.
};

class SlowNuma {
 public:
  using Set = std::set<int>;

  // By number.
  explicit SlowNuma(std::vector<SlowCpu> cpus, int reserved) : cpus_(std::move(cpus)) {
    Set all;
    for (int cpu = 0; cpu < static_cast<int>(cpus_.size()); ++cpu) all.insert(cpu);
    reserved_ = Take(all, reserved).value_or(all);
  }

  struct Fit {
    int refused = -1;
    Set cpus;
  };
  Fit FitPod(const std::string& policy, Set free, const std::vector<int32_t>& containers) const {
    for (int cpu : reserved_) free.erase(cpu);
    Fit fit;
    for (size_t c = 0; c < containers.size(); ++c) {
      if (containers[c] == 0) continue;
      const auto [best, preferred] = Best(policy, free, containers[c]);
      if (policy != "best-effort" && policy != "none" && !preferred) {
        fit.refused = static_cast<int>(c);
        return fit;
      }
      for (int cpu : Allocate(free, best, containers[c])) {
        free.erase(cpu);
        fit.cpus.insert(cpu);
      }
    }
    return fit;
  }

  int NumaNodesOf(const Set& cpus) const {
    Set nodes;
    for (int cpu : cpus) nodes.insert(At(cpu).numa);
    return static_cast<int>(nodes.size());
  }

 private:
  const SlowCpu& At(int cpu) const { return cpus_[static_cast<size_t>(cpu)]; }

  template <typename Same>
  Set Where(const Set& cpus, const Same& same) const {
    Set out;
    for (int cpu : cpus) {
      if (same(At(cpu))) out.insert(cpu);
    }
    return out;
  }
  Set All() const {
    Set all;
    for (size_t cpu = 0; cpu < cpus_.size(); ++cpu) all.insert(static_cast<int>(cpu));
    return all;
  }

  std::optional<Set> Take(Set free, int count) const {
    if (count < 1) return Set();
    if (count > static_cast<int>(free.size())) return std::nullopt;
    Set taken;
    const auto need = [&] { return count - static_cast<int>(taken.size()); };
    const auto take = [&](const Set& cpus) {
      for (int cpu : cpus) {
        taken.insert(cpu);
        free.erase(cpu);
      }
    };
    const auto take_if_whole = [&](const Set& cpus) {
      const bool whole = std::includes(free.begin(), free.end(), cpus.begin(), cpus.end());
      if (whole && static_cast<int>(cpus.size()) <= need()) take(cpus);
    };
    Set sockets;
    std::set<std::pair<int, int>> cores;
    for (const SlowCpu& cpu : cpus_) {
      sockets.insert(cpu.socket);
      cores.insert({cpu.socket, cpu.core});
    }
    const auto in_socket = [&](const Set& cpus, int socket) {
      return Where(cpus, [&](const SlowCpu& cpu) { return cpu.socket == socket; });
    };
    const auto in_core = [&](const Set& cpus, const std::pair<int, int>& core) {
      return Where(cpus,
                   [&](const SlowCpu& cpu) { return std::pair(cpu.socket, cpu.core) == core; });
    };
    for (int socket : sockets) take_if_whole(in_socket(All(), socket));
    std::vector<std::pair<int, int>> by_cores;  // Cores with something left, socket.
    for (int socket : sockets) {
      Set left;
      for (int cpu : in_socket(free, socket)) left.insert(At(cpu).core);
      by_cores.emplace_back(static_cast<int>(left.size()), socket);
    }
    std::sort(by_cores.begin(), by_cores.end());
    for (const auto& [left, socket] : by_cores) {
      for (const auto& core : cores) {
        if (core.first == socket) take_if_whole(in_core(All(), core));
      }
    }
    std::vector<std::tuple<int, int, int, int, int, int>> singles;
    for (int cpu : free) {
      const SlowCpu& at = At(cpu);
      singles.emplace_back(-static_cast<int>(in_socket(taken, at.socket).size()),
                           static_cast<int>(in_socket(free, at.socket).size()),
                           static_cast<int>(in_core(free, {at.socket, at.core}).size()), at.socket,
                           at.core, cpu);
    }
    std::sort(singles.begin(), singles.end());
    for (const auto& single : singles) {
      if (need() > 0) taken.insert(std::get<5>(single));
    }
    return taken;
  }

  Set Allocate(const Set& available, const Set& numa_nodes, int count) const {
    const Set aligned =
        Where(available, [&](const SlowCpu& cpu) { return numa_nodes.contains(cpu.numa); });
    const int first = std::min(count, static_cast<int>(aligned.size()));
    Set out = *Take(aligned, first);
    Set others = available;
    for (int cpu : out) others.erase(cpu);
    const std::optional<Set> rest = Take(others, count - first);
    if (!rest) return {};
    out.insert(rest->begin(), rest->end());
    return out;
  }

  // Every set of NUMA nodes that has enough, the best one by preference, size and ids.
  std::pair<Set, bool> Best(const std::string& policy, const Set& available, int count) const {
    Set ids;
    for (const SlowCpu& cpu : cpus_) ids.insert(cpu.numa);
    std::pair<Set, bool> best = {ids, false};
    if (policy == "none") return best;
    const std::vector<int> list(ids.begin(), ids.end());
    const auto count_in = [&](const Set& cpus, const Set& nodes) {
      return static_cast<int>(
          Where(cpus, [&](const SlowCpu& cpu) { return nodes.contains(cpu.numa); }).size());
    };
    size_t smallest = list.size();
    std::vector<std::pair<unsigned, Set>> enough;
    for (unsigned mask = 1; mask < 1u << list.size(); ++mask) {
      Set nodes;
      for (size_t n = 0; n < list.size(); ++n) {
        if ((mask >> n & 1) != 0) nodes.insert(list[n]);
      }
      if (count_in(All(), nodes) >= count) smallest = std::min(smallest, nodes.size());
      if (count_in(available, nodes) >= count) enough.emplace_back(mask, nodes);
    }
    std::optional<std::tuple<bool, size_t, unsigned>> rank;
    for (const auto& [mask, nodes] : enough) {
      const bool preferred = nodes.size() == smallest;
      if (policy == "single-numa-node" && (!preferred || nodes.size() > 1)) continue;
      const std::tuple<bool, size_t, unsigned> own = {!preferred, nodes.size(), mask};
      if (rank && *rank <= own) continue;
      rank = own;
      best = {nodes, preferred};
    }
    return best;
  }

  const std::vector<SlowCpu> cpus_;
  Set reserved_;
};

}  // namespace bth::test
