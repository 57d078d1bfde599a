// Flags of the programs that simulate nodes.
#pragma once

#include "absl/status/status.h"
#include "cmd/common/flags.h"
#include "nodesim/node_maker.h"
#include "nodesim/pod_life.h"
#include "nodesim/simulator.h"

namespace bth::cmd {

struct NodeFlags {
  nodesim::NodeTemplate nodes;
  nodesim::Timing timing;
  absl::Duration status_report_frequency = absl::Minutes(5);

  void AddTo(FlagSet& flags);
  absl::Status Check() const;
  nodesim::SimulatorOptions Options() const;
};

}  // namespace bth::cmd
