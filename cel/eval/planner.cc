#include "cel/eval/planner.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "base/strings.h"
#include "cel/eval/candidates.h"
#include "cel/eval/literals.h"
#include "cel/eval/tree_depth.h"
#include "cel/stdlib/index.h"
#include "cel/syntax/operators.h"
#include "cel/values/containers.h"

namespace bth::cel {
namespace {

constexpr uint8_t kListCost = 10;
constexpr uint8_t kMapCost = 30;
constexpr uint8_t kStructCost = 40;

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
  if (TreeDepthExceeds(checked.ast, kPlanDepthMax)) {
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
      return AddConstant(ConstantValue(expr.constant));
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
  return AddConstant(Value::Error("unknown expression"));
}

// --- names ---

StepId Planner::Name(ExprId id) {
  const Expr& expr = ast_[id];
  if (const int32_t* slot = FindLocal(expr.name)) {
    return Add({.kind = StepKind::kLocal, .is_attribute = true, .cost = 1, .table = *slot});
  }
  const Reference& reference = ReferenceOf(id);
  if (!is_checked()) return UncheckedName({expr.name});
  if (!reference.name.empty() || reference.constant != nullptr) return NamedValue(reference);
  Reference plain;
  plain.name = std::string(WithoutDot(expr.name));
  return NamedValue(plain);
}

StepId Planner::NamedValue(const Reference& reference) {
  if (reference.constant != nullptr) return AddConstant(reference.constant->value);
  const std::string_view name = WithoutDot(reference.name);
  if (environment_.FindVariable(name) == nullptr) {
    if (const NamedConstant* constant = environment_.FindConstant(name)) {
      return AddConstant(constant->value);
    }
    if (TypePtr type = environment_.FindType(name)) return AddConstant(Value::Of(type));
  }
  auto& variables = plan_.variables;
  const auto place = std::find(variables.begin(), variables.end(), name);
  const auto index = static_cast<int32_t>(place - variables.begin());
  if (place == variables.end()) variables.emplace_back(name);
  return Add({.kind = StepKind::kVariable, .is_attribute = true, .cost = 1, .table = index});
}

StepId Planner::UncheckedName(const std::vector<std::string>& path) {
  NameSite site;
  site.path = path;
  for (size_t used = path.size(); used > 0; --used) {
    std::string name = path[0];
    for (size_t i = 1; i < used; ++i) StrAppend(&name, ".", path[i]);
    for (std::string& candidate : NamesInContainers(name)) {
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
  return Add({.kind = StepKind::kName,
              .is_attribute = true,
              .cost = static_cast<uint8_t>(std::min<size_t>(path.size(), 255)),
              .table = static_cast<int32_t>(plan_.names.size()) - 1});
}

StepId Planner::Select(ExprId id) {
  const Expr& expr = ast_[id];
  const Reference& reference = ReferenceOf(id);
  if (!reference.name.empty() || reference.constant != nullptr) return NamedValue(reference);
  if (expr.test_only) {
    const StepId base = Node(expr.operand);
    return Add({.kind = StepKind::kHas,
                .is_attribute = true,
                .cost = CostAsBase(base),
                .a = base,
                .table = AddText(expr.name)});
  }
  if (!is_checked()) {
    const auto path = NamesOf(id);
    if (path && FindLocal(path->front()) == nullptr) return UncheckedName(*path);
  }
  const StepId base = Node(expr.operand);
  // a.b.c is one step; its texts follow each other, since nothing was planned in between.
  Step& last = plan_.steps[static_cast<size_t>(base)];
  const bool is_end = static_cast<size_t>(base) + 1 == plan_.steps.size();
  if (last.kind == StepKind::kPath && is_end && last.c < 200 &&
      static_cast<size_t>(last.b + last.c) == plan_.texts.size()) {
    AddText(expr.name);
    ++last.c;
    ++last.cost;
    return base;
  }
  return Add({.kind = StepKind::kPath,
              .is_attribute = true,
              .cost = static_cast<uint8_t>(1 + CostAsBase(base)),
              .a = base,
              .b = AddText(expr.name),
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
    return Add({.kind = kind, .cost = cost, .a = a, .b = Node(expr.args[1])});
  };
  const std::string_view name = expr.name;
  switch (expr.args.size()) {
    case 1:
      if (name != op::kNotStrictlyFalse) return std::nullopt;
      return Add({.kind = StepKind::kNotStrictlyFalse, .cost = 1, .a = Node(expr.args[0])});
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
  return Add({.kind = StepKind::kOptionalSelect,
              .is_attribute = true,
              .cost = static_cast<uint8_t>(1 + CostAsBase(base)),
              .a = base,
              .table = AddText(*text)});
}

// optional.or(x) and optional.orValue(x) look at x only where it is wanted.
std::optional<StepId> Planner::LazyMember(const Expr& expr) {
  if (expr.args.size() != 1 || (expr.name != "or" && expr.name != "orValue")) return std::nullopt;
  if (QualifiedFunction(expr) != nullptr) return std::nullopt;
  const StepId target = Node(expr.operand);
  return Add({.kind = expr.name == "or" ? StepKind::kOptionalOr : StepKind::kOptionalOrValue,
              .a = target,
              .b = Node(expr.args[0])});
}

StepId Planner::Conditional(const Expr& expr) {
  const StepId condition = Node(expr.args[0]);
  const StepId then = Node(expr.args[1]);
  const StepId otherwise = Node(expr.args[2]);
  MakePart(then);
  MakePart(otherwise);
  return Add({.kind = StepKind::kConditional,
              .is_attribute = true,
              .a = condition,
              .b = then,
              .c = otherwise});
}

StepId Planner::Index(const Expr& expr, StepKind kind) {
  const StepId base = Node(expr.args[0]);
  const StepId index = Node(expr.args[1]);
  MakePart(index);
  return Add({.kind = kind,
              .is_attribute = true,
              .cost = static_cast<uint8_t>(1 + CostAsBase(base)),
              .a = base,
              .b = index});
}

StepId Planner::In(const Expr& expr, const Reference& reference) {
  const StepId a = Node(expr.args[0]);
  const StepId b = Node(expr.args[1]);
  const bool is_list = reference.overloads.size() == 1 && reference.overloads[0]->id == "in_list";
  if (is_list && IsConstant(b) && ConstantOf(b).is(ValueKind::kList)) {
    if (ConstantOf(b).AsList().size() == 0) return AddConstant(Value::Bool(false));
    // Looked up at no cost where all members are plain values.
    if (std::optional<Value> set = ConstantSet(ConstantOf(b))) {
      plan_.constants.push_back(*std::move(set));
      return Add({.kind = StepKind::kInSet,
                  .a = a,
                  .table = static_cast<int32_t>(plan_.constants.size()) - 1});
    }
  }
  // `table` tells what cost counts: 1 where the container is known to be a list.
  return Add({.kind = StepKind::kIn, .a = a, .b = b, .table = is_list ? 1 : 0});
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
    if (function == nullptr) {
      return AddConstant(Value::Error(StrCat("unknown function: ", expr.name)));
    }
    for (const Overload& overload : function->overloads) {
      if (overload.member != has_target) continue;
      if (overload.parameters.size() != call.args.size()) continue;
      call.candidates.push_back(MakeCandidate(overload));
    }
  }
  if (const auto folded = FoldedConversion(call)) return *folded;
  if (const auto match = ConstantMatch(call)) return *match;
  plan_.calls.push_back(std::move(call));
  return Add({.kind = StepKind::kCall, .table = static_cast<int32_t>(plan_.calls.size()) - 1});
}

std::optional<StepId> Planner::FoldedConversion(const CallSite& call) {
  if (call.args.size() != 1 || !IsConstant(call.args[0]) || !IsConversion(call.function)) {
    return std::nullopt;
  }
  const Value arg = ConstantOf(call.args[0]);
  if (arg.is_error()) return std::nullopt;
  const Candidate* chosen = PickCandidate(call, {&arg, 1});
  if (chosen == nullptr) return std::nullopt;
  return AddConstant(chosen->overload->run({&arg, 1}));
}

// A constant pattern is compiled here.
std::optional<StepId> Planner::ConstantMatch(const CallSite& call) {
  if (call.function != "matches" || call.args.size() != 2 || !IsConstant(call.args[1]) ||
      !ConstantOf(call.args[1]).is(ValueKind::kString)) {
    return std::nullopt;
  }
  plan_.patterns.push_back(std::make_unique<const Pattern>(ConstantOf(call.args[1]).AsString()));
  return Add({.kind = StepKind::kMatches,
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
    is_constant = is_constant && IsConstant(item.value) && !ConstantOf(item.value).is_error();
    site.items.push_back(std::move(item));
  }
  if (is_constant) {
    std::vector<Value> items;
    for (const LiteralSite::Item& item : site.items) items.push_back(ConstantOf(item.value));
    return AddConstant(Value::List(std::move(items)));
  }
  plan_.literals.push_back(std::move(site));
  return Add({.kind = StepKind::kList,
              .cost = kListCost,
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
      is_constant = is_constant && IsConstant(part) && !ConstantOf(part).is_error();
    }
    is_constant = is_constant && !item.optional;
    site.items.push_back(std::move(item));
  }
  if (is_constant) {
    MapMaker maker;
    for (const LiteralSite::Item& item : site.items) {
      maker.Add(ConstantOf(item.key), ConstantOf(item.value));
    }
    return AddConstant(std::move(maker).Take());
  }
  plan_.literals.push_back(std::move(site));
  return Add({.kind = StepKind::kMap,
              .cost = kMapCost,
              .table = static_cast<int32_t>(plan_.literals.size()) - 1});
}

StepId Planner::StructLiteral(const Expr& expr, const Reference& reference) {
  LiteralSite site;
  const std::string_view name =
      WithoutDot(reference.name.empty() ? std::string_view(expr.name) : reference.name);
  for (const std::string& candidate : NamesInContainers(name)) {
    site.type = environment_.FindType(candidate);
    if (site.type != nullptr) break;
  }
  if (site.type == nullptr) {
    return AddConstant(Value::Error(StrCat("unknown type: '", name, "'")));
  }
  for (const Entry& entry : expr.entries) {
    LiteralSite::Item item;
    item.field = entry.field;
    item.value = Node(entry.value);
    item.optional = entry.optional;
    site.items.push_back(std::move(item));
  }
  plan_.literals.push_back(std::move(site));
  return Add({.kind = StepKind::kStruct,
              .cost = kStructCost,
              .table = static_cast<int32_t>(plan_.literals.size()) - 1});
}

// --- comprehensions ---

StepId Planner::Fold(const Comprehension& fold) {
  FoldSite site;
  site.range = Node(fold.range);
  const size_t scope = locals_.size();
  const bool is_general = !BuildsContainer(fold, &site);
  if (is_general) {
    site.kind = FoldKind::kGeneral;
    site.init = Node(fold.accu_init);
    site.accu_slot = plan_.slots++;
    locals_.push_back({fold.accu_var, site.accu_slot});
    site.iter_slot = plan_.slots++;
    locals_.push_back({fold.iter_var, site.iter_slot});
    if (!fold.iter_var2.empty()) {
      site.iter2_slot = plan_.slots++;
      locals_.push_back({fold.iter_var2, site.iter2_slot});
    }
    site.condition = Node(fold.condition);
    site.step = Node(fold.step);
    locals_.resize(scope + 1);  // The result sees the accumulator alone.
    site.result = Node(fold.result);
  }
  locals_.resize(scope);
  plan_.folds.push_back(site);
  return Add({.kind = StepKind::kFold,
              .cost = is_general ? uint8_t{0} : uint8_t{1},  // The name of the result.
              .table = static_cast<int32_t>(plan_.folds.size()) - 1});
}

bool Planner::BuildsContainer(const Comprehension& fold, FoldSite* site) {
  const Expr& init = ast_[fold.accu_init];
  const Expr& condition = ast_[fold.condition];
  const bool is_list = init.kind == ExprKind::kList && init.args.empty();
  const bool is_map = init.kind == ExprKind::kMap && init.entries.empty();
  if ((!is_list && !is_map) || !IsIdent(fold.result, fold.accu_var)) return false;
  if (condition.kind != ExprKind::kConstant || condition.constant != Constant(true)) return false;
  site->kind = is_list ? FoldKind::kList : FoldKind::kMap;
  const Expr* insert = &ast_[fold.step];
  ExprId filter = kNoExpr;
  if (insert->kind == ExprKind::kCall && insert->name == op::kConditional &&
      insert->args.size() == 3 && IsIdent(insert->args[2], fold.accu_var)) {
    filter = insert->args[0];
    insert = &ast_[insert->args[1]];
  }
  const std::string_view function = is_list ? op::kAdd : op::kMapInsert;
  if (insert->kind != ExprKind::kCall || insert->name != function || insert->args.empty() ||
      insert->operand != kNoExpr || !IsIdent(insert->args[0], fold.accu_var)) {
    return false;
  }
  const size_t scope = locals_.size();
  site->iter_slot = plan_.slots++;
  locals_.push_back({fold.iter_var, site->iter_slot});
  if (!fold.iter_var2.empty()) {
    site->iter2_slot = plan_.slots++;
    locals_.push_back({fold.iter_var2, site->iter2_slot});
  }
  const bool planned = PlanInsert(*insert, fold, site);
  if (planned && filter != kNoExpr) site->filter = Node(filter);
  locals_.resize(scope);
  return planned;
}

// Charged for each insertion: the accumulator's name, the call, and the list around an element that
// is not constant.
bool Planner::PlanInsert(const Expr& insert, const Comprehension& fold, FoldSite* site) {
  site->cost_of_insert = 2;
  if (site->kind == FoldKind::kMap) {
    if (insert.args.size() != 2 && insert.args.size() != 3) return false;
    if (insert.args.size() == 3) site->key = Node(insert.args[1]);
    site->element = Node(insert.args.back());
    return true;
  }
  if (insert.args.size() != 2) return false;
  const Expr& list = ast_[insert.args[1]];
  if (list.kind != ExprKind::kList || list.args.size() != 1 || !list.optional_args.empty() ||
      IsIdent(list.args[0], fold.accu_var)) {
    return false;
  }
  site->element = Node(list.args[0]);
  if (!IsConstant(site->element)) site->cost_of_insert += kListCost;
  return true;
}

}  // namespace bth::cel
