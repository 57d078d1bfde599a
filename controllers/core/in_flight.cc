#include "controllers/core/in_flight.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace bth::controllers {
namespace {

struct WriteProgress {
  size_t next = 0;
  size_t lanes_left = 0;
  std::vector<absl::Status> results;
};

net::Awaitable<absl::Status> RunOne(net::Executor& executor, const Work& work, size_t index) {
  try {
    co_return co_await work(index);
  } catch (...) {
    executor.barrier().Caught("controller.write", net::Consequence::kFailed);
  }
  co_return absl::InternalError("the write ended with an exception");
}

net::Awaitable<void> Lane(net::Executor& executor, WriteProgress& progress, const Work& work,
                          net::Promised<bool> all_done) {
  while (progress.next < progress.results.size()) {
    const size_t index = progress.next++;
    progress.results[index] = co_await RunOne(executor, work, index);
  }
  if (--progress.lanes_left == 0) all_done.Set(true);
}

}  // namespace

net::Awaitable<std::vector<absl::Status>> RunInFlight(net::Executor& executor, size_t count,
                                                      size_t limit, const Work& work) {
  WriteProgress progress;
  progress.results.resize(count);
  progress.lanes_left = std::min(count, std::max<size_t>(limit, 1));
  if (count > 0) {
    const net::Promised<bool> all_done(executor);
    std::vector<std::unique_ptr<client::Background>> lanes;
    for (size_t i = progress.lanes_left; i > 0; --i) {
      lanes.push_back(std::make_unique<client::Background>());
      lanes.back()->Start(executor, Lane(executor, progress, work, all_done));
    }
    co_await all_done.Wait();
  }
  // Named, because GCC 12 hands out an unmade value when a member is returned as it stands.
  std::vector<absl::Status> results = std::move(progress.results);
  co_return std::move(results);
}

}  // namespace bth::controllers
