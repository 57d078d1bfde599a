#include "cel/types/inference.h"

#include <algorithm>
#include <string_view>

#include "base/strings.h"

namespace bth::cel {

bool IsDyn(const Type& type) {
  return type.kind() == TypeKind::kDyn || type.kind() == TypeKind::kAny;
}

bool IsDynOrError(const Type& type) {
  return IsDyn(type) || type.kind() == TypeKind::kError;
}

namespace {

constexpr std::string_view kVariablePrefix = "_var";

// Type parameters in declarations are instantiated, so all that are met here are variables.
size_t VariableNumber(const Type& variable) {
  size_t number = 0;
  for (const char c : std::string_view(variable.name()).substr(kVariablePrefix.size())) {
    number = number * 10 + static_cast<size_t>(c - '0');
  }
  return number;
}

bool IsVariable(const Type& type) {
  return type.kind() == TypeKind::kParam;
}
bool SameVariable(const Type& a, const Type& b) {
  return IsVariable(a) && IsVariable(b) && a.name() == b.name();
}

// Whether null is a value of it.
bool IsNullable(const Type& type) {
  switch (type.kind()) {
    case TypeKind::kNull:
    case TypeKind::kObject:
    case TypeKind::kOpaque:
    case TypeKind::kOptional:
    case TypeKind::kDuration:
    case TypeKind::kTimestamp:
      return true;
    default:
      return type.is_wrapper();
  }
}

// Whether `a` admits what `b` does, by having dyn in some places.
bool AdmitsAllOf(const Type& a, const Type& b) {
  if (IsDynOrError(a) || IsVariable(a)) return true;
  if (IsDyn(b) || IsVariable(b)) return false;
  if (b.kind() == TypeKind::kNull) return IsNullable(a);
  if (a.kind() != b.kind() || a.name() != b.name()) return false;
  if (a.kind() == TypeKind::kType) return true;
  return std::equal(a.parameters().begin(), a.parameters().end(), b.parameters().begin(),
                    b.parameters().end(),
                    [](const TypePtr& x, const TypePtr& y) { return AdmitsAllOf(*x, *y); });
}

}  // namespace

TypePtr Inference::NewVariable() {
  bindings_.emplace_back();
  return Type::Param(StrCat(kVariablePrefix, bindings_.size() - 1));
}

TypePtr Inference::Instantiate(const TypePtr& type, std::map<std::string, TypePtr>* parameters) {
  if (type->kind() == TypeKind::kParam) {
    TypePtr& variable = (*parameters)[type->name()];
    if (variable == nullptr) variable = NewVariable();
    return variable;
  }
  return Rebuild(type, [&](const TypePtr& part) { return Instantiate(part, parameters); });
}

bool Inference::Agree(const TypePtr& a, const TypePtr& b) {
  return Agree(std::span(&a, 1), std::span(&b, 1));
}

bool Inference::Agree(std::span<const TypePtr> a, std::span<const TypePtr> b) {
  const bool agree =
      std::equal(a.begin(), a.end(), b.begin(), b.end(),
                 [this](const TypePtr& x, const TypePtr& y) { return Unify(x, y, 0); });
  if (!agree) RollBack();
  overwritten_.clear();
  return agree;
}

TypePtr Inference::MoreGeneral(const TypePtr& a, const TypePtr& b) {
  return AdmitsAllOf(*a, *b) ? a : b;
}

TypePtr Inference::Resolve(const TypePtr& type, Unbound unbound) {
  return ResolveAt(type, unbound, 0);
}

const TypePtr& Inference::Binding(const Type& variable) const {
  return bindings_[VariableNumber(variable)];
}

void Inference::Set(const Type& variable, TypePtr type) {
  const size_t number = VariableNumber(variable);
  overwritten_.emplace_back(number, bindings_[number]);
  bindings_[number] = std::move(type);
}

void Inference::RollBack() {
  for (; !overwritten_.empty(); overwritten_.pop_back()) {
    bindings_[overwritten_.back().first] = std::move(overwritten_.back().second);
  }
}

bool Inference::Spend(int level) {
  if (++steps_ > kStepsMax || level > kLevelsMax) exhausted_ = true;
  return !exhausted_;
}

bool Inference::Unify(const TypePtr& a, const TypePtr& b, int level) {
  if (!Spend(level)) return false;
  if (a == b || SameVariable(*a, *b)) return true;
  if (IsVariable(*b)) {
    const Bind bound = TryBind(a, b, level);
    if (bound != Bind::kCircular) return bound == Bind::kDone;
  }
  if (IsVariable(*a)) return TryBind(b, a, level) == Bind::kDone;
  if (IsDynOrError(*a) || IsDynOrError(*b)) return true;
  if (a->kind() == TypeKind::kNull) return IsNullable(*b);
  if (b->kind() == TypeKind::kNull) return IsNullable(*a);
  return UnifyParts(*a, *b, level);
}

bool Inference::UnifyParts(const Type& a, const Type& b, int level) {
  if (a.kind() != b.kind() || a.name() != b.name()) return false;
  if (a.kind() == TypeKind::kType) return true;
  return std::equal(
      a.parameters().begin(), a.parameters().end(), b.parameters().begin(), b.parameters().end(),
      [this, level](const TypePtr& x, const TypePtr& y) { return Unify(x, y, level + 1); });
}

Inference::Bind Inference::TryBind(const TypePtr& type, const TypePtr& variable, int level) {
  const TypePtr bound = Binding(*variable);
  if (bound != nullptr) {
    if (SameVariable(*bound, *type)) return Bind::kDone;
    if (Spend(level) && *bound == *type) return Bind::kDone;  // A wrapper stays one, or none.
    if (!Unify(type, bound, level + 1)) return Bind::kConflict;
    const TypePtr general = MoreGeneral(type, bound);
    if (general != bound && !Occurs(variable, general, level)) Set(*variable, general);
    return Bind::kDone;
  }
  if (Occurs(variable, type, level)) return Bind::kCircular;
  Set(*variable, type);
  return Bind::kDone;
}

bool Inference::Occurs(const TypePtr& variable, const TypePtr& type, int level) {
  if (!Spend(level)) return true;
  if (IsVariable(*type)) {
    if (SameVariable(*variable, *type)) return true;
    const TypePtr& bound = Binding(*type);
    return bound != nullptr && Occurs(variable, bound, level + 1);
  }
  return std::any_of(type->parameters().begin(), type->parameters().end(),
                     [&](const TypePtr& part) { return Occurs(variable, part, level + 1); });
}

TypePtr Inference::Rebuild(const TypePtr& type,
                           const std::function<TypePtr(const TypePtr&)>& part) {
  std::vector<TypePtr> parts;
  bool changed = false;
  for (const TypePtr& parameter : type->parameters()) {
    parts.push_back(part(parameter));
    changed = changed || parts.back() != parameter;
  }
  if (!changed) return type;
  TypePtr rebuilt;
  switch (type->kind()) {
    case TypeKind::kList:
      rebuilt = Type::List(parts[0]);
      break;
    case TypeKind::kMap:
      rebuilt = Type::Map(parts[0], parts[1]);
      break;
    case TypeKind::kType:
      rebuilt = Type::TypeOf(parts[0]);
      break;
    case TypeKind::kOptional:
      rebuilt = Type::Optional(parts[0]);
      break;
    default:
      rebuilt = Type::Opaque(type->name(), std::move(parts));
  }
  CheckSize(*rebuilt);
  return type->has_size() ? Type::WithSizeMax(rebuilt, type->size_max()) : rebuilt;
}

TypePtr Inference::ResolveAt(const TypePtr& type, Unbound unbound, int level) {
  if (!Spend(level)) return Type::Dyn();
  if (!IsVariable(*type)) {
    return Rebuild(type, [this, unbound, level](const TypePtr& part) {
      return ResolveAt(part, unbound, level + 1);
    });
  }
  const TypePtr bound = Binding(*type);
  if (bound != nullptr) return ResolveAt(bound, unbound, level + 1);
  return unbound == Unbound::kDyn ? Type::Dyn() : type;
}

}  // namespace bth::cel
