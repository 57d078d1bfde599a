#include "tests/hostile/live_bytes.h"

#include <execinfo.h>
#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <vector>

#include "base/strings.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)

namespace bth::hostile {

int64_t LiveBytes() {
  return 0;
}
void TraceAllocations() {}
void MarkAllocations() {}
std::string AllocationGrowth(size_t /*stacks_max*/) {
  return "not traced\n";
}

}  // namespace bth::hostile

#else

// What glibc offers to those who put a malloc of their own in front of it.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* old, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void* place);
}
// NOLINTEND(bugprone-reserved-identifier)

namespace bth::hostile {
namespace {

std::atomic<int64_t> live_bytes{0};

constexpr size_t kFrames = 24;
constexpr size_t kFramesSkipped = 3;  // Those of this file.
using Stack = std::array<void*, kFrames>;

// Open addressing by place, in memory of its own: malloc must not be asked for any.
struct TracedPlace {
  void* place;  // Null: free.
  size_t bytes;
  Stack stack;
};
constexpr size_t kTracedMax = size_t{1} << 20;
TracedPlace* traced = nullptr;  // Null: nothing is traced.
thread_local bool tracing_itself = false;

size_t SlotOf(const void* place) {
  return (reinterpret_cast<uintptr_t>(place) >> 4) * 0x9E3779B97F4A7C15U % kTracedMax;
}

void Trace(void* place, size_t bytes) {
  if (traced == nullptr || tracing_itself) return;
  tracing_itself = true;  // The first stack that is read allocates.
  size_t slot = SlotOf(place);
  for (size_t tries = 0; tries < kTracedMax && traced[slot].place != nullptr; ++tries) {
    slot = (slot + 1) % kTracedMax;
  }
  if (traced[slot].place == nullptr) {
    traced[slot] = {place, bytes, {}};
    ::backtrace(traced[slot].stack.data(), kFrames);
  }
  tracing_itself = false;
}

void Untrace(const void* place) {
  if (traced == nullptr) return;
  size_t slot = SlotOf(place);
  while (traced[slot].place != nullptr && traced[slot].place != place) {
    slot = (slot + 1) % kTracedMax;
  }
  if (traced[slot].place == nullptr) return;
  // Those behind move up, so that no gap hides them.
  size_t gap = slot;
  traced[gap].place = nullptr;
  for (size_t next = (gap + 1) % kTracedMax; traced[next].place != nullptr;
       next = (next + 1) % kTracedMax) {
    const size_t home = SlotOf(traced[next].place);
    const bool stays = gap < next ? (home > gap && home <= next) : (home > gap || home <= next);
    if (stays) continue;
    traced[gap] = traced[next];
    traced[next].place = nullptr;
    gap = next;
  }
}

void* Came(void* place) {
  if (place == nullptr) return place;
  const size_t bytes = ::malloc_usable_size(place);
  live_bytes.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed);
  Trace(place, bytes);
  return place;
}

void Goes(void* place) {
  if (place == nullptr) return;
  live_bytes.fetch_sub(static_cast<int64_t>(::malloc_usable_size(place)),
                       std::memory_order_relaxed);
  Untrace(place);
}

struct Sum {
  int64_t bytes = 0;
  int64_t count = 0;
};
using Sums = std::map<Stack, Sum>;

Sums& SumsAtMark() {
  static Sums* const sums = new Sums();
  return *sums;
}

// Of what is there now, by stack.
Sums SumUp() {
  Sums sums;
  if (traced == nullptr) return sums;
  tracing_itself = true;
  for (size_t i = 0; i < kTracedMax; ++i) {
    if (traced[i].place == nullptr) continue;
    Sum& sum = sums[traced[i].stack];
    sum.bytes += static_cast<int64_t>(traced[i].bytes);
    ++sum.count;
  }
  tracing_itself = false;
  return sums;
}

}  // namespace

int64_t LiveBytes() {
  return live_bytes.load();
}

void TraceAllocations() {
  void* table = ::mmap(nullptr, kTracedMax * sizeof(TracedPlace), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (table != MAP_FAILED) traced = static_cast<TracedPlace*>(table);
}

void MarkAllocations() {
  SumsAtMark() = SumUp();
}

std::string AllocationGrowth(size_t stacks_max) {
  if (traced == nullptr) return "not traced\n";
  std::vector<std::pair<Sum, Stack> > grown;
  for (const auto& [stack, sum] : SumUp()) {
    const auto before = SumsAtMark().find(stack);
    const Sum base = before == SumsAtMark().end() ? Sum() : before->second;
    if (sum.bytes > base.bytes) {
      grown.push_back({{sum.bytes - base.bytes, sum.count - base.count}, stack});
    }
  }
  std::sort(grown.begin(), grown.end(),
            [](const auto& a, const auto& b) { return a.first.bytes > b.first.bytes; });
  if (grown.size() > stacks_max) grown.resize(stacks_max);
  std::string text;
  for (const auto& [sum, stack] : grown) {
    StrAppend(&text, sum.bytes, " bytes more in ", sum.count, " more\n");
    char** const names = ::backtrace_symbols(stack.data(), kFrames);
    for (size_t i = kFramesSkipped; i < kFrames && stack[i] != nullptr; ++i) {
      StrAppend(&text, "  ", names[i], "\n");
    }
    std::free(names);
  }
  return text;
}

}  // namespace bth::hostile

extern "C" {

void* malloc(size_t bytes) {
  return bth::hostile::Came(__libc_malloc(bytes));
}
void* calloc(size_t count, size_t bytes) {
  return bth::hostile::Came(__libc_calloc(count, bytes));
}
void* realloc(void* old, size_t bytes) {
  const size_t before = old == nullptr ? 0 : malloc_usable_size(old);
  void* const now = __libc_realloc(old, bytes);
  if (now == nullptr && bytes > 0) return now;  // The old one stays.
  bth::hostile::live_bytes.fetch_sub(static_cast<int64_t>(before), std::memory_order_relaxed);
  if (old != nullptr) bth::hostile::Untrace(old);
  return bth::hostile::Came(now);
}
void* memalign(size_t alignment, size_t bytes) {
  return bth::hostile::Came(__libc_memalign(alignment, bytes));
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  return bth::hostile::Came(__libc_memalign(alignment, bytes));
}
int posix_memalign(void** place, size_t alignment, size_t bytes) {
  *place = bth::hostile::Came(__libc_memalign(alignment, bytes));
  return *place == nullptr ? ENOMEM : 0;
}
void free(void* place) {
  bth::hostile::Goes(place);
  __libc_free(place);
}

}  // extern "C"

#endif
