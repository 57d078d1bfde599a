#include "cel/eval/estimator.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cel/stdlib/overloads.h"
#include "cel/syntax/operators.h"
#include "cel/values/text_forms.h"

namespace bth::cel {
namespace {

constexpr uint64_t kUnbounded = std::numeric_limits<uint64_t>::max();

CostRange Sum(CostRange a, CostRange b) {
  return {AddCost(a.min, b.min), AddCost(a.max, b.max)};
}

CostRange Times(SizeRange count, CostRange cost) {
  return {MultiplyCost(count.min, cost.min), MultiplyCost(count.max, cost.max)};
}

template <typename Range>
Range UnionOf(const Range& a, const Range& b) {
  Range both = a;
  both.min = std::min(a.min, b.min);
  both.max = std::max(a.max, b.max);
  return both;
}

SizeRange Exactly(uint64_t size) {
  return {size, size};
}

bool IsUnknown(const SizeRange& size) {
  return size.min == 0 && size.max == kUnbounded;
}

// Sizes of what a container holds.
struct MemberSizes {
  bool is_list = true;
  SizeRange key;
  SizeRange value;
};

// What is known of a node besides its cost.
struct Sizes {
  std::optional<SizeRange> own;
  std::optional<MemberSizes> members;
};

bool IsScalar(const Type& type) {
  switch (type.kind()) {
    case TypeKind::kBool:
    case TypeKind::kInt:
    case TypeKind::kUint:
    case TypeKind::kDouble:
    case TypeKind::kDuration:
    case TypeKind::kTimestamp:
      return true;
    case TypeKind::kOptional:
      return !type.parameters().empty() && IsScalar(*type.parameters()[0]);
    default:
      return false;
  }
}

SizeRange SizeOfConstant(const Constant& constant) {
  if (const auto* text = std::get_if<std::string>(&constant)) {
    return Exactly(CountCodePoints(*text));
  }
  if (const auto* bytes = std::get_if<Bytes>(&constant)) return Exactly(bytes->data.size());
  return Exactly(1);
}

// Walks the tree once, by recursion.
class Estimator final {
 public:
  explicit Estimator(const CheckedAst& checked)
      : checked_(checked), ast_(checked.ast), sizes_(checked.ast.nodes.size()) {}

  CostRange Cost(ExprId id) {
    if (id == kNoExpr) return {};
    const Expr& expr = ast_[id];
    switch (expr.kind) {
      case ExprKind::kConstant:
        return {};
      case ExprKind::kIdent:
        return {1, 1};
      case ExprKind::kSelect:
        return SelectCost(id);
      case ExprKind::kCall:
        return CallCostOf(id);
      case ExprKind::kList:
        return ListCost(id);
      case ExprKind::kMap:
        return MapCost(id);
      case ExprKind::kStruct:
        return StructCost(expr);
      case ExprKind::kComprehension:
        return FoldCost(id);
    }
    return {};
  }

 private:
  struct Local {
    std::string_view name;
    Sizes sizes;
  };

  Sizes& Known(ExprId id) { return sizes_[static_cast<size_t>(id)]; }

  const Type& TypeOfNode(ExprId id) const {
    const auto index = static_cast<size_t>(id);
    const bool has_type = index < checked_.types.size() && checked_.types[index] != nullptr;
    return has_type ? *checked_.types[index] : *Type::Dyn();
  }

  const Local* FindLocal(ExprId id) const {
    if (ast_[id].kind != ExprKind::kIdent) return nullptr;
    for (auto local = locals_.rbegin(); local != locals_.rend(); ++local) {
      if (local->name == ast_[id].name) return &*local;
    }
    return nullptr;
  }

  std::optional<SizeRange> SizeOfNode(ExprId id) {
    if (Known(id).own) return Known(id).own;
    const Expr& expr = ast_[id];
    if (expr.kind == ExprKind::kConstant) return SizeOfConstant(expr.constant);
    if (expr.kind == ExprKind::kList) return Exactly(expr.args.size());
    if (expr.kind == ExprKind::kMap) return Exactly(expr.entries.size());
    const Type& type = TypeOfNode(id);
    if (type.kind() == TypeKind::kOpaque) return std::nullopt;
    // Rules of schemas may name types: for Kubernetes such a name is as large as what the rule is
    // of.
    if (type.kind() == TypeKind::kType && expr.kind == ExprKind::kIdent) return Exactly(1);
    if (type.has_size()) return SizeRange{0, type.size_max()};
    if (IsScalar(type)) return Exactly(1);
    const Local* local = FindLocal(id);
    return local == nullptr ? std::nullopt : local->sizes.own;
  }

  SizeRange SizeOrUnknown(ExprId id) { return SizeOfNode(id).value_or(SizeRange{}); }

