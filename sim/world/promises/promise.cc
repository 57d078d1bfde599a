#include "sim/world/promises/promise.h"

namespace bth::sim {

std::vector<PromisePtr> MakePromises(const Sight& sight) {
  std::vector<PromisePtr> out;
  for (const auto make :
       {MakeBoundOnce, MakeRoom, MakeDeviceOnce, MakeWholeGangs, MakeQueueCapability, MakeJobPhases,
        MakeTimeoutsAct, MakeOnlyOurs, MakeOneLeader, MakeByIdentity, MakeCommandsCount,
        MakeEndedJobs, MakeAllRun, MakeDeletionsEnd, MakeNoOrphans, MakeTrueSums}) {
    out.push_back(make(sight));
  }
  return out;
}

}  // namespace bth::sim
