#include "cache/cluster/vocabulary.h"

#include <optional>

namespace bth::cache {

model::ResourceVec Vocabulary::Vector(const NamedAmounts& amounts) const {
  return Set(amounts).v;
}

model::ResourceSet Vocabulary::Set(const NamedAmounts& amounts) const {
  model::ResourceSet out;
  for (const auto& [name, amount] : amounts) {
    if (const std::optional<int> dim = dims().Find(name)) out.Set(*dim, amount);
  }
  return out;
}

model::ResourceVec Vocabulary::Use(const NamedAmounts& amounts) const {
  model::ResourceVec out;
  for (const auto& [name, amount] : amounts) {
    if (dimensions_.Counts(name)) out[*dims().Find(name)] = amount;
  }
  return out;
}

}  // namespace bth::cache
