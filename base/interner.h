// Strings given out as dense numbers, so that equality is an integer compare.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "base/ids.h"

namespace bth {

struct SymbolTag {};
using Symbol = StrongId<SymbolTag>;

// Grows only. Thread: one owner; `Text` of symbols handed to other threads stays valid and
// constant, because texts never move.
class Interner {
 public:
  Symbol Intern(std::string_view text);
  // The symbol of `text` if it was interned before, else an invalid one.
  Symbol Find(std::string_view text) const;
  // `symbol` is one of this interner's.
  std::string_view Text(Symbol symbol) const {
    if (symbol.index() >= texts_.size()) [[unlikely]]
      ThrowBadId(symbol.index(), texts_.size());
    return texts_[symbol.index()];
  }
  size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;
  absl::flat_hash_map<std::string_view, Symbol> index_;
};

}  // namespace bth
