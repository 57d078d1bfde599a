// volcano-controller.conf: from where the HyperNode controller learns which nodes are near to one
// another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "conf/finding.h"

namespace bth::conf {

inline constexpr std::string_view kLabelSource = "label";
inline constexpr std::string_view kUfmSource = "ufm";

// One way to group nodes by their labels.
struct TopologyType {
  std::string name;                 // At most 20 bytes.
  std::vector<std::string> labels;  // From tier 1 up; labels[0] groups nodes.
  bool operator==(const TopologyType&) const = default;
};

struct TopologySource {
  std::string source;  // kLabelSource or kUfmSource
  absl::Duration interval = absl::Hours(1);
  std::vector<TopologyType> types;  // label: in the order written
  // ufm:
  std::string endpoint;
  bool insecure_skip_verify = false;
  std::string secret_name;
  std::string secret_namespace;
  bool operator==(const TopologySource&) const = default;
};

struct TopologyDiscovery {
  std::vector<TopologySource> sources;  // The enabled ones that we know; each at most once.
  std::vector<Finding> findings;        // Enabled ones that nobody knows are among them.
};

inline constexpr size_t kTopologySourcesMax = 32;
inline constexpr size_t kTopologyTypesMax = 64;
inline constexpr size_t kTopologyTiersMax = 16;
inline constexpr size_t kTopologyTypeNameMax = 20;

// kInvalidArgument names line and path: YAML errors, values of a wrong type, too many of something.
// Types that cannot be used (name too long, a label twice) are left out with a finding.
absl::StatusOr<TopologyDiscovery> ParseTopologyDiscovery(std::string_view yaml);

}  // namespace bth::conf
