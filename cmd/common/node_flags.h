// Flags of the programs that simulate nodes.
#pragma once

#include "absl/status/status.h"
#include "cmd/common/flags.h"
#include "nodesim/node_maker.h"
#include "nodesim/pod_life.h"

namespace bth::cmd {

struct NodeFlags {
  nodesim::NodeTemplate nodes;
  nodesim::Timing timing;

  void AddTo(FlagSet& flags);
  absl::Status Check() const;
};

}  // namespace bth::cmd
