// Strong dense ids and arrays indexed by them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/defect.h"

namespace bth {

// A 32-bit index that only compares with its own kind. Default-constructed ids are invalid.
template <typename Tag>
class StrongId {
 public:
  constexpr StrongId() = default;
  constexpr explicit StrongId(uint32_t value) : value_(value) {}

  static constexpr StrongId FromIndex(size_t index) {
    return StrongId(static_cast<uint32_t>(index));
  }

  constexpr bool valid() const { return value_ != kInvalid; }
  constexpr uint32_t value() const { return value_; }
  constexpr size_t index() const { return value_; }

  friend constexpr bool operator==(StrongId a, StrongId b) = default;
  friend constexpr auto operator<=>(StrongId a, StrongId b) = default;
  template <typename H>
  friend H AbslHashValue(H state, StrongId id) {
    return H::combine(std::move(state), id.value_);
  }

 private:
  static constexpr uint32_t kInvalid = std::numeric_limits<uint32_t>::max();
  uint32_t value_ = kInvalid;
};

// A vector whose subscript is a strong id. Bounds are checked in every build: an id that is invalid
// or out of date throws a Defect. Loops over whole columns take a span of `rows()` first.
template <typename Id, typename T>
class IdVector {
 public:
  IdVector() = default;
  explicit IdVector(size_t size, const T& value = T()) : rows_(size, value) {}

  T& operator[](Id id) {
    if (id.index() >= rows_.size()) [[unlikely]]
      ThrowBadId(id.index(), rows_.size());
    return rows_[id.index()];
  }
  const T& operator[](Id id) const {
    if (id.index() >= rows_.size()) [[unlikely]]
      ThrowBadId(id.index(), rows_.size());
    return rows_[id.index()];
  }

  size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }
  bool Contains(Id id) const { return id.index() < rows_.size(); }
  void clear() { rows_.clear(); }
  void assign(size_t size, const T& value) { rows_.assign(size, value); }
  void resize(size_t size, const T& value = T()) { rows_.resize(size, value); }
  // Grows so that `id` can be addressed; never shrinks.
  void EnsureContains(Id id, const T& value = T()) {
    if (!id.valid()) [[unlikely]]
      ThrowBadId(id.index(), rows_.size());
    if (id.index() >= rows_.size()) rows_.resize(id.index() + 1, value);
  }
  Id Append(T value) {
    rows_.push_back(std::move(value));
    return Id::FromIndex(rows_.size() - 1);
  }

  auto begin() { return rows_.begin(); }
  auto end() { return rows_.end(); }
  auto begin() const { return rows_.begin(); }
  auto end() const { return rows_.end(); }
  const std::vector<T>& rows() const { return rows_; }

 private:
  std::vector<T> rows_;
};

// A half-open run of ids, iterable.
template <typename Id>
class IdRange {
 public:
  class Iterator {
   public:
    explicit Iterator(uint32_t at) : at_(at) {}
    Id operator*() const { return Id(at_); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    friend bool operator==(Iterator a, Iterator b) = default;

   private:
    uint32_t at_;
  };

  IdRange() = default;
  IdRange(size_t first, size_t last)
      : first_(static_cast<uint32_t>(first)), last_(static_cast<uint32_t>(last)) {}
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(last_); }
  size_t size() const { return last_ - first_; }
  Id first() const { return Id(first_); }
  // Position of `id` inside the range.
  size_t Offset(Id id) const { return id.value() - first_; }

 private:
  uint32_t first_ = 0;
  uint32_t last_ = 0;
};

}  // namespace bth

template <typename Tag>
struct std::hash<bth::StrongId<Tag>> {
  size_t operator()(bth::StrongId<Tag> id) const noexcept { return id.value(); }
};
