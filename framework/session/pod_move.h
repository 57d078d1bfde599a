// What the session tells those who count who stands beside whom.
#pragma once

#include <cstdint>

#include "api/model/ids.h"

namespace bth::framework {

// A pod with these labels and affinity terms (invalid: none) came to a node (+1) or left it (-1).
struct PodMove {
  model::NodeId node;
  model::LabelsId labels;
  model::ConstraintsId terms;
  int32_t sign = 0;
  bool tentative = false;  // To another job than the one that beholds: see `BeholdAs`.
};

}  // namespace bth::framework
