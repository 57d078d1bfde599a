#include "cel/kubernetes/format_calls.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <variant>

#include "base/strings.h"
#include "cel/kubernetes/format_clauses.h"

namespace bth::cel {
namespace {

bool IsOneOf(const Type& type, std::initializer_list<TypeKind> kinds) {
  return type.kind() == TypeKind::kDyn ||
         std::find(kinds.begin(), kinds.end(), type.kind()) != kinds.end();
}

// Whether values of the type may be given to the verb, members aside.
bool Takes(char verb, const Type& type) {
  switch (verb) {
    case 'd':
    case 'o':
      return IsOneOf(type, {TypeKind::kInt, TypeKind::kUint});
    case 'f':
    case 'e':  // Numbers without digits are given by their names.
      return IsOneOf(type, {TypeKind::kDouble, TypeKind::kString});
    case 'b':
      return IsOneOf(type, {TypeKind::kInt, TypeKind::kUint, TypeKind::kBool});
    case 'x':
    case 'X':
      return IsOneOf(type, {TypeKind::kInt, TypeKind::kUint, TypeKind::kString, TypeKind::kBytes});
    default:
      return IsOneOf(type,
                     {TypeKind::kList, TypeKind::kMap, TypeKind::kInt, TypeKind::kUint,
                      TypeKind::kDouble, TypeKind::kBool, TypeKind::kString, TypeKind::kTimestamp,
                      TypeKind::kBytes, TypeKind::kDuration, TypeKind::kType, TypeKind::kNull});
  }
}

class FormatCallRules final {
 public:
  FormatCallRules(const CheckedAst& checked, Diagnostics& diagnostics)
      : checked_(checked), diagnostics_(diagnostics) {}

  void Run() {
    for (size_t i = 0; i < checked_.ast.nodes.size(); ++i) {
      const auto id = static_cast<ExprId>(i);
      const Expr& call = checked_.ast[id];
      if (call.kind != ExprKind::kCall || call.name != "format" || call.operand == kNoExpr)
        continue;
      if (call.args.size() != 1 || !IsFormat(id)) continue;
      const Expr& target = checked_.ast[call.operand];
      const auto* format = std::get_if<std::string>(&target.constant);
      const Expr& args = checked_.ast[call.args[0]];
      if (target.kind != ExprKind::kConstant || format == nullptr) continue;
      if (args.kind == ExprKind::kList) CheckCall(call, *format, args);
    }
  }

 private:
  bool IsFormat(ExprId id) const {
    const auto& overloads = checked_.references[static_cast<size_t>(id)].overloads;
    return std::any_of(overloads.begin(), overloads.end(),
                       [](const Overload* overload) { return overload->id == "string_format"; });
  }

  const Type& TypeOf(ExprId id) const { return *checked_.types[static_cast<size_t>(id)]; }

  // The first fault alone.
  void CheckCall(const Expr& call, const std::string& format, const Expr& args) {
    FormatReader reader(format);
    for (std::string text; reader.ToClause(&text);) {
      const absl::StatusOr<FormatClause> clause = reader.Read(args.args.size());
      if (!clause.ok()) {
        return diagnostics_.Report(call.offset, std::string(clause.status().message()));
      }
      const std::optional<ExprId> wrong = Wrong(clause->verb, args.args[clause->argument]);
      if (!wrong) continue;
      return diagnostics_.Report(checked_.ast[*wrong].offset,
                                 StrCat("error during formatting: ", ClauseRule(clause->verb),
                                        ", was given ", TypeOf(*wrong).RuntimeName()));
    }
    if (args.args.size() > reader.clauses()) {
      diagnostics_.Report(call.offset,
                          StrCat("too many arguments supplied to string.format (expected ",
                                 reader.clauses(), ", got ", args.args.size(), ")"));
    }
  }

  // The argument that the verb does not take, or a member of it: %s shows lists and maps whole.
  // Recurses along literals, which nest no deeper than expressions do.
  std::optional<ExprId> Wrong(char verb, ExprId id) const {
    if (!Takes(verb, TypeOf(id))) return id;
    if (verb != 's') return std::nullopt;
    const Expr& expr = checked_.ast[id];
    if (expr.kind == ExprKind::kList) {
      for (const ExprId member : expr.args) {
        if (const auto wrong = Wrong(verb, member)) return wrong;
      }
    } else if (expr.kind == ExprKind::kMap) {
      for (const Entry& entry : expr.entries) {
        if (const auto wrong = Wrong(verb, entry.key)) return wrong;
        if (const auto wrong = Wrong(verb, entry.value)) return wrong;
      }
    }
    return std::nullopt;
  }

  const CheckedAst& checked_;
  Diagnostics& diagnostics_;
};

}  // namespace

void CheckFormatCalls(const CheckedAst& checked, Diagnostics& diagnostics) {
  FormatCallRules(checked, diagnostics).Run();
}

}  // namespace bth::cel
