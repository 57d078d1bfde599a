// What a request costs beside the bytes: it shall not creep up unseen.
#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

#include "net/frames.h"
#include "tests/net/loopback.h"

// A sanitizer has its own operator new, and frames are not used again there.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace bth::net {
namespace {

std::atomic<int64_t> allocations{0};

}  // namespace
}  // namespace bth::net

[[gnu::noinline]] void* operator new(size_t bytes) {
  bth::net::allocations.fetch_add(1, std::memory_order_relaxed);
  void* const out = std::malloc(bytes);
  if (out == nullptr) throw std::bad_alloc();
  return out;
}
// Not inlined, or the compiler sees memory of operator new given to free.
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}

namespace bth::net {
namespace {

using test::Loopback;
using test::MustFetch;
using test::Post;

Awaitable<Response> Created(Request) {
  Response response;
  response.status = 201;
  response.headers.Add("Content-Type", "application/json");
  response.body = R"({"kind":"Status","apiVersion":"v1","status":"Success","code":201})";
  co_return response;
}

TEST_CASE("http: a request and its answer cost a bounded number of allocations", "[net]") {
  const bool tls = GENERATE(false, true);
  constexpr int kRequests = 100;
  constexpr int64_t kAllocationsMax = 24;  // Of both sides, with the making of the request.
  Loopback loopback;
  ServerOptions options;
  options.tls = tls;
  loopback.Serve(options, Created);
  const std::unique_ptr<Transport> client = loopback.Client();
  int64_t counted = 0;
  auto work = [&]() -> Awaitable<void> {
    for (int round = 0; round < 2; ++round) {  // The first one makes what is used again.
      const int64_t before = allocations.load();
      for (int i = 0; i < kRequests; ++i) {
        const Response response =
            co_await MustFetch(*client, Post("/api/v1/namespaces/default/pods/p/binding", "{}"));
        CHECK(response.status == 201);
      }
      counted = allocations.load() - before;
    }
  };
  loopback.Run(work());
  INFO("TLS " << tls << ", allocations of " << kRequests << " requests: " << counted);
  CHECK(counted > 0);
  CHECK(counted <= kRequests * kAllocationsMax);
}

TEST_CASE("frames: what was freed is used again, by frames of about its size", "[net]") {
  void* const first = AllocateFrame(300);
  FreeFrame(first, 300);
  const int64_t before = allocations.load();
  void* const second = AllocateFrame(290);
  CHECK(second == first);
  CHECK(allocations.load() == before);
  FreeFrame(second, 290);
}

TEST_CASE("frames: a thread keeps a bounded number of them", "[net]") {
  // More than it keeps; the rest is given back at once, and all of it at the thread's end.
  std::vector<void*> frames(10'000);
  int64_t again = -1;
  std::thread other([&] {
    for (void*& frame : frames) frame = AllocateFrame(1000);
    for (void* frame : frames) FreeFrame(frame, 1000);
    const int64_t before = allocations.load();
    for (void*& frame : frames) frame = AllocateFrame(1000);
    again = allocations.load() - before;
  });
  other.join();
  CHECK(again > 9'000);
  CHECK(again < 10'000);
  for (void* frame : frames) FreeFrame(frame, 1000);  // On another thread than theirs.
}

}  // namespace
}  // namespace bth::net

#endif
