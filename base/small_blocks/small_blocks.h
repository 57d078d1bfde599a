// Small blocks of memory that a thread frees are kept for it and given out again.
#pragma once

#include <cstddef>

namespace bth {

// A program that links this library has an operator new that does so. For work that builds and
// drops trees of some thousand parts at a time, such as reviews: the allocator of the C library
// keeps seven blocks of a size at hand and joins and splits the others again and again, which took
// a quarter of a review. Blocks are malloc's, of malloc's own sizes: no memory is lost, and what is
// freed without its size goes back to malloc. Thread: any; each has its own.
inline constexpr size_t kSmallBlockBytesMax = 1024;   // Larger ones are left to malloc.
inline constexpr size_t kKeptBytesMax = 1024 * 1024;  // Of one thread.

// What the calling thread keeps at hand. Always 0 with AddressSanitizer and ThreadSanitizer, which
// look after memory themselves.
size_t KeptSmallBlockBytes();

}  // namespace bth