  std::optional<MemberSizes> MembersOfNode(ExprId id) {
    if (Known(id).members) return Known(id).members;
    const Local* local = FindLocal(id);
    return local == nullptr ? std::nullopt : local->sizes.members;
  }

  // What an overload's estimate gets to know of an argument.
  SizeRange ArgumentSize(ExprId id) {
    SizeRange size = SizeOrUnknown(id);
    const Expr& expr = ast_[id];
    if (const auto* number = std::get_if<int64_t>(&expr.constant);
        expr.kind == ExprKind::kConstant && number != nullptr) {
      size.literal = *number;
    }
    const Type& type = TypeOfNode(id);
    if (type.kind() != TypeKind::kList || type.parameters().empty()) return size;
    const Type& element = *type.parameters()[0];
    size.has_text_elements =
        element.kind() == TypeKind::kString || element.kind() == TypeKind::kBytes;
    // Of elements that are written in the list or made by a loop no bound is known, as in
    // Kubernetes.
    if (element.has_size()) size.element_max = element.size_max();
    return size;
  }

  // Of two values of one library's type: only == knows how much it looks at.
  void SizeOpaques(const std::vector<ExprId>& args, std::vector<SizeRange>* sizes) const {
    const Type& type = TypeOfNode(args[0]);
    if (type.kind() != TypeKind::kOpaque || !(type == TypeOfNode(args[1]))) return;
    for (SizeRange& size : *sizes) {
      if (IsUnknown(size)) size = {1, type.has_size() ? type.size_max() : 1};
    }
  }

  CostRange SelectCost(ExprId id) {
    const Expr& expr = ast_[id];
    const Reference& reference = checked_.references[static_cast<size_t>(id)];
    if (!reference.name.empty() || reference.constant != nullptr) return {1, 1};
    const CostRange operand = Cost(expr.operand);
    if (expr.test_only) return operand;
    const TypeKind kind = TypeOfNode(expr.operand).kind();
    const bool has_cost =
        kind == TypeKind::kMap || kind == TypeKind::kObject || kind == TypeKind::kParam;
    return has_cost ? Sum(operand, {1, 1}) : operand;
  }

  CostRange ListCost(ExprId id) {
    const Expr& expr = ast_[id];
    CostRange cost{10, 10};
    MemberSizes members{.is_list = true, .key = Exactly(1), .value = Exactly(0)};
    for (size_t i = 0; i < expr.args.size(); ++i) {
      cost = Sum(cost, Cost(expr.args[i]));
      const SizeRange size = SizeOrUnknown(expr.args[i]);
      members.value = i == 0 ? size : UnionOf(members.value, size);
    }
    Known(id).members = members;
    return cost;
  }

  CostRange MapCost(ExprId id) {
    const Expr& expr = ast_[id];
    CostRange cost{30, 30};
    MemberSizes members{.is_list = false, .key = Exactly(0), .value = Exactly(0)};
    for (size_t i = 0; i < expr.entries.size(); ++i) {
      const Entry& entry = expr.entries[i];
      cost = Sum(Sum(cost, Cost(entry.key)), Cost(entry.value));
      const SizeRange key = SizeOrUnknown(entry.key);
      const SizeRange value = SizeOrUnknown(entry.value);
      members.key = i == 0 ? key : UnionOf(members.key, key);
      members.value = i == 0 ? value : UnionOf(members.value, value);
    }
    Known(id).members = members;
    return cost;
  }

  CostRange StructCost(const Expr& expr) {
    CostRange cost{40, 40};
    for (const Entry& entry : expr.entries) cost = Sum(cost, Cost(entry.value));
    return cost;
  }

  CostRange JunctionCost(const Expr& expr) {
    const CostRange left = Cost(expr.args[0]);
    const CostRange right = Cost(expr.args[1]);
    return {left.min, AddCost(left.max, right.max)};
  }

  CostRange ConditionalCost(ExprId id) {
    const Expr& expr = ast_[id];
    const CostRange condition = Cost(expr.args[0]);
    const CostRange branches = UnionOf(Cost(expr.args[1]), Cost(expr.args[2]));
    Known(id).own = UnionOf(SizeOrUnknown(expr.args[1]), SizeOrUnknown(expr.args[2]));
    const auto then = MembersOfNode(expr.args[1]);
    const auto otherwise = MembersOfNode(expr.args[2]);
    if (then && otherwise) Known(id).members = JoinMembers(*then, *otherwise);
    return Sum(condition, branches);
  }

  static MemberSizes JoinMembers(const MemberSizes& a, const MemberSizes& b) {
    return {a.is_list, UnionOf(a.key, b.key), UnionOf(a.value, b.value)};
  }

