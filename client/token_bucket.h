// The client's own limit on requests per second (--kube-api-qps, --kube-api-burst).
#pragma once

#include "net/awaitable.h"

namespace bth::client {

// `burst` requests at once, then `qps` each second, in order of asking. A rate that is not positive
// means no limit. Thread: the executor's.
class TokenBucket final {
 public:
  TokenBucket(net::Executor& executor, double qps, int burst)
      : executor_(executor), qps_(qps), burst_(burst < 1 ? 1.0 : burst), tokens_(burst_) {}
  TokenBucket(const TokenBucket&) = delete;

  // Takes one token; the result is how long the caller must wait before it acts. Tokens are
  // given ahead, so that waiting callers keep their order.
  absl::Duration Take();
  // Take, and wait. A caller that goes away while waiting has spent its token.
  net::Awaitable<void> Acquire();
  // Behind everybody else: waits until a token is left over, and lets those who come meanwhile
  // pass.
  net::Awaitable<void> AcquireLast();

 private:
  void Fill();

  net::Executor& executor_;
  const double qps_;
  const double burst_;
  double tokens_;  // Negative: given ahead.
  absl::Duration filled_at_;
};

}  // namespace bth::client
