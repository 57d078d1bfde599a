// What running an expression may cost, from the sizes that its types declare.
#pragma once

#include "cel/environment.h"
#include "cel/types/checker.h"

namespace bth::cel {

// The expression's tree nests at most kPlanDepthMax deep.
CostRange EstimateOf(const CheckedAst& checked);

}  // namespace bth::cel
