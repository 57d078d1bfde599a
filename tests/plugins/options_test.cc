// Every argument there is, in one policy: it is read, and an argument that a plugin or an action
// reads stands here. What each of them does is the business of its own test.
#include <memory>
#include <string>
#include <vector>

#include "conf/load.h"
#include "framework/session/cycle.h"
#include "tests/plugins/fixtures.h"

namespace bth::test {
namespace {

constexpr const char* kEverything = R"(
actions: "enqueue, allocate, backfill, preempt, reclaim, gangpreempt, gangreclaim, shuffle"
configurations:
- name: allocate
  arguments: {predicateErrorCacheEnable: false}
- name: backfill
  arguments: {predicateErrorCacheEnable: false}
- name: preempt
  arguments:
    predicateErrorCacheEnable: false
    enableTopologyAwarePreemption: true
    topologyAwarePreemptWorkerNum: 4
    minCandidateNodesPercentage: 20
    minCandidateNodesAbsolute: 2
    maxCandidateNodesAbsolute: 50
- name: reclaim
  arguments: {predicateErrorCacheEnable: false}
- name: gangpreempt
  arguments: {maxDomains: 3, allowWholeBundle: false}
- name: gangreclaim
  arguments: {maxDomains: 5, allowWholeBundle: false}
- name: session
  arguments: {victimVeto: strict}
tiers:
- plugins:
  - name: gang
  - name: priority
  - name: conformance
  - name: pdb
  - name: cdp
  - name: sla
    arguments: {sla-waiting-time: 1h30m}
  - name: tdm
    arguments:
      tdm.revocable-zone.rz1: 22:00-6:00
      tdm.revocable-zone.rz2: 0:00-0:00
      tdm.evict.period: 5m
- plugins:
  - name: drf
  - name: overcommit
    arguments: {overcommit-factor: 1.5}
  - name: resourcequota
  - name: capacity
    arguments:
      ancestorReclaimLevel: 1
      capacity.DynamicResourceAllocationEnable: false
      capacity.DRAConsumableCapacityEnable: false
  - name: predicates
    arguments:
      predicate.NodeAffinityEnable: true
      predicate.NodePortsEnable: true
      predicate.TaintTolerationEnable: true
      predicate.PodAffinityEnable: true
      predicate.NodeVolumeLimitsEnable: true
      predicate.VolumeZoneEnable: true
      predicate.PodTopologySpreadEnable: true
      predicate.VolumeBindingEnable: true
      predicate.VolumeRestrictionsEnable: true
      predicate.CacheEnable: false
      predicate.DynamicResourceAllocationEnable: true
      predicate.GPUSharingEnable: true
      predicate.GPUNumberEnable: true
      volumebinding.weight: 1
      volumebinding.bindTimeoutSeconds: 300
      volumebinding.shape: [{utilization: 0, score: 10}, {utilization: 100, score: 0}]
      dynamicresources.filterTimeoutSeconds: 10
  - name: network-topology-aware
    arguments:
      weight: 2
      hypernode.binpack.cpu: 2
      hypernode.binpack.memory: 2
      hypernode.binpack.resources: nvidia.com/gpu
      hypernode.binpack.resources.nvidia.com/gpu: 2
      hypernode.binpack.normal-pod.enable: false
      hypernode.binpack.normal-pod.fading: 0.5
      hypernode.tightest-fit.enable: true
      hypernode.gradient.evict.max-hypernodes: 4
  - name: deviceshare
    arguments:
      deviceshare.GPUSharingEnable: false
      deviceshare.GPUNumberEnable: false
      deviceshare.VGPUEnable: true
      deviceshare.AscendMindClusterVNPUEnable: true
      deviceshare.AscendHAMiVNPUEnable: true
      deviceshare.NodeLockEnable: true
      deviceshare.SchedulePolicy: binpack
      deviceshare.ScheduleWeight: 10
      deviceshare.KnownGeometriesCMName: volcano-vgpu-device-config
      deviceshare.KnownGeometriesCMNamespace: kube-system
      deviceshare.GPUExclusiveRules: [{app: training, team: ml}, {workload: inference}]
  - name: nodegroup
    arguments: {strict: false, enablePreferredOrder: true}
  - name: nodeorder
    arguments:
      nodeaffinity.weight: 2
      podaffinity.weight: 2
      leastrequested.weight: 1
      mostrequested.weight: 0
      balancedresource.weight: 1
      tainttoleration.weight: 3
      imagelocality.weight: 1
      podtopologyspread.weight: 2
  - name: binpack
    arguments:
      binpack.weight: 10
      binpack.cpu: 2
      binpack.memory: 1
      binpack.resources: nvidia.com/gpu, example.com/x
      binpack.resources.nvidia.com/gpu: 5
      binpack.resources.example.com/x: 3
  - name: resource-strategy-fit
    arguments:
      resourceStrategyFitWeight: 10
      resources:
        nvidia.com/gpu: {type: MostAllocated, weight: 2}
        cpu: {type: LeastAllocated, weight: 1}
      sra: {enable: true, weight: 10, resources: nvidia.com/gpu, resourceWeight: {nvidia.com/gpu: 1}}
      proportional:
        enable: true
        resources: nvidia.com/gpu
        resourceProportion: {nvidia.com/gpu.cpu: 4, nvidia.com/gpu.memory: 8}
  - name: task-topology
    arguments: {task-topology.weight: 10}
  - name: numa-aware
    arguments: {weight: 10}
  - name: usage
    arguments:
      usage.weight: 5
      cpu.weight: 1
      memory.weight: 1
      thresholds: {cpu: 80, mem: 70}
      estimator:
        request_ratio: 0.7
        burst_ratio: 0.1
        risk_threshold: 0.6
        risk_factor: 1.2
        be_cpu: 250m
        be_mem: 200Mi
  - name: rescheduling
    arguments:
      interval: 10m
      metricsPeriod: 5m
      queueSelector: [default]
      labelSelector: {app: x}
      strategies:
      - name: lowNodeUtilization
        params:
          thresholds: {cpu: 20, memory: 20, pods: 20, pod: 20}
          targetThresholds: {cpu: 50, memory: 50, pods: 50, pod: 50}
          nodeFit: true
          numberOfNodes: 1
          thresholdPriority: 100
          thresholdPriorityClassName: high
  - name: extender
    arguments:
      extender.urlPrefix: http://localhost:8713
      extender.httpTimeout: 2s
      extender.onSessionOpenVerb: onSessionOpen
      extender.onSessionCloseVerb: onSessionClose
      extender.predicateVerb: predicate
      extender.prioritizeVerb: prioritize
      extender.preemptableVerb: preemptable
      extender.reclaimableVerb: reclaimable
      extender.queueOverusedVerb: queueOverused
      extender.jobEnqueueableVerb: jobEnqueueable
      extender.jobEnqueuedVerb: jobEnqueued
      extender.jobReadyVerb: jobReady
      extender.allocateFuncVerb: allocateFunc
      extender.deallocateFuncVerb: deallocateFunc
      extender.ignorable: true
      extender.managedResources: [nvidia.com/gpu]
- plugins:
  - name: proportion
)";

// "plugin: path below its arguments".
std::vector<std::string> AbsentOf(const conf::Policy& policy) {
  std::vector<std::string> absent;
  const auto add = [&absent](const std::string& name, const conf::Arguments& arguments) {
    for (const std::string& key : arguments.AbsentKeys()) absent.push_back(name + ": " + key);
  };
  for (const conf::Tier& tier : policy.tiers) {
    for (const conf::PluginOption& option : tier.plugins) add(option.name, option.arguments);
  }
  for (const conf::ActionArguments& entry : policy.configurations) add(entry.name, entry.arguments);
  return absent;
}

TEST_CASE("arguments: a policy with all plugins, all actions and all their arguments is read",
          "[plugins][unit]") {
  auto loaded = conf::ParsePolicy(kEverything, Builtins().Names());
  INFO(loaded.status().ToString());
  REQUIRE(loaded.ok());
  const auto policy = std::make_shared<const conf::Policy>(std::move(loaded->policy));
  std::vector<conf::Finding> findings;
  const auto instance = framework::PolicyInstance::Create(policy, Builtins(), &findings);
  INFO(instance.status().ToString());
  REQUIRE(instance.ok());

  size_t plugins = 0;
  for (const conf::Tier& tier : policy->tiers) plugins += tier.plugins.size();
  CHECK(plugins == Builtins().plugins.size());
  CHECK(policy->actions.size() == Builtins().actions.size());
  // Whoever reads an argument that does not stand above adds it there, and a test of what it does.
  CHECK(AbsentOf(*policy) == std::vector<std::string>());

  // Only what Volcano reads, and cannot change anything here, is told.
  Names told;
  for (const conf::Finding& finding : findings) {
    CHECK(finding.text.find("has no effect") != std::string::npos);
    told.push_back(finding.path.substr(finding.path.find("arguments.") + 10));
  }
  const std::string params = "strategies[0].params.";
  CHECK(told == Names{"predicate.DynamicResourceAllocationEnable",
                      "predicate.GPUSharingEnable",
                      "predicate.GPUNumberEnable",
                      "metricsPeriod",
                      "queueSelector",
                      "labelSelector",
                      params + "thresholds.pod",
                      params + "thresholds.pods",
                      params + "targetThresholds.pod",
                      params + "targetThresholds.pods",
                      params + "nodeFit",
                      params + "numberOfNodes",
                      params + "thresholdPriority",
                      params + "thresholdPriorityClassName",
                      "predicateErrorCacheEnable",
                      "predicateErrorCacheEnable",
                      "predicateErrorCacheEnable",
                      "topologyAwarePreemptWorkerNum",
                      "predicateErrorCacheEnable",
                      "maxDomains",
                      "maxDomains"});
}

}  // namespace
}  // namespace bth::test
