#include "api/model/job.h"

namespace bth::model {
namespace {

constexpr std::string_view kPhaseNames[] = {"",        "Pending", "Inqueue",
                                            "Running", "Unknown", "Completed"};

}  // namespace

std::string_view PhaseName(PodGroupPhase phase) {
  return kPhaseNames[static_cast<int>(phase)];
}

PodGroupPhase ParsePhase(std::string_view text) {
  for (int i = 0; i <= static_cast<int>(PodGroupPhase::kCompleted); ++i) {
    if (kPhaseNames[i] == text) return static_cast<PodGroupPhase>(i);
  }
  return PodGroupPhase::kNone;
}

}  // namespace bth::model
