#include "cel/types/literal_rules.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/strings.h"
#include "cel/stdlib/pattern.h"
#include "cel/syntax/ast_builder.h"
#include "cel/values/time_text.h"

namespace bth::cel {
namespace {

bool IsTime(int64_t seconds) {
  return seconds >= kTimestampMin && seconds <= kTimestampMax;
}

class LiteralRules final {
 public:
  LiteralRules(const CheckedAst& checked, const Environment& environment, Diagnostics* diagnostics)
      : checked_(checked), environment_(environment), diagnostics_(*diagnostics) {}

  void Run() {
    struct Step {
      ExprId id;
      bool any_types;  // Below a format().
    };
    std::vector<Step> steps = {{checked_.ast.root, !environment_.homogeneous_literals}};
    while (!steps.empty()) {
      Step step = steps.back();
      steps.pop_back();
      const Expr& expr = checked_.ast[step.id];
      if (expr.kind == ExprKind::kCall) {
        CheckConstant(expr);
        step.any_types = step.any_types || expr.name == "format";
      }
      if (!step.any_types && expr.kind == ExprKind::kList) CheckList(expr);
      if (!step.any_types && expr.kind == ExprKind::kMap) CheckMap(expr);
      ForEachChild(expr, [&steps, &step](ExprId child) {
        steps.push_back({child, step.any_types});
      });
    }
  }

 private:
  const TypePtr& TypeOf(ExprId id, bool optional) const {
    const TypePtr& type = checked_.types[static_cast<size_t>(id)];
    return optional && type->kind() == TypeKind::kOptional ? type->parameters()[0] : type;
  }

  bool Expect(ExprId id, const Type& expected, const Type& found) {
    if (expected == found) return true;
    diagnostics_.Report(checked_.ast[id].offset, StrCat("expected type '", expected.ToString(),
                                                        "' but found '", found.ToString(), "'"));
    return false;
  }

  // Only the first element that differs.
  void CheckList(const Expr& list) {
    const auto type = [this, &list](size_t i) {
      const auto& optional = list.optional_args;
      return TypeOf(list.args[i],
                    std::binary_search(optional.begin(), optional.end(), static_cast<int32_t>(i)));
    };
    for (size_t i = 1; i < list.args.size(); ++i) {
      if (!Expect(list.args[i], *type(0), *type(i))) return;
    }
  }

  void CheckMap(const Expr& map) {
    if (map.entries.empty()) return;
    const Entry& first = map.entries.front();
    for (const Entry& entry : map.entries) {
      Expect(entry.key, *TypeOf(first.key, false), *TypeOf(entry.key, false));
      Expect(entry.value, *TypeOf(first.value, first.optional),
             *TypeOf(entry.value, entry.optional));
    }
  }

  // A constant as the first argument is tried out. As a global function, matches() has no pattern
  // there.
  void CheckConstant(const Expr& call) {
    if (call.args.empty()) return;
    const Expr& arg = checked_.ast[call.args.front()];
    if (arg.kind != ExprKind::kConstant) return;
    const auto* text = std::get_if<std::string>(&arg.constant);
    const auto* seconds = std::get_if<int64_t>(&arg.constant);
    const bool is_global = call.operand == kNoExpr && call.args.size() == 1;
    bool is_good = true;
    if (is_global && call.name == "duration" && text != nullptr) {
      is_good = ParseDuration(*text).has_value();
    } else if (is_global && call.name == "duration" && seconds != nullptr) {
      is_good = false;  // Numbers are no durations.
    } else if (is_global && call.name == "timestamp" && text != nullptr) {
      const auto time = ParseTimestamp(*text);
      is_good = time.has_value() && IsTime(time->seconds);
    } else if (is_global && call.name == "timestamp" && seconds != nullptr) {
      is_good = IsTime(*seconds);
    } else if (call.operand != kNoExpr && text != nullptr && call.name == "matches") {
      is_good = Pattern(*text).fault().empty();
    }
    if (!is_good) diagnostics_.Report(arg.offset, StrCat("invalid ", call.name, " argument"));
  }

  const CheckedAst& checked_;
  const Environment& environment_;
  Diagnostics& diagnostics_;
};

}  // namespace

void CheckLiterals(const CheckedAst& checked, const Environment& environment,
                   Diagnostics* diagnostics) {
  LiteralRules(checked, environment, diagnostics).Run();
}

absl::Status CheckPatterns(const Ast& ast) {
  for (const Expr& call : ast.nodes) {
    const bool finds = call.name == "find" || call.name == "findAll";
    if (call.kind != ExprKind::kCall || !finds || call.operand == kNoExpr || call.args.empty()) {
      continue;
    }
    const auto* text = std::get_if<std::string>(&ast[call.args.front()].constant);
    if (text == nullptr) continue;
    const Pattern pattern(*text);
    if (!pattern.fault().empty()) return absl::InvalidArgumentError(pattern.fault());
  }
  return absl::OkStatus();
}

}  // namespace bth::cel
