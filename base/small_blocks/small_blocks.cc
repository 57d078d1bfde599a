#include "base/small_blocks/small_blocks.h"

#include <array>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BTH_KEEPS_SMALL_BLOCKS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define BTH_KEEPS_SMALL_BLOCKS 0
#endif
#endif
#ifndef BTH_KEEPS_SMALL_BLOCKS
#define BTH_KEEPS_SMALL_BLOCKS 1
#endif

#if BTH_KEEPS_SMALL_BLOCKS

namespace bth {
namespace {

// Sizes of the C library: multiples of 16 less the 8 bytes in which it keeps them.
constexpr size_t kBlockStep = 16;
constexpr size_t kBlockHeader = 8;

constexpr size_t BlockClass(size_t bytes) {
  return (bytes + kBlockHeader + kBlockStep - 1) / kBlockStep;
}
constexpr size_t BlockBytes(size_t block_class) {
  return block_class * kBlockStep - kBlockHeader;
}
static_assert(BlockBytes(BlockClass(1)) >= sizeof(void*));

struct FreeBlock {
  FreeBlock* next;
};

// Without a destructor: blocks may be freed after those of the thread's other objects have run.
struct BlockStore {
  std::array<FreeBlock*, BlockClass(kSmallBlockBytesMax) + 1> free{};
  size_t kept_bytes = 0;
  bool ends_with_thread = false;  // BlockStoreEnd will see to it.
  bool ended = false;
};
thread_local constinit BlockStore block_store;

// Gives the store back at the thread's end.
struct BlockStoreEnd {
  ~BlockStoreEnd() {
    block_store.ended = true;
    block_store.kept_bytes = 0;
    for (FreeBlock*& first : block_store.free) {
      while (first != nullptr) {
        FreeBlock* const next = first->next;
        std::free(first);
        first = next;
      }
    }
  }
};

void EndWithThread() {
  block_store.ends_with_thread = true;
  thread_local BlockStoreEnd at_end;
  static_cast<void>(at_end);
}

void* FromMalloc(size_t bytes) {
  for (;;) {
    if (void* const block = std::malloc(bytes); block != nullptr) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void* Allocate(size_t bytes) {
  if (bytes > kSmallBlockBytesMax) return FromMalloc(bytes);
  const size_t block_class = BlockClass(bytes);
  BlockStore& store = block_store;
  FreeBlock* const first = store.free[block_class];
  if (first == nullptr) return FromMalloc(BlockBytes(block_class));
  store.free[block_class] = first->next;
  store.kept_bytes -= BlockBytes(block_class);
  return first;
}

// `bytes`: what the block was asked for with.
void Free(void* block, size_t bytes) noexcept {
  if (block == nullptr) return;
  BlockStore& store = block_store;
  if (bytes > kSmallBlockBytesMax || store.ended) return std::free(block);
  const size_t block_class = BlockClass(bytes);
  const size_t kept = store.kept_bytes + BlockBytes(block_class);
  if (kept > kKeptBytesMax) return std::free(block);
  if (!store.ends_with_thread) EndWithThread();
  store.free[block_class] = new (block) FreeBlock{store.free[block_class]};
  store.kept_bytes = kept;
}

}  // namespace

size_t KeptSmallBlockBytes() {
  return block_store.kept_bytes;
}

}  // namespace bth

// Those for arrays and without exceptions go through these; those of larger alignment are apart.
void* operator new(size_t bytes) {
  return bth::Allocate(bytes);
}
void operator delete(void* block) noexcept {
  std::free(block);
}
void operator delete(void* block, size_t bytes) noexcept {
  bth::Free(block, bytes);
}

#else

size_t bth::KeptSmallBlockBytes() {
  return 0;
}

#endif
