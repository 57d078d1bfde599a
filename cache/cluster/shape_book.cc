#include "cache/cluster/shape_book.h"

#include <algorithm>

#include "base/strings.h"

namespace bth::cache {

using model::ConstraintsId;
using model::ShapeId;

namespace {

std::string ShapeKey(const PodShape& pod) {
  std::string key = StrCat(pod.nonzero.cpu_milli, ",", pod.nonzero.memory_bytes, ";");
  for (const auto& [name, amount] : pod.requests) StrAppend(&key, name, "=", amount, ",");
  return StrCat(key, "|", pod.constraints_key);
}

// Apart from the pod's own keys, which tell whether its object changed.
std::string WithUncounted(const std::string& key, const std::string& uncounted) {
  return uncounted.empty() ? key : StrCat(key, "|no dimension for ", uncounted);
}

std::shared_ptr<const model::PodConstraints> Refusing(const model::PodConstraints& constraints,
                                                      const std::string& uncounted) {
  auto out = std::make_shared<model::PodConstraints>(constraints);
  out->unsupported |= model::Bit(model::UnsupportedFeature::kDimensions);
  StrAppend(&out->unsupported_detail, out->unsupported_detail.empty() ? "" : ", ", uncounted);
  return out;
}

}  // namespace

ShapeId ShapeBook::Acquire(const PodShape& pod, bool ours, const Vocabulary& vocabulary,
                           model::Snapshot* now) {
  std::string uncounted;
  if (ours) uncounted = vocabulary.dimensions().FindUncounted(pod.requests).value_or("");
  const std::string key = WithUncounted(ShapeKey(pod), uncounted);
  if (auto it = shapes_.find(key); it != shapes_.end()) {
    ++shape_records_[it->second].pods;
    return it->second;
  }
  const ConstraintsId constraints = AcquireConstraints(pod, uncounted, now);
  const ShapeId id = shape_slots_.Take();
  shapes_[key] = id;
  shape_records_.EnsureContains(id);
  shape_records_[id] = {.key = key, .pod = std::make_shared<const PodShape>(pod), .pods = 1};
  now->shapes.EnsureContains(id);
  model::ShapeRow row;
  row.request = vocabulary.Use(pod.requests);
  row.nonzero = pod.nonzero;
  row.constraints = constraints;
  row.best_effort = row.request.IsEmpty();
  now->shapes.Mutable(id) = row;
  return id;
}

ConstraintsId ShapeBook::AcquireConstraints(const PodShape& pod, const std::string& uncounted,
                                            model::Snapshot* now) {
  const std::string key = WithUncounted(pod.constraints_key, uncounted);
  auto [it, fresh] = constraints_.try_emplace(key);
  if (fresh) {
    const ConstraintsId id = constraints_slots_.Take();
    it->second = id;
    constraints_records_.EnsureContains(id);
    constraints_records_[id] = {.key = key};
    now->constraints.EnsureContains(id);
    now->constraints.Mutable(id) =
        uncounted.empty() ? pod.constraints : Refusing(*pod.constraints, uncounted);
  }
  ++constraints_records_[it->second].shapes;
  return it->second;
}

IdVector<ShapeId, uint8_t> ShapeBook::Asking(const std::vector<std::string>& resources) const {
  IdVector<ShapeId, uint8_t> out(shape_records_.size(), 0);
  for (const auto& [key, shape] : shapes_) {
    const NamedAmounts& named = shape_records_[shape].pod->requests;
    const auto is_one = [&resources](const auto& named_amount) {
      return !DimensionBook::IsBuiltIn(named_amount.first) &&
             std::binary_search(resources.begin(), resources.end(), named_amount.first);
    };
    out[shape] = std::any_of(named.begin(), named.end(), is_one) ? 1 : 0;
  }
  return out;
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
