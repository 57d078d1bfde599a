// Any bytes as the annotation that tells how a bound pod's CPUs lie: no crash, each NUMA node once,
// and no more CPUs than the pod has to itself.
#include <cstddef>
#include <cstdint>
#include <string>

#include "api/model/numa.h"
#include "api/types/pod.h"
#include "base/check.h"
#include "cache/intake/compile_numa.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bth;
  constexpr int64_t kOwn = 8;
  types::Pod pod;
  types::ResourceRequirements& resources = pod.spec.containers.emplace_back().resources;
  for (types::ResourceList* list : {&resources.limits, &resources.requests}) {
    list->Set("cpu", types::Quantity::FromValue(kOwn));
    list->Set("memory", types::Quantity::FromValue(1));
  }
  pod.meta.annotations.Set(std::string(cache::kNumaDecision),
                           std::string(reinterpret_cast<const char*>(data), size));
  const cache::NumaDecision decision = cache::DecisionOf(pod);
  BTH_CHECK(decision.size() <= model::kNumaNodesMax);
  int64_t cpus = 0;
  for (size_t i = 0; i < decision.size(); ++i) {
    BTH_CHECK(decision[i].first >= 0 && decision[i].second > 0);
    BTH_CHECK(i == 0 || decision[i - 1].first < decision[i].first);
    cpus += decision[i].second;
  }
  BTH_CHECK(cpus <= kOwn);
  return 0;
}