  CostRange CallCostOf(ExprId id) {
    const Expr& expr = ast_[id];
    if (expr.operand == kNoExpr && expr.args.size() == 2 &&
        (expr.name == op::kAnd || expr.name == op::kOr)) {
      return JunctionCost(expr);
    }
    if (expr.operand == kNoExpr && expr.args.size() == 3 && expr.name == op::kConditional) {
      return ConditionalCost(id);
    }
    const Reference& reference = checked_.references[static_cast<size_t>(id)];
    std::vector<ExprId> args;
    const bool is_member = !reference.overloads.empty() && reference.overloads[0]->member;
    if (expr.operand != kNoExpr && is_member) args.push_back(expr.operand);
    args.insert(args.end(), expr.args.begin(), expr.args.end());
    CostRange cost;
    for (const ExprId arg : args) cost = Sum(cost, Cost(arg));
    if (expr.name == "dyn" && args.size() == 1) {
      Known(id) = {SizeOfNode(args[0]), MembersOfNode(args[0])};
      return Sum(cost, {1, 1});
    }
    return Sum(cost, OverloadsCost(id, args, reference));
  }

  // A range that covers all candidates; keeps what is known of the result.
  CostRange OverloadsCost(ExprId id, const std::vector<ExprId>& args, const Reference& reference) {
    std::vector<SizeRange> sizes;
    for (const ExprId arg : args) sizes.push_back(ArgumentSize(arg));
    if (ast_[id].name == op::kEquals && args.size() == 2) SizeOpaques(args, &sizes);
    CostRange cost{1, 1};
    std::optional<SizeRange> result;
    bool is_first = true;
    for (const Overload* overload : reference.overloads) {
      CallEstimate estimate{.cost = {1, 1}};
      if (overload->estimate) estimate = overload->estimate(sizes);
      cost = is_first ? estimate.cost : UnionOf(cost, estimate.cost);
      is_first = false;
      if (!IsUnknown(estimate.result)) {
        result = result ? UnionOf(*result, estimate.result) : estimate.result;
      }
      if (overload->id == "add_list") {
        const auto a = MembersOfNode(args[0]);
        const auto b = MembersOfNode(args[1]);
        if (a && b) Known(id).members = JoinMembers(*a, *b);
      } else if (overload->id == "index_list" || overload->id == "index_map") {
        if (const auto members = MembersOfNode(args[0])) result = members->value;
      }
    }
    if (result) Known(id).own = result;
    return cost;
  }

  // Names of a fold's members and of what it accumulates, for its parts.
  void PushMembers(const Comprehension& fold) {
    const std::optional<MemberSizes> members = MembersOfNode(fold.range);
    const bool is_list =
        members ? members->is_list : TypeOfNode(fold.range).kind() == TypeKind::kList;
    const auto size = [&](bool of_value) -> Sizes {
      if (!members) return {};
      return {.own = of_value ? members->value : members->key};
    };
    if (fold.iter_var2.empty()) {
      locals_.push_back({fold.iter_var, size(is_list)});
      return;
    }
    locals_.push_back({fold.iter_var, size(false)});
    locals_.push_back({fold.iter_var2, size(true)});
  }

  CostRange FoldCost(ExprId id) {
    const Comprehension& fold = *ast_[id].comprehension;
    CostRange cost = Sum(Cost(fold.range), Cost(fold.accu_init));
    const size_t scope = locals_.size();
    locals_.push_back({fold.accu_var, {SizeOfNode(fold.accu_init), MembersOfNode(fold.accu_init)}});
    PushMembers(fold);
    const CostRange loop = Sum(Cost(fold.condition), Cost(fold.step));
    locals_.resize(scope + 1);
    cost = Sum(cost, Cost(fold.result));
    locals_.resize(scope);
    const SizeRange count = SizeOrUnknown(fold.range);
    KeepFoldSizes(id, fold, count);
    return Sum(cost, Times(count, loop));
  }

  void KeepFoldSizes(ExprId id, const Comprehension& fold, const SizeRange& count) {
    const ExprKind kind = ast_[fold.accu_init].kind;
    if (kind == ExprKind::kConstant) {
      Known(id).own = SizeOfNode(fold.accu_init);
    } else if (kind == ExprKind::kList || kind == ExprKind::kMap) {
      Known(id).own = count;
      if (const auto members = MembersOfNode(fold.step)) Known(id).members = members;
    }
  }

  const CheckedAst& checked_;
  const Ast& ast_;
  std::vector<Sizes> sizes_;
  std::vector<Local> locals_;
};

}  // namespace

CostRange EstimateOf(const CheckedAst& checked) {
  return Estimator(checked).Cost(checked.ast.root);
}

}  // namespace bth::cel
