// Simulated nodes as objects.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/types/json.h"
#include "client/api_client.h"

namespace bth::nodesim {

inline constexpr int64_t kNodesMax = 100'000;

struct NodeTemplate {
  int64_t count = 0;
  std::string cpu = "8";
  std::string memory = "32Gi";
  int64_t pods = 110;
  std::vector<std::string> extended;  // "nvidia.com/gpu=8"
  std::vector<std::string> devices;   // "gpu.example.com=4": in slices, for claims
  // "rack=r1", as whoever registers nodes or their cards would set them; "{node}" is the node's
  // name.
  std::vector<std::string> labels;
  std::vector<std::string> annotations;
  std::string prefix = "node-";
};

// Errors name the wrong field.
absl::Status CheckTemplate(const NodeTemplate& nodes);

// Node number `index`, from 1: ready, with the labels that every kubelet sets.
types::Json MakeNode(const NodeTemplate& nodes, int64_t index, absl::Time now);

// Creates the nodes that are missing; those that exist get the template's resources, labels and
// annotations. Tries again
// while the server is not there, `patience` in all.
net::Awaitable<absl::Status> EnsureNodes(client::ApiClient& api, NodeTemplate nodes,
                                         absl::Duration patience);

}  // namespace bth::nodesim
