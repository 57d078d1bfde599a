// What is to become of a queue: pure functions, any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "api/types/bus.h"

namespace bth::controllers {

inline constexpr std::string_view kQueueOpen = "Open";
inline constexpr std::string_view kQueueClosed = "Closed";
inline constexpr std::string_view kQueueClosing = "Closing";
inline constexpr std::string_view kQueueUnknown = "Unknown";

// What a request leads to, and the state that follows from it.
struct QueueStep {
  enum class What {
    kSync,   // Nothing but the state.
    kOpen,   // Also its parent is asked, and its children are told.
    kClose,  // Also its children are told.
  };
  What what = What::kSync;
  std::string_view state;
  friend bool operator==(const QueueStep&, const QueueStep&) = default;
};

// `state` is status.state, `pod_groups` the number of those in the queue. Nothing for a state that
// no version ever wrote.
std::optional<QueueStep> NextQueueStep(std::string_view state, types::BusAction action,
                                       size_t pod_groups);

// A queue that takes no new work.
inline bool IsShut(std::string_view state) {
  return state == kQueueClosed || state == kQueueClosing;
}

}  // namespace bth::controllers
