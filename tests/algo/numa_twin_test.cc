// FitNuma on random machines, against sets of numbers.
#include <map>
#include <string>
#include <vector>

#include "algo/numa_cpus.h"
#include "algo/numa_fit.h"
#include "base/rng.h"
#include "tests/support/catch.h"
#include "tests/support/seeds.h"
#include "tests/support/slow_numa.h"

namespace bth::test {
namespace {

struct Machine {
  std::vector<SlowCpu> cpus;
  model::CpuLayout layout;
};

// Sockets of several NUMA nodes, cores of one to three CPUs whose numbers lie anywhere.
Machine RandomMachine(Rng& rng) {
  Machine machine;
  const int64_t sockets = rng.Between(1, 3);
  const int64_t numa_per_socket = rng.Between(1, 2);
  for (int64_t s = 0; s < sockets; ++s) {
    int core = 0;
    for (int64_t n = 0; n < numa_per_socket; ++n) {
      for (int64_t c = rng.Between(1, 3); c > 0; --c, ++core) {
        for (int64_t t = rng.Between(1, 3); t > 0; --t) {
          machine.cpus.push_back({.numa = static_cast<int>(s * numa_per_socket + n),
                                  .socket = static_cast<int>(s),
                                  .core = core});
        }
      }
    }
  }
  for (size_t i = machine.cpus.size(); i > 1; --i) {
    std::swap(machine.cpus[i - 1], machine.cpus[rng.Below(i)]);
  }
  std::map<int, model::CpuSet> numa_nodes;
  std::map<int, model::CpuSet> sockets_by_id;
  std::map<std::pair<int, int>, model::CpuSet> cores;
  for (size_t i = 0; i < machine.cpus.size(); ++i) {
    const SlowCpu& at = machine.cpus[i];
    const int cpu = static_cast<int>(i);
    machine.layout.all.Add(cpu);
    numa_nodes[at.numa].Add(cpu);
    sockets_by_id[at.socket].Add(cpu);
    cores[{at.socket, at.core}].Add(cpu);
  }
  for (const auto& [id, cpus] : numa_nodes) machine.layout.numa_nodes.push_back(cpus);
  for (const auto& [id, cpus] : sockets_by_id) machine.layout.sockets.push_back(cpus);
  for (const auto& [id, cpus] : cores) {
    machine.layout.cores.push_back({.socket = static_cast<size_t>(id.first), .cpus = cpus});
  }
  return machine;
}

std::set<int> AsSet(const model::CpuSet& cpus) {
  std::set<int> out;
  cpus.ForEach([&out](int cpu) { out.insert(cpu); });
  return out;
}

TEST_CASE("numa: pods fit and get their CPUs as by the slow twin", "[algo][numa][property]") {
  int admitted = 0;
  int refused = 0;
  ForEachSeed(1500, [&](uint64_t seed) {
    CAPTURE(seed);
    Rng rng(seed);
    const Machine machine = RandomMachine(rng);
    const int reserved = rng.Chance(0.3) ? static_cast<int>(rng.Below(3)) : 0;
    auto facts = std::make_shared<model::NumaFacts>();
    facts->layout = machine.layout;
    model::NodeNuma node;
    node.reserved = algo::TakeByTopology(machine.layout, machine.layout.all, reserved)
                        .value_or(machine.layout.all);
    node.facts = facts;
    std::set<int> free;
    for (size_t cpu = 0; cpu < machine.cpus.size(); ++cpu) {
      if (!rng.Chance(0.75)) continue;
      node.free.Add(static_cast<int>(cpu));
      free.insert(static_cast<int>(cpu));
    }
    const SlowNuma slow(machine.cpus, reserved);
    std::vector<int32_t> containers;
    for (uint64_t c = rng.Below(4); c > 0; --c) {
      containers.push_back(static_cast<int32_t>(rng.Below(7)));
    }
    for (const std::string policy : {"none", "best-effort", "restricted", "single-numa-node"}) {
      CAPTURE(policy, containers);
      const algo::NumaFit fit =
          algo::FitNuma(node, node.free, algo::NumaPolicyNamed(policy), containers);
      const SlowNuma::Fit expect = slow.FitPod(policy, free, containers);
      REQUIRE((fit.admitted() ? -1 : static_cast<int>(fit.refused)) == expect.refused);
      REQUIRE(AsSet(fit.cpus) == expect.cpus);
      REQUIRE(algo::CountNumaNodes(machine.layout, fit.cpus) == slow.NumaNodesOf(expect.cpus));
      (fit.admitted() ? admitted : refused) += 1;
    }
  });
  CHECK((FewSeeds() || (admitted > 500 && refused > 500)));
}

}  // namespace
}  // namespace bth::test
