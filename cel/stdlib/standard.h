// The functions and types of the language definition.
#pragma once

#include "cel/environment.h"

namespace bth::cel {

void AddStandardFunctions(Environment& environment);
// Type names as constants: int, list, google.protobuf.Timestamp ...
void AddStandardTypes(Environment& environment);

// The parts of AddStandardFunctions.
void AddLogicFunctions(Environment& environment);
void AddArithmeticFunctions(Environment& environment);
void AddComparisonFunctions(Environment& environment);
void AddContainerFunctions(Environment& environment);
void AddTextFunctions(Environment& environment);
void AddConversionFunctions(Environment& environment);
void AddTimeFunctions(Environment& environment);

}  // namespace bth::cel
