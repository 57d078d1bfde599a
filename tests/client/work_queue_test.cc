#include "client/work_queue.h"

#include "tests/client/fake_server.h"
#include "tests/support/catch.h"

namespace bth::client {
namespace {

using testing::StartTime;

std::vector<std::string> TakeAll(WorkQueue& queue) {
  std::vector<std::string> out;
  while (auto key = queue.TryNext()) {
    out.push_back(*key);
    queue.Done(*key);
  }
  return out;
}

TEST_CASE("work queue: a key waits once and in order", "[client]") {
  net::VirtualExecutor executor(StartTime());
  WorkQueue queue(executor, {});
  for (const char* key : {"b", "a", "b", "c", "a"}) CHECK(queue.Add(key));
  CHECK(TakeAll(queue) == std::vector<std::string>{"b", "a", "c"});
  CHECK(queue.counters().merged == 2);
}

TEST_CASE("work queue: a key in work is given out again only after Done", "[client]") {
  net::VirtualExecutor executor(StartTime());
  WorkQueue queue(executor, {});
  queue.Add("a");
  CHECK(queue.TryNext() == "a");
  queue.Add("a");
  queue.Add("a");
  CHECK_FALSE(queue.TryNext().has_value());
  queue.Done("a");
  CHECK(queue.TryNext() == "a");
  queue.Done("a");
  CHECK_FALSE(queue.TryNext().has_value());
}

TEST_CASE("work queue: of a key that is dropped nothing is kept", "[client]") {
  net::VirtualExecutor executor(StartTime());
  WorkQueueOptions options;
  options.keys_max = 2;
  WorkQueue queue(executor, options);
  for (int i = 0; i < 10; ++i) {
    const std::string key = "key " + std::to_string(i);
    CHECK(queue.AddAfter(key, absl::Hours(24 * 365)));
    CHECK(queue.AddRateLimited(key));
    queue.Drop(key);
  }
  CHECK(queue.delayed() == 0);
  CHECK(queue.failures("key 9") == 0);
  // Whoever has it in hand finishes, and hears of what came meanwhile.
  queue.Add("a");
  CHECK(queue.TryNext() == "a");
  queue.Add("a");
  queue.Drop("a");
  queue.Done("a");
  CHECK(TakeAll(queue) == std::vector<std::string>{"a"});
}

TEST_CASE("work queue: of two delays the shorter counts, and Add overtakes both", "[client]") {
  net::VirtualExecutor executor(StartTime());
  WorkQueue queue(executor, {});
  queue.AddAfter("a", absl::Seconds(10));
  queue.AddAfter("a", absl::Seconds(5));
  queue.AddAfter("a", absl::Seconds(20));
  queue.AddAfter("b", absl::Seconds(5));
  executor.Advance(absl::Seconds(4));
  CHECK(queue.depth() == 0);
  executor.Advance(absl::Seconds(1));
  CHECK(TakeAll(queue) == std::vector<std::string>{"a", "b"});
  queue.AddAfter("a", absl::Seconds(5));
  queue.Add("a");
  CHECK(TakeAll(queue) == std::vector<std::string>{"a"});
  executor.Advance(absl::Minutes(1));
  CHECK(queue.depth() == 0);
  CHECK(queue.delayed() == 0);
}

TEST_CASE("work queue: failures wait longer and longer until forgotten", "[client]") {
  net::VirtualExecutor executor(StartTime());
  WorkQueueOptions options;
  options.backoff_max = absl::Milliseconds(20);
  WorkQueue queue(executor, options);
  for (const int ms : {5, 10, 20, 20}) {
    queue.AddRateLimited("a");
    executor.Advance(absl::Milliseconds(ms - 1));
    CHECK(queue.depth() == 0);
    executor.Advance(absl::Milliseconds(1));
    CHECK(TakeAll(queue).size() == 1);
  }
  CHECK(queue.failures("a") == 4);
  queue.Forget("a");
  queue.AddRateLimited("a");
  executor.Advance(absl::Milliseconds(5));
  CHECK(TakeAll(queue).size() == 1);
  queue.AddRateLimited("a", absl::Seconds(3));
  executor.Advance(absl::Seconds(2));
  CHECK(queue.depth() == 0);
  executor.Advance(absl::Seconds(1));
  CHECK(queue.depth() == 1);
}

TEST_CASE("work queue: retries of all keys together are limited", "[client]") {
  net::VirtualExecutor executor(StartTime());
  WorkQueueOptions options;
  options.retry_qps = 10;
  options.retry_burst = 2;
  WorkQueue queue(executor, options);
  for (int i = 0; i < 12; ++i) queue.AddRateLimited(std::to_string(i));
  executor.Advance(absl::Milliseconds(5));
  CHECK(queue.depth() == 2);
  executor.Advance(absl::Seconds(1));
  CHECK(queue.depth() == 12);
}

TEST_CASE("work queue: it is bounded and says what it refused", "[client]") {
  net::VirtualExecutor executor(StartTime());
  WorkQueueOptions options;
  options.keys_max = 2;
  WorkQueue queue(executor, options);
  CHECK(queue.Add("a"));
  CHECK(queue.AddAfter("b", absl::Seconds(1)));
  CHECK_FALSE(queue.Add("c"));
  CHECK_FALSE(queue.AddRateLimited("c"));
  CHECK(queue.Add("a"));
  CHECK(queue.counters().dropped == 2);
}

TEST_CASE("work queue: workers wait for keys and end at shutdown", "[client]") {
  net::VirtualExecutor executor(StartTime());
  WorkQueue queue(executor, {});
  std::vector<std::string> seen;
  int ended = 0;
  auto work = [](WorkQueue& q, std::vector<std::string>* out, int* n) -> net::Awaitable<void> {
    for (;;) {
      const std::optional<std::string> key = co_await q.Next();
      if (!key.has_value()) break;
      out->push_back(*key);
      q.Done(*key);
    }
    ++*n;
  };
  for (int i = 0; i < 3; ++i) net::Spawn(executor, work(queue, &seen, &ended));
  executor.RunUntilIdle();
  queue.Add("a");
  queue.Add("b");
  executor.RunUntilIdle();
  queue.AddAfter("c", absl::Seconds(1));
  executor.Advance(absl::Seconds(1));
  CHECK(seen == std::vector<std::string>{"a", "b", "c"});
  queue.ShutDown();
  executor.RunUntilIdle();
  CHECK(ended == 3);
  CHECK_FALSE(queue.Add("d"));
}

}  // namespace
}  // namespace bth::client
