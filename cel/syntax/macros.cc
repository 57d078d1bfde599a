#include "cel/syntax/macros.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "cel/syntax/operators.h"

namespace bth::cel {
namespace {

// The name under which accumulators were known before; it stays refused.
constexpr char kOldAccumulator[] = "__result__";
// The list that is to be sorted.
constexpr char kSortInput[] = "@__sortBy_input__";

// Makes the nodes of one expansion, all at the place of the call.
class Expansion final {
 public:
  // The first `variable_count` arguments name loop variables.
  Expansion(const MacroCall& call, size_t variable_count, AstBuilder* builder,
            Diagnostics* diagnostics)
      : call_(call),
        variable_count_(variable_count),
        builder_(*builder),
        diagnostics_(*diagnostics) {}

  using Expand = ExprId (Expansion::*)();

  // has(e.f)
  ExprId Has() {
    const Expr& arg = builder_[call_.args[0]];
    if (arg.kind != ExprKind::kSelect) {
      return Fault(call_.args[0], "invalid argument to has() macro");
    }
    return builder_.TestOnly(call_.offset, call_.args[0]);
  }

  // range.all(x, test)
  ExprId All() { return Quantifier(true); }
  ExprId Exists() { return Quantifier(false); }

  ExprId ExistsOne() {
    if (!ReadVariables(kNotSimple)) return broken();
    return Loop({.init = Int(0),
                 .condition = Bool(true),
                 .step = If(call_.args.back(), Op(op::kAdd, Result(), Int(1)), Result()),
                 .result = Op(op::kEquals, Result(), Int(1))});
  }

  // range.map(x, transform), range.map(x, filter, transform)
  ExprId Map() {
    if (!ReadVariables("argument is not an identifier")) return broken();
    return Gather(Op(op::kAdd, Result(), List({call_.args.back()})), List({}));
  }

  // range.filter(x, test)
  ExprId Filter() {
    if (!ReadVariables("argument is not an identifier")) return broken();
    const ExprId element = builder_.Ident(builder_[call_.args[0]].offset, variables_[0]);
    const ExprId step = Op(op::kAdd, Result(), List({element}));
    return Loop({.init = List({}),
                 .condition = Bool(true),
                 .step = If(call_.args[1], step, Result()),
                 .result = Result()});
  }

  // range.transformList(i, x, transform), with a filter before the transform
  ExprId TransformList() {
    if (!ReadVariables(kNotSimple)) return broken();
    return Gather(Op(op::kAdd, Result(), List({call_.args.back()})), List({}));
  }
  ExprId TransformMap() {
    if (!ReadVariables(kNotSimple)) return broken();
    const ExprId key = builder_.Ident(call_.offset, variables_[0]);
    return Gather(Call(op::kMapInsert, {Result(), key, call_.args.back()}),
                  builder_.Map(call_.offset, {}));
  }
  ExprId TransformMapEntry() {
    if (!ReadVariables(kNotSimple)) return broken();
    return Gather(Call(op::kMapInsert, {Result(), call_.args.back()}),
                  builder_.Map(call_.offset, {}));
  }

  // target.optMap(x, e): target.hasValue() ? optional.of(e with x = target.value()) : none
  ExprId OptMap() {
    const ExprId found = OptionalValue("optMap() variable name must be a simple identifier");
    return found == kNoExpr ? broken() : IfPresent(Call(op::kOptionalOf, {found}));
  }
  // The same, with an e that is an optional itself.
  ExprId OptFlatMap() {
    const ExprId found = OptionalValue("optFlatMap() variable name must be a simple identifier");
    return found == kNoExpr ? broken() : IfPresent(found);
  }

  // list.sortBy(x, key): the list, and the keys of its elements to sort by
  ExprId SortBy() {
    if (!ReadVariables(kNotSimple)) return broken();
    switch (builder_[call_.target].kind) {
      case ExprKind::kList:
      case ExprKind::kSelect:
      case ExprKind::kIdent:
      case ExprKind::kComprehension:
      case ExprKind::kCall:
        break;
      default:
        return Fault(call_.target,
                     "sortBy can only be applied to a list, identifier, comprehension, call or "
                     "select expression");
    }
    const auto input = [this] { return builder_.Ident(call_.offset, kSortInput); };
    const ExprId list = call_.target;
    const ExprId step = Op(op::kAdd, Result(), List({call_.args.back()}));
    const ExprId keys = Loop({.range = input(),
                              .init = List({}),
                              .condition = Bool(true),
                              .step = step,
                              .result = Result()});
    return Let(kSortInput, list,
               builder_.MemberCall(call_.offset, input(), "@sortByAssociatedKeys", {keys}));
  }

