// Volcano's own sharing of GPUs: by memory, or in whole cards.
#pragma once

#include "devices/family.h"

namespace bth::devices::gpushare {

// Resources volcano.sh/gpu-memory and volcano.sh/gpu-number; which of them counts is the policy's.
const Family& TheFamily();

}  // namespace bth::devices::gpushare
