// Strings given out as dense numbers, so that equality is an integer compare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace bth {

struct SymbolTag {};
using Symbol = StrongId<SymbolTag>;

class WordTable;

// Texts live while somebody holds them. A number that was given back is not given out again before
// all others were: whoever still compares with it, an old snapshot or a cache, meets no other text.
// Thread: one owner, but for the end of holds.
class Interner {
 public:
  Interner();

  // For the life of the interner: words of the program, not of outside objects.
  Symbol Intern(std::string_view text);
  // The symbol of `text` if it is held, else an invalid one or that of a text given back lately.
  Symbol Find(std::string_view text) const;
  // Of a symbol that is held, valid as long as it is. Another one is a defect.
  std::string_view Text(Symbol symbol) const;
  // Texts that are held.
  size_t size() const;
  // All that take memory: those given back lately keep their number for a while.
  size_t kept() const;

 private:
  friend class SymbolHold;
  std::shared_ptr<WordTable> table_;
};

// Holds the symbols that it interned until it goes, which may be on any thread and after the
// interner. What shows symbols of outside objects keeps one beside them.
class SymbolHold {
 public:
  explicit SymbolHold(const Interner& interner) : table_(interner.table_) {}
  SymbolHold(const SymbolHold&) = delete;
  SymbolHold& operator=(const SymbolHold&) = delete;
  ~SymbolHold();

  Symbol Intern(std::string_view text);
  Symbol Find(std::string_view text) const;
  // Holds a symbol that is held already.
  void Keep(Symbol symbol);

 private:
  const std::shared_ptr<WordTable> table_;
  std::vector<Symbol> held_;
};

// Part of what shows the symbols; shared by its copies.
using SharedSymbols = std::shared_ptr<const SymbolHold>;

}  // namespace bth
