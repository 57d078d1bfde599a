// Comprehensions, and the names that they have.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "cel/eval/planner.h"
#include "cel/eval/tree_depth.h"

namespace bth::cel {

StepId Planner::Fold(const Comprehension& fold) {
  FoldSite site;
  if (IsBinding(ast_, fold) && CanWait(fold)) return Bind(fold);
  site.range = Node(fold.range);
  const FoldShape shape = ShapeOf(ast_, fold);
  site.kind = shape.kind;
  const bool is_general = shape.kind == FoldKind::kGeneral;
  const size_t scope = locals_.size();
  if (is_general) {
    site.init = Node(fold.accu_init);
    site.accu_slot = AddLocal(fold.accu_var);
  }
  site.iter_slot = AddLocal(fold.iter_var);
  if (!fold.iter_var2.empty()) site.iter2_slot = AddLocal(fold.iter_var2);
  if (is_general) {
    site.condition = Node(fold.condition);
    site.step = Node(fold.step);
    locals_.resize(scope + 1);  // The result sees the accumulator alone.
    site.result = Node(fold.result);
  } else {
    PlanInsert(shape, &site);
  }
  locals_.resize(scope);
  plan_.folds.push_back(site);
  return builder_.Add({.kind = StepKind::kFold,
                       .cost = is_general ? uint8_t{0} : uint8_t{1},  // The name of the result.
                       .table = static_cast<int32_t>(plan_.folds.size()) - 1});
}

// Charged for each insertion: the accumulator's name, the call, and the list around an element that
// is not constant.
void Planner::PlanInsert(const FoldShape& shape, FoldSite* site) {
  if (shape.filter != kNoExpr) site->filter = Node(shape.filter);
  if (shape.key != kNoExpr) site->key = Node(shape.key);
  site->element = Node(shape.element);
  site->cost_of_insert = 2;
  if (shape.kind == FoldKind::kList && !builder_.IsConstant(site->element)) {
    site->cost_of_insert += kNewListCost;
  }
}

// What is bound is computed below where its name is met: that must not make the run nest by much
// more than the tree does.
bool Planner::CanWait(const Comprehension& fold) const {
  constexpr int kWaitingDepthMax = 8;
  constexpr ptrdiff_t kWaitingMax = 32;
  const auto waiting = std::count_if(locals_.begin(), locals_.end(),
                                     [](const LocalName& local) { return local.bound != kNoStep; });
  return waiting < kWaitingMax && !TreeDepthExceeds(ast_, fold.accu_init, kWaitingDepthMax);
}

// Kubernetes computes what is bound when its name is first met, if it ever is.
StepId Planner::Bind(const Comprehension& fold) {
  FoldSite site;
  site.kind = FoldKind::kBind;
  site.init = Node(fold.accu_init);
  site.accu_slot = AddLocal(fold.accu_var);
  locals_.back().bound = site.init;
  site.result = Node(fold.result);
  locals_.pop_back();
  plan_.folds.push_back(site);
  return builder_.Add(
      {.kind = StepKind::kFold, .table = static_cast<int32_t>(plan_.folds.size()) - 1});
}

int32_t Planner::AddLocal(std::string name) {
  const int32_t slot = builder_.NewSlot();
  locals_.push_back({std::move(name), slot});
  return slot;
}

// Innermost first. A name that begins with a dot is looked up from the root.
const Planner::LocalName* Planner::FindLocal(std::string_view name) const {
  for (auto local = locals_.rbegin(); local != locals_.rend(); ++local) {
    if (local->name == name) return &*local;
  }
  return nullptr;
}

}  // namespace bth::cel
