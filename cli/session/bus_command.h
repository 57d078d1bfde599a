// Commands to batch jobs and queues: objects that a controller carries out and deletes.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "api/types/resource.h"
#include "cli/session/cluster.h"

namespace bth::cli {

// The object for `action` ("AbortJob"), aimed at `target` of that type.
types::Json BusCommandFor(const types::ResourceType& type, const types::Json& target,
                          std::string_view action);

// Reads the target and creates the Command in namespace `ns`. Nobody waits for what comes of it.
absl::Status SendBusCommand(Cluster& cluster, const Target& target, const std::string& ns,
                            std::string_view action);

}  // namespace bth::cli
