// A vector in chunks that copies share until one of them writes.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/defect.h"
#include "base/ids.h"

namespace bth {

// Copying costs one reference per page of kPageChunks chunks; the first write to a shared row
// copies its page (of pointers) and its chunk. Wide rows belong in small chunks. Bounds are checked
// in every build (Defect); block loops take `chunk_rows`. Thread: one owner per object. Copies may
// live and die on other threads, because a chunk is written only while this object alone holds it.
template <typename Id, typename T, size_t kChunkRows = 256>
class CowVector {
  static_assert((kChunkRows & (kChunkRows - 1)) == 0, "chunk rows must be a power of two");

 public:
  static constexpr size_t kRowsPerChunk = kChunkRows;
  static constexpr size_t kPageChunks = 64;

  CowVector() = default;
  CowVector(const CowVector& other) : pages_(other.pages_), size_(other.size_) {
    for (Page* page : pages_) Ref(page);
  }
  CowVector(CowVector&& other) noexcept
      : pages_(std::move(other.pages_)), size_(std::exchange(other.size_, 0)) {
    other.pages_.clear();
  }
  CowVector& operator=(CowVector other) noexcept {
    pages_.swap(other.pages_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~CowVector() {
    for (Page* page : pages_) Unref(page);
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool Contains(Id id) const { return id.index() < size_; }
  IdRange<Id> ids() const { return IdRange<Id>(0, size_); }

  const T& operator[](Id id) const {
    if (id.index() >= size_) [[unlikely]]
      ThrowBadId(id.index(), size_);
    return ChunkAt(id.index() / kChunkRows)->rows[id.index() % kChunkRows];
  }
  // A writable row; copies its chunk if it is shared.
  T& Mutable(Id id) {
    if (id.index() >= size_) [[unlikely]]
      ThrowBadId(id.index(), size_);
    const size_t index = id.index() / kChunkRows;
    Page* page = pages_[index / kPageChunks];
    // Acquire pairs with the release of the last other holder: its reads are over.
    if (page->refs.load(std::memory_order_acquire) == 1) {
      Chunk* chunk = page->chunks[index % kPageChunks];
      if (chunk->refs.load(std::memory_order_acquire) == 1) {
        return chunk->rows[id.index() % kChunkRows];
      }
    }
    return OwnChunk(index)->rows[id.index() % kChunkRows];
  }
  // Grows with default rows or forgets the rows beyond `size`.
  void Resize(size_t size) {
    const size_t before = chunk_count();
    const size_t chunks = ChunksFor(size);
    while (pages_.size() * kPageChunks < chunks) pages_.push_back(new Page());
    for (size_t c = before; c < chunks; ++c) Slot(c) = new Chunk();
    for (size_t c = chunks; c < before; ++c) Unref(std::exchange(Slot(c), nullptr));
    while (pages_.size() > (chunks + kPageChunks - 1) / kPageChunks) {
      Unref(pages_.back());
      pages_.pop_back();
    }
    for (size_t i = size; i < std::min(size_, chunks * kChunkRows); ++i) {
      OwnChunk(i / kChunkRows)->rows[i % kChunkRows] = T();
    }
    size_ = size;
  }
  void EnsureContains(Id id) {
    if (!id.valid()) [[unlikely]]
      ThrowBadId(id.index(), size_);
    if (id.index() >= size_) Resize(id.index() + 1);
  }

  // Chunk access for block loops: rows [chunk * kChunkRows, ...) lie side by side.
  size_t chunk_count() const { return ChunksFor(size_); }
  const T* chunk_rows(size_t chunk) const { return ChunkAt(chunk)->rows.data(); }
  // True when both vectors hold the very same chunk: nothing in it can differ.
  bool SharesChunk(const CowVector& other, size_t chunk) const {
    return chunk < chunk_count() && chunk < other.chunk_count() &&
           ChunkAt(chunk) == other.ChunkAt(chunk);
  }
  // The first chunk at or after `chunk` that the two do not share; the larger chunk count when
  // they share the rest. Cost: shared pages are skipped whole.
  size_t NextDifferentChunk(const CowVector& other, size_t chunk) const {
    const size_t common = std::min(chunk_count(), other.chunk_count());
    while (chunk < common) {
      const size_t page = chunk / kPageChunks;
      if (pages_[page] == other.pages_[page]) {
        chunk = std::min(common, (page + 1) * kPageChunks);
      } else if (ChunkAt(chunk) == other.ChunkAt(chunk)) {
        ++chunk;
      } else {
        return chunk;
      }
    }
    return std::min(chunk, std::max(chunk_count(), other.chunk_count()));
  }

 private:
  struct Chunk {
    std::atomic<uint32_t> refs{1};  // Pages that hold it.
    std::array<T, kChunkRows> rows{};

    Chunk() = default;
    Chunk(const Chunk& other) : rows(other.rows) {}
  };
  struct Page {
    std::atomic<uint32_t> refs{1};  // Vectors that hold it.
    std::array<Chunk*, kPageChunks> chunks{};
  };

  static constexpr size_t ChunksFor(size_t rows) { return (rows + kChunkRows - 1) / kChunkRows; }

  template <typename Counted>
  static void Ref(Counted* counted) {
    counted->refs.fetch_add(1, std::memory_order_relaxed);
  }
  static void Unref(Chunk* chunk) {
    if (chunk->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) delete chunk;
  }
  static void Unref(Page* page) {
    if (page->refs.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    for (Chunk* chunk : page->chunks) {
      if (chunk != nullptr) Unref(chunk);
    }
    delete page;
  }

  const Chunk* ChunkAt(size_t index) const {
    return pages_[index / kPageChunks]->chunks[index % kPageChunks];
  }
  // The place of a chunk in a page that is ours alone.
  Chunk*& Slot(size_t index) {
    Page*& page = pages_[index / kPageChunks];
    if (page->refs.load(std::memory_order_acquire) != 1) {
      Page* copy = new Page();
      copy->chunks = page->chunks;
      for (Chunk* chunk : copy->chunks) {
        if (chunk != nullptr) Ref(chunk);
      }
      Unref(page);
      page = copy;
    }
    return page->chunks[index % kPageChunks];
  }
  // Out of line, so that the common case of Mutable stays small.
  [[gnu::noinline]] Chunk* OwnChunk(size_t index) {
    Chunk*& chunk = Slot(index);
    if (chunk->refs.load(std::memory_order_acquire) != 1) {
      Chunk* copy = new Chunk(*chunk);
      Unref(chunk);
      chunk = copy;
    }
    return chunk;
  }

  std::vector<Page*> pages_;
  size_t size_ = 0;
};

}  // namespace bth
