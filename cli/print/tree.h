// Trees as text: the hierarchy of queues.
#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"

namespace bth::cli {

struct TreeNode {
  std::string name;
  std::string parent;  // Empty: a root.
};

struct TreeLine {
  size_t node = 0;     // Its place in the input.
  std::string prefix;  // "│  ├─ ": what stands before its name. Empty for roots.
  int depth = 0;
};

// All nodes, each below its parent, siblings by name. Nodes whose parent is not among the input are
// roots. Those that are below themselves come last, cut open at the first by name. ASCII: "|  +- ".
std::vector<TreeLine> TreeLines(absl::Span<const TreeNode> nodes, bool utf8);

}  // namespace bth::cli
