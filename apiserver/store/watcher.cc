#include "apiserver/store/watcher.h"

#include <utility>

namespace bth::apiserver {

void Watcher::Wake() {
  if (auto wakeup = std::exchange(wakeup_, nullptr)) wakeup();
}

void Watcher::Push(WatchItem item) {
  const size_t bytes = item.object == nullptr ? 0 : item.object->bytes.size();
  if (items_.size() - initial_left_ >= bounds_.items_max ||
      live_bytes_ + bytes > bounds_.bytes_max) {
    // The reader resumes from its last revision; keeping more would let it hold all memory.
    overflowed_ = true;
    items_.clear();
    initial_left_ = live_bytes_ = 0;
    Close();
    return;
  }
  live_bytes_ += bytes;
  items_.push_back(std::move(item));
  Wake();
}

void Watcher::Deliver(const StoreEvent& event) {
  if (closed_ || event.revision <= start_) return;
  const bool now = event.type != EventType::kDeleted && selection_.Matches(*event.object);
  const bool before = event.previous != nullptr && selection_.Matches(*event.previous);
  if (now) {
    Push({before ? EventType::kModified : EventType::kAdded, event.object, event.revision});
  } else if (before) {
    // The last state that matched, stamped with the revision at which it ceased to.
    ObjectPtr last = event.type == EventType::kDeleted
                         ? event.object
                         : WithRevision(*event.previous, event.revision);
    Push({EventType::kDeleted, std::move(last), event.revision});
  }
}

void Watcher::Close() {
  closed_ = true;
  Wake();
}

WatchItem Watcher::Take() {
  WatchItem item = std::move(items_.front());
  items_.pop_front();
  if (initial_left_ > 0) {
    --initial_left_;
  } else if (item.object != nullptr) {
    live_bytes_ -= item.object->bytes.size();
  }
  return item;
}

}  // namespace bth::apiserver
