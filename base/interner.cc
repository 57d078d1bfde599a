#include "base/interner.h"

#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/check.h"

namespace bth {

// Behind an interner and its holds, and lives as long as any of them.
class WordTable {
 public:
  Symbol Acquire(std::string_view text) {
    TakeBack();
    Word* word = nullptr;
    if (const auto known = by_text_.find(text); known != by_text_.end()) {
      word = known->second;
    } else {
      word = Add(text);
    }
    held_ += static_cast<size_t>(word->holds == 0);
    ++word->holds;
    return word->symbol;
  }
  void Keep(Symbol symbol) {
    const auto known = by_symbol_.find(symbol);
    if (known == by_symbol_.end()) ThrowBadId(symbol.index(), by_symbol_.size());
    Word& word = *known->second;
    BTH_CHECK(word.holds > 0);
    ++word.holds;
  }
  Symbol Find(std::string_view text) const {
    const auto known = by_text_.find(text);
    return known == by_text_.end() ? Symbol() : known->second->symbol;
  }
  std::string_view Text(Symbol symbol) const {
    const auto known = by_symbol_.find(symbol);
    if (known == by_symbol_.end()) ThrowBadId(symbol.index(), by_symbol_.size());
    return known->second->text;
  }

  // Thread: any. The words stay until the owner's next call.
  void GiveBack(std::vector<Symbol> symbols) {
    const std::lock_guard lock(mutex_);
    given_back_.push_back(std::move(symbols));
    some_given_back_.store(true, std::memory_order_release);
  }
  // Ends the holds that are over.
  void TakeBack() {
    if (!some_given_back_.load(std::memory_order_acquire)) return;  // Mostly, without the lock.
    std::vector<std::vector<Symbol>> over;
    {
      const std::lock_guard lock(mutex_);
      over.swap(given_back_);
      some_given_back_.store(false, std::memory_order_relaxed);
    }
    for (const std::vector<Symbol>& symbols : over) {
      for (Symbol symbol : symbols) Release(*by_symbol_.at(symbol));
    }
  }

  size_t held() const { return held_; }
  size_t kept() const { return by_symbol_.size(); }

 private:
  // So many texts without a holder keep their number, for objects that go and come again.
  static constexpr size_t kRestingMax = 1024;

  struct Word {
    std::string text;
    Symbol symbol;
    uint64_t holds = 0;
    bool rests = false;  // In `resting_`.
  };

  Word* Add(std::string_view text) {
    Symbol symbol = NextSymbol();
    while (by_symbol_.contains(symbol)) symbol = NextSymbol();
    auto made = std::make_unique<Word>(Word{.text = std::string(text), .symbol = symbol});
    Word* word = made.get();
    by_symbol_.emplace(symbol, std::move(made));
    by_text_.emplace(word->text, word);
    return word;
  }
  // Upwards, and from the first one again after billions.
  Symbol NextSymbol() {
    Symbol symbol(next_++);
    if (!symbol.valid()) symbol = Symbol(next_++);
    return symbol;
  }
  void Release(Word& word) {
    if (--word.holds > 0) return;
    --held_;
    if (!std::exchange(word.rests, true)) resting_.push_back(&word);
    while (resting_.size() > kRestingMax) {
      Word* oldest = resting_.front();
      resting_.pop_front();
      oldest->rests = false;
      if (oldest->holds > 0) continue;  // Somebody came back for it.
      by_text_.erase(oldest->text);
      by_symbol_.erase(oldest->symbol);
    }
  }

  absl::flat_hash_map<Symbol, std::unique_ptr<Word>> by_symbol_;
  absl::flat_hash_map<std::string_view, Word*> by_text_;
  std::deque<Word*> resting_;  // Longest first; some of them may be held again.
  size_t held_ = 0;
  uint32_t next_ = 0;

  std::atomic<bool> some_given_back_ = false;
  std::mutex mutex_;
  std::vector<std::vector<Symbol>> given_back_;  // Guarded by mutex_.
};

Interner::Interner() : table_(std::make_shared<WordTable>()) {}

Symbol Interner::Intern(std::string_view text) {
  return table_->Acquire(text);
}

Symbol Interner::Find(std::string_view text) const {
  return table_->Find(text);
}

std::string_view Interner::Text(Symbol symbol) const {
  return table_->Text(symbol);
}

size_t Interner::size() const {
  table_->TakeBack();
  return table_->held();
}

size_t Interner::kept() const {
  table_->TakeBack();
  return table_->kept();
}

SymbolHold::~SymbolHold() {
  if (!held_.empty()) table_->GiveBack(std::move(held_));
}

Symbol SymbolHold::Intern(std::string_view text) {
  held_.push_back(table_->Acquire(text));
  return held_.back();
}

Symbol SymbolHold::Find(std::string_view text) const {
  return table_->Find(text);
}

void SymbolHold::Keep(Symbol symbol) {
  table_->Keep(symbol);
  held_.push_back(symbol);
}

}  // namespace bth
