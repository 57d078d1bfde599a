// Rows by name in sorted blocks, which tables that were shared have in common.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"

namespace bth::model {

// Ordered by the bytes of the names. A change copies one block of the table, at most once between
// two calls of Share. Costs: find and change, logarithmic plus a block; Share, the number of
// blocks. Thread: changed by one owner; tables that Share gave are constant and read anywhere.
template <typename T>
class NameTable {
 public:
  struct Entry {
    std::string name;
    std::shared_ptr<const T> row;
  };

  NameTable() = default;
  NameTable(NameTable&&) noexcept = default;
  NameTable& operator=(NameTable&&) noexcept = default;

  // A constant picture of the rows as they are now.
  NameTable Share() {
    std::fill(own_.begin(), own_.end(), false);
    NameTable out;
    out.blocks_ = blocks_;
    out.own_ = own_;
    out.size_ = size_;
    return out;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Null: there is none.
  const T* Find(std::string_view name) const {
    if (blocks_.empty()) return nullptr;
    const Block& block = *blocks_[BlockOf(name)];
    const auto at = In(block, name);
    return at == block.end() || at->name != name ? nullptr : at->row.get();
  }

  // Calls visit(name, row) in order from the first name that is not before `from`, while it
  // returns true.
  template <typename Visit>
  void VisitFrom(std::string_view from, const Visit& visit) const {
    for (size_t b = blocks_.empty() ? 0 : BlockOf(from); b < blocks_.size(); ++b) {
      for (auto at = In(*blocks_[b], from); at != blocks_[b]->end(); ++at) {
        if (!visit(std::string_view(at->name), *at->row)) return;
      }
    }
  }
  // Those whose names begin with `prefix`, while visit returns true.
  template <typename Visit>
  void VisitPrefix(std::string_view prefix, const Visit& visit) const {
    VisitFrom(prefix, [&](std::string_view name, const T& row) {
      return name.substr(0, prefix.size()) == prefix && visit(row);
    });
  }

  void Put(std::string name, std::shared_ptr<const T> row) {
    if (blocks_.empty()) {
      blocks_.push_back(std::make_shared<Block>(1, Entry{std::move(name), std::move(row)}));
      own_.push_back(true);
      size_ = 1;
      return;
    }
    const size_t b = BlockOf(name);
    Block& block = Own(b);
    const auto at = In(block, name);
    if (at != block.end() && at->name == name) {
      at->row = std::move(row);
      return;
    }
    block.insert(at, Entry{std::move(name), std::move(row)});
    ++size_;
    if (block.size() > kBlockMax) Split(b);
  }

  // False: there was none.
  bool Erase(std::string_view name) {
    if (Find(name) == nullptr) return false;
    const size_t b = BlockOf(name);
    Block& block = Own(b);
    block.erase(In(block, name));
    --size_;
    if (block.empty()) {
      blocks_.erase(blocks_.begin() + static_cast<ptrdiff_t>(b));
      own_.erase(own_.begin() + static_cast<ptrdiff_t>(b));
    }
    return true;
  }

  bool SharesBlock(const NameTable& other, size_t block) const {
    return block < blocks_.size() && block < other.blocks_.size() &&
           blocks_[block] == other.blocks_[block];
  }
  size_t blocks() const { return blocks_.size(); }

 private:
  static constexpr size_t kBlockMax = 128;
  using Block = std::vector<Entry>;

  // The last block whose first name is not after `name`, or the first one.
  size_t BlockOf(std::string_view name) const {
    const auto after = std::upper_bound(
        blocks_.begin(), blocks_.end(), name,
        [](std::string_view n, const auto& block) { return n < block->front().name; });
    return after == blocks_.begin() ? 0 : static_cast<size_t>(after - blocks_.begin()) - 1;
  }
  template <typename B>
  static auto In(B& block, std::string_view name) {
    return std::lower_bound(block.begin(), block.end(), name,
                            [](const Entry& entry, std::string_view n) { return entry.name < n; });
  }
  Block& Own(size_t b) {
    if (!own_[b]) {
      blocks_[b] = std::make_shared<Block>(*blocks_[b]);
      own_[b] = true;
    }
    return *blocks_[b];
  }
  void Split(size_t b) {
    Block& block = *blocks_[b];
    const auto middle = block.begin() + static_cast<ptrdiff_t>(block.size() / 2);
    auto upper = std::make_shared<Block>(std::make_move_iterator(middle),
                                         std::make_move_iterator(block.end()));
    block.erase(middle, block.end());
    blocks_.insert(blocks_.begin() + static_cast<ptrdiff_t>(b) + 1, std::move(upper));
    own_.insert(own_.begin() + static_cast<ptrdiff_t>(b) + 1, true);
  }

  std::vector<std::shared_ptr<Block>> blocks_;  // None is empty, in order of names.
  std::vector<bool> own_;                       // By block: made since the last Share.
  size_t size_ = 0;
};

}  // namespace bth::model
