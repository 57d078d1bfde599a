// What differs between `vcctl jobflow` and `vcctl jobtemplate`, which are alike otherwise.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "api/types/json.h"
#include "api/types/resource.h"
#include "cli/command/command.h"
#include "cli/listing/listing.h"
#include "cli/session/session.h"

namespace bth::cli {

// Lives as long as the program.
struct FlowKind {
  const types::ResourceType& type;
  std::string_view group;  // "jobtemplate", as the command is called.
  std::string_view words;  // "job template", as sentences have it.
  bool has_phase;          // Its table has phase and age, and may show all namespaces.
  TableView (*view)();
  // What guides the reading of its YAML.
  const types::Json& (*schema)();
  // Whether what a file says can be one.
  absl::Status (*check)(const types::Json& object);
};
const FlowKind& JobFlowKind();
const FlowKind& JobTemplateKind();

struct FlowFlags {
  ClusterFlags cluster;
  std::string name;
  std::string ns = "default";
  std::string file;
  std::string format = "yaml";  // Of describe.
  ListingFlags listing;         // Of list and get.
  bool all_namespaces = false;
  bool yes = false;  // Of delete: is not asked.
};

// A leaf of such a group.
using FlowAct = absl::Status (*)(Session& session, const FlowKind& kind, const FlowFlags& flags);

// "create a jobflow"; `plural`: "list jobflows".
struct FlowLeafText {
  std::string_view name;
  bool plural = false;
};

// Which of the flags a leaf has, beside those of every leaf.
struct FlowLeafFlags {
  bool name = false;
  bool ns = false;
  bool file = false;
  bool format = false;
  bool other_formats = false;
  bool listing = false;  // Implies other formats.
  bool all_namespaces = false;
  bool yes = false;
};

struct FlowLeaf {
  FlowLeafText text;
  FlowLeafFlags flags;
  FlowAct act = nullptr;
};
Command MakeFlowLeaf(const FlowKind& kind, const FlowLeaf& leaf);

}  // namespace bth::cli
