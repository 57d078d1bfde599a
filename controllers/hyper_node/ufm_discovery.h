// HyperNodes from the port table of an NVIDIA Unified Fabric Manager. Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/types/config_map.h"
#include "api/types/hyper_node.h"
#include "conf/topology_discovery.h"

namespace bth::controllers {

inline constexpr size_t kUfmAnswerBytesMax = size_t{100} << 20;
inline constexpr size_t kUfmPortsMax = 2'000'000;

// A computer that hangs on a leaf switch.
struct UfmLink {
  std::string leaf;
  std::string node;
  bool operator==(const UfmLink&) const = default;
};

struct UfmLinks {
  std::vector<UfmLink> links;
  // Ports of computers whose name no Kubernetes node can have, or without leaf.
  size_t skipped = 0;
};

// Reads the answer to /ufmRest/resources/ports: a JSON array of ports. One port at a time is held
// as a tree. kInvalidArgument says where it is unreadable.
absl::StatusOr<UfmLinks> ParseUfmPorts(std::string_view text);

// Leaves that share a node, directly or by others, make one HyperNode leaf-hn-I of tier 1, counted
// in the order of their first leaves; all together make spine-hn of tier 2. Nothing without links.
std::vector<types::HyperNode> HyperNodesOfLinks(const std::vector<UfmLink>& links);

// kFailedPrecondition says what the configuration lacks.
absl::Status CheckUfmSource(const conf::TopologySource& source);
// "https://host/ufmRest/resources/ports"
std::string UfmUrl(std::string_view endpoint);

struct UfmLogin {
  std::string username;
  std::string password;
};
// kFailedPrecondition says which key is missing; no value is ever part of a message.
absl::StatusOr<UfmLogin> UfmLoginOf(const types::Secret& secret);

}  // namespace bth::controllers
