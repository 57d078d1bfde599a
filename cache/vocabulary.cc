#include "cache/vocabulary.h"

namespace bth::cache {

Vocabulary::Vocabulary() : dims_(std::make_shared<const model::DimensionTable>()) {}

std::optional<std::string> Vocabulary::Reserve(const NamedAmounts& amounts, bool* grew) {
  for (const auto& [name, amount] : amounts) {
    if (amount == 0 || dims_->Find(name)) continue;
    auto wider = std::make_shared<model::DimensionTable>(*dims_);
    if (!wider->Add(name)) return name;
    dims_ = std::move(wider);
    *grew = true;
  }
  return std::nullopt;
}

model::ResourceVec Vocabulary::Vector(const NamedAmounts& amounts) const {
  return Set(amounts).v;
}

model::ResourceSet Vocabulary::Set(const NamedAmounts& amounts) const {
  model::ResourceSet out;
  for (const auto& [name, amount] : amounts) {
    if (const std::optional<int> dim = dims_->Find(name)) out.Set(*dim, amount);
  }
  return out;
}

}  // namespace bth::cache
