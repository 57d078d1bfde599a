#include "cel/eval/planner.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "base/strings.h"
#include "cel/eval/candidates.h"
#include "cel/eval/fold_shape.h"
#include "cel/eval/literals.h"
#include "cel/eval/tree_depth.h"
#include "cel/eval/tree_names.h"
#include "cel/stdlib/index.h"
#include "cel/syntax/operators.h"
#include "cel/values/containers.h"

namespace bth::cel {
namespace {

Value ConstantValue(const Constant& constant) {
  struct Maker {
    Value operator()(std::nullptr_t) const { return Value::Null(); }
    Value operator()(bool value) const { return Value::Bool(value); }
    Value operator()(int64_t value) const { return Value::Int(value); }
    Value operator()(uint64_t value) const { return Value::Uint(value); }
    Value operator()(double value) const { return Value::Double(value); }
    Value operator()(const std::string& value) const { return Value::String(value); }
    Value operator()(const Bytes& value) const { return Value::Bytes(value.data); }
  };
  return std::visit(Maker(), constant);
}

bool IsConversion(std::string_view function) {
  for (const std::string_view name : {"bool", "bytes", "double", "duration", "dyn", "int", "string",
                                      "timestamp", "type", "uint"}) {
    if (function == name) return true;
  }
  return false;
}

std::string_view WithoutDot(std::string_view name) {
  return name.starts_with('.') ? name.substr(1) : name;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Plan>> MakePlan(const CheckedAst& checked,
                                                     const Environment& environment) {
  if (TreeDepthExceeds(checked.ast, checked.ast.root, kPlanDepthMax)) {
    return absl::InvalidArgumentError(
        StrCat("expression nested too deeply: at most ", kPlanDepthMax, " levels can be run"));
  }
  return std::make_shared<const Plan>(Planner(checked, environment).Make());
}

Plan Planner::Make() && {
  plan_.root = Node(ast_.root);
  return std::move(plan_);
}

StepId Planner::Node(ExprId id) {
  const Expr& expr = ast_[id];
  switch (expr.kind) {
    case ExprKind::kConstant:
      return builder_.AddConstant(ConstantValue(expr.constant));
    case ExprKind::kIdent:
      return Name(id);
    case ExprKind::kSelect:
      return Select(id);
    case ExprKind::kCall:
      return Call(id);
    case ExprKind::kList:
      return ListLiteral(expr);
    case ExprKind::kMap:
      return MapLiteral(expr);
    case ExprKind::kStruct:
      return StructLiteral(expr, ReferenceOf(id));
    case ExprKind::kComprehension:
      return Fold(*expr.comprehension);
  }
  return builder_.AddConstant(Value::Error("unknown expression"));
}

// --- names ---

StepId Planner::Name(ExprId id) {
  const Expr& expr = ast_[id];
  if (const LocalName* local = FindLocal(expr.name)) {
    return builder_.Add({.kind = local->bound == kNoStep ? StepKind::kLocal : StepKind::kBound,
                         .is_attribute = true,
                         .cost = 1,
                         .a = local->bound,
                         .table = local->slot});
  }
  const Reference& reference = ReferenceOf(id);
  if (!is_checked()) return UncheckedName({expr.name});
  if (!reference.name.empty() || reference.constant != nullptr) return NamedValue(reference);
  Reference plain;
  plain.name = std::string(WithoutDot(expr.name));
  return NamedValue(plain);
}

StepId Planner::NamedValue(const Reference& reference) {
  if (reference.constant != nullptr) return builder_.AddConstant(reference.constant->value);
  const std::string_view name = WithoutDot(reference.name);
  if (environment_.FindVariable(name) == nullptr) {
    if (const NamedConstant* constant = environment_.FindConstant(name)) {
      return builder_.AddConstant(constant->value);
    }
    if (TypePtr type = environment_.FindType(name)) return builder_.AddConstant(Value::Of(type));
    if (environment_.FindMessage(name) != nullptr) {
      return builder_.AddConstant(Value::Error(StrCat("reference to undefined type: ", name)));
    }
  }
  return builder_.Add({.kind = StepKind::kVariable,
                       .is_attribute = true,
                       .cost = 1,
                       .table = builder_.VariablePlace(name)});
}

StepId Planner::UncheckedName(const std::vector<std::string>& path) {
  NameSite site;
  site.path = path;
  for (size_t used = path.size(); used > 0; --used) {
    std::string name = path[0];
    for (size_t i = 1; i < used; ++i) StrAppend(&name, ".", path[i]);
    for (std::string& candidate : NamesInContainers(environment_, name)) {
      NameSite::Meaning meaning;
      meaning.fields = path.size() - used;
      if (const NamedConstant* constant = environment_.FindConstant(candidate)) {
        meaning.is_constant = true;
        meaning.constant = constant->value;
      } else if (TypePtr type = environment_.FindType(candidate)) {
        meaning.is_constant = true;
        meaning.constant = Value::Of(type);
      }
      meaning.variable = std::move(candidate);
      site.meanings.push_back(std::move(meaning));
    }
  }
  plan_.names.push_back(std::move(site));
  return builder_.Add({.kind = StepKind::kName,
                       .is_attribute = true,
                       .cost = 1,
                       .table = static_cast<int32_t>(plan_.names.size()) - 1});
}

StepId Planner::Select(ExprId id) {
  const Expr& expr = ast_[id];
  const Reference& reference = ReferenceOf(id);
  if (!reference.name.empty() || reference.constant != nullptr) return NamedValue(reference);
  if (expr.test_only) {
    const StepId base = Node(expr.operand);
    builder_.MakePart(base);
    return builder_.Add({.kind = StepKind::kHas,
                         .is_attribute = true,
                         .a = base,
                         .table = builder_.AddText(expr.name)});
  }
  if (!is_checked()) {
    const auto path = NamesOf(ast_, id);
    if (path && FindLocal(path->front()) == nullptr) return UncheckedName(*path);
  }
  const StepId base = Node(expr.operand);
  if (builder_.ExtendPath(base, expr.name)) return base;  // a.b.c is one step.
  return builder_.Add({.kind = StepKind::kPath,
                       .is_attribute = true,
                       .cost = builder_.CostAsBase(base),
                       .a = base,
                       .b = builder_.AddText(expr.name),
                       .c = 1});
}

// --- calls ---

StepId Planner::Call(ExprId id) {
  const Expr& expr = ast_[id];
  const Reference& reference = ReferenceOf(id);
  if (expr.operand != kNoExpr) {
    if (const auto lazy = LazyMember(expr)) return *lazy;
  } else if (const auto step = Operator(expr, reference)) {
    return *step;
  }
  return Dispatch(expr, reference);
}

std::optional<StepId> Planner::Operator(const Expr& expr, const Reference& reference) {
  const auto binary = [&](StepKind kind, uint8_t cost) -> StepId {
    const StepId a = Node(expr.args[0]);
    return builder_.Add({.kind = kind, .cost = cost, .a = a, .b = Node(expr.args[1])});
  };
  const std::string_view name = expr.name;
  switch (expr.args.size()) {
    case 1:
      if (name != op::kNotStrictlyFalse) return std::nullopt;
      return builder_.Add(
          {.kind = StepKind::kNotStrictlyFalse, .cost = 1, .a = Node(expr.args[0])});
    case 2:
      if (name == op::kAnd) return binary(StepKind::kAnd, 0);
      if (name == op::kOr) return binary(StepKind::kOr, 0);
      if (name == op::kEquals) return binary(StepKind::kEqual, 0);
      if (name == op::kNotEquals) return binary(StepKind::kNotEqual, 0);
      if (name == op::kIn) return In(expr, reference);
      if (name == op::kIndex) return Index(expr, StepKind::kIndex);
      if (name == op::kOptIndex) return Index(expr, StepKind::kOptionalIndex);
      if (name == op::kOptSelect) return OptionalSelect(expr);
      return std::nullopt;
    case 3:
      if (name == op::kConditional) return Conditional(expr);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<StepId> Planner::OptionalSelect(const Expr& expr) {
  const Expr& field = ast_[expr.args[1]];
  const auto* text = std::get_if<std::string>(&field.constant);
  if (field.kind != ExprKind::kConstant || text == nullptr) return std::nullopt;
  const StepId base = Node(expr.args[0]);
  return builder_.Add({.kind = StepKind::kOptionalSelect,
                       .is_attribute = true,
                       .cost = builder_.CostAsBase(base),
                       .a = base,
                       .table = builder_.AddText(*text)});
}

// optional.or(x) and optional.orValue(x) look at x only where it is wanted.
std::optional<StepId> Planner::LazyMember(const Expr& expr) {
  if (expr.args.size() != 1 || (expr.name != "or" && expr.name != "orValue")) return std::nullopt;
  if (QualifiedFunction(expr) != nullptr) return std::nullopt;
  const StepId target = Node(expr.operand);
  return builder_.Add(
      {.kind = expr.name == "or" ? StepKind::kOptionalOr : StepKind::kOptionalOrValue,
       .a = target,
       .b = Node(expr.args[0])});
}

StepId Planner::Conditional(const Expr& expr) {
  const StepId condition = Node(expr.args[0]);
  const StepId then = Node(expr.args[1]);
  const StepId otherwise = Node(expr.args[2]);
  builder_.MakePart(then);
  builder_.MakePart(otherwise);
  return builder_.Add({.kind = StepKind::kConditional,
                       .is_attribute = true,
                       .a = condition,
                       .b = then,
                       .c = otherwise});
}

StepId Planner::Index(const Expr& expr, StepKind kind) {
  const StepId base = Node(expr.args[0]);
  const StepId index = Node(expr.args[1]);
  builder_.MakePart(index);
  return builder_.Add({.kind = kind,
                       .is_attribute = true,
                       .cost = builder_.CostAsBase(base),
                       .a = base,
                       .b = index});
}

StepId Planner::In(const Expr& expr, const Reference& reference) {
  const StepId a = Node(expr.args[0]);
  const StepId b = Node(expr.args[1]);
  const bool is_list = reference.overloads.size() == 1 && reference.overloads[0]->id == "in_list";
  if (is_list && builder_.IsConstant(b) && builder_.ConstantOf(b).is(ValueKind::kList)) {
    if (builder_.ConstantOf(b).AsList().size() == 0)
      return builder_.AddConstant(Value::Bool(false));
    // Looked up at no cost where all members are plain values.
    if (std::optional<Value> set = ConstantSet(builder_.ConstantOf(b))) {
      plan_.constants.push_back(*std::move(set));
      return builder_.Add({.kind = StepKind::kInSet,
                           .a = a,
                           .table = static_cast<int32_t>(plan_.constants.size()) - 1});
    }
  }
  // `table` tells what cost counts: 1 where the container is known to be a list.
  return builder_.Add({.kind = StepKind::kIn, .a = a, .b = b, .table = is_list ? 1 : 0});
}

StepId Planner::Dispatch(const Expr& expr, const Reference& reference) {
  CallSite call;
  call.function = expr.name;
  const Function* qualified = QualifiedFunction(expr);
  bool has_target = expr.operand != kNoExpr && qualified == nullptr;
  if (!reference.overloads.empty()) {
    has_target = expr.operand != kNoExpr && reference.overloads[0]->member;
    for (const Overload* overload : reference.overloads) {
      call.candidates.push_back(MakeCandidate(*overload));
    }
  }
  if (const Function* function = FindInContainers(environment_, expr.name)) {
    call.first_kinds = FirstKinds(*function);
  }
  if (has_target) call.args.push_back(Node(expr.operand));
  for (const ExprId arg : expr.args) call.args.push_back(Node(arg));
  if (reference.overloads.empty()) {
    const Function* function =
        qualified != nullptr ? qualified : FindInContainers(environment_, expr.name);
    for (const Overload& overload :
         function == nullptr ? std::span<const Overload>() : std::span(function->overloads)) {
      if (overload.member != has_target) continue;
      if (overload.parameters.size() != call.args.size()) continue;
      call.candidates.push_back(MakeCandidate(overload));
    }
  }
  if (const auto folded = FoldedConversion(call)) return *folded;
  if (const auto match = ConstantMatch(call)) return *match;
  plan_.calls.push_back(std::move(call));
  return builder_.Add(
      {.kind = StepKind::kCall, .table = static_cast<int32_t>(plan_.calls.size()) - 1});
}

std::optional<StepId> Planner::FoldedConversion(const CallSite& call) {
  if (call.args.size() != 1 || !builder_.IsConstant(call.args[0]) || !IsConversion(call.function)) {
    return std::nullopt;
  }
  const Value arg = builder_.ConstantOf(call.args[0]);
  if (arg.is_error()) return std::nullopt;
  const Candidate* chosen = PickCandidate(call, {&arg, 1});
  if (chosen == nullptr) return std::nullopt;
  return builder_.AddConstant(chosen->overload->run({&arg, 1}));
}

// A constant pattern is compiled here.
std::optional<StepId> Planner::ConstantMatch(const CallSite& call) {
  if (call.function != "matches" || call.args.size() != 2 || !builder_.IsConstant(call.args[1]) ||
      !builder_.ConstantOf(call.args[1]).is(ValueKind::kString)) {
    return std::nullopt;
  }
  plan_.patterns.push_back(
      std::make_unique<const Pattern>(builder_.ConstantOf(call.args[1]).AsString()));
  return builder_.Add({.kind = StepKind::kMatches,
                       .a = call.args[0],
                       .b = call.args[1],
                       .table = static_cast<int32_t>(plan_.patterns.size()) - 1});
}

// --- literals ---

StepId Planner::ListLiteral(const Expr& expr) {
  LiteralSite site;
  bool is_constant = expr.optional_args.empty();
  for (size_t i = 0; i < expr.args.size(); ++i) {
    LiteralSite::Item item;
    item.value = Node(expr.args[i]);
    item.optional = std::find(expr.optional_args.begin(), expr.optional_args.end(),
                              static_cast<int32_t>(i)) != expr.optional_args.end();
    is_constant = is_constant && builder_.IsConstant(item.value) &&
                  !builder_.ConstantOf(item.value).is_error();
    site.items.push_back(std::move(item));
  }
  if (is_constant) {
    std::vector<Value> items;
    for (const LiteralSite::Item& item : site.items)
      items.push_back(builder_.ConstantOf(item.value));
    return builder_.AddConstant(Value::List(std::move(items)));
  }
  plan_.literals.push_back(std::move(site));
  return builder_.Add({.kind = StepKind::kList,
                       .cost = kNewListCost,
                       .table = static_cast<int32_t>(plan_.literals.size()) - 1});
}

StepId Planner::MapLiteral(const Expr& expr) {
  LiteralSite site;
  bool is_constant = true;
  for (const Entry& entry : expr.entries) {
    LiteralSite::Item item;
    item.key = Node(entry.key);
    item.value = Node(entry.value);
    item.optional = entry.optional;
    for (const StepId part : {item.key, item.value}) {
      is_constant =
          is_constant && builder_.IsConstant(part) && !builder_.ConstantOf(part).is_error();
    }
    is_constant = is_constant && !item.optional;
    site.items.push_back(std::move(item));
  }
  if (is_constant) {
    MapMaker maker;
    for (const LiteralSite::Item& item : site.items) {
      maker.Add(builder_.ConstantOf(item.key), builder_.ConstantOf(item.value));
    }
    return builder_.AddConstant(std::move(maker).Take());
  }
  plan_.literals.push_back(std::move(site));
  return builder_.Add({.kind = StepKind::kMap,
                       .cost = kNewMapCost,
                       .table = static_cast<int32_t>(plan_.literals.size()) - 1});
}

StepId Planner::StructLiteral(const Expr& expr, const Reference& reference) {
  LiteralSite site;
  const std::string_view name =
      WithoutDot(reference.name.empty() ? std::string_view(expr.name) : reference.name);
  for (const std::string& candidate : NamesInContainers(environment_, name)) {
    site.message = environment_.FindMessage(candidate);
    site.type = environment_.FindType(candidate);
    if (site.message != nullptr || site.type != nullptr) break;
  }
  if (site.message == nullptr && site.type == nullptr) {
    return builder_.AddConstant(Value::Error(StrCat("unknown type: '", name, "'")));
  }
  for (const Entry& entry : expr.entries) {
    LiteralSite::Item item;
    item.field = entry.field;
    item.value = Node(entry.value);
    item.optional = entry.optional;
    site.items.push_back(std::move(item));
  }
  plan_.literals.push_back(std::move(site));
  return builder_.Add({.kind = StepKind::kStruct,
                       .cost = kNewObjectCost,
                       .table = static_cast<int32_t>(plan_.literals.size()) - 1});
}

const Reference& Planner::ReferenceOf(ExprId id) const {
  static const Reference kNone;
  const auto index = static_cast<size_t>(id);
  return index < checked_.references.size() ? checked_.references[index] : kNone;
}

const Function* Planner::QualifiedFunction(const Expr& expr) const {
  if (expr.operand == kNoExpr) return nullptr;
  const auto path = NamesOf(ast_, expr.operand);
  if (!path || FindLocal(path->front()) != nullptr) return nullptr;
  return FindQualified(environment_, *path, expr.name);
}

}  // namespace bth::cel
