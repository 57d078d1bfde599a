#include "controllers/queue/queue_states.h"

namespace bth::controllers {

using types::BusAction;
using What = QueueStep::What;

std::optional<QueueStep> NextQueueStep(std::string_view state, BusAction action,
                                       size_t pod_groups) {
  const std::string_view drained = pod_groups == 0 ? kQueueClosed : kQueueClosing;
  const bool open = state.empty() || state == kQueueOpen;
  if (!open && !IsShut(state) && state != kQueueUnknown) return std::nullopt;
  if (action == BusAction::kOpenQueue) {
    return QueueStep{open ? What::kSync : What::kOpen, kQueueOpen};
  }
  if (action == BusAction::kCloseQueue) {
    if (state == kQueueClosed) return QueueStep{What::kSync, kQueueClosed};
    return QueueStep{IsShut(state) ? What::kSync : What::kClose, drained};
  }
  if (open) return QueueStep{What::kSync, kQueueOpen};
  if (state == kQueueClosing) return QueueStep{What::kSync, drained};
  return QueueStep{What::kSync, state};
}

}  // namespace bth::controllers
