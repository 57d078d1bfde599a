// Many requests side by side, but not too many.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "client/api_client.h"
#include "client/background.h"

namespace bth::controllers {

using Work = std::function<net::Awaitable<absl::Status>(size_t index)>;

// Runs work(0) ... work(count - 1), begun in this order, at most `limit` at a time, and returns
// their results by index when all have ended. Whoever stops waiting stops them too.
// `work` outlives the call. Thread: the executor's.
net::Awaitable<std::vector<absl::Status>> RunInFlight(net::Executor& executor, size_t count,
                                                      size_t limit, const Work& work);

}  // namespace bth::controllers
