// Trees as text, for comparisons in tests: `_+_(a, has(b.c))`.
#pragma once

#include <string>
#include <variant>

#include "base/strings.h"
#include "cel/syntax/ast.h"

namespace bth::cel::test {

inline std::string ConstantText(const Constant& constant) {
  struct {
    std::string operator()(std::nullptr_t) const { return "null"; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(int64_t value) const { return StrCat(value); }
    std::string operator()(uint64_t value) const { return StrCat(value, "u"); }
    std::string operator()(double value) const { return StrCat("d:", value); }
    std::string operator()(const std::string& value) const { return "\"" + value + "\""; }
    std::string operator()(const Bytes& value) const { return "b\"" + value.data + "\""; }
  } text;
  return std::visit(text, constant);
}

inline std::string AstText(const Ast& ast, ExprId id);

inline std::string ArgsText(const Ast& ast, const Expr& expr) {
  std::string text;
  for (size_t i = 0; i < expr.args.size(); ++i) {
    if (i > 0) text += ", ";
    for (const int32_t optional : expr.optional_args) {
      if (optional == static_cast<int32_t>(i)) text += "?";
    }
    text += AstText(ast, expr.args[i]);
  }
  return text;
}

inline std::string EntriesText(const Ast& ast, const Expr& expr) {
  std::string text;
  for (const Entry& entry : expr.entries) {
    if (!text.empty()) text += ", ";
    if (entry.optional) text += "?";
    text += entry.key == kNoExpr ? entry.field : AstText(ast, entry.key);
    text += ": " + AstText(ast, entry.value);
  }
  return "{" + text + "}";
}

// for (i, x in range; accu = init; condition; step) result
inline std::string FoldText(const Ast& ast, const Comprehension& fold) {
  std::string text = "for (" + fold.iter_var;
  if (!fold.iter_var2.empty()) text += ", " + fold.iter_var2;
  return text + " in " + AstText(ast, fold.range) + "; " + fold.accu_var + " = " +
         AstText(ast, fold.accu_init) + "; " + AstText(ast, fold.condition) + "; " +
         AstText(ast, fold.step) + ") " + AstText(ast, fold.result);
}

inline std::string AstText(const Ast& ast, ExprId id) {
  const Expr& expr = ast[id];
  switch (expr.kind) {
    case ExprKind::kConstant:
      return ConstantText(expr.constant);
    case ExprKind::kIdent:
      return expr.name;
    case ExprKind::kSelect: {
      const std::string text = AstText(ast, expr.operand) + "." + expr.name;
      return expr.test_only ? "has(" + text + ")" : text;
    }
    case ExprKind::kCall: {
      const std::string call = expr.name + "(" + ArgsText(ast, expr) + ")";
      return expr.operand == kNoExpr ? call : AstText(ast, expr.operand) + "." + call;
    }
    case ExprKind::kList:
      return "[" + ArgsText(ast, expr) + "]";
    case ExprKind::kMap:
      return EntriesText(ast, expr);
    case ExprKind::kStruct:
      return expr.name + EntriesText(ast, expr);
    case ExprKind::kComprehension:
      return FoldText(ast, *expr.comprehension);
  }
  return "";
}

inline std::string AstText(const Ast& ast) {
  return AstText(ast, ast.root);
}

}  // namespace bth::cel::test
