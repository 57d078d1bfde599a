#include "net/awaitable.h"

#include <string>
#include <vector>

#include "net/virtual_executor.h"
#include "tests/support/catch.h"

namespace bth::net {
namespace {

Awaitable<int> Value(int value) {
  co_return value;
}

Awaitable<int> Sum(int depth) {
  if (depth == 0) co_return 0;
  const int one = co_await Value(1);
  const int rest = co_await Sum(depth - 1);
  co_return one + rest;
}

Awaitable<std::unique_ptr<std::string>> MoveOnly() {
  co_return std::make_unique<std::string>("moved");
}

struct CountsItsEnd {
  int& count;
  ~CountsItsEnd() { ++count; }
};

Awaitable<void> SleepsThenSays(Executor& executor, absl::Duration delay, std::string word,
                               std::vector<std::string>& said) {
  co_await Sleep(executor, delay);
  said.push_back(std::move(word));
}

Awaitable<void> StoresSum(int depth, int& out) {
  out = co_await Sum(depth);
}

Awaitable<void> StoresMoveOnly(std::string& out) {
  out = *co_await MoveOnly();
}

template <typename T>
Awaitable<void> StoresPromised(Promised<T> promised, std::vector<T>& out) {
  out.push_back(co_await promised.Wait());
}

// A coroutine whose frame the test destroys.
Awaitable<int> HoldsWhileSleeping(Executor& executor, int& ended) {
  CountsItsEnd counts{ended};
  co_await Sleep(executor, absl::Seconds(5));
  co_return 1;
}

Awaitable<int> HoldsWhileWaiting(Promised<int> promised, int& ended) {
  CountsItsEnd counts{ended};
  co_return co_await promised.Wait();
}

// Starts `work` and leaves it suspended until the returned owner is dropped.
class Started {
 public:
  explicit Started(Awaitable<int> work) : work_(std::move(work)) {
    work_.await_suspend(std::noop_coroutine()).resume();
  }

