// Metrics of shared devices.
#pragma once

#include "api/model/snapshot.h"
#include "framework/session/session.h"

namespace bth::plugins::deviceshare {

// Tells what changed about nodes since the last session. Lives as long as the policy. Thread:
// scheduling. Cost: the nodes in blocks that changed.
class DeviceGauges {
 public:
  void Tell(const framework::Session& session);

 private:
  decltype(model::Snapshot::nodes) told_;
};

}  // namespace bth::plugins::deviceshare
