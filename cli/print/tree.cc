#include "cli/print/tree.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace bth::cli {
namespace {

struct TreeSigns {
  std::string_view inner, last, through, blank;
};
constexpr TreeSigns kDrawnTree = {"├─ ", "└─ ", "│  ", "   "};
constexpr TreeSigns kAsciiTree = {"+- ", "`- ", "|  ", "   "};

// Beyond this depth lines are no longer indented further.
constexpr int kIndentMax = 64;

// Walks nodes from their roots, with a stack of its own: hierarchies come from outside.
class TreeWalk {
 public:
  TreeWalk(absl::Span<const TreeNode> nodes, bool utf8)
      : nodes_(nodes), signs_(utf8 ? kDrawnTree : kAsciiTree), was_seen_(nodes.size()) {
    by_name_.resize(nodes.size());
    std::iota(by_name_.begin(), by_name_.end(), size_t{0});
    std::stable_sort(by_name_.begin(), by_name_.end(),
                     [nodes](size_t a, size_t b) { return nodes[a].name < nodes[b].name; });
    for (const size_t node : by_name_) places_.emplace(nodes[node].name, node);
    for (const size_t node : by_name_) {
      if (HasParent(node)) children_[nodes[node].parent].push_back(node);
    }
  }

  std::vector<TreeLine> Run() {
    for (const size_t node : by_name_) {
      if (!HasParent(node)) Visit(node);
    }
    // What is left has no way to a root.
    for (const size_t node : by_name_) {
      if (!was_seen_[node]) Visit(node);
    }
    return std::move(lines_);
  }

 private:
  struct Open {
    size_t node = 0;
    int depth = 0;
    std::string prefix;  // Of its own line.
    std::string below;   // Of all lines below it, before their signs.
  };

  bool HasParent(size_t node) const {
    return !nodes_[node].parent.empty() && places_.count(nodes_[node].parent) > 0;
  }

  void Visit(size_t root) {
    std::vector<Open> todo = {{root, 0, "", ""}};
    while (!todo.empty()) {
      Open open = std::move(todo.back());
      todo.pop_back();
      if (was_seen_[open.node]) continue;
      was_seen_[open.node] = true;
      lines_.push_back({open.node, open.prefix, open.depth});
      Push(open, &todo);
    }
  }

  // The last child goes on the stack first.
  void Push(const Open& parent, std::vector<Open>* todo) {
    const std::string& name = nodes_[parent.node].name;
    const auto found = children_.find(name);
    // Of several nodes with one name the first has the children.
    if (found == children_.end() || places_.at(name) != parent.node) return;
    std::vector<size_t> children;
    for (const size_t child : found->second) {
      if (!was_seen_[child]) children.push_back(child);
    }
    for (size_t i = children.size(); i-- > 0;) {
      const bool is_last = i + 1 == children.size();
      Open open = {children[i], parent.depth + 1, parent.below, parent.below};
      open.prefix.append(is_last ? signs_.last : signs_.inner);
      if (open.depth < kIndentMax) open.below.append(is_last ? signs_.blank : signs_.through);
      todo->push_back(std::move(open));
    }
  }

  const absl::Span<const TreeNode> nodes_;
  const TreeSigns& signs_;
  std::vector<size_t> by_name_;
  std::unordered_map<std::string_view, size_t> places_;
  std::unordered_map<std::string_view, std::vector<size_t>> children_;
  std::vector<bool> was_seen_;
  std::vector<TreeLine> lines_;
};

}  // namespace

std::vector<TreeLine> TreeLines(absl::Span<const TreeNode> nodes, bool utf8) {
  return TreeWalk(nodes, utf8).Run();
}

}  // namespace bth::cli
