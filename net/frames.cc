#include "net/frames.h"

#include <array>
#include <new>

namespace bth::net {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kReuse = false;  // So that a use after the end is found.
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kReuse = false;
#else
constexpr bool kReuse = true;
#endif
#else
constexpr bool kReuse = true;
#endif

constexpr size_t kStep = 128;       // Sizes are rounded up to multiples of it.
constexpr size_t kBytesMax = 4096;  // Larger frames are made and freed as they come.
constexpr size_t kSizes = kBytesMax / kStep;
constexpr size_t kKeptBytesMax = 512 << 10;

struct FreeFrameLink {
  FreeFrameLink* next;
};

// Freed frames of one thread. Without a destructor: frames may be freed after those of the thread's
// other objects have run.
struct FrameStore {
  std::array<FreeFrameLink*, kSizes> free{};
  size_t kept_bytes = 0;
  bool ended = false;
};
thread_local constinit FrameStore store;

// Gives the store back at the thread's end.
struct FrameStoreEnd {
  ~FrameStoreEnd() {
    store.ended = true;
    for (FreeFrameLink*& first : store.free) {
      while (first != nullptr) {
        FreeFrameLink* const next = first->next;
        ::operator delete(first);
        first = next;
      }
    }
  }
};

// Which list a frame belongs to: 1 to kStep bytes to the first.
size_t SizeIndex(size_t bytes) {
  return (bytes - 1) / kStep;
}

}  // namespace

void* AllocateFrame(size_t bytes) {
  if (!kReuse || bytes > kBytesMax) return ::operator new(bytes);
  const size_t index = SizeIndex(bytes);
  FreeFrameLink* const first = store.free[index];
  if (first == nullptr) return ::operator new((index + 1) * kStep);
  store.free[index] = first->next;
  store.kept_bytes -= (index + 1) * kStep;
  return first;
}

void FreeFrame(void* frame, size_t bytes) noexcept {
  if (!kReuse || bytes > kBytesMax) return ::operator delete(frame);
  const size_t index = SizeIndex(bytes);
  const size_t kept = store.kept_bytes + (index + 1) * kStep;
  if (store.ended || kept > kKeptBytesMax) return ::operator delete(frame);
  thread_local FrameStoreEnd at_end;
  static_cast<void>(at_end);
  store.free[index] = new (frame) FreeFrameLink{store.free[index]};
  store.kept_bytes = kept;
}

}  // namespace bth::net
