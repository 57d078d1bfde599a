#include "net/io_context.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/catch.h"

namespace bth::net {
namespace {

TEST_CASE("io context: timers fire in order of their time, cancelled ones never", "[net]") {
  const std::unique_ptr<IoContext> io = IoContext::Create();
  const absl::Duration before = io->Monotonic();
  std::string order;
  io->RunAfter(absl::Milliseconds(20), [&] { order += "c"; });
  io->RunAfter(absl::Milliseconds(30), [&] { io->Stop(); });
  io->RunAfter(absl::Milliseconds(5), [&] {
    order += "b";
    io->RunAfter(absl::ZeroDuration(), [&] { order += "z"; });
  });
  const Executor::TimerId never = io->RunAfter(absl::Milliseconds(1), [&] { order += "x"; });
  io->RunAfter(-absl::Seconds(1), [&] { order += "a"; });
  io->RunAfter(absl::InfiniteDuration(), [&] { order += "y"; });
  io->CancelTimer(never);
  io->Run();
  // A machine that sleeps for 15 ms finds "c" due before "z" was set.
  CHECK((order == "abzc" || order == "abcz"));
  CHECK(io->Monotonic() - before >= absl::Milliseconds(30));
}

TEST_CASE("io context: other threads post, in order, and stop it", "[net]") {
  const std::unique_ptr<IoContext> io = IoContext::Create();
  std::vector<int> got;
  CHECK(io->IsCurrent());
  bool current_elsewhere = true;
  bool current_inside = false;
  std::thread other([&] {
    current_elsewhere = io->IsCurrent();
    for (int i = 0; i < 1000; ++i) io->Post([&got, i] { got.push_back(i); });
    io->Post([&] {
      current_inside = io->IsCurrent();
      io->Stop();
    });
  });
  io->Run();
  other.join();
  CHECK_FALSE(current_elsewhere);
  CHECK(current_inside);
  REQUIRE(got.size() == 1000);
  for (int i = 0; i < 1000; ++i) CHECK(got[static_cast<size_t>(i)] == i);
}

TEST_CASE("io context: runs again after Stop", "[net]") {
  const std::unique_ptr<IoContext> io = IoContext::Create();
  int ran = 0;
  for (int i = 0; i < 3; ++i) {
    io->Post([&] {
      ++ran;
      io->Stop();
    });
    io->Run();
  }
  CHECK(ran == 3);
}

TEST_CASE("io context: each signal calls the action", "[net]") {
  const std::unique_ptr<IoContext> io = IoContext::Create();
  std::vector<int> seen;
  io->OnSignals({SIGUSR1, SIGUSR2}, [&](int signal) {
    seen.push_back(signal);
    if (signal == SIGUSR1) {
      std::raise(SIGUSR2);
    } else {
      io->Stop();
    }
  });
  io->Post([] { std::raise(SIGUSR1); });
  io->Run();
  CHECK(seen == std::vector<int>{SIGUSR1, SIGUSR2});
}

TEST_CASE("io context: what can be read is told until nobody wants to hear of it", "[net]") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  {
    const std::unique_ptr<IoContext> io = IoContext::Create();
    std::string read_text;
    const auto send = [&ends](const char* text) { return write(ends[1], text, 1); };
    io->OnReadable(ends[0], [&] {
      char letter = 0;
      if (read(ends[0], &letter, 1) != 1) return false;
      read_text.push_back(letter);
      io->Post([&] { send("b"); });
      io->RunAfter(absl::Milliseconds(20), [&] { io->Stop(); });
      return read_text != "ab";  // What comes after that stays where it is.
    });
    io->Post([&] { send("a"); });
    io->Run();
    CHECK(read_text == "ab");
  }
  char left = 0;
  CHECK(read(ends[0], &left, 1) == 1);  // The descriptor is still open, and blocks as before.
  CHECK(left == 'b');
  CHECK((fcntl(ends[0], F_GETFL) & O_NONBLOCK) == 0);
  close(ends[0]);
  close(ends[1]);
}

// Tells when it is destroyed, and then tries to use the executor that is going.
struct LateCaller {
  Executor* executor;
  int* destroyed;
  LateCaller(Executor* e, int* d) : executor(e), destroyed(d) {}
  LateCaller(LateCaller&& other) noexcept
      : executor(std::exchange(other.executor, nullptr)), destroyed(other.destroyed) {}
  ~LateCaller() {
    if (executor == nullptr) return;
    ++*destroyed;
    executor->Post([] {});
    executor->CancelTimer(executor->RunAfter(absl::Seconds(1), [] {}));
  }
};

TEST_CASE("io context: what it still holds is freed with it", "[net]") {
  int destroyed = 0;
  {
    const std::unique_ptr<IoContext> io = IoContext::Create();
    auto posted = [late = LateCaller(io.get(), &destroyed)] { (void)late; };
    auto timed = [late = LateCaller(io.get(), &destroyed)] { (void)late; };
    io->Post(std::move(posted));
    io->RunAfter(absl::Hours(1), std::move(timed));
  }
  CHECK(destroyed == 2);
}

}  // namespace
}  // namespace bth::net
