// Whether jobs may be submitted to a queue. Pure, any thread.
#pragma once

#include <string>
#include <string_view>

#include "admission/rules/known.h"

namespace bth::admission {

// Empty: they may.
std::string CheckJobQueue(std::string_view name, const Known& known);

}  // namespace bth::admission
