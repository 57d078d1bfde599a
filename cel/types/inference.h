// What type variables stand for, found out step by step while an expression is checked.
//
// A variable is bound by the first type it has to agree with and gives way to a more general one
// later: dyn agrees with everything. Work is counted, since types from hostile input can be large
// when written out though they are made of few parts: when the budget is used up nothing agrees
// anymore and exhausted() says why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cel/types/type.h"

namespace bth::cel {

class Inference {
 public:
  // Bounds: comparisons of types in all, parts of one type, levels of types within types.
  static constexpr uint64_t kStepsMax = 10'000'000;
  static constexpr uint32_t kTypeNodesMax = 1000;
  static constexpr int kLevelsMax = 400;

  // A variable of its own, "_var0".
  TypePtr NewVariable();
  // `type` with what `parameters` names put in place of type parameters. A parameter that is not
  // there yet gets a new variable.
  TypePtr Instantiate(const TypePtr& type, std::map<std::string, TypePtr>* parameters);

  // Whether values of one may stand where the other is asked for. Binds variables to make it so;
  // binds none if the answer is no.
  bool Agree(const TypePtr& a, const TypePtr& b);
  bool Agree(std::span<const TypePtr> a, std::span<const TypePtr> b);
  // Of two types that agree, the one that admits more.
  static TypePtr MoreGeneral(const TypePtr& a, const TypePtr& b);

  enum class Unbound : uint8_t { kKeep, kDyn };
  // `type` with variables replaced by what they are bound to.
  TypePtr Resolve(const TypePtr& type, Unbound unbound);

  bool exhausted() const { return exhausted_; }
  void CheckSize(const Type& type) { exhausted_ = exhausted_ || type.node_count() > kTypeNodesMax; }

 private:
  enum class Bind : uint8_t { kDone, kConflict, kCircular };

  // Null: not bound.
  const TypePtr& Binding(const Type& variable) const;
  void Set(const Type& variable, TypePtr type);
  void RollBack();
  bool Spend(int level);
  bool Unify(const TypePtr& a, const TypePtr& b, int level);
  bool UnifyParts(const Type& a, const Type& b, int level);
  Bind TryBind(const TypePtr& type, const TypePtr& variable, int level);
  bool Occurs(const TypePtr& variable, const TypePtr& type, int level);
  TypePtr Rebuild(const TypePtr& type, const std::function<TypePtr(const TypePtr&)>& part);
  TypePtr ResolveAt(const TypePtr& type, Unbound unbound, int level);

  std::vector<TypePtr> bindings_;  // By number of the variable.
  // What the current Agree() replaced.
  std::vector<std::pair<size_t, TypePtr>> overwritten_;
  uint64_t steps_ = 0;
  bool exhausted_ = false;
};

bool IsDyn(const Type& type);  // Or any.
bool IsDynOrError(const Type& type);

}  // namespace bth::cel
