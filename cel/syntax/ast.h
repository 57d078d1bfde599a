// The tree of a parsed expression: nodes in one vector that name each other by index, so that trees
// of any shape are copied and freed without recursion.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace bth::cel {

using ExprId = int32_t;
inline constexpr ExprId kNoExpr = -1;

struct Bytes {
  std::string data;
  friend bool operator==(const Bytes&, const Bytes&) = default;
};
using Constant = std::variant<std::nullptr_t, bool, int64_t, uint64_t, double, std::string, Bytes>;

enum class ExprKind : uint8_t {
  kConstant,
  kIdent,   // name; with a leading "." it is looked up from the root
  kSelect,  // operand.name; with test_only the macro has(operand.name)
  kCall,    // name(args), or target.name(args); operators have the names of operators.h
  kList,    // args, of which those in `optional_args` are written [?x]
  kMap,     // entries
  kStruct,  // name{entries}
  kComprehension,
};

struct Entry {
  ExprId key = kNoExpr;  // Of a map.
  std::string field;     // Of a struct.
  ExprId value = kNoExpr;
  bool optional = false;  // {?k: v}
  int32_t offset = 0;     // Of its colon, in code points.
};

// for (iter in range) { accu = step while condition }; then result. With a second variable the
// first is the index or key and the second the element or value.
struct Comprehension {
  std::string iter_var;
  std::string iter_var2;  // Empty: one variable.
  std::string accu_var;
  ExprId range = kNoExpr;
  ExprId accu_init = kNoExpr;
  ExprId condition = kNoExpr;
  ExprId step = kNoExpr;
  ExprId result = kNoExpr;
};

struct Expr {
  ExprKind kind = ExprKind::kConstant;
  bool test_only = false;
  int32_t offset = 0;  // Of the source, in code points: where messages point.
  std::string name;
  Constant constant = nullptr;
  ExprId operand = kNoExpr;  // What is selected from; the target of a call.
  std::vector<ExprId> args;
  std::vector<int32_t> optional_args;
  std::vector<Entry> entries;
  std::optional<Comprehension> comprehension;
};

struct Ast {
  std::string source;
  std::vector<Expr> nodes;
  ExprId root = kNoExpr;

  const Expr& operator[](ExprId id) const { return nodes[static_cast<size_t>(id)]; }
  Expr& operator[](ExprId id) { return nodes[static_cast<size_t>(id)]; }
};

}  // namespace bth::cel
