// A vector in chunks that copies share until one of them writes.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/ids.h"

namespace bth {

// Copying costs one reference per chunk; the first write to a shared chunk copies that chunk.
// Thread: one owner per object. Copies may live and die on other threads, because a chunk is
// written only while this object alone holds it.
template <typename Id, typename T, size_t kChunkRows = 256>
class CowVector {
  static_assert((kChunkRows & (kChunkRows - 1)) == 0, "chunk rows must be a power of two");

 public:
  static constexpr size_t kRowsPerChunk = kChunkRows;

  CowVector() = default;
  CowVector(const CowVector& other) : chunks_(other.chunks_), size_(other.size_) {
    for (Chunk* chunk : chunks_) Ref(chunk);
  }
  CowVector(CowVector&& other) noexcept
      : chunks_(std::move(other.chunks_)), size_(std::exchange(other.size_, 0)) {
    other.chunks_.clear();
  }
  CowVector& operator=(CowVector other) noexcept {
    chunks_.swap(other.chunks_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~CowVector() {
    for (Chunk* chunk : chunks_) Unref(chunk);
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool Contains(Id id) const { return id.index() < size_; }
  IdRange<Id> ids() const { return IdRange<Id>(0, size_); }

  const T& operator[](Id id) const {
    BTH_DCHECK(id.index() < size_);
    return chunks_[id.index() / kChunkRows]->rows[id.index() % kChunkRows];
  }
  // A writable row; copies its chunk if it is shared.
  T& Mutable(Id id) {
    BTH_DCHECK(id.index() < size_);
    return MutableChunk(id.index() / kChunkRows)->rows[id.index() % kChunkRows];
  }
  // Grows with default rows or forgets the rows beyond `size`.
  void Resize(size_t size) {
    const size_t chunks = (size + kChunkRows - 1) / kChunkRows;
    while (chunks_.size() > chunks) {
      Unref(chunks_.back());
      chunks_.pop_back();
    }
    while (chunks_.size() < chunks) chunks_.push_back(new Chunk());
    for (size_t i = size; i < std::min(size_, chunks * kChunkRows); ++i) {
      MutableChunk(i / kChunkRows)->rows[i % kChunkRows] = T();
    }
    size_ = size;
  }
  void EnsureContains(Id id) {
    if (id.index() >= size_) Resize(id.index() + 1);
  }

  // Chunk access for block loops: rows [chunk * kChunkRows, ...) lie side by side.
  size_t chunk_count() const { return chunks_.size(); }
  const T* chunk_rows(size_t chunk) const { return chunks_[chunk]->rows.data(); }
  // True when both vectors hold the very same chunk: nothing in it can differ.
  bool SharesChunk(const CowVector& other, size_t chunk) const {
    return chunk < chunks_.size() && chunk < other.chunks_.size() &&
           chunks_[chunk] == other.chunks_[chunk];
  }

 private:
  struct Chunk {
    std::atomic<uint32_t> refs{1};
    std::array<T, kChunkRows> rows{};
  };

  static void Ref(Chunk* chunk) { chunk->refs.fetch_add(1, std::memory_order_relaxed); }
  static void Unref(Chunk* chunk) {
    if (chunk->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) delete chunk;
  }
  Chunk* MutableChunk(size_t index) {
    Chunk*& chunk = chunks_[index];
    // Acquire pairs with the release of the last other holder: its reads are over.
    if (chunk->refs.load(std::memory_order_acquire) != 1) {
      Chunk* copy = new Chunk();
      copy->rows = chunk->rows;
      Unref(chunk);
      chunk = copy;
    }
    return chunk;
  }

  std::vector<Chunk*> chunks_;
  size_t size_ = 0;
};

}  // namespace bth
