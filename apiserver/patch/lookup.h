// Finding members and list items again and again, in time that does not grow with the square of
// what there is: a body of 3 MB has room for 300,000 of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "api/types/json.h"

namespace bth::apiserver {

using types::Json;

// Values that are equal have the same.
size_t HashOf(const Json& value);

// The first of some rows with a key. Few rows are scanned, and so are many for the first few
// times; then they are hashed once. Rows may be added behind the others between two calls.
// `Rows` tells Key, size(), Hash(key), KeyAt(position) and Same(position, key).
template <typename Rows>
class LazyIndex {
 public:
  using Key = typename Rows::Key;

  explicit LazyIndex(Rows rows)
      : rows_(std::move(rows)), positions_(0, Hash{&rows_}, Same{&rows_}) {}
  LazyIndex(const LazyIndex&) = delete;
  LazyIndex& operator=(const LazyIndex&) = delete;

  std::optional<size_t> Find(const Key& key) {
    if (!hashed()) {
      if (rows_.size() <= kScanMax || scans_ < kScanMax) return Scan(key);
      positions_.reserve(rows_.size());
    }
    for (; indexed_ < rows_.size(); ++indexed_) positions_.insert(indexed_);
    const auto found = positions_.find(key);
    return found == positions_.end() ? std::nullopt : std::optional<size_t>(*found);
  }
  // From then on no row may be taken out; they are forgotten instead.
  bool hashed() const { return indexed_ > 0; }
  void Forget(const Key& key) { positions_.erase(key); }

 private:
  static constexpr size_t kScanMax = 32;

  struct Hash {
    using is_transparent = void;
    size_t operator()(size_t position) const { return rows->Hash(rows->KeyAt(position)); }
    size_t operator()(const Key& key) const { return rows->Hash(key); }
    const Rows* rows;
  };
  struct Same {
    using is_transparent = void;
    bool operator()(size_t a, size_t b) const { return rows->Same(a, rows->KeyAt(b)); }
    bool operator()(size_t a, const Key& key) const { return rows->Same(a, key); }
    const Rows* rows;
  };

  std::optional<size_t> Scan(const Key& key) {
    if (rows_.size() > kScanMax) ++scans_;
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (rows_.Same(i, key)) return i;
    }
    return std::nullopt;
  }

  const Rows rows_;
  size_t scans_ = 0;
  size_t indexed_ = 0;  // Rows that were hashed.
  absl::flat_hash_set<size_t, Hash, Same> positions_;
};

struct MemberRows {
  using Key = std::string_view;
  size_t size() const { return members.size(); }
  size_t Hash(Key key) const { return absl::Hash<std::string_view>()(key); }
  Key KeyAt(size_t position) const { return members[position].first; }
  bool Same(size_t position, Key key) const { return members[position].first == key; }

  const Json::Object& members;
};
using MemberIndex = LazyIndex<MemberRows>;

// The members of one object while much is merged into it. What is erased is gone at once for those
// who ask here, but leaves the object at the latest with the end of this.
class Members {
 public:
  // Makes `object` one if it is something else. Meanwhile nobody else may add or remove.
  explicit Members(Json& object) : members_(object.MutableMembers()), index_({members_}) {}
  ~Members();
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;

  Json* Find(std::string_view key);
  // Creates the member when absent.
  Json& operator[](std::string_view key);
  void Erase(std::string_view key);

 private:
  Json::Object& members_;
  MemberIndex index_;
  std::vector<size_t> erased_;
};

// Items of one list by the members that make their key, or without such by their whole value. A
// `protocol` that is left out is TCP, the one part of a key that has a default in the API.
struct ItemRows {
  using Key = Json;
  size_t size() const { return items.size(); }
  size_t Hash(const Json& item) const;
  const Json& KeyAt(size_t position) const { return items[position]; }
  bool Same(size_t position, const Json& item) const;

  const Json::Array& items;
  std::vector<std::string_view> keys;
};
using ItemIndex = LazyIndex<ItemRows>;

}  // namespace bth::apiserver
