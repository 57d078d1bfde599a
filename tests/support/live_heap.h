// How much of the heap is in use, for tests that say what things cost.
#pragma once

#include <malloc.h>

#include <cstddef>
#include <optional>

namespace bth::test {

// Bytes handed out by malloc and not freed, its own overhead included, over all threads. Nothing
// where the allocator does not tell (sanitizers bring their own).
inline std::optional<size_t> LiveHeapBytes() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return std::nullopt;
#else
  const struct mallinfo2 use = mallinfo2();
  return use.uordblks + use.hblkhd;
#endif
}

}  // namespace bth::test
