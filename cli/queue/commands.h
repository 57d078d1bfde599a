// `vcctl queue`.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "api/types/queue.h"
#include "cli/command/command.h"
#include "cli/listing/listing.h"
#include "cli/session/cluster.h"
#include "cli/session/session.h"

namespace bth::cli {

struct QueueFlags {
  ClusterFlags cluster;
  std::string name;
  int32_t weight = 0;
  std::string action;  // open, close, update
  ListingFlags listing;
  std::string state;  // Of a new queue; the API server does not take it over.
};

inline const types::ResourceType& QueueType() {
  return types::ResourceTraits<types::Queue>::type();
}

Command QueueCommand();

}  // namespace bth::cli
