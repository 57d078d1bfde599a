#include "plugins/builtin.h"

#include "plugins/binpack/binpack.h"
#include "plugins/conformance/conformance.h"
#include "plugins/drf/drf.h"
#include "plugins/gang/gang.h"
#include "plugins/nodeorder/nodeorder.h"
#include "plugins/overcommit/overcommit.h"
#include "plugins/predicates/predicates.h"
#include "plugins/priority/priority.h"
#include "plugins/proportion/proportion.h"

namespace bth::plugins {

void RegisterBuiltinPlugins(framework::Registry& registry) {
  registry.plugins["binpack"] = CreateBinPack;
  registry.plugins["conformance"] = CreateConformance;
  registry.plugins["drf"] = CreateDrf;
  registry.plugins["gang"] = CreateGang;
  registry.plugins["nodeorder"] = CreateNodeOrder;
  registry.plugins["overcommit"] = CreateOvercommit;
  registry.plugins["predicates"] = CreatePredicates;
  registry.plugins["priority"] = CreatePriority;
  registry.plugins["proportion"] = CreateProportion;
}

}  // namespace bth::plugins
