// How CPUs lie, out of words; a part of the cluster builder.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algo/numa_cpus.h"
#include "api/model/numa.h"
#include "api/model/pod_extras.h"
#include "tests/support/cluster_text.h"

namespace bth::test {

// "0-3,8".
inline model::CpuSet ReadCpus(std::string_view text) {
  model::CpuSet cpus;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const std::string range(text.substr(at, end - at));
    const size_t dash = range.find('-');
    const int first = std::stoi(range);
    const int last = dash == std::string::npos ? first : std::stoi(range.substr(dash + 1));
    for (int cpu = first; cpu <= last; ++cpu) cpus.Add(cpu);
    at = end + 1;
  }
  return cpus;
}

// "4|4": NUMA nodes with so many CPUs, each a socket of its own, in cores of two.
inline model::CpuLayout ReadLayout(std::string_view sizes) {
  model::CpuLayout layout;
  int next = 0;
  for (size_t at = 0; at < sizes.size();) {
    const size_t end = std::min(sizes.find('|', at), sizes.size());
    const int size = std::stoi(std::string(sizes.substr(at, end - at)));
    model::CpuSet numa_node;
    for (int cpu = 0; cpu < size; ++cpu, ++next) {
      if (cpu % 2 == 0) layout.cores.push_back({.socket = layout.sockets.size(), .cpus = {}});
      layout.cores.back().cpus.Add(next);
      numa_node.Add(next);
    }
    layout.all |= numa_node;
    layout.numa_ids.push_back(static_cast<int32_t>(layout.numa_nodes.size()));
    layout.numa_nodes.push_back(numa_node);
    layout.sockets.push_back(numa_node);
    at = end + 1;
  }
  return layout;
}

// Null when the node says nothing of it.
inline std::shared_ptr<const model::NodeNuma> ReadNuma(const Statement& node) {
  if (!node.Has("numa")) return nullptr;
  auto facts = std::make_shared<model::NumaFacts>();
  facts->layout = ReadLayout(node.Text("layout"));
  facts->topology_policy = node.Text("numa");
  facts->static_cpus = !node.Has("shared");
  facts->allocatable = node.Has("free") ? ReadCpus(node.Text("free")) : facts->layout.all;
  facts->reserved_cpus = static_cast<int32_t>(node.Int("reserved", 0));
  auto numa = std::make_shared<model::NodeNuma>();
  numa->reserved =
      algo::TakeByTopology(facts->layout, facts->layout.all, facts->reserved_cpus).value();
  numa->free = facts->allocatable;
  numa->facts = std::move(facts);
  return numa;
}

// Null when the pod wants none.
inline std::shared_ptr<const model::PodNuma> ReadPodNuma(const Statement& task) {
  if (!task.Has("own")) return nullptr;
  auto numa = std::make_shared<model::PodNuma>();
  numa->policy = task.Text("policy");
  for (const std::string& cpus : SplitText(task.Text("own"), '|')) {
    numa->containers.push_back("c" + std::to_string(numa->containers.size()));
    numa->cpus.push_back(std::stoi(cpus));
  }
  return numa;
}

}  // namespace bth::test