  // cel.bind(x, value, e)
  ExprId Bind() {
    const std::optional<std::string> variable = Name(call_.args[0]);
    if (!variable) {
      return Fault(call_.args[0], "cel.bind() variable names must be simple identifiers");
    }
    return Let(*variable, call_.args[1], call_.args[2]);
  }

 private:
  static constexpr char kNotSimple[] = "argument must be a simple name";

  struct LoopParts {
    ExprId range = kNoExpr;  // The target of the call if there is none.
    ExprId init;
    ExprId condition;
    ExprId step;
    ExprId result;
  };

  ExprId broken() { return builder_.Broken(call_.offset); }
  ExprId Fault(ExprId at, std::string what) {
    diagnostics_.Report(builder_[at].offset, std::move(what));
    return broken();
  }

  ExprId Bool(bool value) { return builder_.Literal(call_.offset, value); }
  ExprId Int(int64_t value) { return builder_.Literal(call_.offset, value); }
  ExprId Result() { return builder_.Ident(call_.offset, kAccumulator); }
  ExprId List(std::vector<ExprId> items) { return builder_.List(call_.offset, std::move(items)); }
  ExprId Call(std::string_view function, std::vector<ExprId> args) {
    return builder_.Call(call_.offset, function, std::move(args));
  }
  ExprId Op(std::string_view name, ExprId a, ExprId b) { return Call(name, {a, b}); }
  ExprId If(ExprId test, ExprId yes, ExprId no) { return Call(op::kConditional, {test, yes, no}); }

  std::optional<std::string> Name(ExprId arg) const {
    const Expr& expr = builder_[arg];
    if (expr.kind != ExprKind::kIdent) return std::nullopt;
    return expr.name;
  }

  // The loop variables in front of the arguments. False: they are none, which was reported.
  bool ReadVariables(std::string_view not_a_name) {
    for (size_t i = 0; i < variable_count_; ++i) {
      const std::optional<std::string> name = Name(call_.args[i]);
      if (!name) {
        Fault(call_.args[i], std::string(not_a_name));
        return false;
      }
      variables_.push_back(*name);
    }
    if (variables_.size() == 2 && variables_[0] == variables_[1]) {
      Fault(call_.args[1], StrCat("duplicate variable name: ", variables_[0]));
      return false;
    }
    for (size_t i = 0; i < variable_count_; ++i) {
      if (variables_[i] == kOldAccumulator) {
        Fault(call_.args[i], "iteration variable overwrites accumulator variable");
        return false;
      }
    }
    return true;
  }

  ExprId Loop(const LoopParts& parts) {
    Comprehension fold;
    fold.iter_var = variables_[0];
    if (variables_.size() > 1) fold.iter_var2 = variables_[1];
    fold.accu_var = kAccumulator;
    fold.range = parts.range == kNoExpr ? call_.target : parts.range;
    fold.accu_init = parts.init;
    fold.condition = parts.condition;
    fold.step = parts.step;
    fold.result = parts.result;
    return builder_.Fold(call_.offset, std::move(fold));
  }

  ExprId Quantifier(bool all) {
    if (!ReadVariables(kNotSimple)) return broken();
    const ExprId so_far = all ? Result() : Call(op::kNot, {Result()});
    return Loop({.init = Bool(all),
                 .condition = Call(op::kNotStrictlyFalse, {so_far}),
                 .step = Op(all ? op::kAnd : op::kOr, Result(), call_.args.back()),
                 .result = Result()});
  }

  // Runs `step` for each element, or for those that an argument between the variables and the
  // transform lets pass.
  ExprId Gather(ExprId step, ExprId init) {
    if (call_.args.size() > variable_count_ + 1) {
      step = If(call_.args[variable_count_], step, Result());
    }
    return Loop({.init = init, .condition = Bool(true), .step = step, .result = Result()});
  }

  // `body`, in which `variable` is `value`: a loop over nothing, whose accumulator it is.
  ExprId Let(const std::string& variable, ExprId value, ExprId body) {
    Comprehension fold;
    fold.iter_var = kUnusedVariable;
    fold.accu_var = variable;
    fold.range = List({});
    fold.accu_init = value;
    fold.condition = Bool(false);
    fold.step = builder_.Ident(call_.offset, variable);
    fold.result = body;
    return builder_.Fold(call_.offset, std::move(fold));
  }

