// What becomes of pods.
#pragma once

#include "api/types/pod.h"

namespace bth::controllers {

// It has run to its end, well or not.
inline bool IsFinished(const types::Pod& pod) {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

}  // namespace bth::controllers
