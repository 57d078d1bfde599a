// Makes the nodes of a tree and keeps it within its limits: number of nodes, depth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cel/syntax/ast.h"
#include "cel/syntax/diagnostics.h"
#include "cel/syntax/parser.h"

namespace bth::cel {

class AstBuilder {
 public:
  // Both must outlive this.
  AstBuilder(const ParseLimits& limits, Diagnostics* diagnostics)
      : limits_(limits), diagnostics_(*diagnostics) {}

  // Nodes are made at a place of the source, in code points.
  ExprId Literal(int32_t offset, Constant value);
  ExprId Ident(int32_t offset, std::string name);
  ExprId Select(int32_t offset, ExprId operand, std::string field);
  ExprId Call(int32_t offset, std::string_view function, std::vector<ExprId> args);
  ExprId MemberCall(int32_t offset, ExprId target, std::string_view function,
                    std::vector<ExprId> args);
  ExprId List(int32_t offset, std::vector<ExprId> items, std::vector<int32_t> optional_items = {});
  ExprId Map(int32_t offset, std::vector<Entry> entries);
  ExprId Struct(int32_t offset, std::string name, std::vector<Entry> entries);
  ExprId Fold(int32_t offset, Comprehension comprehension);
  // In place of what could not be read. No macro takes it for a name.
  ExprId Broken(int32_t offset) { return Literal(offset, nullptr); }

  // The macro has(): `select` becomes a test.
  ExprId TestOnly(int32_t offset, ExprId select);
  // A deep copy, of nodes of its own.
  ExprId Copy(ExprId id);
  // terms[0] op terms[1] op ... as a balanced tree, as deep as the logarithm of their number;
  // offsets[i] is the place of the operator behind terms[i].
  ExprId Balanced(std::string_view op, const std::vector<ExprId>& terms,
                  const std::vector<int32_t>& offsets);

  // What macros put around their arguments does not count for ParseLimits::depth_max, but the call
  // that was expanded does.
  void set_counting(bool counting) { counting_ = counting; }
  void CountExpanded(ExprId id);

  const Expr& operator[](ExprId id) const { return nodes_[static_cast<size_t>(id)]; }
  // A limit was passed, which was reported: more nodes are of no use.
  bool limit_passed() const { return limit_passed_; }

  // The tree below `root`.
  Ast Take(std::string source, ExprId root);

 private:
  // Nodes on the longest way down, and how many of them count for ParseLimits::depth_max.
  struct Depth {
    int nodes = 0;
    int counted = 0;
  };

  ExprId Add(Expr expr, bool counted);
  void CheckDepth(const Depth& depth);
  void PassLimit(std::string what);
  std::vector<ExprId> Children(ExprId id) const;

  const ParseLimits& limits_;
  Diagnostics& diagnostics_;
  std::vector<Expr> nodes_;
  std::vector<Depth> depths_;
  bool counting_ = true;
  bool limit_passed_ = false;
};

// Calls `see` with each child of a node.
template <typename See>
void ForEachChild(const Expr& expr, See see) {
  const auto one = [&see](ExprId id) {
    if (id != kNoExpr) see(id);
  };
  one(expr.operand);
  for (const ExprId arg : expr.args) one(arg);
  for (const Entry& entry : expr.entries) {
    one(entry.key);
    one(entry.value);
  }
  if (!expr.comprehension) return;
  const Comprehension& fold = *expr.comprehension;
  for (const ExprId id : {fold.range, fold.accu_init, fold.condition, fold.step, fold.result}) {
    one(id);
  }
}

}  // namespace bth::cel
