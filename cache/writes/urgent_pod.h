// What a binding and an eviction have in common: the pod, and how often it is tried.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "base/doubled.h"
#include "client/api_client.h"

namespace bth::cache {

// The pod that a cycle decided about.
struct UrgentPod {
  std::string ns;
  std::string name;
  std::string uid;
  std::string job;
  int64_t created_us = 0;
  int attempts = 0;      // That the server was too busy for.
  bool settled = false;  // Its end was told; or it is in other hands now.
  std::string key() const { return ns + "/" + name; }
};

struct AttemptOptions {
  // Pauses between attempts at one object, and between reads of its outcome, doubling up to the
  // second, unless the server says how long.
  std::pair<absl::Duration, absl::Duration> retry = {absl::Seconds(1), absl::Seconds(30)};
  int attempts_max = 6;  // Of one binding or eviction that the server is too busy for.
  int reads_max = 8;     // Of one outcome, in a minute and a half; the watch may tell before.
  // The longest pause that the server may ask for while the decision stands; asked for more, the
  // job backs off for so long, and a later cycle decides anew.
  absl::Duration parked_max = absl::Seconds(30);

  // What the server asks for with `status`, else what so many failures in a row call for.
  absl::Duration Pause(int failures, const absl::Status& status) const {
    const absl::Duration own = Doubled(retry.first, failures - 1, retry.second);
    const absl::Duration asked = client::RetryAfter(status).value_or(absl::ZeroDuration());
    return std::min(asked > absl::ZeroDuration() ? asked : own, retry.second);
  }
  // The pause before the next attempt, after so many that were turned away; nothing: no more.
  std::optional<absl::Duration> NextAttempt(int attempts, const absl::Status& status) const {
    const absl::Duration asked = client::RetryAfter(status).value_or(absl::ZeroDuration());
    if (attempts >= attempts_max || asked > parked_max) return std::nullopt;
    return Pause(attempts, status);
  }
};

}  // namespace bth::cache
