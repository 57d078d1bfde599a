#include "cache/shape_book.h"

#include "absl/strings/str_cat.h"

namespace bth::cache {

using model::ConstraintsId;
using model::ShapeId;

namespace {

std::string ShapeKey(const CompiledPod& pod) {
  std::string key = absl::StrCat(pod.nonzero.cpu_milli, ",", pod.nonzero.memory_bytes, ";");
  for (const auto& [name, amount] : pod.requests) absl::StrAppend(&key, name, "=", amount, ",");
  return absl::StrCat(key, "|", pod.constraints_key);
}

}  // namespace

ShapeId ShapeBook::Acquire(const CompiledPod& pod, const std::string& homeless,
                           const Vocabulary& vocabulary, model::Snapshot* now) {
  // Apart from the pod's own key, which tells whether its object changed.
  const std::string suffix =
      homeless.empty() ? std::string() : absl::StrCat("|no dimension for ", homeless);
  const std::string key = ShapeKey(pod) + suffix;
  if (auto it = shapes_.find(key); it != shapes_.end()) {
    ++shape_records_[it->second].pods;
    return it->second;
  }
  const ConstraintsId constraints = AcquireConstraints(pod, pod.constraints_key + suffix, now);
  const ShapeId id = shape_slots_.Take();
  shapes_[key] = id;
  shape_records_.EnsureContains(id);
  shape_records_[id] = {.key = key, .pods = 1};
  now->shapes.EnsureContains(id);
  model::ShapeRow row;
  row.request = vocabulary.Vector(pod.requests);
  row.nonzero = pod.nonzero;
  row.constraints = constraints;
  row.best_effort = row.request.IsEmpty();
  now->shapes.Mutable(id) = row;
  return id;
}

ConstraintsId ShapeBook::AcquireConstraints(const CompiledPod& pod, const std::string& key,
                                            model::Snapshot* now) {
  auto [it, fresh] = constraints_.try_emplace(key);
  if (fresh) {
    const ConstraintsId id = constraints_slots_.Take();
    it->second = id;
    constraints_records_.EnsureContains(id);
    constraints_records_[id] = {.key = key};
    now->constraints.EnsureContains(id);
    now->constraints.Mutable(id) = pod.constraints;
  }
  ++constraints_records_[it->second].shapes;
  return it->second;
}

void ShapeBook::Release(ShapeId shape, model::Snapshot* now) {
  Shape& record = shape_records_[shape];
  if (--record.pods > 0) return;
  const ConstraintsId constraints = now->shapes[shape].constraints;
  shapes_.erase(record.key);
  record = Shape();
  now->shapes.Mutable(shape) = model::ShapeRow();
  shape_slots_.Free(shape);
  Constraints& held = constraints_records_[constraints];
  if (--held.shapes > 0) return;
  constraints_.erase(held.key);
  held = Constraints();
  now->constraints.Mutable(constraints) = nullptr;
  constraints_slots_.Free(constraints);
}

void ShapeBook::Recycle() {
  shape_slots_.Recycle();
  constraints_slots_.Recycle();
}

}  // namespace bth::cache
