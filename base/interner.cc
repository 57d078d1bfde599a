#include "base/interner.h"

namespace bth {

Symbol Interner::Intern(std::string_view text) {
  if (auto it = index_.find(text); it != index_.end()) return it->second;
  const Symbol symbol = Symbol::FromIndex(texts_.size());
  texts_.emplace_back(text);
  index_.emplace(texts_.back(), symbol);
  return symbol;
}

Symbol Interner::Find(std::string_view text) const {
  auto it = index_.find(text);
  return it == index_.end() ? Symbol() : it->second;
}

}  // namespace bth