  ExprId OptionalValue(std::string_view not_a_name) {
    const std::optional<std::string> variable = Name(call_.args[0]);
    if (!variable) {
      Fault(call_.args[0], std::string(not_a_name));
      return kNoExpr;
    }
    const ExprId value =
        builder_.MemberCall(call_.offset, builder_.Copy(call_.target), "value", {});
    return Let(*variable, value, call_.args[1]);
  }
  ExprId IfPresent(ExprId present) {
    const ExprId test = builder_.MemberCall(call_.offset, call_.target, "hasValue", {});
    return If(test, present, Call(op::kOptionalNone, {}));
  }

  const MacroCall& call_;
  const size_t variable_count_;
  AstBuilder& builder_;
  Diagnostics& diagnostics_;
  std::vector<std::string> variables_;
};

// Which of the options a macro belongs to.
enum class Library : uint8_t { kStandard, kOptional, kTwoVariables, kLists, kBind };

struct Macro {
  std::string_view name;
  bool member;
  size_t args_min;
  size_t args_max;
  size_t variables;
  Library library;
  Expansion::Expand expand;
};

const Macro* FindMacro(const MacroCall& call) {
  static constexpr std::array<Macro, 17> kMacros = {{
      {"has", false, 1, 1, 0, Library::kStandard, &Expansion::Has},
      {"all", true, 2, 2, 1, Library::kStandard, &Expansion::All},
      {"exists", true, 2, 2, 1, Library::kStandard, &Expansion::Exists},
      {"exists_one", true, 2, 2, 1, Library::kStandard, &Expansion::ExistsOne},
      {"map", true, 2, 3, 1, Library::kStandard, &Expansion::Map},
      {"filter", true, 2, 2, 1, Library::kStandard, &Expansion::Filter},
      {"all", true, 3, 3, 2, Library::kTwoVariables, &Expansion::All},
      {"exists", true, 3, 3, 2, Library::kTwoVariables, &Expansion::Exists},
      {"exists_one", true, 3, 3, 2, Library::kTwoVariables, &Expansion::ExistsOne},
      {"existsOne", true, 3, 3, 2, Library::kTwoVariables, &Expansion::ExistsOne},
      {"transformList", true, 3, 4, 2, Library::kTwoVariables, &Expansion::TransformList},
      {"transformMap", true, 3, 4, 2, Library::kTwoVariables, &Expansion::TransformMap},
      {"transformMapEntry", true, 3, 4, 2, Library::kTwoVariables, &Expansion::TransformMapEntry},
      {"optMap", true, 2, 2, 0, Library::kOptional, &Expansion::OptMap},
      {"optFlatMap", true, 2, 2, 0, Library::kOptional, &Expansion::OptFlatMap},
      {"sortBy", true, 2, 2, 1, Library::kLists, &Expansion::SortBy},
      {"bind", true, 3, 3, 0, Library::kBind, &Expansion::Bind},
  }};
  const auto found = std::find_if(kMacros.begin(), kMacros.end(), [&call](const Macro& macro) {
    return macro.name == call.function && macro.member == (call.target != kNoExpr) &&
           call.args.size() >= macro.args_min && call.args.size() <= macro.args_max;
  });
  return found == kMacros.end() ? nullptr : &*found;
}

bool IsOn(Library library, const ParseOptions& options) {
  switch (library) {
    case Library::kStandard:
      return true;
    case Library::kOptional:
      return options.optional_syntax;
    case Library::kTwoVariables:
      return options.two_variable_macros;
    case Library::kLists:
      return options.sort_macro;
    case Library::kBind:
      return options.bind_macro;
  }
  return false;
}

}  // namespace

std::optional<ExprId> ExpandMacro(const MacroCall& call, const ParseOptions& options,
                                  AstBuilder* builder, Diagnostics* diagnostics) {
  const Macro* macro = FindMacro(call);
  if (macro == nullptr || !IsOn(macro->library, options)) return std::nullopt;
  if (macro->library == Library::kBind) {  // Only of the name `cel`: others may have a bind().
    const Expr& target = (*builder)[call.target];
    if (target.kind != ExprKind::kIdent || target.name != "cel") return std::nullopt;
  }
  Expansion expansion(call, macro->variables, builder, diagnostics);
  if (!macro->member) return (expansion.*macro->expand)();  // has() is a selection.
  builder->set_counting(false);
  const ExprId expanded = (expansion.*macro->expand)();
  builder->set_counting(true);
  builder->CountExpanded(expanded);
  return expanded;
}

}  // namespace bth::cel
