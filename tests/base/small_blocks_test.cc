#include "base/small_blocks/small_blocks.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/catch.h"

namespace bth {
namespace {

// Under a sanitizer there is nothing to be seen.
bool KeepsBlocks() {
  void* const block = ::operator new(100);
  const size_t before = KeptSmallBlockBytes();
  ::operator delete (block, size_t{100});
  return KeptSmallBlockBytes() > before;
}

TEST_CASE("small blocks: what is freed with its size is given out again", "[base][unit]") {
  if (!KeepsBlocks()) return;
  for (const size_t bytes :
       {size_t{0}, size_t{1}, size_t{8}, size_t{9}, size_t{72}, size_t{792}, kSmallBlockBytesMax}) {
    CAPTURE(bytes);
    void* const block = ::operator new(bytes);
    std::memset(block, 0x5a, bytes);
    ::operator delete(block, bytes);
    void* const again = ::operator new(bytes);
    CHECK(again == block);
    ::operator delete(again, bytes);
  }
}

TEST_CASE("small blocks: blocks of one class serve all of its sizes", "[base][unit]") {
  for (size_t bytes = 0; bytes <= kSmallBlockBytesMax + 1; ++bytes) {
    void* const block = ::operator new(bytes);
    std::memset(block, 0x5a, bytes);
    ::operator delete(block, bytes);
    // The largest size of the same class begins at 16 n - 8.
    const size_t largest = (bytes + 8 + 15) / 16 * 16 - 8;
    void* const other = ::operator new(largest);
    std::memset(other, 0x5a, largest);
    ::operator delete(other, largest);
  }
}

TEST_CASE("small blocks: no more is kept than the limit says", "[base][unit]") {
  std::vector<void*> blocks(4 * kKeptBytesMax / 512);
  for (void*& block : blocks) block = ::operator new(512);
  for (void* block : blocks) ::operator delete (block, size_t{512});
  CHECK(KeptSmallBlockBytes() <= kKeptBytesMax);
  if (KeepsBlocks()) CHECK(KeptSmallBlockBytes() > kKeptBytesMax / 2);
}

TEST_CASE("small blocks: large blocks, and those freed without a size, are not kept",
          "[base][unit]") {
  const size_t before = KeptSmallBlockBytes();
  ::operator delete(::operator new(kSmallBlockBytesMax + 1), kSmallBlockBytesMax + 1);
  CHECK(KeptSmallBlockBytes() == before);
  void* const block = ::operator new(64);
  const size_t taken = KeptSmallBlockBytes();
  ::operator delete(block);
  CHECK(KeptSmallBlockBytes() == taken);
  ::operator delete (nullptr, size_t{64});
  CHECK(KeptSmallBlockBytes() == taken);
}

TEST_CASE("small blocks: another thread may free what one has made", "[base][unit]") {
  std::vector<std::unique_ptr<std::string>> texts;
  for (int i = 0; i < 1000; ++i) texts.push_back(std::make_unique<std::string>(100, 'x'));
  size_t kept = 0;
  std::thread other([&] {
    texts.clear();
    kept = KeptSmallBlockBytes();
  });
  other.join();
  if (KeepsBlocks()) CHECK(kept > 0);
}

TEST_CASE("small blocks: more than there is is refused", "[base][unit]") {
  if (!KeepsBlocks()) return;
  volatile size_t bytes = SIZE_MAX / 2;  // The compiler would warn of it.
  CHECK_THROWS_AS(::operator new(bytes), std::bad_alloc);
}

}  // namespace
}  // namespace bth
