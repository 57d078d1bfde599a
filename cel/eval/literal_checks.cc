#include "cel/eval/literal_checks.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/strings.h"
#include "cel/stdlib/pattern.h"
#include "cel/syntax/diagnostics.h"
#include "cel/syntax/source_text.h"
#include "cel/values/time_text.h"

namespace bth::cel {
namespace {

constexpr size_t kLiteralFaultsMax = 100;

bool IsTime(int64_t seconds) {
  return seconds >= kTimestampMin && seconds <= kTimestampMax;
}

bool IsTimestampLiteral(const Constant& constant) {
  if (const auto* seconds = std::get_if<int64_t>(&constant)) return IsTime(*seconds);
  const auto* text = std::get_if<std::string>(&constant);
  if (text == nullptr) return true;  // The checker's business.
  const auto time = ParseTimestamp(*text);
  return time.has_value() && IsTime(time->seconds);
}

bool IsDurationLiteral(const Constant& constant) {
  const auto* text = std::get_if<std::string>(&constant);
  return text == nullptr || ParseDuration(*text).has_value();
}

bool IsPatternLiteral(const Constant& constant) {
  const auto* text = std::get_if<std::string>(&constant);
  return text == nullptr || Pattern(*text).fault().empty();
}

// The argument that cannot be, or kNoExpr.
ExprId FaultyLiteral(const Ast& ast, const Expr& call) {
  if (call.args.empty()) return kNoExpr;
  const ExprId last = call.args.back();
  if (ast[last].kind != ExprKind::kConstant) return kNoExpr;
  const Constant& constant = ast[last].constant;
  const bool is_global = call.operand == kNoExpr && call.args.size() == 1;
  bool is_good = true;
  if (is_global && call.name == "timestamp") is_good = IsTimestampLiteral(constant);
  if (is_global && call.name == "duration") is_good = IsDurationLiteral(constant);
  if (call.name == "matches") is_good = IsPatternLiteral(constant);
  return is_good ? kNoExpr : last;
}

}  // namespace

absl::Status CheckLiterals(const CheckedAst& checked) {
  const SourceText source(checked.ast.source);
  Diagnostics diagnostics(source, kLiteralFaultsMax);
  for (const Expr& expr : checked.ast.nodes) {
    if (expr.kind != ExprKind::kCall) continue;
    const ExprId faulty = FaultyLiteral(checked.ast, expr);
    if (faulty == kNoExpr) continue;
    diagnostics.Report(checked.ast[faulty].offset, StrCat("invalid ", expr.name, " argument"));
  }
  return diagnostics.ToStatus();
}

}  // namespace bth::cel
