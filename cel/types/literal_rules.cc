#include "cel/types/literal_rules.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/strings.h"
#include "cel/syntax/ast_builder.h"

namespace bth::cel {
namespace {

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
        CheckText(step.id, expr);
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

  // A text as the first argument is tried out.
  void CheckText(ExprId id, const Expr& call) {
    static constexpr std::array<std::string_view, 3> kFunctions = {"duration", "timestamp",
                                                                   "matches"};
    if (std::find(kFunctions.begin(), kFunctions.end(), call.name) == kFunctions.end()) return;
    const auto& overloads = checked_.references[static_cast<size_t>(id)].overloads;
    if (call.args.empty() || overloads.empty() || overloads.front()->run == nullptr) return;
    const ExprId arg = call.args.front();
    const auto* text = std::get_if<std::string>(&checked_.ast[arg].constant);
    if (checked_.ast[arg].kind != ExprKind::kConstant || text == nullptr) return;
    // matches() of any text; as a global function its first argument is no pattern.
    std::vector<Value> args = {Value::String(*text)};
    if (call.name == "matches" && call.operand == kNoExpr) return;
    if (call.name == "matches") args.insert(args.begin(), Value::String(""));
    if (overloads.front()->run(args).is_error()) {
      diagnostics_.Report(checked_.ast[arg].offset, StrCat("invalid ", call.name, " argument"));
    }
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

}  // namespace bth::cel
