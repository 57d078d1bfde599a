#include "plugins/builtin.h"

#include "plugins/factories.h"

namespace bth::plugins {

void RegisterBuiltinPlugins(framework::Registry& registry) {
  registry.plugins["binpack"] = CreateBinPack;
  registry.plugins["capacity"] = CreateCapacity;
  registry.plugins["cdp"] = CreateCdp;
  registry.plugins["conformance"] = CreateConformance;
  registry.plugins["deviceshare"] = CreateDeviceShare;
  registry.plugins["drf"] = CreateDrf;
  registry.plugins["extender"] = CreateExtender;
  registry.plugins["gang"] = CreateGang;
  registry.plugins["network-topology-aware"] = CreateNetworkTopologyAware;
  registry.plugins["nodegroup"] = CreateNodeGroup;
  registry.plugins["nodeorder"] = CreateNodeOrder;
  registry.plugins["numa-aware"] = CreateNumaAware;
  registry.plugins["overcommit"] = CreateOvercommit;
  registry.plugins["pdb"] = CreatePdb;
  registry.plugins["predicates"] = CreatePredicates;
  registry.plugins["priority"] = CreatePriority;
  registry.plugins["proportion"] = CreateProportion;
  registry.plugins["rescheduling"] = CreateRescheduling;
  registry.plugins["resource-strategy-fit"] = CreateResourceStrategyFit;
  registry.plugins["resourcequota"] = CreateResourceQuota;
  registry.plugins["sla"] = CreateSla;
  registry.plugins["task-topology"] = CreateTaskTopology;
  registry.plugins["tdm"] = CreateTdm;
  registry.plugins["usage"] = CreateUsage;
}

}  // namespace bth::plugins
