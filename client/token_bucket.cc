#include "client/token_bucket.h"

#include <algorithm>

namespace bth::client {

absl::Duration TokenBucket::Take() {
  if (!(qps_ > 0)) return absl::ZeroDuration();
  const absl::Duration now = executor_.Monotonic();
  tokens_ = std::min(burst_, tokens_ + absl::ToDoubleSeconds(now - filled_at_) * qps_);
  filled_at_ = now;
  tokens_ -= 1;
  return tokens_ >= 0 ? absl::ZeroDuration() : absl::Seconds(-tokens_ / qps_);
}

net::Awaitable<void> TokenBucket::Acquire() {
  const absl::Duration wait = Take();
  if (wait > absl::ZeroDuration()) co_await net::Sleep(executor_, wait);
}

}  // namespace bth::client