 private:
  Awaitable<int> work_;
};

TEST_CASE("awaitable: chains hand values up", "[net]") {
  VirtualExecutor executor(absl::UnixEpoch());
  int sum = 0;
  std::string moved;
  Spawn(executor, StoresSum(50, sum));
  Spawn(executor, StoresMoveOnly(moved));
  CHECK(sum == 0);  // Nothing starts inside Spawn.
  CHECK(executor.RunUntilIdle());
  CHECK(sum == 50);
  CHECK(moved == "moved");
}

TEST_CASE("awaitable: work spawned on a dying executor is freed", "[net]") {
  int sum = 0;
  {
    VirtualExecutor executor(absl::UnixEpoch());
    Spawn(executor, StoresSum(3, sum));
  }
  CHECK(sum == 0);
}

TEST_CASE("sleep: wakes in order of time, then of asking", "[net]") {
  VirtualExecutor executor(absl::UnixEpoch());
  std::vector<std::string> said;
  Spawn(executor, SleepsThenSays(executor, absl::Seconds(3), "three", said));
  Spawn(executor, SleepsThenSays(executor, absl::Seconds(1), "one", said));
  Spawn(executor, SleepsThenSays(executor, absl::Seconds(3), "three again", said));
  executor.Advance(absl::Seconds(2));
  CHECK(said == std::vector<std::string>{"one"});
  CHECK(executor.NextTimer() == absl::Seconds(3));
  CHECK(executor.RunUntil([&] { return said.size() == 3; }, absl::Seconds(10)));
  CHECK(said == std::vector<std::string>{"one", "three", "three again"});
  CHECK(executor.Monotonic() == absl::Seconds(3));
  CHECK(executor.Now() == absl::UnixEpoch() + absl::Seconds(3));
}

TEST_CASE("sleep: destruction while suspended forgets the timer and ends the locals", "[net]") {
  VirtualExecutor executor(absl::UnixEpoch());
  int ended = 0;
  {
    Started started(HoldsWhileSleeping(executor, ended));
    CHECK(executor.NextTimer() == absl::Seconds(5));
    CHECK(ended == 0);
  }
  CHECK(ended == 1);
  CHECK(executor.NextTimer() == absl::InfiniteDuration());
}

TEST_CASE("promised: a value set before or after the wait arrives once", "[net]") {
  VirtualExecutor executor(absl::UnixEpoch());
  Promised<int> before(executor);
  Promised<int> after(executor);
  std::vector<int> got;
  before.Set(1);
  before.Set(7);
  Spawn(executor, StoresPromised(before, got));
  Spawn(executor, StoresPromised(after, got));
  executor.RunUntilIdle();
  CHECK(got == std::vector<int>{1});
  after.Set(2);
  CHECK(got == std::vector<int>{1});  // Resumed through Post, not inside Set.
  after.Set(8);
  executor.RunUntilIdle();
  CHECK(got == std::vector<int>{1, 2});
  CHECK_FALSE(after.is_set());  // Taken.
}

TEST_CASE("promised: nobody is resumed who went away before or after Set", "[net]") {
  VirtualExecutor executor(absl::UnixEpoch());
  Promised<int> promised(executor);
  Promised<int> set_first(executor);
  int ended = 0;
  { Started started(HoldsWhileWaiting(promised, ended)); }
  CHECK(ended == 1);
  promised.Set(1);
  {
    Started started(HoldsWhileWaiting(set_first, ended));
    set_first.Set(1);  // The resumption is posted but the waiter dies first.
  }
  CHECK(ended == 2);
  CHECK(executor.RunUntilIdle());
  CHECK(ended == 2);
}

TEST_CASE("cancel: actions run once, in order, and not after they were dropped", "[net]") {
  CancelToken token;
  std::vector<std::string> ran;
  CancelToken::Registration first = token.OnCancel([&] { ran.push_back("first"); });
  CancelToken::Registration dropped = token.OnCancel([&] { ran.push_back("dropped"); });
  CancelToken::Registration last = token.OnCancel([&] { ran.push_back("last"); });
  dropped = CancelToken::Registration();
  const CancelToken copy = token;
  CHECK_FALSE(copy.cancelled());
  copy.Cancel();
  token.Cancel();
  CHECK(token.cancelled());
  CHECK(ran == std::vector<std::string>{"first", "last"});
  CancelToken::Registration late = token.OnCancel([&] { ran.push_back("late"); });
  CHECK(ran.back() == "late");
}

TEST_CASE("cancel: an action may drop another one and the token", "[net]") {
  auto token = std::make_unique<CancelToken>();
  int ran = 0;
  CancelToken::Registration second;
  CancelToken::Registration first = token->OnCancel([&] {
    ++ran;
    second = CancelToken::Registration();
    token.reset();
  });
  second = token->OnCancel([&] { ran += 100; });
  token->Cancel();
  CHECK(ran == 1);
}

TEST_CASE("cancel: a token tells whether anybody else could cancel it", "[net]") {
  CancelToken alone;
  CHECK_FALSE(alone.shared());
  CHECK_FALSE(alone.cancelled());
  const CancelToken moved = std::move(alone);
  CHECK_FALSE(moved.shared());
  const CancelToken copy = moved;
  CHECK(moved.shared());
  copy.Cancel();
  CHECK(moved.cancelled());
  CancelToken assigned;
  assigned = copy;
  CHECK(assigned.cancelled());
}

TEST_CASE("virtual executor: an endless loop is stopped and reported", "[net]") {
  VirtualExecutor executor(absl::UnixEpoch());
  std::function<void()> again = [&] { executor.Post([&] { again(); }); };
  again();
  CHECK_FALSE(executor.RunUntilIdle(1000));
  again = [] {};
  CHECK(executor.RunUntilIdle());
}

TEST_CASE("virtual executor: a cancelled timer never fires", "[net]") {
  VirtualExecutor executor(absl::UnixEpoch());
  int fired = 0;
  const auto id = executor.RunAfter(absl::Seconds(1), [&] { ++fired; });
  executor.RunAfter(absl::Seconds(1), [&] { ++fired; });
  executor.CancelTimer(id);
  executor.CancelTimer(12345);
  executor.Advance(absl::Seconds(2));
  CHECK(fired == 1);
  CHECK_FALSE(executor.RunUntil([] { return false; }, absl::Seconds(3)));
  CHECK(executor.Monotonic() == absl::Seconds(5));
}

}  // namespace
}  // namespace bth::net
