#include "net/barrier.h"

#include <stdexcept>
#include <vector>

#include "net/http.h"
#include "net/io_context.h"
#include "net/virtual_executor.h"
#include "tests/support/catch.h"

namespace bth::net {
namespace {

absl::Time Epoch() {
  return absl::FromUnixSeconds(1'700'000'000);
}

void Throw() {
  throw std::out_of_range("no such key");
}

Awaitable<int> ThrowsLater(Executor* executor) {
  co_await Sleep(*executor, absl::Seconds(1));
  Throw();
  co_return 1;
}

Awaitable<void> AwaitsIt(Executor* executor) {
  const int got = co_await ThrowsLater(executor);
  FAIL("went on with " << got);
}

struct Heard {
  explicit Heard(Executor& executor) {
    listener = executor.barrier().Listen([this](const Escape& escape) { all.push_back(escape); });
  }
  std::vector<Escape> all;
  std::shared_ptr<void> listener;
};

TEST_CASE("barrier: an exception passes through all that await, and ends at the root", "[net]") {
  VirtualExecutor executor(Epoch());
  const Heard heard(executor);
  Spawn(executor, AwaitsIt(&executor));
  executor.Advance(absl::Seconds(2));
  REQUIRE(heard.all.size() == 1);
  CHECK(heard.all[0].place == "spawn");
  CHECK(heard.all[0].what == "no such key");
  CHECK(heard.all[0].consequence == Consequence::kLost);
}

TEST_CASE("barrier: tasks and timers that throw keep no other from running", "[net]") {
  VirtualExecutor executor(Epoch());
  const Heard heard(executor);
  int ran = 0;
  executor.Post(Throw);
  executor.Post([&ran] { ++ran; });
  executor.RunAfter(absl::Seconds(1), Throw);
  executor.RunAfter(absl::Seconds(1), [&ran] { ++ran; });
  executor.Advance(absl::Seconds(2));
  CHECK(ran == 2);
  REQUIRE(heard.all.size() == 2);
  CHECK(heard.all[0].place == "executor.task");
  CHECK(heard.all[1].place == "executor.timer");
}

TEST_CASE("barrier: the real loop goes on after tasks and timers that throw", "[net]") {
  const std::unique_ptr<IoContext> io = IoContext::Create();
  const Heard heard(*io);
  io->Post(Throw);
  io->RunAfter(absl::ZeroDuration(), Throw);
  io->RunAfter(absl::Milliseconds(1), [&io] { io->Stop(); });
  io->Run();
  CHECK(io->barrier().caught() == 2);
}

TEST_CASE("barrier: a listener that throws is heard of in the count only", "[net]") {
  VirtualExecutor executor(Epoch());
  const auto bad = executor.barrier().Listen([](const Escape&) { Throw(); });
  const Heard heard(executor);
  executor.Post(Throw);
  executor.RunUntilIdle();
  CHECK(heard.all.size() == 1);
  CHECK(executor.barrier().caught() == 2);
}

TEST_CASE("barrier: who has dropped the registration is told no more", "[net]") {
  VirtualExecutor executor(Epoch());
  Heard heard(executor);
  heard.listener.reset();
  executor.Post(Throw);
  executor.RunUntilIdle();
  CHECK(heard.all.empty());
}

TEST_CASE("barrier: a handler that throws fails its own request", "[net]") {
  VirtualExecutor executor(Epoch());
  int asked = 0;
  const auto transport = MakeInProcessTransport(executor, [&asked](Request) -> Awaitable<Response> {
    if (++asked == 1) Throw();
    co_return Response();
  });
  std::vector<absl::Status> answers;
  const auto ask = [](Transport* line, std::vector<absl::Status>* out) -> Awaitable<void> {
    const absl::StatusOr<Response> response = co_await line->Fetch(Request());
    out->push_back(response.status());
  };
  Spawn(executor, ask(transport.get(), &answers));
  executor.RunUntilIdle();
  Spawn(executor, ask(transport.get(), &answers));
  executor.RunUntilIdle();
  REQUIRE(answers.size() == 2);
  CHECK(absl::IsUnavailable(answers[0]));
  CHECK(answers[1].ok());
}

}  // namespace
}  // namespace bth::net
