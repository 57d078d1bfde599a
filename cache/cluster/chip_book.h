// What is told of the chips of nodes beside the nodes.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "api/model/chip_reports.h"

namespace bth::cache {

// Of each node what was told last holds: by its time, then by the name of its source. A source
// tells all that it knows each time. Thread: I/O. Cost of each call: what the source tells and told
// before.
class ChipBook {
 public:
  // Returns the nodes of which something else holds now, by name.
  std::vector<std::string> Put(const std::string& source, std::vector<model::ChipNews> news);

  // Devices of a node with those that it has by what is told.
  std::shared_ptr<const model::NodeDevices> Complete(
      const std::string& node, std::shared_ptr<const model::NodeDevices> devices) const;
  size_t nodes() const { return told_.size(); }

 private:
  struct Told {
    std::string source;
    model::ChipNews news;
  };
  struct Holds {
    std::optional<model::ChipReport> chips;
    bool set_apart = false;
    friend bool operator==(const Holds&, const Holds&) = default;
  };
  Holds Of(const std::string& node) const;

  absl::flat_hash_map<std::string, std::vector<Told>> told_;              // By node.
  absl::flat_hash_map<std::string, std::vector<std::string>> by_source_;  // Nodes, by name.
};

}  // namespace bth::cache
