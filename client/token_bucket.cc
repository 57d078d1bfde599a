#include "client/token_bucket.h"

#include <algorithm>

namespace bth::client {

void TokenBucket::Fill() {
  const absl::Duration now = executor_.Monotonic();
  tokens_ = std::min(burst_, tokens_ + absl::ToDoubleSeconds(now - filled_at_) * qps_);
  filled_at_ = now;
}

absl::Duration TokenBucket::Take() {
  if (!(qps_ > 0)) return absl::ZeroDuration();
  Fill();
  tokens_ -= 1;
  return tokens_ >= 0 ? absl::ZeroDuration() : absl::Seconds(-tokens_ / qps_);
}

net::Awaitable<void> TokenBucket::Acquire() {
  const absl::Duration wait = Take();
  if (wait > absl::ZeroDuration()) co_await net::Sleep(executor_, wait);
}

net::Awaitable<void> TokenBucket::AcquireLast() {
  if (!(qps_ > 0)) co_return;
  for (Fill(); tokens_ < 1; Fill()) {
    // Rounded up, or the last piece of a token would be waited for again and again.
    co_await net::Sleep(executor_, absl::Seconds((1 - tokens_) / qps_) + absl::Microseconds(1));
  }
  tokens_ -= 1;
}

}  // namespace bth::client
