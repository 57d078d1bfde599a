// JSONPath templates as kubectl understands them: `{range .items[*]}{.metadata.name}{"\n"}{end}`.
//
// Kubernetes' dialect: text outside of braces stands for itself; inside are fields, quoted texts,
// ranges, filters, slices, unions, wildcards, recursive descent. Beyond it, conditions of filters
// may be joined by && and ||, which kubectl refuses.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "api/types/json.h"

namespace bth::cli::jsonpath {

struct Node;
using NodeList = std::vector<Node>;

// Texts are values, so that results refer to them and need no copies.
struct TextNode {
  types::Json text;
};
struct FieldNode {
  std::string name;
};
// `range`, `end` and whatever else is a word; others are refused when they are evaluated.
struct WordNode {
  std::string word;
};
// A number, `true` or `false`.
struct LiteralNode {
  types::Json value;
};
// `[start:end:step]` and `[index]`.
struct SliceNode {
  struct Bound {
    int64_t value = 0;
    bool known = false;
  };
  Bound start, end, step;
  bool is_index = false;  // The end follows from the start.
};
struct WildcardNode {};
struct RecursiveNode {};
struct UnionNode {
  std::vector<NodeList> parts;
};
// One comparison, or the question whether the left side exists. An empty `op` asks.
struct Condition {
  NodeList left, right;
  std::string op;
};
// Any group of conditions that all hold.
struct FilterNode {
  std::vector<std::vector<Condition>> groups;
};

struct Node {
  std::variant<TextNode, FieldNode, WordNode, LiteralNode, SliceNode, WildcardNode, RecursiveNode,
               UnionNode, FilterNode>
      what;
};

// One piece outside of braces or one pair of braces: results of a piece are printed together.
struct Piece {
  bool is_text = false;
  types::Json text;
  NodeList nodes;
};

struct ParseLimits {
  size_t bytes_max = size_t{64} << 10;
  size_t nodes_max = 4096;
  int depth_max = 16;  // Filters within filters.
};

// A parsed template. Immutable: any thread.
class Template {
 public:
  // kInvalidArgument with kubectl's text, such as "unclosed action".
  static absl::StatusOr<Template> Parse(std::string_view text, const ParseLimits& limits = {});

  const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  std::vector<Piece> pieces_;
};

// `metadata.name`, `.metadata.name`, `{metadata.name}` and `{.metadata.name}` are the last of them;
// empty stays empty. kInvalidArgument with kubectl's text for everything else.
absl::StatusOr<std::string> RelaxedPath(std::string_view path);

}  // namespace bth::cli::jsonpath
