#include "plugins/builtin.h"

#include "plugins/binpack/binpack.h"
#include "plugins/capacity/capacity.h"
#include "plugins/cdp/cdp.h"
#include "plugins/conformance/conformance.h"
#include "plugins/drf/drf.h"
#include "plugins/extender/extender.h"
#include "plugins/gang/gang.h"
#include "plugins/nodegroup/nodegroup.h"
#include "plugins/nodeorder/nodeorder.h"
#include "plugins/overcommit/overcommit.h"
#include "plugins/pdb/pdb.h"
#include "plugins/predicates/predicates.h"
#include "plugins/priority/priority.h"
#include "plugins/proportion/proportion.h"
#include "plugins/rescheduling/rescheduling.h"
#include "plugins/resource_strategy_fit/resource_strategy_fit.h"
#include "plugins/resourcequota/resourcequota.h"
#include "plugins/sla/sla.h"
#include "plugins/tdm/tdm.h"
#include "plugins/usage/usage.h"

namespace bth::plugins {

void RegisterBuiltinPlugins(framework::Registry& registry) {
  registry.plugins["binpack"] = CreateBinPack;
  registry.plugins["capacity"] = CreateCapacity;
  registry.plugins["cdp"] = CreateCdp;
  registry.plugins["conformance"] = CreateConformance;
  registry.plugins["drf"] = CreateDrf;
  registry.plugins["extender"] = CreateExtender;
  registry.plugins["gang"] = CreateGang;
  registry.plugins["nodegroup"] = CreateNodeGroup;
  registry.plugins["nodeorder"] = CreateNodeOrder;
  registry.plugins["overcommit"] = CreateOvercommit;
  registry.plugins["pdb"] = CreatePdb;
  registry.plugins["predicates"] = CreatePredicates;
  registry.plugins["priority"] = CreatePriority;
  registry.plugins["proportion"] = CreateProportion;
  registry.plugins["rescheduling"] = CreateRescheduling;
  registry.plugins["resource-strategy-fit"] = CreateResourceStrategyFit;
  registry.plugins["resourcequota"] = CreateResourceQuota;
  registry.plugins["sla"] = CreateSla;
  registry.plugins["tdm"] = CreateTdm;
  registry.plugins["usage"] = CreateUsage;
}

}  // namespace bth::plugins
